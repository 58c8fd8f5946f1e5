"""What is run: the cells of the paper's tables and figures, each computed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sentree.datasets import PAPER_SETS

__all__ = ["AMOUNTS", "EXPERIMENTS", "Cell", "Experiment", "cells", "experiments_of"]

PAIR_METHODS = ("PCPSNMF", "OneStepPCP", "CMS", "SC-MPI", "SSE", "sentree")
LABEL_METHODS = ("Seeded-KMeans", "S4NMF", "LpCNMF", "SC-MPI", "SSE", "sentree")
TREE_METHODS = ("COBRA", "COBRAS", "Semi-MultiCons", "SSE", "sentree")
#: Constraints per sample that the tables use, and those of the figures.
AMOUNT = {"none": 0.0, "pairs": 0.4, "labels": 0.2}
AMOUNTS = (0.2, 0.4, 0.6, 0.8, 1.0)
#: Methods that give the same result for every draw, so one is enough.
DETERMINISTIC = ("SE",)


class Cell(NamedTuple):
    """One run of one method."""

    dataset: str
    constraint: str
    """"none", "pairs" or "labels"."""
    amount: float
    """Constraints per sample: pairs (half of them must-links), or labels (half of them positive)."""
    method: str
    draw: int


class Experiment(NamedTuple):
    """A table or a figure."""

    name: str
    title: str
    datasets: tuple[str, ...]
    metrics: tuple[str, ...]
    methods: dict[str, tuple[str, ...]]
    """The methods by kind of constraint."""
    amounts: tuple[float, ...] | None = None
    """Amounts of pairs in a figure; a table has the one of its kind."""


def _of_kind(kind: str) -> tuple[str, ...]:
    return tuple(name for name, record in PAPER_SETS.items() if record.kind == kind)


_FLAT = {"none": ("SE",), "pairs": PAIR_METHODS, "labels": LABEL_METHODS}
EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment("table1", "Clustering data sets", _of_kind("clustering"), ("ARI", "NMI"), _FLAT),
        Experiment(
            "table2", "Single-cell RNA-seq data sets", _of_kind("rna"), ("ARI", "NMI"), _FLAT
        ),
        Experiment(
            "table3",
            "Hierarchical clustering",
            _of_kind("hierarchical"),
            ("DP", "ARI", "NMI"),
            {"none": ("SE", "SpecWRSC"), "pairs": TREE_METHODS},
        ),
        Experiment(
            "fig2",
            "Accuracy against the number of pairs",
            _of_kind("clustering") + _of_kind("rna"),
            ("ARI", "NMI"),
            {"none": ("SE",), "pairs": PAIR_METHODS},
            AMOUNTS,
        ),
        Experiment(
            "fig3",
            "Trees against the number of pairs",
            _of_kind("hierarchical"),
            ("DP", "ARI", "NMI"),
            {"none": ("SE", "SpecWRSC"), "pairs": TREE_METHODS},
            AMOUNTS,
        ),
    )
}


def cells(
    names: Iterable[str],
    draws: int,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
) -> list[Cell]:
    """List the cells of some experiments, in order; what several show is there once."""
    found: dict[Cell, None] = {}
    for name in names:
        experiment = EXPERIMENTS[name]
        for dataset in experiment.datasets:
            for constraint, known in experiment.methods.items():
                table = (AMOUNT[constraint],)
                amounts = table if constraint == "none" else experiment.amounts or table
                for amount in amounts:
                    for method in known:
                        for draw in range(1 if method in DETERMINISTIC else draws):
                            found[Cell(dataset, constraint, amount, method, draw)] = None
    return [
        cell
        for cell in found
        if (datasets is None or cell.dataset in datasets)
        and (methods is None or cell.method in methods)
    ]


def experiments_of(cell: Cell, names: Iterable[str]) -> list[str]:
    """List the experiments, out of some, that show a cell."""
    shown = []
    for name in names:
        experiment = EXPERIMENTS[name]
        amounts = experiment.amounts if cell.constraint != "none" else None
        if (
            cell.dataset in experiment.datasets
            and cell.method in experiment.methods.get(cell.constraint, ())
            and cell.amount in (amounts or (AMOUNT[cell.constraint],))
        ):
            shown.append(name)
    return shown
