"""What becomes of one column: learned once, the same for new rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sentree.prepare.dates import DateFormat
from sentree.prepare.numbers import NumberFormat
from sentree.prepare.reading import Cells, read_alike

__all__ = ["OTHER", "Plan", "plan"]

FloatArray = NDArray[np.float64]
#: Names of what is not a level: what is missing, and the levels that are rare.
GAP, OTHER = "missing", "other"
#: Most levels of a category that have columns of their own.
_MOST_LEVELS = 20
#: Of more levels than these few, rare ones are taken together.
_FEW_LEVELS = 10
#: A level is rare below this share of the rows.
_RARE = 0.01
#: A category is left out if its frequent levels have less than this share of its values.
_LEAST_SHARE = 0.2


@dataclass(frozen=True)
class Plan:
    """What becomes of a column.

    Attributes
    ----------
    name : str
        The column.
    kind : str
        What it holds: "number", "boolean", "date", "category", "ordered", "text", "ids", "empty",
        "constant", "copy" or "other".
    used : bool
        Whether it becomes features.
    levels : tuple of str
        The levels of a category with columns of their own, or all of an ordered one in order.
    rest : bool
        Whether rare and new levels have a column.
    gap : bool
        Whether missing values have a column.
    fill : float
        What missing values are filled with.
    log : (float, float), optional
        Base and scale of the logarithm, see :class:`sentree.graph.tails.Tails`.
    format : tuple, optional
        How numbers or dates are written.
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
    gaps: int = 0
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Plan:
        """Return what :meth:`to_dict` wrote."""
        plain: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in stored.items()
        }
        return cls(**plain)

    @property
    def names(self) -> list[str]:
        """Names of the features, without that of missing numbers."""
        if self.kind != "category":
            return [self.name]
        more = [OTHER] * self.rest + [GAP] * self.gap
        return [f"{self.name}={level}" for level in (*self.levels, *more)]

    def read(self, column: pd.Series) -> Cells:
        """Read new values."""
        form: Any = None
        if self.format is not None:
            form = (DateFormat if self.kind == "date" else NumberFormat)(*self.format)
        return read_alike(column, self.kind, self.levels, form)

    def encode(self, cells: Cells, out: FloatArray) -> None:
        """Write the features of values into columns of zeros."""
        if self.kind == "category":
            assert cells.codes is not None
            last = len(self.levels)
            codes = np.where(cells.codes > last, last, cells.codes)
            gap = last + self.rest if self.gap else -1
            place = np.append(np.arange(last), [last if self.rest else -1, gap])[codes]
            rows = np.flatnonzero(place >= 0)
            out[rows, place[rows]] = 1.0
            return
        numbers = cells.numbers
        if numbers is None:
            assert cells.codes is not None
            ranks = np.append(np.arange(len(self.levels), dtype=np.float64), [np.nan, np.nan])
            numbers = ranks[cells.codes]
        numbers = np.where(np.isnan(numbers), self.fill, numbers)
        if self.log is not None:
            away = numbers - self.log[0]
            numbers = np.sign(away) * np.log1p(np.abs(away) / self.log[1])
        out[:, 0] = numbers


def plan(name: str, cells: Cells) -> tuple[Plan, Cells]:
    """Decide what becomes of a column, and return its values with the levels that are kept."""
    gaps = int(cells.gaps.sum())
    notes = list(cells.notes)

    def left_out(kind: str) -> tuple[Plan, Cells]:
        return Plan(name, kind, False, gaps=gaps, note="; ".join(notes)), cells

    if cells.kind in ("empty", "text", "other"):
        return left_out(cells.kind)
    form = None if cells.format is None else tuple(cells.format)
    if cells.kind != "category":
        if cells.kind == "ordered":
            numbers = np.append(np.arange(len(cells.levels), dtype=np.float64), np.nan)[cells.codes]
        else:
            assert cells.numbers is not None
            numbers = cells.numbers
        there = numbers[~np.isnan(numbers)] if gaps else numbers
        if not there.size:
            return left_out("empty")
        if there.min() == there.max() and not gaps:
            return left_out("constant")
        fill = 0.0
        if cells.kind == "boolean":
            fill = float(there.mean() > 0.5)
        elif gaps or cells.kind in ("number", "ordered", "date"):
            fill = float(np.quantile(there, 0.5, method="lower"))
        made = Plan(name, cells.kind, levels=cells.levels, fill=fill, format=form, gaps=gaps)
        return Plan(**{**vars(made), "note": "; ".join(notes)}), cells
    counts, n = cells.counts, len(cells.gaps)
    if len(counts) == 1 and not gaps:
        return left_out("constant")
    rare = max(2, _RARE * n) if len(counts) > _FEW_LEVELS else 1
    order = np.argsort(-counts, kind="stable")
    kept = order[counts[order] >= rare][:_MOST_LEVELS]
    rest = len(kept) < len(counts)
    if counts[kept].sum() < _LEAST_SHARE * counts.sum():
        every = "" if counts.max() > 1 else ", all different"
        notes.append(f"{len(counts)} different values{every}")
        return left_out("ids" if counts.max() == 1 and not gaps else "text")
    kept = np.sort(kept)
    if rest:
        notes.append(f"{len(kept)} of {len(counts)} levels, the others together")
    place = np.full(len(counts) + 1, len(kept), dtype=np.int64)
    place[kept], place[-1] = np.arange(len(kept)), -1
    levels = tuple(cells.levels[k] for k in kept)
    note = "; ".join(notes)
    made = Plan(name, "category", True, levels, rest, gaps >= rare, gaps=gaps, note=note)
    return made, Cells("category", codes=place[cells.codes], levels=levels)
