"""The summary of a report, and what one needs to repeat the result."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from sentree import __version__
from sentree.plots.lettering import clean
from sentree.profiles.profile import Profile
from sentree.report.blocks import (
    Bullets,
    Card,
    Cards,
    Document,
    Facts,
    Folded,
    Paragraph,
    Span,
    Table,
    Text,
    counted,
    spans,
)
from sentree.report.subject import Subject, brief, percent

_PACKAGES = ("numpy", "scipy", "scikit-learn")


#: Rows of at least this strength are firmly in their cluster.
_FIRM = 0.75
#: What clusters are that hold at least such a share of their rows firmly.
_CLEAR = (
    (0.95, "The clusters are clear"),
    (0.8, "The clusters are mostly clear"),
    (0.6, "The clusters overlap"),
    (0.0, "The clusters are faint and run into one another"),
)
#: What was done to all columns, in words.
_SCALED = {
    None: "The columns were compared as they are, not scaled.",
    "table": "All columns were brought to the same spread, so that none counts more by its unit.",
    "minmax": "All columns were brought to the range from 0 to 1.",
    "log-minmax": "Logarithms were taken of all columns and brought to the range from 0 to 1.",
    "centre": "All columns were centred.",
}
#: Clusters with a lower mean strength are named as uncertain.
_WEAK = 0.7
#: Clusters of fewer rows are named as small.
_TINY = 5
#: Most clusters that the summary names one by one.
_NAMED = 8


def summary(
    subject: Subject, profile: Profile | None, source: Any, warnings: Sequence[Any]
) -> Document:
    """Tell the result in figures and in words."""
    model, report = subject.model, subject.report
    one = model.n_clusters_ == 1
    facts = [
        (f"{subject.n:,}", f"{subject.noun}s"),
        (f"{model.n_clusters_:,}", "cluster" if one else "clusters"),
    ]
    if not one:
        facts.append((percent(_firm(subject)), f"of the {subject.noun}s firmly in their cluster"))
    if report.n_given:
        facts.append((percent(report.share), f"of {counted(report.n_given, 'constraint')} kept"))
    told = f"{subject.counted(subject.n)}"
    if source is not None:
        told += f" of {clean(Path(str(source)).name)}"
    told += f" {'form' if one else 'fall into'} {_number(subject)}.{_bounds(subject.model)}"
    lead = [Span(told)]
    if not one:
        lead += [Span(f" {_clarity(subject)} "), *spans(_extent(subject))]
    document: list[Any] = [Facts(facts), Paragraph(lead)]
    cards = []
    if profile is not None:
        cards.append(Card("What sets them apart", _sentences(subject, profile)))
    uncertain = _uncertain(subject, profile)
    cards.append(
        Card(
            "What is uncertain",
            [Bullets(uncertain or ["Nothing stands out."])],
        )
    )
    if done := _done(subject):
        cards.append(Card("What was done to the table", [Bullets(done)]))
    if warnings:
        cards.append(Card("Warnings of this run", [Bullets([brief(text) for text in warnings])]))
    return [*document, Cards(cards)]


def _firm(subject: Subject) -> float:
    return float((subject.strength >= _FIRM).mean())


def _clarity(subject: Subject) -> str:
    """Say how clear the clusters are."""
    share = _firm(subject)
    how = next(words for least, words in _CLEAR if share >= least)
    told = f"{how}: {percent(share)} of the {subject.noun}s are firmly in theirs"
    likelier = int(subject.is_likelier_elsewhere.sum())
    if not likelier:
        return f"{told}, and none is likelier in another cluster."
    are = "is" if likelier == 1 else "are"
    return (
        f"{told}; {subject.counted(likelier)} ({percent(likelier / subject.n)}) {are} likelier in "
        "another cluster by the data alone."
    )


def _extent(subject: Subject) -> Text:
    """Name the largest and the smallest cluster."""
    first, last = subject.order[0], subject.order[-1]
    told: list[Span] = [Span("The largest is "), subject.title(first), Span(_size(subject, first))]
    if subject.sizes[first] == subject.sizes[last]:
        return f"All have {subject.counted(subject.sizes[first])}."
    told += [Span("; the smallest is "), subject.title(last), Span(f"{_size(subject, last)}.")]
    return told


def _size(subject: Subject, k: int) -> str:
    size = int(subject.sizes[k])
    return f" with {subject.counted(size)} ({percent(size / subject.n)})"


def _sentences(subject: Subject, profile: Profile) -> list[Any]:
    """Say of each cluster what it is like, the largest first."""
    items = [
        [subject.title(k), Span(f"{_size(subject, k)}: {brief(profile[k].sentence)}")]
        for k in subject.order[:_NAMED]
    ]
    more = len(subject.order) - len(items)
    rest = [Paragraph(f"The section on clusters has the other {more:,}.")] if more else []
    return [Bullets(items), *rest]


def _uncertain(subject: Subject, profile: Profile | None) -> list[Any]:
    """List what a reader should not take for granted."""
    model, report = subject.model, subject.report
    found: list[Any] = []
    if model.scale_ is not None and model.scale_.alternatives:
        others = " or ".join(f"{number:,}" for number in model.scale_.alternatives)
        found.append(f"The number of clusters: {others} would fit nearly as well.")
    if model.n_clusters_ > 1:
        sizes = np.maximum(subject.sizes, 1)
        mean = np.bincount(subject.labels, subject.strength, subject.k) / sizes
        if weak := [k for k in subject.order if mean[k] < _WEAK]:
            whose = "its" if len(weak) == 1 else "their"
            found.append(
                f"{_listed(subject, weak)}: many of {whose} {subject.noun}s lie at the edge."
            )
        if tiny := [k for k in subject.order if subject.sizes[k] < _TINY]:
            found.append(
                f"{_listed(subject, tiny)}: fewer than {_TINY} {subject.noun}s each, perhaps only "
                "outliers."
            )
        if likelier := int(subject.is_likelier_elsewhere.sum()):
            found.append(
                f"{subject.counted(likelier)} that the data would rather put into another cluster; "
                f"the section on uncertain {subject.noun}s begins with them."
            )
    if report.n_broken:
        found.append(
            f"{counted(report.n_broken, 'constraint')} of {report.n_given:,} that the result "
            "breaks; the section on constraints lists them."
        )
    if profile is not None:
        unexplained = [k for k in subject.order if not profile[k].explained]
        if unexplained:
            found.append(f"{_listed(subject, unexplained)}: no column sets them apart.")
    if isolated := int(model.graph_.isolated.size):
        found.append(f"{subject.counted(isolated)} without any neighbours.")
    return found


def _listed(subject: Subject, clusters: Sequence[int]) -> str:
    """Name a few clusters."""
    names = [subject.cluster_names[k] for k in clusters[:3]]
    more = len(clusters) - len(names)
    names += [f"{more:,} more"] * (more > 0)
    noun = "Cluster" if len(clusters) == 1 else "Clusters"
    return f"{noun} {', '.join(names[:-1])}{' and ' * (len(names) > 1)}{names[-1]}"


def _done(subject: Subject) -> list[Any]:
    """Say what was done to the table before its rows were compared."""
    model = subject.model
    done: list[Any] = []
    if (preparation := getattr(model, "preparation_", None)) is not None:
        lines = map(brief, preparation.summary().splitlines())
        done += [f"{line[:1].upper()}{line[1:]}." for line in lines if line != "left out: none"]
    settings, features = (getattr(model, name, None) for name in ("graph_settings_", "features_"))
    if settings is not None and settings.scale in _SCALED:
        done.append(_SCALED[settings.scale])
    if features and features.tamed.size:
        have = "has" if features.tamed.size == 1 else "have"
        done.append(
            f"{counted(features.tamed.size, 'column')} {have} a few very large values: their "
            "logarithms were compared."
        )
    if features and features.weights is not None:
        done.append("Columns that separate the labelled classes well count more than others.")
    return done


def _number(subject: Subject) -> str:
    """Say how many clusters there are, and why so many."""
    model = subject.model
    found = "one cluster" if model.n_clusters_ == 1 else f"{model.n_clusters_:,} clusters"
    wanted, resolution = model.n_clusters, getattr(model, "resolution", None)
    if wanted is not None:
        return found + (
            ", the number that was asked for"
            if wanted == model.n_clusters_
            else f"; {wanted:,} were asked for"
        )
    if resolution is not None:
        return f"{found}: as many as a resolution of {resolution:g} gives"
    given = model.constraints_
    sized = _sizes_asked(model) != (None, None)
    if getattr(model, "height", None) is not None and not given.label_index.size and not sized:
        return f"{found}, the branches at the top of a tree of height {model.height}"
    if given.finer is not None:
        return f"{found}, as many as the coarsest labels name"
    by = "the data and the constraints" if subject.report.n_given else "the data"
    by += " and the sizes asked for" * sized
    return f"{found}, a number that was chosen from {by}"


def _bounds(model: Any) -> str:
    """Say which sizes were asked for."""
    said = []
    for word, bound in zip(("least", "most"), _sizes_asked(model), strict=True):
        if bound is not None:
            share = not isinstance(bound, Integral) and bound < 1
            said.append(f"at {word} {percent(bound) if share else format(bound, ',')}")
    if not said:
        return ""
    where = "" if model.size_penalty is None else " where that costs little"
    return f" A size of {' and '.join(said)} was asked for{where}."


def _sizes_asked(model: Any) -> tuple[Any, Any]:
    return getattr(model, "min_size", None), getattr(model, "max_size", None)


def recipe(subject: Subject, command: str | None) -> Document:
    """Give the command, the call, the parameters and the versions."""
    model = subject.model
    values = model.get_params(deep=False)
    usual = signature(type(model)).parameters
    changed = {
        name: value for name, value in values.items() if not _same(value, usual[name].default)
    }
    written = ", ".join(f"{name}={_value(value)}" for name, value in changed.items())
    versions = {"sentree": __version__, "Python": platform.python_version()}
    versions |= {package: _version(package) for package in _PACKAGES}
    rows = [
        [name, [Span(_value(value), "code")], "changed" if name in changed else ""]
        for name, value in values.items()
    ]
    known = " and the constraints" if subject.report.n_given else ""
    call = f"{type(model).__name__}({written})"
    listed = ", ".join(f"{name} {number}" for name, number in versions.items())
    document: list[Any] = []
    if command is not None:
        document.append(Paragraph([Span("On the command line: "), Span(clean(command), "code")]))
    return [
        *document,
        Paragraph([Span("In Python: "), Span(call, "code"), Span(f", fitted to the data{known}.")]),
        Paragraph(
            "With the same data, constraints and versions the result is the same. Versions: "
            f"{listed}."
        ),
        Folded("All parameters", [Table("", ("parameter", "value", ""), rows, words=(1, 2))]),
    ]


def _same(value: Any, usual: Any) -> bool:
    return value is usual or (type(value) is type(usual) and bool(value == usual))


def _value(value: Any) -> str:
    """Write a parameter without addresses in memory, which differ from run to run."""
    if callable(value):
        return clean(getattr(value, "__qualname__", type(value).__name__))
    if type(value).__module__.startswith("numpy.random"):
        return f"{type(value).__name__}(…)"
    return clean(repr(value))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
