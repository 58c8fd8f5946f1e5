"""The clusters on a map, their sizes, and how firmly their samples are held."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree import plots
from sentree.estimators.membership import second_best
from sentree.plots.links import all_drawn
from sentree.report.blocks import Document, Folded, Paragraph, Table, counted
from sentree.report.pictures import Pictures
from sentree.report.subject import MISSING, Subject, percent

#: Clusters in the first table; more are folded.
_LISTED = 25
#: Most clusters that are listed.
_MOST = 500
#: Least certain samples that are listed.
_UNSURE = 25
#: Most lines, and most marks, of constraints on the map.
_DRAWN = 100


def map_section(subject: Subject, pictures: Pictures, places: NDArray[Any], made: bool) -> Document:
    """Draw the samples on a map, with the constraints."""
    given = subject.model.constraints_
    caption = "A map of the samples, coloured by cluster."
    if made:
        caption += (
            " Samples that are alike are near each other; the clusters were not used for that. "
            "Distances between groups that do not touch mean little."
        )
    caption += _drawn_constraints(subject)
    few = subject.k <= 20
    longest = max(map(len, subject.cluster_names)) if few else 0
    size = (6.6 + few * min(1.8, 0.06 * longest + 0.5), 5.4)
    return [
        pictures.draw(
            "map",
            caption,
            size,
            lambda ax: plots.partition(
                places, subject.named_labels, given, max_constraints=_DRAWN, ax=ax
            ),
        )
    ]


def _drawn_constraints(subject: Subject) -> str:
    """Say how the constraints are drawn, of the kinds there are."""
    given = subject.model.constraints_
    groups = len(given.together) + len(given.apart)
    signs = {
        "lines join samples that were said to be together or apart": len(given.must_link)
        + len(given.cannot_link)
        + groups,
        "rings mark labelled samples": given.label_index.size,
        "squares mark samples of which a class was ruled out": given.negative_index.size,
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


def cluster_section(subject: Subject, pictures: Pictures) -> Document:
    """List the clusters and draw their sizes and strengths."""
    order = np.argsort(-subject.sizes, kind="stable").tolist()
    order = [k for k in order if subject.sizes[k]]
    document: list[Any] = [
        Paragraph(
            "Strength says how firmly the data hold a sample in its cluster: 1 is surely, and "
            "below 0.5 another cluster would suit the sample better by the data alone. "
            "Constraints do not count in it."
        ),
        _table(subject, order[:_LISTED], _caption(subject, len(order))),
    ]
    if len(order) > _LISTED:
        rest = order[_LISTED:_MOST]
        left = len(order) - _MOST
        note = f"The {left:,} smallest are left out." if left > 0 else ""
        title = f"The other {len(order) - _LISTED:,} clusters"
        document.append(Folded(title, [_table(subject, rest, note)]))
    if len(order) > 1:
        width = float(np.clip(3.2 + 0.22 * min(len(order), 200), 5.2, 8))
        named = len(order) <= 40
        longest = max(map(len, subject.cluster_names)) if named else 0
        document.append(
            pictures.draw(
                "sizes",
                "Sizes of the clusters, the largest first. Dark parts of a bar are samples that "
                "are firmly held, pale ones those that are not.",
                (width, 3.0 + 0.07 * min(longest, 24) * (longest > 3)),
                lambda ax: plots.cluster_sizes(subject.named_labels, subject.strength, ax=ax),
            )
        )
        lines = min(len(order), 21)
        document.append(
            pictures.draw(
                "strengths",
                "Strength of every sample, cluster by cluster. Each cluster is a stack of bars, "
                "one for each sample, the firmest on top; by the data alone, samples that do not "
                "reach the dashed line would suit another cluster better. Higher stacks are larger "
                "clusters.",
                (6.6, 0.9 + 0.42 * lines if lines <= 12 else 0.9 + 0.36 * lines),
                lambda ax: plots.membership_strength(subject.named_labels, subject.strength, ax=ax),
            )
        )
    return document


def _caption(subject: Subject, count: int) -> str:
    shown = f"The {_LISTED} largest of {count:,} clusters" if count > _LISTED else "All clusters"
    named = " A name is the class of most labelled samples of the cluster."
    return f"{shown}, by size." + named * any(subject.class_names)


def _table(subject: Subject, chosen: list[int], caption: str) -> Table:
    """List clusters with their sizes and strengths, and names where there are any."""
    given, k = subject.model.constraints_, subject.k
    mean: Any = np.bincount(subject.labels, subject.strength, k) / np.maximum(subject.sizes, 1)
    weak = np.bincount(subject.labels, subject.strength < 0.5, k).astype(np.int64)
    columns = ["cluster", "samples", "share", "mean strength", "strength below 0.5"]
    labelled = given.label_index.size > 0
    if labelled:
        columns[1:1] = ["name"]
        columns += ["labelled", "labelled with its name"]
    of_cluster = subject.labels[given.label_index]
    known = np.bincount(of_cluster, minlength=k)
    code_of = {name: code for code, name in enumerate(given.classes)}
    named = np.array([code_of.get(name, -1) for name in subject.model.cluster_names_])
    agree = np.bincount(of_cluster, given.label_code == named[of_cluster], k).astype(np.int64)
    rows = []
    for c in chosen:
        row = [
            str(c),
            f"{subject.sizes[c]:,}",
            percent(subject.sizes[c] / subject.n),
            f"{mean[c]:.3f}",
            f"{weak[c]:,}",
        ]
        if labelled:
            row[1:1] = [subject.class_names[c] or MISSING]
            row += [f"{known[c]:,}", f"{agree[c]:,}" if known[c] else MISSING]
        rows.append(row)
    return Table(caption, columns, rows, words=(1,) if labelled else ())


def unsure_section(subject: Subject) -> Document:
    """List the samples that are held least."""
    strength = subject.strength
    lowest = np.argsort(strength, kind="stable")[:_UNSURE]
    lowest = lowest[strength[lowest] < 1]
    if lowest.size == 0:
        told = (
            "There is one cluster, so nothing is in doubt."
            if subject.model.n_clusters_ == 1
            else "None: no sample has a neighbour in another cluster."
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
        cells = [
            subject.sample(row),
            subject.cluster_names[subject.labels[row]],
            f"{strength[row]:.3f}",
            subject.cluster_names[rival] if rival >= 0 else MISSING,
            f"{other.strength[row]:.3f}" if rival >= 0 else MISSING,
        ]
        if bound:
            said = f"labelled {subject.known_class(known[row])}" if row in known else "yes"
            cells.append(said if row in bound else MISSING)
        rows.append(cells)
    caption = f"The {counted(len(rows), 'sample')} with the lowest strength, the lowest first."
    isolated = subject.model.graph_.isolated.size
    if isolated:
        caption += (
            f" {counted(int(isolated), 'sample')} without any neighbours "
            f"{'has' if isolated == 1 else 'have'} strength 0."
        )
    if any(strength[row] < 0.5 and row in bound for row in lowest.tolist()):
        caption += (
            " Where a strength is below 0.5 and there are constraints on the sample, these may "
            "hold it against the data: look whether they are right."
        )
    return [Table(caption, columns, rows, words=(1, 3, 5))]
