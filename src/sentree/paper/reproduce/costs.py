"""Time and memory: what a fit costs, beside what it brings; every run counted once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sentree.paper.reproduce.accuracy import MISSING, method_name, number
from sentree.paper.reproduce.figures import save, trade_off
from sentree.paper.reproduce.grid import AMOUNT
from sentree.paper.reproduce.tables import (
    GROUPS,
    Block,
    Group,
    Place,
    Score,
    Values,
    in_order,
    our_values,
)
from sentree.report.blocks import (
    Document,
    Heading,
    Paragraph,
    Picture,
    Span,
    Table,
    Text,
    counted,
    prose,
)

if TYPE_CHECKING:
    import pandas as pd

#: The methods that are this library.
OWN = ("SE", "SSE", "sentree")
_RUN = ["dataset", "constraint", "amount", "method", "draw"]


class Cost(NamedTuple):
    """What one fit of a method takes on a data set; mean of the draws that finished."""

    seconds: float
    memory: float
    """Largest of the draws, in MB."""


class Total(NamedTuple):
    """What all runs of a method took, those that failed too."""

    seconds: float
    memory: float
    """Largest of all runs, in MB."""
    runs: int
    failed: int


def _runs(results: pd.DataFrame) -> pd.DataFrame:
    """One row per run; a run is there for every metric and for every table that shows it."""
    scored = results.assign(done=results["value"].notna())
    return scored.sort_values("done", kind="stable").drop_duplicates(_RUN, keep="last")


def costs(
    results: pd.DataFrame, datasets: Sequence[str], constraint: str
) -> dict[tuple[str, str], Cost]:
    """Sum up runs with the tables' amount of constraints, by data set and method."""
    runs = _runs(results)
    amounts = runs["constraint"].map(AMOUNT)
    chosen = runs[
        runs["done"]
        & runs["dataset"].isin(datasets)
        & runs["constraint"].isin(["none", constraint])
        & ((runs["amount"] - amounts).abs() < 1e-6)
    ]
    return {
        (str(dataset), str(method)): Cost(
            float(rows["seconds"].mean()), float(rows["peak_memory"].max())
        )
        for (dataset, method), rows in chosen.groupby(
            ["dataset", "method"], sort=False, observed=True
        )
    }


def totals(results: pd.DataFrame) -> dict[str, Total]:
    """Sum up all runs by method, the most expensive first."""
    found = {
        str(method): Total(
            float(rows["seconds"].sum()),
            float(rows["peak_memory"].max()),
            len(rows),
            int((~rows["done"]).sum()),
        )
        for method, rows in _runs(results).groupby("method", sort=False, observed=True)
    }
    return dict(sorted(found.items(), key=lambda item: -item[1].seconds))


def own_share(spent: dict[str, Total]) -> float:
    """Return the share of our own methods in all CPU time; 0 where none was spent."""
    whole = sum(total.seconds for total in spent.values())
    own = sum(total.seconds for method, total in spent.items() if method in OWN)
    return own / whole if whole else 0.0


class _Spent(NamedTuple):
    """Cost and scores of a group of methods."""

    title: str
    cost: dict[tuple[str, str], Cost]
    """By data set and method."""
    values: dict[str, Values]
    """Means by metric, data set and method; empty where the tables were not run."""
    methods: tuple[str, ...]
    datasets: tuple[str, ...]

    def common(self) -> tuple[list[str], list[str]]:
        """Choose the methods that finished anything, and the data sets all of those finished."""
        done = {
            (dataset, method)
            for dataset, method in self.cost
            if self.values
            and all(
                not math.isnan(table.get(dataset, {}).get(method, math.nan))
                for table in self.values.values()
            )
        }
        methods = [name for name in self.methods if any(name == method for _, method in done)]
        datasets = [
            name
            for name in self.datasets
            if methods and done.issuperset((name, m) for m in methods)
        ]
        return methods, datasets

    def mean(self, metric: str, method: str, datasets: Sequence[str]) -> float:
        """Return the mean score of a method."""
        return sum(self.values[metric][name][method] for name in datasets) / len(datasets)

    def seconds(self, method: str, datasets: Sequence[str]) -> float:
        """Return the CPU seconds of one fit of each data set."""
        return sum(self.cost[name, method].seconds for name in datasets)


def cost_section(
    parts: Sequence[Block], scores: Mapping[Place, Score], results: pd.DataFrame, folder: Path
) -> Document:
    """Write what a fit costs by group, and what everything cost by method."""
    spent_in_all = totals(results)
    if not spent_in_all:
        return []
    groups = [
        spent for group in GROUPS if (spent := _spent(group, parts, scores, results)) is not None
    ]
    document: list[Any] = [Heading(2, "Time and memory"), *_picture(groups, folder)]
    for spent in groups:
        document.append(Heading(3, spent.title))
        methods, datasets = spent.common()
        if datasets:
            document.append(_side_by_side(spent, methods, datasets))
        document += [_seconds_table(spent), _memory_table(spent)]
    whole = sum(total.seconds for total in spent_in_all.values())
    own = ", ".join(f"`{name}`" for name in OWN)
    sentence = (
        f"All runs together took {_seconds(whole)} CPU seconds; our own methods ({own}) took "
        f"{100 * own_share(spent_in_all):.1f} % of that. Runs that failed or ran out of time are "
        "counted up to their end."
    )
    document += [Heading(3, "All runs"), Paragraph(prose(sentence))]
    rows: list[list[Text]] = []
    for method, total in spent_in_all.items():
        share = f"{100 * total.seconds / whole:.1f} %" if whole else MISSING
        cells = (_seconds(total.seconds), share, str(total.runs), str(total.failed))
        rows.append([method_name(method), *cells, _megabytes(total.memory)])
    names = ("method", "CPU seconds", "share", "runs", "not finished", "peak memory (MB)")
    caption = "All runs of all tables and figures, each counted once"
    return [*document, Table(caption, names, rows)]


def _spent(
    group: Group, parts: Sequence[Block], scores: Mapping[Place, Score], results: pd.DataFrame
) -> _Spent | None:
    """Collect the cost of a group; None where none of its methods was run."""
    cost = costs(results, group.datasets, group.constraint)
    if all(method in group.unconstrained for _, method in cost):
        return None
    mine = group.blocks(parts)
    metrics = dict.fromkeys(metric for block in mine for metric in block.metrics)
    return _Spent(
        group.title,
        cost,
        {metric: our_values(mine, scores, metric) for metric in metrics},
        in_order(group.methods, (method for _, method in cost)),
        in_order(group.datasets, (dataset for dataset, _ in cost)),
    )


def _picture(groups: Sequence[_Spent], folder: Path) -> Document:
    """Draw accuracy against time, where there is something to compare."""
    shown = {}
    for spent in groups:
        methods, datasets = spent.common()
        if datasets and len(methods) > 1 and "ARI" in spent.values:
            shown[f"{spent.title}, {counted(len(datasets), 'set')}"] = {
                name: (spent.seconds(name, datasets), spent.mean("ARI", name, datasets))
                for name in methods
            }
    if not shown:
        return []
    save(trade_off(shown), folder, "trade_off")
    caption = (
        "Accuracy against time. Mean ARI, and CPU seconds of one fit of every data set which all "
        "methods of the group finished; up and to the left is better."
    )
    return [Picture("trade_off", prose(caption))]


def _side_by_side(spent: _Spent, methods: Sequence[str], datasets: Sequence[str]) -> Table:
    """Accuracy beside cost, over the data sets that all methods finished."""
    means = {
        metric: {name: spent.mean(metric, name, datasets) for name in methods}
        for metric in spent.values
    }
    ours = spent.seconds("sentree", datasets) if "sentree" in methods else None
    rows: list[list[Text]] = []
    for name in methods:
        cells: list[Text] = [method_name(name)]
        for mean in means.values():
            best = mean[name] == max(mean.values())
            cells.append([Span(number(mean[name]), "strong" if best else "plain")])
        seconds = spent.seconds(name, datasets)
        memory = max(spent.cost[dataset, name].memory for dataset in datasets)
        rows.append([*cells, _seconds(seconds), _ratio(seconds, ours), _megabytes(memory)])
    columns: list[str | tuple[str, str]] = ["method", *(("mean", metric) for metric in means)]
    columns += [("cost", name) for name in ("CPU s", "× sentree", "peak MB")]
    sets = counted(len(datasets), "data set")
    caption = f"Accuracy and cost, one fit of each of the {sets} that all of these finished"
    return Table(caption, columns, rows)


def _seconds_table(spent: _Spent) -> Table:
    """CPU seconds of a fit by method and data set, each with its ratio to ours."""
    rows: list[list[Text]] = []
    for method in spent.methods:
        cells: list[Text] = [method_name(method)]
        for dataset in spent.datasets:
            cost, ours = spent.cost.get((dataset, method)), spent.cost.get((dataset, "sentree"))
            if cost is None:
                cells.append(MISSING)
            else:
                ratio = _ratio(cost.seconds, ours.seconds if ours else None)
                cells.append([Span(_seconds(cost.seconds)), Span(f" ×{ratio}", "small")])
        known = [name for name in spent.datasets if (name, method) in spent.cost]
        part = "" if len(known) == len(spent.datasets) else f" ({counted(len(known), 'set')})"
        cells.append(_seconds(spent.seconds(method, known)) + part)
        rows.append(cells)
    columns = ("method", *spent.datasets, "sum")
    caption = "CPU seconds of one fit (mean of the draws), and as a multiple of sentree's"
    return Table(caption, columns, rows)


def _memory_table(spent: _Spent) -> Table:
    rows: list[list[Text]] = []
    for method in spent.methods:
        memory = [
            spent.cost[dataset, method].memory if (dataset, method) in spent.cost else math.nan
            for dataset in spent.datasets
        ]
        largest = max((value for value in memory if not math.isnan(value)), default=math.nan)
        rows.append([method_name(method), *map(_megabytes, (*memory, largest))])
    columns = ("method", *spent.datasets, "largest")
    caption = "Peak memory of the process in MB (largest of the draws)"
    return Table(caption, columns, rows)


def _seconds(value: float) -> str:
    if math.isnan(value):
        return MISSING
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{digits}f}"


def _ratio(value: float, ours: float | None) -> str:
    if not ours or math.isnan(ours) or math.isnan(value):
        return MISSING
    ratio = value / ours
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 0.1 else f"{ratio:.2g}"


def _megabytes(value: float) -> str:
    return MISSING if math.isnan(value) else f"{value:,.0f}"
