"""TablePreparer: from a table as people have it to columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sentree._util.sklearn import fit_context
from sentree._util.warnings import warn
from sentree.graph.blocks import Block
from sentree.graph.tails import find_tails
from sentree.prepare.frames import as_frame
from sentree.prepare.ids import named_like_ids
from sentree.prepare.plan import GAP, Plan, plan
from sentree.prepare.reading import Cells, read

__all__ = ["Block", "TablePreparer"]

FloatArray = NDArray[np.float64]
#: Rows that are looked at to tell whether gaps say something.
_LOOKED_AT = 20_000
#: Gaps say something if they are correlated as much with some other column, beyond chance.
_SIGNAL, _BEYOND_CHANCE = 0.2, 4.0
#: Most names in one list of the summary.
_NAMED = 6
#: What is said of columns that are left out.
_LEFT_OUT = {
    "ids": "ids",
    "text": "text",
    "constant": "one value",
    "empty": "no value",
    "copy": "copies of others",
    "other": "no single values",
}


class TablePreparer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table with text, dates, gaps and ids into columns of numbers."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "encode": ["boolean"],
        "impute": ["boolean"],
        "log": ["boolean", None],
        "drop_text": ["boolean"],
    }

    plans_: tuple[Plan, ...]
    blocks_: tuple[Block, ...]
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def __init__(
        self,
        *,
        encode: bool = True,
        impute: bool = True,
        log: bool | None = None,
        drop_text: bool = False,
    ) -> None:
        self.encode = encode
        self.impute = impute
        self.log = log
        self.drop_text = drop_text

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what becomes of each column."""
        self.fit_transform(X)
        return self

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Any, y: Any = None) -> pd.DataFrame:
        """Learn what becomes of each column, and return the features."""
        frame = as_frame(X)
        made = [self._plan(name, frame[name]) for name in frame]
        plans, cells = [one for one, _ in made], [values for _, values in made]
        plans = _without_copies(plans, cells)
        if not any(one.used for one in plans):
            why = "; ".join(f"{one.name} ({_LEFT_OUT[one.kind]})" for one in plans[:_NAMED])
            raise ValueError(f"no column of the table can be used: {why}")
        self.plans_ = tuple(plans)
        self.feature_names_in_ = np.array(list(frame.columns), dtype=object)
        self.n_features_in_ = len(plans)
        out = self._encoded(cells, len(frame))
        self.plans_ = tuple(_with_gaps(plans, cells, out))
        if self.log:
            self._take_logs(out)
        self._lay_out()
        return self._framed(cells, frame.index)

    def transform(self, X: Any) -> pd.DataFrame:
        """Return the features of rows, prepared as those of the fit were."""
        check_is_fitted(self, "plans_")
        frame = as_frame(X)
        if len(self.feature_names_in_) == frame.shape[1] and not hasattr(X, "columns"):
            frame = frame.set_axis(list(self.feature_names_in_), axis=1)
        absent = [one.name for one in self.plans_ if one.used and one.name not in frame]
        if absent:
            raise ValueError(f"the table has no column {', '.join(map(repr, absent))}")
        cells = [one.read(frame[one.name]) if one.used else None for one in self.plans_]
        for one, values in zip(self.plans_, cells, strict=True):
            if values is not None and values.notes and one.kind != "category":
                warn(f"column {one.name!r} has {values.notes[0]!r}, which counts as missing")
        return self._framed(cells, frame.index)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the features."""
        check_is_fitted(self, "plans_")
        names = []
        for one in self.plans_:
            if one.used:
                names += one.names
                if one.gap and one.kind != "category":
                    names.append(f"{one.name}={GAP}")
        return np.array(names, dtype=object)

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain values, for JSON."""
        check_is_fitted(self, "plans_")
        return {"parameters": self.get_params(), "columns": [one.to_dict() for one in self.plans_]}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        """Return the preparer that :meth:`to_dict` described."""
        made = cls(**stored["parameters"])
        made.plans_ = tuple(map(Plan.from_dict, stored["columns"]))
        made.feature_names_in_ = np.array([one.name for one in made.plans_], dtype=object)
        made.n_features_in_ = len(made.plans_)
        made._lay_out()
        return made

    def summary(self) -> str:
        """Say in two lines what was done to which columns."""
        check_is_fitted(self, "plans_")
        used = [one for one in self.plans_ if one.used]
        width = len(self.get_feature_names_out())
        parts = [
            f"{kind}: {_listed([one.name for one in used if one.kind == kind])}"
            for kind in ("number", "boolean", "ordered", "date", "category")
            if any(one.kind == kind for one in used)
        ]
        if filled := [one.name for one in used if one.gaps]:
            parts.append(f"gaps filled: {_listed(filled)}")
        left = [
            f"{_listed([one.name for one in self.plans_ if one.kind == kind])} ({why})"
            for kind, why in _LEFT_OUT.items()
            if any(one.kind == kind for one in self.plans_)
        ]
        first = f"{len(used)} of {len(self.plans_)} columns became {width} features: "
        return f"{first}{'; '.join(parts)}\nleft out: {'; '.join(left) or 'none'}"

    def report(self) -> pd.DataFrame:
        """Return a row for each column: its name, kind, what was done, and its gaps."""
        check_is_fitted(self, "plans_")
        rows = [(one.name, one.kind, one.used, one.gaps, one.note) for one in self.plans_]
        return pd.DataFrame(rows, columns=["column", "kind", "used", "gaps", "note"])

    def _plan(self, name: str, column: pd.Series) -> tuple[Plan, Cells]:
        """Decide what becomes of a column."""
        cells = read(column)
        made, kept = plan(name, cells)
        if made.kind == "number" and named_like_ids(name) and column.is_unique:
            assert cells.numbers is not None
            if not made.gaps and (cells.numbers % 1 == 0).all():
                made = replace(made, kind="ids", used=False)
        return made, kept

    def _encoded(self, cells: Sequence[Cells | None], n: int) -> FloatArray:
        """Return the features as an array."""
        used = [(one, values) for one, values in zip(self.plans_, cells, strict=True) if one.used]
        widths = [len(one.names) + (one.gap and one.kind != "category") for one, _ in used]
        out = np.zeros((n, sum(widths)), order="F")
        start = 0
        for (one, values), width in zip(used, widths, strict=True):
            assert values is not None
            one.encode(values, out[:, start : start + width])
            if one.gap and one.kind != "category":
                out[:, start + 1] = values.gaps
            start += width
        return out

    def _framed(self, cells: Sequence[Cells | None], index: pd.Index) -> pd.DataFrame:
        """Return the features as a data frame."""
        out = self._encoded(cells, len(index))
        return pd.DataFrame(out, columns=self.get_feature_names_out(), index=index, copy=False)

    def _take_logs(self, out: FloatArray) -> None:
        """Draw in the long tails of numbers."""
        plans = list(self.plans_)
        start = 0
        for k, one in enumerate(plans):
            if not one.used:
                continue
            if one.kind == "number" and (tails := find_tails(out[:, [start]])) is not None:
                plans[k] = replace(one, log=(float(tails.base[0]), float(tails.onset[0])))
            start += len(one.names)
        self.plans_ = tuple(plans)

    def _lay_out(self) -> None:
        """Number the features."""
        blocks, start = [], 0
        for one in self.plans_:
            if one.used:
                stop = start + len(one.names)
                blocks.append(Block(one.name, one.kind, start, stop))
                if one.gap and one.kind != "category":
                    blocks.append(Block(one.name, "missing", stop, stop + 1))
                    stop += 1
                start = stop
        self.blocks_ = tuple(blocks)


def _without_copies(plans: Sequence[Plan], cells: Sequence[Cells]) -> list[Plan]:
    """Leave out columns that say what an earlier one says."""
    seen: dict[Any, str] = {}
    made = []
    for one, values in zip(plans, cells, strict=True):
        if one.used:
            held = values.numbers if values.numbers is not None else values.codes
            assert held is not None
            first = seen.setdefault((held.dtype.kind, held.tobytes()), one.name)
            if first != one.name:
                one = replace(one, kind="copy", used=False, note=f"the same as {first}")
        made.append(one)
    return made


def _with_gaps(plans: Sequence[Plan], cells: Sequence[Cells], out: FloatArray) -> list[Plan]:
    """Give gaps of numbers a column where they say something: where others depend on them."""
    made = list(plans)
    gappy = (one.used and one.gaps and one.kind != "category" for one in plans)
    candidates = np.flatnonzero(list(gappy)).tolist()
    if not candidates:
        return made
    rows = slice(None, None, max(len(out) // _LOOKED_AT, 1))
    own: list[slice] = []
    start = 0
    for one in plans:
        width = len(one.names) if one.used else 0
        own.append(slice(start, start + width))
        start += width
    masks = np.column_stack([cells[k].gaps[rows] for k in candidates]).astype(np.float64)
    both = np.hstack((out[rows], masks))
    both = both - both.mean(axis=0)
    size = np.sqrt((both**2).sum(axis=0))
    both /= np.where(size > 0, size, 1.0)
    related = np.abs(both[:, out.shape[1] :].T @ both)
    seen: set[bytes] = set()
    for j, k in enumerate(candidates):
        related[j, own[k]] = related[j, out.shape[1] + j] = 0.0
        mask = masks[:, j].tobytes()
        strongest = float(related[j].max(initial=0.0))
        clear = strongest >= _SIGNAL and strongest**2 * len(masks) >= _BEYOND_CHANCE**2
        if clear and mask not in seen:
            made[k] = replace(plans[k], gap=True)
        seen.add(mask)
    return made


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
