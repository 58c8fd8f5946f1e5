"""The first lines of a report, and what one needs to repeat the result."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from inspect import signature
from typing import Any

from sentree import __version__
from sentree.report.blocks import Bullets, Document, Facts, Folded, Paragraph, Span, Table, counted
from sentree.report.subject import Subject, clean, percent

_PACKAGES = ("numpy", "scipy", "scikit-learn")


def headline(subject: Subject, source: Any, warnings: Sequence[Any]) -> Document:
    """Tell the result in figures and in words."""
    model, report = subject.model, subject.report
    clusters = "cluster" if model.n_clusters_ == 1 else "clusters"
    facts = [(f"{subject.n:,}", "samples"), (f"{model.n_clusters_:,}", clusters)]
    if report.n_given:
        facts.append((percent(report.share), f"of {report.n_given:,} constraints kept"))
    facts.append((f"{subject.strength.mean():.2f}", "mean strength, from 0 to 1"))
    told = f"{counted(subject.n, 'sample')} were put into {_number(subject)}. {_kept(subject)}"
    unsure = int((subject.strength < 0.5).sum())
    if unsure:
        told += (
            f" {counted(unsure, 'sample')} ({percent(unsure / subject.n)}) would, by the data "
            "alone, suit another cluster better."
        )
    elif model.n_clusters_ > 1:
        told += " By the data alone, no sample would suit another cluster better."
    document: list[Any] = [Facts(facts)]
    if source is not None:
        document.append(Paragraph([Span("Data: "), Span(clean(source), "code")]))
    document.append(Paragraph(told))
    if warnings:
        document.append(Paragraph([Span("Warnings of this run", "strong")]))
        document.append(Bullets([clean(text) for text in warnings]))
    return document


def _number(subject: Subject) -> str:
    """Say how many clusters there are, and why so many."""
    model = subject.model
    found = counted(model.n_clusters_, "cluster")
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
    if getattr(model, "height", None) is not None and not given.label_index.size:
        return f"{found}, the branches at the top of a tree of height {model.height}"
    if given.finer is not None:
        return f"{found}, as many as the coarsest labels name"
    by = "the data and the constraints" if subject.report.n_given else "the data"
    return f"{found}. The number was not given: it was chosen from {by}"


def _kept(subject: Subject) -> str:
    """Say how many constraints hold."""
    report, hard = subject.report, subject.model.constraints_.hard
    if not report.n_given:
        return "No constraints were given."
    share = (
        "all of them are kept"
        if not report.n_broken
        else f"{report.n_given - report.n_broken:,} ({percent(report.share)}) are kept and "
        f"{report.n_broken:,} broken"
    )
    told = f"{counted(report.n_given, 'constraint')} given: {share}"
    return f"{told}; {len(hard):,} were hard, which means they must hold." if hard else f"{told}."


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
