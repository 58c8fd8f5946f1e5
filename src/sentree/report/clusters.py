"""The clusters on a map, their sizes, and how firmly their samples are held."""

from __future__ import annotations

from typing import Any

import numpy as np

from sentree import plots
from sentree.estimators.membership import second_best
from sentree.plots.links import all_drawn, choose_constraints
from sentree.report.blocks import Document, Folded, Graphic, Paragraph, Span, Table, Text
from sentree.report.chart import map_legend, map_svg, some_rows
from sentree.report.pictures import Pictures
from sentree.report.subject import MISSING, Subject, percent

#: Most clusters that are listed.
_MOST = 500
#: Least certain samples that are listed.
_UNSURE = 50
#: Samples of at least this strength are not listed as uncertain.
_SURE = 0.95
#: Most clusters without labels that are spoken of.
_NEW = 10
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
    new = [one for one in subject.support if one.new is not None]
    return [
        _table(subject, order[:_MOST], _caption(subject, len(order))),
        Paragraph(
            f"Strength is the probability that a {subject.noun} belongs to its cluster, judged by "
            "its neighbours: where it is below 0.5, another cluster may suit it better. "
            f"Constraints on the {subject.noun} do not count in it."
        ),
        *(Paragraph(f"{str(one)[0].upper()}{str(one)[1:]}.") for one in new[:_NEW]),
    ]


def _strengths(subject: Subject, pictures: Pictures) -> Document:
    """Draw the strengths of all samples, where there are several clusters."""
    lines = min(len(subject.order), 21)
    drawn = pictures.draw(
        "strengths",
        f"Strength of every {subject.noun}, cluster by cluster. Each cluster is a stack of bars, "
        f"one for each {subject.noun}, the firmest on top; those that do not reach the dashed "
        "line would suit another cluster better. Higher stacks are larger clusters.",
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


def _table(subject: Subject, chosen: list[int], caption: str) -> Table:
    """List clusters with their sizes and strengths, and names where there are any."""
    k = subject.k
    mean: Any = np.bincount(subject.labels, subject.strength, k) / np.maximum(subject.sizes, 1)
    weak = np.bincount(subject.labels, subject.strength < 0.5, k).astype(np.int64)
    columns = ["cluster", f"{subject.noun}s", "share", "mean strength", "strength below 0.5"]
    labelled = subject.model.constraints_.label_index.size > 0
    if labelled:
        columns[1:1] = ["name"]
        columns += ["labelled", "labelled with its name"]
    rows = []
    for c in chosen:
        share = subject.sizes[c] / subject.n
        row: list[Text] = [
            [Span(str(c), "dot", subject.colours[c])],
            f"{subject.sizes[c]:,}",
            [Span(percent(share), "bar", subject.colours[c], share)],
            f"{mean[c]:.3f}",
            f"{weak[c]:,}",
        ]
        if labelled:
            row[1:1] = [subject.class_names[c] or MISSING]
            one = subject.support[c]
            row += [f"{one.labels:,}", f"{one.labels_for:,}" if one.labels else MISSING]
        rows.append(row)
    return Table(caption, columns, rows, words=(1, 3) if labelled else (2,), tall=True)


def unsure_section(subject: Subject, pictures: Pictures) -> Document:
    """List the samples that are held least, and draw the strengths of all."""
    strength = subject.strength
    lowest = np.argsort(strength, kind="stable")[:_UNSURE]
    lowest = lowest[strength[lowest] < _SURE]
    if lowest.size == 0:
        told = (
            "There is one cluster, so nothing is in doubt."
            if subject.model.n_clusters_ == 1
            else f"None: every {subject.noun} is surely in its cluster (strength {_SURE} or more)."
        )
        return [Paragraph(told)]
    other = second_best(subject.model.membership_, subject.labels)
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
    caption = f"The {subject.counted(len(rows))} with the lowest strength, the lowest first."
    isolated = subject.model.graph_.isolated.size
    if isolated:
        caption += (
            f" {subject.counted(isolated)} without any neighbours "
            f"{'has' if isolated == 1 else 'have'} strength 0."
        )
    if any(strength[row] < 0.5 and row in bound for row in lowest.tolist()):
        caption += (
            " Where a strength is below 0.5 and there are constraints, these "
            "may hold it against the data: look whether they are right."
        )
    found = Table(caption, columns, rows, words=(1, 3, 5), tall=True)
    return [found, *_strengths(subject, pictures)]
