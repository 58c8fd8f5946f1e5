"""Values and differences in words: numbers as people write them, in the units of the data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sentree.profiles.columns import Column, Table

__all__ = ["AllUnits", "Units", "percent", "phrase"]

#: Numbers are rounded to less than this part of how far they are spread.
_PARTS = 40
#: Values that tell how far a column is spread.
_LOOKED_AT = 10_000
#: Dates that are spread over more seconds are written so.
_FORMATS = ((2 * 365.25 * 86_400, "%Y-%m"), (3 * 86_400, "%Y-%m-%d"), (0, "%Y-%m-%d %H:%M"))


#: Steps that values may have been written in.
_GRAINS = (1.0, 0.1, 0.01, 0.001)


def _on_grid(values: Any, step: float) -> bool:
    """Tell whether all values are multiples of a step."""
    steps = np.asarray(values) / step
    return bool((np.abs(steps - np.round(steps)) < 1e-6).all())


def percent(share: float) -> str:
    """Write a share without decimals; only all is 100 %, and only nothing 0 %."""
    if share != share:
        return "–"
    if 0 < share < 0.01:
        return "< 1 %"
    return f"{min(round(100 * share), 99) if share < 1 else 100} %"


@dataclass(frozen=True)
class Units:
    """How the values of a column are written."""

    kind: str
    spread: float = 0.0
    one_sided: bool = False  # no values on both sides of 0
    grain: float = 0.0  # all values are multiples of this power of ten, 0 where of none
    years: bool = False  # whole numbers of four digits
    levels: tuple[str, ...] = ()
    written: str = "{}"  # with its unit

    @classmethod
    def of(cls, column: Column) -> Units:
        """Look at some values of a column."""
        if column.kind in ("category", "boolean"):
            return cls(column.kind, levels=column.levels)
        values = column.values[:: max(1, column.values.size // _LOOKED_AT)]
        values = values[~np.isnan(values)]
        if not values.size:
            return cls(column.kind, levels=column.levels)
        low, high = np.quantile(values, (0.05, 0.95)).tolist()
        spread = high - low or float(np.ptp(values)) or abs(high)
        grain = next((g for g in _GRAINS if _on_grid(values, g)), 0.0)
        years = grain >= 1 and values.min() >= 1000 and values.max() < 3000 and spread < 500
        return cls(
            column.kind,
            spread,
            bool(values.min() >= 0 or values.max() <= 0),
            grain,
            bool(years),
            column.levels,
            " ".join(filter(None, (column.unit[0], "{}", column.unit[1]))),
        )

    def step(self, value: float) -> float:
        """Return what a value is rounded to, a power of ten."""
        step = math.floor(math.log10(self.spread / _PARTS)) if self.spread > 0 else 0
        if self.one_sided and value:
            step = min(step, math.floor(math.log10(abs(value))) - 1)
        return max(10.0**step, self.grain)

    def grid(self, low: float, high: float) -> list[float]:
        """Return round numbers between two values, evenly spread."""
        if self.kind == "ordered":
            return []
        if self.kind == "date":
            return [low + (high - low) * part / _PARTS for part in range(_PARTS)]
        step = 10 * self.step(0.0)
        if high - low > 10 * _PARTS * step:  # a few values far away
            step = 10.0 ** math.ceil(math.log10((high - low) / (10 * _PARTS)))
        return [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]

    def rounded(self, value: float) -> float:
        """Return a value as it is written."""
        if self.kind == "date":
            return float(np.datetime64(self.text(value).replace(" ", "T"), "s").astype(np.int64))
        if self.kind == "ordered":
            return float(math.floor(value))
        step = self.step(value)
        scaled = round(value / step)
        return scaled * step if step >= 1 else scaled / round(1 / step)

    def text(self, value: float) -> str:
        """Write a value."""
        if value != value:
            return "–"
        if self.kind == "ordered":
            return self.levels[math.floor(value)]
        if self.kind == "date":
            pattern = next(form for seconds, form in _FORMATS if self.spread >= seconds)
            stamp: Any = np.datetime64(round(value), "s").item()
            return str(stamp.strftime(pattern))
        if abs(value) >= 1e15 or (value and self.step(value) < 1e-9):
            return self.written.format(f"{value:.3g}")
        step = self.step(value)
        if step == self.grain and value < 20 * step and not _on_grid(value, step):
            step /= 10  # the middle of two values
        decimals = max(0, -round(math.log10(step)))
        number = round(value / step) * step + 0.0
        written = f"{number:.{decimals}f}" if self.years else f"{number:,.{decimals}f}"
        return self.written.format(written.replace("-", "−") if number else "0")


class AllUnits(dict[int, Units]):
    """How the values of the columns of a table are written, by the number of the column."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, column: int) -> Units:
        self[column] = Units.of(self._table.column(column))
        return self[column]


def phrase(name: str, units: Units, kind: str, figures: dict[str, Any]) -> str:
    """Say how a cluster differs, as in "high income (median 74,000 against 31,000)"."""
    way, inside, outside = (figures[x] for x in ("way", "inside", "outside"))
    if kind in ("number", "date", "ordered"):
        if way == 0:
            low, high = (units.text(figures[x]) for x in ("range_from", "range_to"))
            shares = " against ".join(percent(figures[f"range_{x}"]) for x in ("inside", "outside"))
            ends = f"mostly {low}" if low == high else f"between {low} and {high}"
            return f"{name} {ends} ({shares})"
        said = {"date": ("early", "late")}.get(kind, ("low", "high"))[way > 0]
        return f"{said} {name} ({_middles(units, kind, figures)})"
    against = f"({percent(inside)} against {percent(outside)})"
    if kind == "amount":
        return f"{'much' if way > 0 else 'little'} {name} (in {against[1:]}"
    if kind == "category":
        name = f"{name} = {units.levels[figures['level']]}"
    if inside in (0, 1):
        return f"{'always' if inside else 'never'} {name} {against}"
    if way > 0:
        return f"{'mostly' if inside >= 0.5 else 'more often'} {name} {against}"
    return f"{'rarely' if inside < 0.2 else 'less often'} {name} {against}"


def _middles(units: Units, kind: str, figures: dict[str, Any]) -> str:
    """Compare the medians, or the means of numbers where the medians are the same."""
    inside, outside = (units.text(figures[x]) for x in ("inside", "outside"))
    if inside != outside or kind != "number":
        return f"median {inside} against {outside}"
    finer = replace(units, grain=units.grain / 10)
    inside, outside = (finer.text(figures[f"{x}_mean"]) for x in ("inside", "outside"))
    return f"mean {inside} against {outside}"
