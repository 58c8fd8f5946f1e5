"""The rows that questions are about: values as people write them, and what sets rows apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

from sentree.prepare import typed
from sentree.prepare.frames import as_frame
from sentree.profiles.columns import Column, Table
from sentree.profiles.measures import measure
from sentree.profiles.traits import Measured
from sentree.profiles.words import AllUnits, Units

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MISSING", "Contrast", "Field", "Rows", "rows_of"]

#: Rows that tell how columns are spread, and pairs of them that tell how rows differ.
_LOOKED_AT, _PAIRS = 4_000, 2_000
#: Columns that are compared; of a wider table those in which the rows differ most.
_COMPARED = 300
#: Features in what is said of a cluster.
_SAID = 3
#: Text of more words than this is read, not compared.
_WORDS = 3
#: Neighbours of a vertex that are named.
_LINKS = 8
#: What stands for a value that is missing.
MISSING = "–"


@dataclass(frozen=True, eq=False)
class Field:
    """A column: how its values are written, and how far apart two rows are in it."""

    number: int
    name: str
    kind: str
    units: Units
    gaps: NDArray[np.float64]  # differences of random pairs of rows, in order
    agreeing: float  # share of such pairs that have the same value
    prose: bool  # sentences or names, which are read rather than compared

    @classmethod
    def of(cls, number: int, column: Column, units: Units) -> Field:
        """Look at some values of a column."""
        values = _dense(column)
        order = np.random.default_rng(0).permutation(values.size)
        gap = np.abs(values[order] - values[np.roll(order, 1)])[:_PAIRS]
        gap = np.sort(gap[~np.isnan(gap)])
        words = sum(len(level.split()) for level in column.levels[:200])
        texts = min(len(column.levels), 200)
        unlike = column.kind == "category" and len(column.levels) > 0.5 * values.size
        prose = unlike or (column.kind == "category" and words > _WORDS * max(texts, 1))
        agreeing = float(np.mean(gap == 0)) if gap.size else 0.0
        return cls(number, column.name, column.kind, units, gap, agreeing, prose)

    def text(self, cell: Any) -> str:
        """Write a value."""
        if pd.isna(cell):
            return MISSING
        if self.kind == "boolean":
            return ("no", "yes")[bool(cell)] if isinstance(cell, bool | np.bool_) else f"{cell:g}"
        if self.kind in ("number", "amount", "date"):
            return self.units.text(self._place(cell))
        return str(cell)

    def difference(self, a: Any, b: Any) -> float:
        """Return how unusual a difference is: the share of pairs of rows that differ less.

        Half of those that differ as much are counted as well.
        """
        if pd.isna(a) or pd.isna(b):
            return 0.0 if pd.isna(a) and pd.isna(b) else 0.5
        if self.kind == "category":
            return 0.0 if str(a) == str(b) else (1 + self.agreeing) / 2
        gap = abs(self._place(a) - self._place(b))
        if not gap or not self.gaps.size:
            return 0.0
        less, no_more = (np.searchsorted(self.gaps, gap, side) for side in ("left", "right"))
        return float(less + no_more) / (2 * self.gaps.size)

    def typical(self, cells: Sequence[Any]) -> Any:
        """Return the middle one of some values, or the most frequent one."""
        known = [cell for cell in cells if not pd.isna(cell)]
        if not known:
            return np.nan
        if self.kind in ("category", "boolean"):
            return Counter(known).most_common(1)[0][0]
        return sorted(known, key=self._place)[(len(known) - 1) // 2]

    def _place(self, cell: Any) -> float:
        """Return a value as a number."""
        if self.kind == "date":
            return float(pd.Timestamp(cell).tz_localize(None).timestamp())
        if self.kind == "ordered":
            return float(self.units.levels.index(str(cell)))
        return float(cell)


class Contrast(NamedTuple):
    """What sets some clusters apart from one another."""

    effects: dict[int, float]  # by column, 0 to 1
    said: list[str]  # of each cluster


class Rows:
    """The rows of a table.

    Parameters
    ----------
    X : data frame, array or sparse matrix
        The table as it was read.
    ids : array, optional
        What rows are called; else they are numbered.
    features : sequence of str, optional
        Names of the columns, where X has none.
    notes : callable, optional
        What else there is to read about a row, by name.
    """

    def __init__(
        self,
        X: Any,
        ids: Any = None,
        features: Sequence[str] | None = None,
        notes: Callable[[int], dict[str, str]] | None = None,
    ) -> None:
        self._ids = ids
        self.notes = notes or (lambda row: {})
        self._sparse = sp.issparse(X)
        n, width = X.shape
        named = getattr(X, "columns", None)
        if named is None:
            named = features or [f"x{k}" for k in range(width)]
        self.names = [str(name) for name in named]
        self._fields: dict[int, Field] = {}
        self._sampled = np.arange(n)
        if n > _LOOKED_AT:
            self._sampled = np.sort(np.random.default_rng(0).choice(n, _LOOKED_AT, replace=False))
        if not width:
            return
        self._X: Any = sp.csr_array(X) if self._sparse else as_frame(X)
        if not self._sparse and not all(kind.kind in "biufM" for kind in self._X.dtypes):
            self._X = typed(self._X)
        self._table = Table(self._taken(self._sampled), self.names)
        self._units = AllUnits(self._table)

    def name(self, row: int) -> str:
        """Return the id of a row, or its number."""
        return str(row if self._ids is None else self._ids[row])

    def title(self, row: int) -> str:
        """Return the id of a row, or "row" and its number."""
        return f"row {row}" if self._ids is None else str(self._ids[row])

    @cached_property
    def matrix(self) -> NDArray[np.float64] | None:
        """Some rows as numbers, None where not all columns hold numbers."""
        if self._sparse or not self.names or any(x.kind not in "iuf" for x in self._X.dtypes):
            return None
        return _numbers(self._taken(self._sampled))

    def numbers(self, row: int) -> NDArray[np.float64]:
        """Return the values of a row of numbers."""
        return np.asarray(self._X.iloc[row].to_numpy(dtype=np.float64))

    def cells(self, rows: Sequence[int], field: Field) -> list[Any]:
        """Return the values of rows in a column."""
        if self._sparse:
            return [self._X[row, field.number] for row in rows]
        return [self._X.iat[row, field.number] for row in rows]

    def column(self, k: int) -> pd.Series[Any]:
        """Return a column."""
        if self._sparse:
            return pd.Series(self._X[:, [k]].toarray().ravel())
        return self._X.iloc[:, k]

    def fields(self, rows: Sequence[int]) -> list[Field]:
        """Return the columns; of a wide table those in which these rows differ most."""
        chosen = np.arange(len(self.names))
        if chosen.size > _COMPARED:
            gap = np.nan_to_num(np.ptp(_numbers(self._taken(rows)), axis=0) / self._spread)
            chosen = np.sort(np.argsort(-gap, kind="stable")[:_COMPARED])
        return [self._field(k) for k in chosen.tolist()]

    def contrast(self, labels: NDArray[Any], chosen: Sequence[int]) -> Contrast:
        """Tell what sets some clusters apart from one another."""
        code = np.full(int(labels.max()) + 1, -1)
        code[list(chosen)] = np.arange(len(chosen))
        code = code[labels[self._sampled]]
        if not 0 < len(self.names) <= _COMPARED or np.unique(code[code >= 0]).size < len(chosen):
            return Contrast({}, [""] * len(chosen))
        rows = np.flatnonzero(code >= 0)
        found = Measured(*measure(self._table.part(rows), code[rows], len(chosen)), self._units)
        effects: dict[int, float] = {}
        for feature, effect in zip(found.features, found.effect.mean(axis=1), strict=True):
            effects[feature.column] = max(float(effect), effects.get(feature.column, 0.0))
        return Contrast(effects, [_said(found, at) for at in range(len(chosen))])

    def _field(self, k: int) -> Field:
        if k not in self._fields:
            self._fields[k] = Field.of(k, self._column(k), self._units[k])
        return self._fields[k]

    def _column(self, k: int) -> Column:
        found = self._table.column(k)
        if found.rows is None:
            return found
        full = np.zeros(self._sampled.size)
        full[found.rows] = found.values
        return Column(found.name, "amount", full)

    @cached_property
    def _spread(self) -> NDArray[np.float64]:
        """How far columns are spread, infinite where they are not numbers."""
        spread = np.nan_to_num(np.nanstd(_numbers(self._taken(self._sampled[:_PAIRS])), axis=0))
        return np.where(spread > 0, spread, np.inf)

    def _taken(self, rows: Any) -> Any:
        """Return some rows."""
        return self._X[list(rows)] if self._sparse else self._X.iloc[list(rows)]


def _numbers(rows: Any) -> NDArray[np.float64]:
    """Return rows as numbers, 0 where they are none."""
    if sp.issparse(rows):
        return np.asarray(rows.toarray(), dtype=np.float64)
    if any(kind.kind not in "biuf" for kind in rows.dtypes):
        rows = rows.apply(pd.to_numeric, errors="coerce").fillna(0.0)
    return np.asarray(rows.to_numpy(dtype=np.float64))


def rows_of(samples: Any, distances: bool = False) -> Rows:
    """Return the rows of a file: of a table, or vertices with those that they are linked to."""
    graph: Any = getattr(samples, "graph", None)
    key = samples.key()
    if graph is None and not distances:
        return Rows(samples.X, samples.ids, samples.features)
    edges: Any = None if distances else graph.to_scipy().tocsr()

    def nearest(row: int) -> dict[str, str]:
        order = np.argsort(np.asarray(samples.X)[row], kind="stable")
        return {"nearest": ", ".join(str(key[k]) for k in order[: _LINKS + 1] if k != row)}

    def linked(row: int) -> dict[str, str]:
        start, end = edges.indptr[row : row + 2]
        heaviest = np.argsort(-edges.data[start:end], kind="stable")[:_LINKS]
        names = [str(key[other]) for other in edges.indices[start:end][heaviest]]
        more = f" and {end - start - _LINKS} more" if end - start > _LINKS else ""
        return {"linked to": ", ".join(names) + more}

    if distances:
        return Rows(pd.DataFrame(index=range(samples.n)), samples.ids, notes=nearest)
    attributes = pd.DataFrame(samples.columns, index=range(samples.n))
    return Rows(attributes, samples.ids, notes=linked)


def _said(found: Measured, cluster: int) -> str:
    """Say in few words what sets a cluster apart."""
    of: dict[str, str] = {}  # of each column one thing
    for f in found.ranked[:, cluster].tolist():
        if not found.telling[f, cluster] or len(of) == _SAID:
            break
        trait = found.trait(f, cluster)
        of.setdefault(trait.feature, trait.phrase.rpartition(" (")[0])
    return ", ".join(of.values())


def _dense(column: Column) -> NDArray[np.float64]:
    """Return the values of a column as numbers, NaN where they are missing."""
    values = np.asarray(column.values, dtype=np.float64)
    return np.where(column.missing, np.nan, values) if column.missing.size else values
