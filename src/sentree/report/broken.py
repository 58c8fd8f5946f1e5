"""The constraints: how many are kept, and which are not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from sentree.metrics import level_purity
from sentree.plots.style import BLUE
from sentree.report.blocks import Document, Paragraph, Span, Table, Text, counted
from sentree.report.subject import MISSING, Subject, percent

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
#: What several of a kind are called.
_PLURALS = {
    "must_link": "must-links",
    "cannot_link": "cannot-links",
    "together": "groups together",
    "apart": "groups apart",
    "labels": "labels",
    "negative_labels": "negative labels",
    "triplets": "triplets",
}


def constraint_section(subject: Subject) -> Document:
    """Count the constraints that are kept, and list the broken ones."""
    report = subject.report
    kinds = [kind for kind, count in report.given.items() if count]
    rows: list[list[Text]] = [
        [
            _PLURALS[kind],
            f"{report.given[kind]:,}",
            [Span(f"{report.kept[kind]:,}", "bar", BLUE, report.kept[kind] / report.given[kind])],
            f"{report.given[kind] - report.kept[kind]:,}",
        ]
        for kind in kinds
    ]
    counts = Table(_counting(kinds), ("kind", "given", "kept", "broken"), rows, words=(2,))
    document: list[Any] = [Paragraph(_kept(subject)), counts]
    for kind in kinds:
        if len(report.broken[kind]):
            document += _broken(subject, kind)
    return [*document, *_levels(subject)]


def _kept(subject: Subject) -> str:
    """Say how many constraints hold."""
    report, hard = subject.report, subject.model.constraints_.hard
    share = (
        "all of them are kept"
        if not report.n_broken
        else f"{report.n_given - report.n_broken:,} ({percent(report.share)}) are kept and "
        f"{report.n_broken:,} broken"
    )
    told = f"{counted(report.n_given, 'constraint')} given: {share}"
    return f"{told}; {len(hard):,} were hard, which means they must hold." if hard else f"{told}."


def _counting(kinds: Sequence[str]) -> str:
    """Say how groups are counted, where there are any."""
    units = {
        "together": "Groups that belong together count by member.",
        "apart": "Groups whose members are all apart count by group.",
    }
    return " ".join(units[kind] for kind in kinds if kind in units)


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
    capped = f" The first {_MOST} of {count:,} are listed." if count > len(rows) == _MOST else ""
    return [Table(f"{title}.{capped}", columns, rows, words=(1, 2), tall=True)]


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
            yield name(row), f"not {ruled_out}", f"{home(row)}, with {subject.noun}s labelled so"
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
    columns = ("level", "labelled", "classes", "purity")
    return [Paragraph(told), Table("From coarse to fine.", columns, rows)]
