"""What is run: the cells of the paper's tables and figures, each computed once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from sentree.datasets import PAPER_SETS

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
    """Constraints per sample: pairs, half of them must-links, or labels, half of them positive."""
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
    amounts: tuple[float, ...] = ()
    """Amounts of pairs in a figure; a table has the one of its kind."""
    costly: tuple[str, ...] = ()
    """Methods that, unless they are named, are run at the amount of the tables only."""

    def amounts_of(self, constraint: str) -> tuple[float, ...]:
        """Return the amounts of one kind of constraint."""
        return self.amounts if self.amounts and constraint != "none" else (AMOUNT[constraint],)


def _of_kind(kind: str) -> tuple[str, ...]:
    return tuple(name for name, record in PAPER_SETS.items() if record.kind == kind)


_FLAT = {"none": ("SE",), "pairs": PAIR_METHODS, "labels": LABEL_METHODS}
_FLAT_PAIRS = {"none": ("SE",), "pairs": PAIR_METHODS}
_TREE = {"none": ("SE", "SpecWRSC"), "pairs": TREE_METHODS}
_CLUSTERING, _RNA, _TREES = map(_of_kind, ("clustering", "rna", "hierarchical"))
_SCORES, _TREE_SCORES = ("ARI", "NMI"), ("DP", "ARI", "NMI")
_COSTLY = ("OneStepPCP", "CMS")
_PAIRS, _TREE_PAIRS = "Accuracy against the number of pairs", "Trees against the number of pairs"
EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment("table1", "Clustering data sets", _CLUSTERING, _SCORES, _FLAT),
        Experiment("table2", "Single-cell RNA-seq data sets", _RNA, _SCORES, _FLAT),
        Experiment("table3", "Hierarchical clustering", _TREES, _TREE_SCORES, _TREE),
        Experiment("fig2", _PAIRS, _CLUSTERING + _RNA, _SCORES, _FLAT_PAIRS, AMOUNTS, _COSTLY),
        Experiment("fig3", _TREE_PAIRS, _TREES, _TREE_SCORES, _TREE, AMOUNTS),
    )
}


def cells(
    names: Iterable[str],
    draws: int,
    datasets: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
) -> list[Cell]:
    """List the cells of some experiments, in order; what several show is there once."""
    found = {cell for name in names for cell in _cells_of(EXPERIMENTS[name], draws, methods)}
    wanted = (cell for cell in found if datasets is None or cell.dataset in datasets)
    return sorted(wanted, key=place)


def _cells_of(experiment: Experiment, draws: int, chosen: Sequence[str] | None) -> Iterator[Cell]:
    for constraint, methods in experiment.methods.items():
        for dataset, amount, method in product(
            experiment.datasets, experiment.amounts_of(constraint), methods
        ):
            beyond_tables = method in experiment.costly and amount != AMOUNT[constraint]
            if method in chosen if chosen is not None else not beyond_tables:
                for draw in range(1 if method in DETERMINISTIC else draws):
                    yield Cell(dataset, constraint, amount, method, draw)


def place(cell: Cell) -> tuple[int, int, float, int, int]:
    """Return where a cell stands among all others."""
    return (
        _DATASETS.index(cell.dataset),
        _CONSTRAINTS.index(cell.constraint),
        cell.amount,
        _METHODS.index(cell.method),
        cell.draw,
    )


def is_in(cell: Cell, name: str) -> bool:
    """Tell whether an experiment shows a cell."""
    experiment = EXPERIMENTS[name]
    return (
        cell.dataset in experiment.datasets
        and cell.method in experiment.methods.get(cell.constraint, ())
        and cell.amount in experiment.amounts_of(cell.constraint)
    )


_DATASETS = list(PAPER_SETS)
_CONSTRAINTS = list(AMOUNT)
_METHODS = list(
    dict.fromkeys(
        method
        for experiment in EXPERIMENTS.values()
        for methods in experiment.methods.values()
        for method in methods
    )
)
