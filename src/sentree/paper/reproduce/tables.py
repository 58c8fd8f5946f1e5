"""The figures of the tables: means over draws, what was printed, and how far they are apart."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from sentree.paper.reproduce.grid import AMOUNT, DETERMINISTIC, EXPERIMENTS
from sentree.paper.reproduce.published import PRINTED, Published

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "TABLES",
    "Block",
    "Comparison",
    "Place",
    "Score",
    "blocks",
    "compare",
    "in_order",
    "our_values",
    "printed_values",
    "scores",
]

TABLES = tuple(name for name, experiment in EXPERIMENTS.items() if not experiment.amounts)
#: Draws behind a printed figure, and the difference in points that is never called one.
PUBLISHED_DRAWS = 10
SMALLEST_DIFFERENCE = 1.0
_SLACK = 1e-9


class Place(NamedTuple):
    """Where a score stands: what was run, in which table or figure, and how it was scored."""

    table: str
    dataset: str
    constraint: str
    amount: float
    method: str
    metric: str

    @property
    def printed(self) -> str | None:
        """The figure of the paper, as printed, or None where there is none."""
        if self.amount != AMOUNT[self.constraint]:
            return None
        return PRINTED.get(
            Published(self.table, self.dataset, self.constraint, self.method, self.metric)
        )


class Score(NamedTuple):
    """What the draws of one place came to."""

    mean: float
    """Mean of the draws that finished; NaN where none did."""
    sd: float
    """Standard deviation (n - 1); NaN below two draws."""
    n: int
    """Number of draws that finished."""
    failed: int
    """Number of draws that did not."""
    note: str
    """Why the first of those did not."""


def scores(results: pd.DataFrame) -> dict[Place, Score]:
    """Sum up the draws of every place."""
    found = {}
    for key, rows in results.groupby(list(Place._fields), sort=False, observed=True):
        place = Place(*key)._replace(amount=round(float(key[3]), 6))
        lost = rows["value"].isna()
        notes = [note for note in rows.loc[lost, "note"] if isinstance(note, str) and note]
        done = rows.loc[~lost, "value"]
        found[place] = Score(
            float(done.mean()),
            float(done.std()) if len(done) > 1 else math.nan,
            len(done),
            int(lost.sum()),
            notes[0] if notes else "failed" if lost.any() else "",
        )
    return found


class Block(NamedTuple):
    """The part of a table with one kind of constraint, and the unconstrained methods above it."""

    table: str
    constraint: str
    datasets: tuple[str, ...]
    methods: tuple[tuple[str, str], ...]
    """Kind of constraint and name, in the order of the rows."""
    metrics: tuple[str, ...]

    def place(self, dataset: str, row: tuple[str, str], metric: str) -> Place:
        """Return the place of one figure."""
        return Place(self.table, dataset, row[0], AMOUNT[row[0]], row[1], metric)


def in_order(known: Iterable[str], present: Iterable[str]) -> tuple[str, ...]:
    """Sort names as they are known, others behind."""
    order = dict.fromkeys(known)
    there = dict.fromkeys(present)
    return (
        *(name for name in order if name in there),
        *(name for name in there if name not in order),
    )


def blocks(places: Collection[Place]) -> list[Block]:
    """List the parts of the tables that there are results for."""
    found = []
    for table in TABLES:
        experiment = EXPERIMENTS[table]
        mine = [place for place in places if place.table == table]
        rows = {
            kind: [
                (kind, method)
                for method in in_order(
                    experiment.methods.get(kind, ()),
                    (place.method for place in mine if place.constraint == kind),
                )
            ]
            for kind in AMOUNT
        }
        kinds = [kind for kind in ("pairs", "labels") if rows[kind]]
        if not kinds and rows["none"]:
            kinds = ["none"]
        for kind in kinds:
            methods = rows["none"] + (rows[kind] if kind != "none" else [])
            there = [place for place in mine if (place.constraint, place.method) in methods]
            found.append(
                Block(
                    table,
                    kind,
                    in_order(experiment.datasets, (place.dataset for place in there)),
                    tuple(methods),
                    in_order(experiment.metrics, (place.metric for place in there)),
                )
            )
    return found


class Comparison(NamedTuple):
    """A score beside the printed figure."""

    place: Place
    difference: float
    """Ours minus printed, in points."""
    noise: float
    """What the difference may be by chance; NaN where one draw cannot tell."""

    @property
    def beyond(self) -> bool:
        """Whether the difference is more than noise."""
        return abs(self.difference) > self.noise + _SLACK

    @property
    def judged(self) -> bool:
        """Whether there are draws enough to tell."""
        return not math.isnan(self.noise)


def compare(place: Place, score: Score) -> Comparison | None:
    """Compare a score with the printed figure; None where one of the two is missing.

    The paper gives no spread, so that of our draws stands for both means.
    """
    printed = place.printed
    if printed is None or not score.n:
        return None
    if place.method in DETERMINISTIC:
        digits = len(printed.partition(".")[2])
        noise = 0.5 * 10.0**-digits + 0.005
    else:
        spread = 2.0 * score.sd * math.sqrt(1.0 / score.n + 1.0 / PUBLISHED_DRAWS)
        noise = spread if math.isnan(spread) else max(SMALLEST_DIFFERENCE, spread)
    return Comparison(place, score.mean - float(printed), noise)


Values = dict[str, dict[str, float]]


def our_values(parts: Iterable[Block], scores: Mapping[Place, Score], metric: str) -> Values:
    """Collect means by data set and method; NaN where all draws failed."""
    return {
        dataset: {
            row[1]: scores[block.place(dataset, row, metric)].mean
            for row in block.methods
            if block.place(dataset, row, metric) in scores
        }
        for block in parts
        for dataset in block.datasets
    }


def printed_values(parts: Iterable[Block], metric: str) -> Values:
    """Collect the printed figures by data set and method."""
    return {
        dataset: {
            row[1]: float(text)
            for row in block.methods
            if (text := block.place(dataset, row, metric).printed) is not None
        }
        for block in parts
        for dataset in block.datasets
    }
