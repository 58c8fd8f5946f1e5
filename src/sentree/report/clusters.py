"""The clusters on a map, their sizes, and how firmly their samples are held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sentree import plots
from sentree.estimators.support import ClusterSupport
from sentree.plots.lettering import clean
from sentree.plots.links import all_drawn, choose_constraints
from sentree.report.blocks import Bullets, Document, Folded, Graphic, Paragraph, Span, Table, Text
from sentree.report.chart import map_legend, map_svg, some_rows
from sentree.report.pictures import Pictures
from sentree.report.subject import MISSING, Subject, percent

#: Most clusters that are listed.
_MOST = 500
#: Least certain samples that are listed.
_UNSURE = 50
#: Samples of at least this strength are not listed as uncertain.
_SURE = 0.95
#: Most clusters without labels of which it is told what speaks for them.
_NEW = 5
#: Most lines, and most marks, of constraints on the map.
_DRAWN = 100
#: Most samples on the map.
_POINTS = 20_000


def map_section(subject: Subject) -> Document:
    """Draw the samples on a map, with the constraints."""
    places, made = subject.map
    rows = some_rows(subject.n, _POINTS)
    given = subject.model.constraints_
    said = list(choose_constraints(subject.labels, given, _DRAWN, 0))
    caption = f"The {subject.noun}s on a map, coloured by cluster."
    if rows.size < subject.n:
        caption += f" {rows.size:,} of {subject.n:,} are drawn, picked at random."
    if made:
        caption += (
            f" {subject.noun.capitalize()}s that are alike are near each other; the clusters were "
            "not used for that. Distances between groups that do not touch mean little."
        )
    caption += _drawn_constraints(subject)
    markup = map_svg(subject, places, rows, said) + map_legend(subject, said)
    return [Graphic(markup, caption)]


def _drawn_constraints(subject: Subject) -> str:
    """Say how the constraints are drawn, of the kinds there are."""
    given = subject.model.constraints_
    groups = len(given.together) + len(given.apart)
    signs = {
        f"lines join {subject.noun}s that were said to be together or apart": len(given.must_link)
        + len(given.cannot_link)
        + groups,
        f"rings mark labelled {subject.noun}s": given.label_index.size,
        f"squares mark {subject.noun}s of which a class was ruled out": given.negative_index.size,
    }
    told = "; ".join(sign for sign, count in signs.items() if count)
    if not told:
        return ""
    told = f" {told[0].upper()}{told[1:]}."
    if subject.report.n_broken:
        told += " What is red and thick is broken."
    if not all_drawn(subject.labels, given, _DRAWN):
        told += (
            " There are too many to draw all: some were picked at random, the legend says how many."
        )
    return told


def cluster_table(subject: Subject) -> Document:
    """List the clusters with their sizes and strengths."""
    order = subject.order
    support = [subject.model.cluster_support_[k] for k in order]
    new = [clean(one) for one in support if one.new is not None]
    return [
        _table(subject, support[:_MOST], _caption(subject, len(order))),
        *([Bullets([f"{text[:1].upper()}{text[1:]}." for text in new[:_NEW]])] if new else []),
        Paragraph(
            f"Strength is the probability that a {subject.noun} belongs to its cluster, by the "
            f"data: 1 is surely. A {subject.noun} is likelier elsewhere where another cluster has "
            "a higher probability; constraints may hold it, or the balance of the whole."
        ),
    ]


def _strengths(subject: Subject, pictures: Pictures) -> Document:
    """Draw the strengths of all samples, where there are several clusters."""
    lines = min(len(subject.order), 21)
    drawn = pictures.draw(
        "strengths",
        f"Strength of every {subject.noun}, cluster by cluster. Each cluster is a stack of bars, "
        f"one for each {subject.noun}, the firmest on top; those that do not reach the dashed "
        "line are in some doubt. Higher stacks are larger clusters.",
        (6.6, 0.9 + 0.42 * lines if lines <= 12 else 0.9 + 0.36 * lines),
        lambda ax: plots.membership_strength(
            subject.named_labels, subject.strength, colors=subject.named_colours, ax=ax
        ),
    )
    return [Folded(f"The strength of every {subject.noun}", [drawn])]


def _caption(subject: Subject, count: int) -> str:
    shown = f"The {_MOST} largest of {count:,} clusters" if count > _MOST else "All clusters"
    named = f" A name is the class of most labelled {subject.noun}s of the cluster."
    return f"{shown}, by size." + named * any(subject.class_names)


def _table(subject: Subject, chosen: Sequence[ClusterSupport], caption: str) -> Table:
    """List clusters with their sizes and strengths, and names where there are any."""
    k = subject.k
    mean: Any = np.bincount(subject.labels, subject.strength, k) / np.maximum(subject.sizes, 1)
    elsewhere = np.bincount(subject.labels, subject.is_likelier_elsewhere, k).astype(np.int64)
    columns = ["cluster", f"{subject.noun}s", "share", "mean strength", "likelier elsewhere"]
    labelled = subject.model.constraints_.label_index.size > 0
    if labelled:
        columns[1:1] = ["name"]
        columns += ["labelled", "labelled with its name"]
    rows = []
    for one in chosen:
        c, share = one.cluster, one.size / subject.n
        row: list[Text] = [
            [Span(str(c), "dot", subject.colours[c])],
            f"{one.size:,}",
            [Span(percent(share), "bar", subject.colours[c], share)],
            f"{mean[c]:.3f}",
            f"{elsewhere[c]:,}",
        ]
        if labelled:
            row[1:1] = [subject.class_names[c] or MISSING]
            row += [f"{one.labels:,}", f"{one.labels_for:,}" if one.labels else MISSING]
        rows.append(row)
    return Table(caption, columns, rows, words=(1, 3) if labelled else (2,), tall=True)


def unsure_section(subject: Subject, pictures: Pictures) -> Document:
    """List the samples that are held least, and draw the strengths of all."""
    strength = subject.strength
    other = subject.rival
    order = np.lexsort((strength, ~subject.is_likelier_elsewhere))[:_UNSURE]
    lowest = order[strength[order] < _SURE]
    if lowest.size == 0:
        told = (
            "There is one cluster, so nothing is in doubt."
            if subject.model.n_clusters_ == 1
            else f"None: every {subject.noun} is surely in its cluster (strength {_SURE} or more)."
        )
        return [Paragraph(told)]
    given = subject.model.constraints_
    known = dict(zip(given.label_index.tolist(), given.label_code.tolist(), strict=True))
    bound = set(given.named.tolist())
    columns = [subject.sample_heading, "cluster", "strength", "best other cluster", "its strength"]
    if bound:
        columns.append("constraints on it")
    rows = []
    for row in lowest.tolist():
        rival = int(other.labels[row])
        cells: list[Text] = [
            subject.sample(row),
            [subject.dot(subject.labels[row])],
            f"{strength[row]:.3f}",
            [subject.dot(rival)] if rival >= 0 else MISSING,
            f"{other.strength[row]:.3f}" if rival >= 0 else MISSING,
        ]
        if bound:
            said = f"labelled {subject.known_class(known[row])}" if row in known else "yes"
            cells.append(said if row in bound else MISSING)
        rows.append(cells)
    caption = f"The {subject.counted(len(rows))} that are least certain"
    caption += ", those that are likelier elsewhere first."
    isolated = subject.model.graph_.isolated.size
    if isolated:
        caption += (
            f" {subject.counted(isolated)} without any neighbours "
            f"{'has' if isolated == 1 else 'have'} strength 0."
        )
    if any(subject.is_likelier_elsewhere[row] and row in bound for row in lowest.tolist()):
        caption += (
            " Where the other cluster is likelier and there are constraints, these may hold "
            f"the {subject.noun} against the data: look whether they are right."
        )
    found = Table(caption, columns, rows, words=(1, 3, 5), tall=True)
    return [found, *_strengths(subject, pictures)]
