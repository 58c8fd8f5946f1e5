"""The constraints: how many are kept, and which are not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from sentree import plots
from sentree.metrics import level_purity
from sentree.report.blocks import Document, Folded, Paragraph, Table, counted
from sentree.report.pictures import Pictures
from sentree.report.subject import MISSING, Subject

#: Broken constraints of a kind in the first table; more are folded.
_LISTED = 15
#: Most broken constraints of a kind that are listed.
_MOST = 200

#: What is said of each kind that is broken.
_TITLES = {
    "must_link": "must-link",
    "cannot_link": "cannot-link",
    "together": "group that belongs together",
    "apart": "group that is pairwise apart",
    "labels": "label",
    "negative_labels": "negative label",
    "triplets": "triplet",
}


def constraint_section(subject: Subject, pictures: Pictures) -> Document:
    """Draw how many constraints are kept, and list the broken ones."""
    report = subject.report
    kinds = [kind for kind, count in report.given.items() if count]
    document: list[Any] = [
        pictures.draw(
            "kept",
            f"Constraints kept and broken, by kind.{_counting(kinds)}",
            (6.0, 1.0 + 0.36 * len(kinds)),
            lambda ax: plots.constraint_satisfaction(report, ax=ax),
        )
    ]
    if not report.n_broken:
        document.append(Paragraph("No constraint is broken."))
    for kind in kinds:
        if len(report.broken[kind]):
            document += _broken(subject, kind)
    return [*document, *_levels(subject)]


def _counting(kinds: Sequence[str]) -> str:
    """Say how groups are counted, where there are any."""
    units = {
        "together": " Groups that belong together count by member.",
        "apart": " Groups whose members are all apart count by group.",
    }
    return "".join(units.get(kind, "") for kind in kinds)


def _broken(subject: Subject, kind: str) -> Document:
    """List the broken constraints of a kind."""
    count = len(subject.report.broken[kind])
    rows = list(islice(_rows(subject, kind), _MOST))
    columns = (subject.sample_heading, "was said to be", "is in")
    title = f"Broken: {counted(count, _TITLES[kind])}"
    if kind == "together":
        title = f"Broken: {counted(count, 'member')} outside the group"
    elif kind == "apart":
        title = f"Broken: {counted(count, 'group')} with members that share a cluster"
    document: list[Any] = [Table(f"{title}.", columns, rows[:_LISTED], words=(1, 2))]
    if len(rows) > _LISTED:
        capped = f"The first {_MOST} of {count:,} are listed." if count > len(rows) == _MOST else ""
        rest = Table(capped, columns, rows[_LISTED:], words=(1, 2))
        document.append(Folded(f"{len(rows) - _LISTED:,} more", [rest]))
    return document


def broken_statements(
    model: Any, ids: Sequence[Any] | None = None
) -> Iterator[tuple[str, str, str]]:
    """Give for every broken constraint the sample, what was said of it, and where it is.

    Parameters
    ----------
    model : fitted SSEPartition or SSEHierarchy
        The model.
    ids : sequence of length n_samples, optional
        What the samples are called; their row numbers, from 0, where not given.

    Examples
    --------
    >>> from sentree import SSEPartition, report
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> model = SSEPartition(2, penalty=0).fit(X, must_link=[(0, 3)])
    >>> next(report.broken_statements(model, "abcdef"))
    ('a', 'together with d', 'cluster 0; d in cluster 1')
    """
    subject = Subject(model, ids)
    for kind in subject.report.given:
        yield from _rows(subject, kind)


def _rows(subject: Subject, kind: str) -> Iterator[tuple[str, str, str]]:
    """Give for every broken constraint the sample, what was said of it, and where it is."""
    given, report = subject.model.constraints_, subject.report
    name, labels = subject.sample, subject.labels

    def home(row: int) -> str:
        return f"cluster {subject.cluster_names[labels[row]]}"

    if kind in ("must_link", "together"):
        like = "like the others of its group, such as" if kind == "together" else "together with"
        for first, second in report.broken_pairs(kind).tolist():
            one, other = (second, first) if kind == "together" else (first, second)
            yield name(one), f"{like} {name(other)}", f"{home(one)}; {name(other)} in {home(other)}"
    elif kind in ("cannot_link", "apart"):
        for first, second in report.broken_pairs(kind).tolist():
            yield name(first), f"apart from {name(second)}", f"{home(first)}, and so is the other"
    elif kind == "labels":
        code = dict(zip(given.label_index.tolist(), given.label_code.tolist(), strict=True))
        for row in report.broken[kind].tolist():
            yield name(row), subject.known_class(code[row]), home(row)
    elif kind == "negative_labels":
        for number in report.broken[kind].tolist():
            row = int(given.negative_index[number])
            ruled_out = subject.known_class(int(given.negative_code[number]))
            yield name(row), f"not {ruled_out}", f"{home(row)}, with samples labelled so"
    else:
        for number in report.broken[kind].tolist():
            first, second, third = given.triplets[number].tolist()
            said = f"closer to {name(second)} than to {name(third)}"
            yield name(first), said, "a branch of the tree where this is not so"


def _levels(subject: Subject) -> Document:
    """Tell how well the tree keeps labels of mixed depth."""
    model = subject.model
    if model.constraints_.finer is None:
        return []
    levels = model.constraints_.levels
    purity = level_purity(model.constraints_, model.tree_)
    rows = [
        [
            str(depth + 1),
            f"{level.label_index.size:,}",
            f"{len(level.classes):,}",
            MISSING if math.isnan(pure) else f"{pure:.3f}",
        ]
        for depth, (level, pure) in enumerate(zip(levels, purity, strict=True))
    ]
    told = (
        "Labels were given at several levels. Purity says how well the tree keeps those of a "
        "level: 1 where each class has a branch of its own."
    )
    columns = ("level", "labelled samples", "classes", "purity")
    return [Paragraph(told), Table("From coarse to fine.", columns, rows)]
