"""The sections on ranks and on time: how the methods stand over all data sets of a group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sentree.reproduce.accuracy import MISSING, method_name, number
from sentree.reproduce.costs import OWN, Cost, costs, own_share, totals
from sentree.reproduce.document import (
    Document,
    Heading,
    Paragraph,
    Span,
    Table,
    Text,
    counted,
    prose,
)
from sentree.reproduce.grid import EXPERIMENTS
from sentree.reproduce.ranks import Ranking, ranking
from sentree.reproduce.tables import Block, Place, Score, in_order, our_values, printed_values

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GROUPS", "Group", "group_ranking", "rank_tables", "time_tables", "trade_offs"]


class Group(NamedTuple):
    """Methods that meet on the same data sets with the same kind of constraint."""

    title: str
    tables: tuple[str, ...]
    constraint: str

    def blocks(self, parts: Sequence[Block]) -> list[Block]:
        """Choose the blocks of the tables that belong to it."""
        return [
            block
            for block in parts
            if block.table in self.tables and block.constraint == self.constraint
        ]

    @property
    def datasets(self) -> tuple[str, ...]:
        """Its data sets."""
        return sum((EXPERIMENTS[table].datasets for table in self.tables), ())

    @property
    def unconstrained(self) -> tuple[str, ...]:
        """Its methods that take no constraints, which other groups may have too."""
        return EXPERIMENTS[self.tables[0]].methods["none"]

    @property
    def methods(self) -> tuple[str, ...]:
        """Its methods, in the order of the tables."""
        return self.unconstrained + EXPERIMENTS[self.tables[0]].methods[self.constraint]


GROUPS = (
    Group("Pairs", ("table1", "table2"), "pairs"),
    Group("Labels", ("table1", "table2"), "labels"),
    Group("Trees (pairs)", ("table3",), "pairs"),
)


def _methods(parts: Sequence[Block]) -> list[str]:
    return list(dict.fromkeys(method for block in parts for _, method in block.methods))


def group_ranking(
    group: Group, parts: Sequence[Block], scores: Mapping[Place, Score], metric: str
) -> Ranking:
    """Rank the methods of a group over all its data sets."""
    mine = group.blocks(parts)
    return ranking(our_values(mine, scores, metric), _methods(mine))


def rank_tables(parts: Sequence[Block], scores: Mapping[Place, Score]) -> Document:
    """Write mean ranks by group, ours and published, for every metric."""
    return [
        _rank_table(group, group.blocks(parts), scores) for group in GROUPS if group.blocks(parts)
    ]


def _rank_table(group: Group, mine: list[Block], scores: Mapping[Place, Score]) -> Table:
    methods = _methods(mine)
    columns = [("", "method")]
    sides: list[Ranking] = []
    for metric in mine[0].metrics:
        ours, printed = our_values(mine, scores, metric), printed_values(mine, metric)
        known = [method for method in methods if any(method in row for row in printed.values())]
        for name, values, ranked in (
            ("all", ours, methods),
            ("paper's methods", ours, known),
            ("published", printed, known),
        ):
            rank = ranking(values, ranked)
            columns.append((metric, f"{name} ({rank.n_datasets})"))
            sides.append(rank)
    rows: list[list[Text]] = [
        [
            method_name(method),
            *([Span(number(side.mean.get(method, math.nan)))] for side in sides),
        ]
        for method in methods
    ]
    caption = (
        ": mean ranks of all methods run here, of those among them that the paper has, and of the "
        "printed figures; in brackets the number of data sets with a score for all"
    )
    return Table([Span(group.title, "strong"), Span(caption)], columns, rows)


def trade_offs(
    parts: Sequence[Block], scores: Mapping[Place, Score], results: pd.DataFrame
) -> dict[str, dict[str, tuple[float, float]]]:
    """Collect CPU seconds and mean ARI by group and method, over data sets that all finished."""
    found = {}
    for group in GROUPS:
        values = our_values(group.blocks(parts), scores, "ARI")
        spent = costs(results, group.datasets, group.constraint)
        methods, datasets = _complete(group, values, spent)
        if datasets:
            found[f"{group.title}, {counted(len(datasets), 'set')}"] = {
                method: (
                    sum(spent[dataset, method].seconds for dataset in datasets),
                    sum(values[dataset][method] for dataset in datasets) / len(datasets),
                )
                for method in methods
            }
    return found


def _complete(
    group: Group,
    values: Mapping[str, Mapping[str, float]],
    spent: Mapping[tuple[str, str], Cost],
) -> tuple[list[str], list[str]]:
    """Choose the methods that finished anything, and the data sets which all of those finished."""

    def done(dataset: str, method: str) -> bool:
        score = values[dataset].get(method, math.nan)
        return (dataset, method) in spent and not math.isnan(score)

    methods = [
        method
        for method in in_order(group.methods, (method for _, method in spent))
        if any(done(dataset, method) for dataset in values)
    ]
    return methods, [name for name in values if all(done(name, method) for method in methods)]


def time_tables(
    parts: Sequence[Block], scores: Mapping[Place, Score], results: pd.DataFrame
) -> Document:
    """Write what a fit costs by group, and what everything cost by method."""
    document: list[Heading | Paragraph | Table] = []
    for group in GROUPS:
        spent = costs(results, group.datasets, group.constraint)
        if any(method not in group.unconstrained for _, method in spent):
            document.append(Heading(3, group.title))
            if side := _side_by_side(group, parts, scores, spent):
                document.append(side)
            document += [_seconds_table(group, spent), _memory_table(group, spent)]
    spent_in_all = totals(results)
    whole = sum(total.seconds for total in spent_in_all.values())
    share = 100 * own_share(spent_in_all)
    document.append(Heading(3, "All runs"))
    document.append(
        Paragraph(
            prose(
                f"All runs together took {_seconds(whole)} CPU seconds; our own methods "
                f"({', '.join(f'`{name}`' for name in OWN)}) took {share:.1f} % of that. Runs that "
                "failed or ran out of time are counted up to their end."
            )
        )
    )
    rows: list[list[Text]] = [
        [
            method_name(method),
            [Span(_seconds(total.seconds))],
            [Span(f"{100 * total.seconds / whole:.1f} %" if whole else MISSING)],
            [Span(str(total.runs))],
            [Span(str(total.failed))],
            [Span(_megabytes(total.memory))],
        ]
        for method, total in spent_in_all.items()
    ]
    names = ("method", "CPU seconds", "share", "runs", "not finished", "peak memory (MB)")
    caption = "All runs of all tables and figures, each counted once"
    document.append(Table([Span(caption)], [("", name) for name in names], rows))
    return document


def _side_by_side(
    group: Group,
    parts: Sequence[Block],
    scores: Mapping[Place, Score],
    spent: Mapping[tuple[str, str], Cost],
) -> Table | None:
    """Accuracy beside time, over the data sets that all methods finished."""
    mine = group.blocks(parts)
    values = {
        metric: our_values(mine, scores, metric) for block in mine for metric in block.metrics
    }
    if not values:
        return None
    methods, datasets = _complete(group, next(iter(values.values())), spent)
    if not datasets:
        return None
    time = {name: sum(spent[dataset, name].seconds for dataset in datasets) for name in methods}
    rows: list[list[Text]] = []
    means = {
        (metric, name): sum(table[dataset].get(name, math.nan) for dataset in datasets)
        / len(datasets)
        for metric, table in values.items()
        for name in methods
    }
    for name in methods:
        cells: list[Text] = [method_name(name)]
        for metric in values:
            top = max(means[metric, other] for other in methods)
            style = means[metric, name] == top
            cells.append([Span(number(means[metric, name]), "strong" if style else "plain")])
        memory = max(spent[dataset, name].memory for dataset in datasets)
        ratio = _ratio(time[name], time.get("sentree"))
        cells += [[Span(_seconds(time[name]))], [Span(ratio)], [Span(_megabytes(memory))]]
        rows.append(cells)
    columns = [("", "method"), *(("mean", metric) for metric in values)]
    columns += [("cost", name) for name in ("CPU s", "× sentree", "peak MB")]
    sets = counted(len(datasets), "data set")
    caption = f"Accuracy and cost, one fit of each of the {sets} that all of these finished"
    return Table([Span(caption)], columns, rows)


def _seconds_table(group: Group, spent: Mapping[tuple[str, str], Cost]) -> Table:
    """CPU seconds of a fit by method and data set, each with its ratio to ours."""
    methods, datasets = _names(group, spent)
    rows: list[list[Text]] = []
    for method in methods:
        cells: list[Text] = [method_name(method)]
        for dataset in datasets:
            cost, ours = spent.get((dataset, method)), spent.get((dataset, "sentree"))
            if cost is None:
                cells.append([Span(MISSING)])
                continue
            ratio = _ratio(cost.seconds, ours.seconds if ours else None)
            cells.append([Span(_seconds(cost.seconds)), Span(f" ×{ratio}", "small")])
        known = [cost.seconds for (_, name), cost in spent.items() if name == method]
        part = "" if len(known) == len(datasets) else f" {counted(len(known), 'set')}"
        cells.append([Span(_seconds(sum(known))), Span(part, "small")])
        rows.append(cells)
    columns = [("", name) for name in ("method", *datasets, "sum")]
    caption = "CPU seconds of one fit (mean of the draws), and as a multiple of sentree's"
    return Table([Span(caption)], columns, rows)


def _memory_table(group: Group, spent: Mapping[tuple[str, str], Cost]) -> Table:
    methods, datasets = _names(group, spent)
    rows: list[list[Text]] = []
    for method in methods:
        known = [spent.get((dataset, method)) for dataset in datasets]
        row = [MISSING if cost is None else _megabytes(cost.memory) for cost in known]
        largest = max((cost.memory for cost in known if cost is not None), default=math.nan)
        rows.append([method_name(method), *([Span(text)] for text in (*row, _megabytes(largest)))])
    columns = [("", name) for name in ("method", *datasets, "largest")]
    return Table([Span("Peak memory of the process in MB (largest of the draws)")], columns, rows)


def _names(
    group: Group, spent: Mapping[tuple[str, str], Cost]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    methods = in_order(group.methods, (method for _, method in spent))
    return methods, in_order(group.datasets, (dataset for dataset, _ in spent))


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
