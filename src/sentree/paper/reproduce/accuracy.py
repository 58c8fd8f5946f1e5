"""The tables of scores, ours beside print, with what is known about their differences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from sentree.paper.reproduce.grid import AMOUNT, DETERMINISTIC
from sentree.paper.reproduce.published import reasons
from sentree.paper.reproduce.ranks import ranking
from sentree.paper.reproduce.tables import (
    Block,
    Comparison,
    Place,
    Score,
    compare,
    our_values,
    printed_values,
)
from sentree.report.blocks import Bullets, Document, Heading, Span, Table, Text, counted

KINDS = {"none": "No constraints", "pairs": "Pairs", "labels": "Labels"}
MISSING = "–"
UNEXPLAINED = "no known reason"


def number(value: float) -> str:
    """Write a score or a rank."""
    return MISSING if math.isnan(value) else f"{value:.2f}".replace("-", "−")


def method_name(method: str) -> Text:
    """Write the name of a method, ours in bold."""
    return [Span(method, "strong" if method == "sentree" else "plain")]


def explained(place: Place, protocol: str) -> str:
    """Say what is known about a difference from print."""
    known = reasons(place.method, place.dataset, place.constraint, protocol)
    return " ".join(known) or UNEXPLAINED


def signed_list(comparisons: Iterable[Comparison]) -> str:
    """Write differences as a list, data set by data set."""
    parts = []
    for dataset, group in groupby(comparisons, key=lambda one: one.place.dataset):
        figures = ", ".join(f"{one.place.metric} {_signed(one.difference)}" for one in group)
        parts.append(f"{dataset} {figures}")
    return "; ".join(parts)


def _signed(difference: float) -> str:
    digits = 2 if abs(difference) < 1 else 1
    return f"{difference:+.{digits}f}".replace("-", "−")


class _Marks:
    """Letters for what is said under a table, each for one method and one reason."""

    def __init__(self) -> None:
        self.said: dict[tuple[str, str], list[Comparison]] = {}

    def letter(self, method: str, text: str, comparison: Comparison | None = None) -> str:
        places = self.said.setdefault((method, text), [])
        if comparison is not None:
            places.append(comparison)
        return _letters(list(self.said).index((method, text)))

    def legend(self, datasets: Sequence[str]) -> Bullets:
        items = []
        for mark, ((method, text), places) in enumerate(self.said.items()):
            places.sort(key=lambda one: datasets.index(one.place.dataset))
            differs = f" ({signed_list(places)})" if places else ""
            lead = [Span(_letters(mark), "strong"), Span(" "), Span(method, "strong")]
            items.append([*lead, Span(f"{differs}: "), Span(text)])
        return Bullets(items)


def _letters(number: int) -> str:
    """Count a, b, ..., z, aa, ab, ..."""
    first, last = divmod(number, 26)
    return (_letters(first - 1) if first else "") + chr(ord("a") + last)


def block_section(block: Block, scores: Mapping[Place, Score], protocol: str) -> Document:
    """Write one block: a table per metric, and the list of its marks."""
    marks = _Marks()
    parts: list[Heading | Table | Bullets] = [Heading(3, _heading(block))]
    parts += [_metric_table(block, metric, scores, protocol, marks) for metric in block.metrics]
    if marks.said:
        parts.append(marks.legend(block.datasets))
    return parts


def _heading(block: Block) -> str:
    amount = AMOUNT[block.constraint]
    given = {
        "none": "",
        "pairs": f" ({amount:g} n, half must-links, half cannot-links)",
        "labels": f" ({amount:g} n, half positive, half negative)",
    }
    number = block.table.removeprefix("table")
    return f"Table {number}: {KINDS[block.constraint].lower()}{given[block.constraint]}"


def _metric_table(
    block: Block, metric: str, scores: Mapping[Place, Score], protocol: str, marks: _Marks
) -> Table:
    ours, printed = our_values([block], scores, metric), printed_values([block], metric)
    methods = [method for _, method in block.methods]
    known = [method for method in methods if any(method in row for row in printed.values())]
    rank, old_rank = ranking(ours, methods), ranking(printed, known)
    best = {dataset: _best(row.values()) for dataset, row in ours.items()}
    best_printed = {dataset: _best(row.values()) for dataset, row in printed.items()}
    draws = max((scores[place].n for place in _places(block, metric) if place in scores), default=0)
    rows = []
    for row in block.methods:
        cells: list[Text] = [method_name(row[1])]
        for dataset in block.datasets:
            place = block.place(dataset, row, metric)
            score = scores.get(place)
            cells.append(_cell(place, score, best[dataset], draws, protocol, marks))
            cells.append(_printed_cell(place, best_printed[dataset]))
        cells.append(number(rank.mean[row[1]]))
        cells.append(number(old_rank.mean.get(row[1], math.nan)))
        rows.append(cells)
    columns: list[str | tuple[str, str]] = ["method"]
    columns += [(dataset, side) for dataset in block.datasets for side in ("ours", "published")]
    columns += [("mean rank", "ours"), ("mean rank", "published")]
    return Table(_caption(metric, draws, rank.n_datasets, old_rank.n_datasets), columns, rows)


def _places(block: Block, metric: str) -> Iterable[Place]:
    for dataset in block.datasets:
        for row in block.methods:
            yield block.place(dataset, row, metric)


def _caption(metric: str, draws: int, ranked: int, old_ranked: int) -> Text:
    spread = " ± standard deviation" if draws > 1 else ""
    sets = f"ranks over {counted(ranked, 'data set')} (ours) and {old_ranked} (published)"
    n = f"n = {counted(draws, 'draw')} unless said otherwise"
    return [Span(metric, "strong"), Span(f" in per cent: mean{spread} ({n}); {sets}")]


def _best(values: Iterable[float]) -> float:
    """Return the largest as printed, or NaN."""
    return max((round(value, 2) for value in values if not math.isnan(value)), default=math.nan)


def _cell(
    place: Place, score: Score | None, best: float, draws: int, protocol: str, marks: _Marks
) -> Text:
    if score is None:
        return [Span("not run", "small")]
    if not score.n:
        return [
            Span(score.note.partition(":")[0], "small"),
            Span(marks.letter(place.method, score.note), "sup"),
        ]
    spans = [Span(number(score.mean), "strong" if round(score.mean, 2) == best else "plain")]
    exact = place.method in DETERMINISTIC
    spread = "" if exact else f" ± {number(score.sd)}"
    spans.append(Span(spread if exact or score.n == draws else f"{spread} n={score.n}", "small"))
    comparison = compare(place, score)
    signs = []
    if comparison is not None and comparison.beyond:
        arrow = "↑" if comparison.difference > 0 else "↓"
        signs.append(arrow + marks.letter(place.method, explained(place, protocol), comparison))
    if score.failed:
        signs.append(marks.letter(place.method, f"some draws did not finish ({score.note})"))
    return [*spans, Span(",".join(signs), "sup")] if signs else spans


def _printed_cell(place: Place, best: float) -> Text:
    text = place.printed
    if text is None:
        return MISSING
    return [Span(text.replace("-", "−"), "strong" if float(text) == best else "plain")]
