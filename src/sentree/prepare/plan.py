"""What becomes of one column: learned once, the same for new rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sentree.prepare.dates import DateFormat
from sentree.prepare.ids import named_like_ids
from sentree.prepare.numbers import NumberFormat
from sentree.prepare.reading import NUMERIC, Cells, kind_of_names, read_alike

__all__ = ["GAP", "Plan", "plan"]

FloatArray = NDArray[np.float64]
#: Names of what is not a level: what is missing, and rare levels.
GAP, OTHER = "missing", "other"
#: Most levels of a category that have columns of their own.
_MOST_LEVELS = 20
#: Of more levels than these, those that have less than this share of the rows are rare.
_FEW_LEVELS, _RARE = 10, 0.01
#: A category is left out if its frequent levels have less than this share of its values.
_LEAST_SHARE = 0.2
#: Most values that a median is taken of; of more, every second, third and so on is looked at.
_LOOKED_AT = 100_000


@dataclass(frozen=True)
class Plan:
    """What becomes of a column.

    Attributes
    ----------
    name : str
        The column.
    kind : str
        What it holds: "number", "boolean", "date", "ordered" or "category"; or, where it is left
        out, "ids", "text", "many" (too many levels), "constant", "empty", "copy" or "other".
    used : bool
        Whether it becomes features.
    levels : tuple of str
        The levels of a category that have features, or all of an ordered one in their order.
    rest : bool
        Whether rare and new levels have a feature.
    gap : bool
        Whether missing values have a feature.
    fill : float
        What missing values are filled with.
    log : (float, float), optional
        Base and scale of the logarithm, see :class:`sentree.graph.tails.Tails`.
    format : tuple, optional
        How numbers or dates are written.
    n_levels : int
        How many levels the category has.
    gaps : int
        How many values were missing.
    note : str
        What is worth telling.
    """

    name: str
    kind: str
    used: bool = True
    levels: tuple[str, ...] = ()
    rest: bool = False
    gap: bool = False
    fill: float = 0.0
    log: tuple[float, float] | None = None
    format: tuple[Any, ...] | None = None
    n_levels: int = 0
    gaps: int = 0
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Plan:
        """Return what :meth:`to_dict` wrote."""
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in stored.items()
        }
        return cls(**plain)

    @property
    def names(self) -> list[str]:
        """Names of the features."""
        if not self.used:
            return []
        if self.kind != "category":
            return [self.name] + [f"{self.name}={GAP}"] * self.gap
        more = [OTHER] * self.rest + [GAP] * self.gap
        return [f"{self.name}={level}" for level in (*self.levels, *more)]

    @property
    def done(self) -> str:
        """What was done to the column, in words."""
        if not self.used:
            return "left out"
        width, unit = len(self.levels) + self.rest + self.gap, ""
        if self.kind == "number" and self.format is not None:
            unit = NumberFormat(*self.format).unit
        words = {
            "number": f"kept, in {unit}" if unit else "kept",
            "boolean": "yes is 1, no is 0",
            "date": "days since 1970",
            "ordered": f"{', '.join(self.levels[:5])}{', …' * (len(self.levels) > 5)} as 0, 1, …",
            "category": f"{width} columns of 0 and 1",
        }[self.kind]
        if self.rest:
            words += f", for {len(self.levels)} of {self.n_levels} levels and the others together"
        if self.log is not None:
            words = "logarithm"
        if self.gaps and self.kind != "category":
            filled = f"{self.fill:.6g}" if self.kind in ("number", "boolean") else "the median"
            words += f", gaps filled with {filled}" + ", and a column for them" * self.gap
        return words

    def read(self, column: pd.Series) -> Cells:
        """Read new values."""
        form: Any = None
        if self.format is not None:
            form = (DateFormat if self.kind == "date" else NumberFormat)(*self.format)
        return read_alike(column, self.kind, self.levels, form)

    def encode(self, cells: Cells, out: FloatArray) -> None:
        """Write the features of values into columns of zeros."""
        if self.kind == "category":
            last = len(self.levels)
            gap = last + self.rest if self.gap else -1
            place = np.array([*range(last), last if self.rest else -1, gap])[cells.held]
            rows = np.flatnonzero(place >= 0)
            out[rows, place[rows]] = 1.0
            return
        numbers = cells.ranks if self.kind == "ordered" else cells.held
        gaps = np.isnan(numbers)
        if gaps.any():
            numbers = np.where(gaps, self.fill, numbers)
        if self.log is not None:
            away = numbers - self.log[0]
            numbers = np.sign(away) * np.log1p(np.abs(away) / self.log[1])
        out[:, 0] = numbers
        if self.gap:
            out[:, 1] = gaps


def plan(name: str, cells: Cells) -> tuple[Plan, Cells]:
    """Decide what becomes of a column; return also its values, with the levels that are kept."""
    made = Plan(name, cells.kind, gaps=int(cells.gaps.sum()), note="; ".join(cells.notes))
    if cells.kind in NUMERIC or cells.kind == "ordered":
        return _numeric(made, cells)
    if cells.kind == "category":
        return _category(made, cells)
    return replace(made, used=False), cells


def _numeric(made: Plan, cells: Cells) -> tuple[Plan, Cells]:
    """Plan a column of numbers, or of what has an order like numbers."""
    numbers = cells.ranks if made.kind == "ordered" else cells.held
    there = numbers[~np.isnan(numbers)] if made.gaps else numbers
    if not there.size:
        return replace(made, kind="empty", used=False), cells
    form = None if cells.format is None else tuple(cells.format)
    if there.min() == there.max():
        if not made.gaps or made.kind == "ordered":
            return replace(made, kind="constant", used=False), cells
        # Whether the one value is there may say something.
        return replace(made, fill=float(there[0]), gap=True, format=form), cells
    if made.kind == "number" and _are_ids(made.name, there):
        return replace(made, kind="ids", used=False), cells
    thinned = there[:: max(len(there) // _LOOKED_AT, 1)]
    fill = float(np.quantile(thinned, 0.5, method="lower"))
    return replace(made, levels=cells.levels, fill=fill, format=form), cells


def _are_ids(name: str, numbers: FloatArray) -> bool:
    """Tell whether whole numbers count or name the rows."""
    steps = np.diff(numbers)
    if len(numbers) > 2 and numbers[0] in (0, 1) and (steps == 1).all():
        return True
    if not named_like_ids(name) or (numbers % 1 != 0).any():
        return False
    return bool(np.unique(numbers).size > 0.5 * len(numbers))


def _category(made: Plan, cells: Cells) -> tuple[Plan, Cells]:
    """Plan a category: its frequent levels have features, the others one together."""
    codes, levels = cells.held, cells.levels
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    if len(counts) == 1 and not made.gaps:
        return replace(made, kind="constant", used=False), cells
    if counts.max() == 1:
        return replace(made, kind=kind_of_names(levels), used=False), cells
    rare = max(2, _RARE * len(codes)) if len(counts) > _FEW_LEVELS else 1
    order = np.argsort(-counts, kind="stable")
    kept = np.sort(order[counts[order] >= rare][:_MOST_LEVELS])
    if counts[kept].sum() < _LEAST_SHARE * counts.sum():
        kind = "text" if kind_of_names(levels) == "text" else "many"
        return replace(
            made, kind=kind, used=False, note=made.note or f"{len(counts):,} levels, too many"
        ), cells
    made = replace(made, rest=len(kept) < len(counts), n_levels=len(counts))
    place = np.full(len(counts) + 1, len(kept))
    place[kept], place[-1] = np.arange(len(kept)), -1
    names = tuple(levels[k] for k in kept)
    made = replace(made, levels=names, gap=made.gaps >= rare)
    return made, replace(cells, codes=place[codes], levels=names)
