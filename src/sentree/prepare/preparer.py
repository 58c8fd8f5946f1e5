"""TablePreparer: from a table as people have it to columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from sentree._util.sklearn import fit_context
from sentree._util.warnings import warn
from sentree._util.wording import Param, Text
from sentree.graph.blocks import BLOCKS, Block
from sentree.graph.tails import find_tails
from sentree.prepare.frames import as_frame
from sentree.prepare.plan import Plan, plan
from sentree.prepare.reading import Cells, read

__all__ = ["Block", "TablePreparer"]

FloatArray = NDArray[np.float64]
#: Rows that are looked at to tell whether gaps say something.
_LOOKED_AT = 20_000
#: Gaps say something if they are correlated as much with another column, and beyond chance.
_SIGNAL, _BEYOND_CHANCE = 0.2, 4.0
#: Columns that are correlated as much say the same.
_SAME = 0.95
#: Most names in one list of the summary.
_NAMED = 6
#: What one says of columns of a kind.
_KINDS = {
    "number": ("number", "numbers"),
    "boolean": ("yes/no", "yes/no"),
    "date": ("date", "dates"),
    "ordered": ("ordered category", "ordered categories"),
    "category": ("category", "categories"),
}
#: Why columns are left out.
_LEFT_OUT = {
    "ids": "ids or names",
    "text": "text",
    "many": "too many levels",
    "category": "categories",
    "ordered": "categories",
    "constant": "one value",
    "empty": "no values",
    "copy": "copies",
    "other": "no single values",
}


class TablePreparer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn a table as people have it into columns of numbers.

    What a column holds is found by looking at its values:

    - Numbers stay as they are, also those in text, such as "1,500.2", "1.500,2", "10 %", "€ 12"
      and "12 kg"; a column must have one unit. Gaps are filled with the median, and have a column
      of their own (``income=missing``) where other columns depend on them.
    - Yes and no become 1 and 0, dates days since 1970.
    - Categories become a column of 0 and 1 for each level (``colour=red``) and for gaps. Of more
      than 10 levels, at most 20 that have 1 % of the rows are kept; the others share one column.
    - Categories with an order (ordered ones of pandas, and words such as low, medium and high)
      become their rank.
    - Ids, text, constant columns and copies of other columns are left out.

    Values are not scaled: the estimators do that.

    Parameters
    ----------
    encode : bool, default=True
        Whether categories are encoded; otherwise they are an error.
    impute : bool, default=True
        Whether gaps in numbers are filled; otherwise they are an error.
    log : bool, optional
        Whether columns with a long tail are replaced by their logarithm. By default this is left
        to the estimators, which do so where it suits the data; with False they do not.
    drop_text : bool, default=False
        Whether categories are left out, too.

    Attributes
    ----------
    blocks_ : tuple of Block
        Which features come from which column, and of what kind.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of shape (n_features,)
        Names of the columns, as text.

    Examples
    --------
    >>> import pandas as pd
    >>> from sentree import TablePreparer
    >>> table = pd.DataFrame(
    ...     {"paid": ["€ 12", "€ 1,500", "?"], "colour": ["red", "blue", "red"], "id": [7, 8, 9]}
    ... )
    >>> preparer = TablePreparer().fit(table)
    >>> preparer.transform(table)
         paid  colour=red  colour=blue
    0    12.0         1.0          0.0
    1  1500.0         0.0          1.0
    2    12.0         1.0          0.0
    >>> print(preparer.summary())
    3 columns made 3 features: 1 number (paid), 1 category (colour); gaps filled in paid
    left out: id (ids or names)
    """

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
        """Learn what becomes of each column.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_columns)
            The table, of pandas or polars, or an array of numbers or objects.
        y : ignored
            For pipelines.

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit_transform(self, X: Any, y: Any = None) -> pd.DataFrame:
        """Learn what becomes of each column, and return the features; as :meth:`fit`."""
        frame = as_frame(X)
        made = [plan(name, read(frame[name])) for name in frame]
        cells = [values for _, values in made]
        plans = self._wanted(_without_copies([one for one, _ in made], cells))
        out = _encoded(plans, cells, len(frame))
        final = _with_gaps(plans, cells, out)
        if self.log:
            final = _with_logs(final, out, plans)
        if final != plans:
            out = _encoded(final, cells, len(frame))
        self._keep(final)
        return self._framed(out, frame.index)

    def transform(self, X: Any) -> pd.DataFrame:
        """Return the features of rows, prepared as those of the fit were.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_columns)
            A table with the columns of the fit, in any order if they have names; other columns
            are ignored. Levels that are new count as rare ones.

        Returns
        -------
        pandas.DataFrame
            The features.
        """
        check_is_fitted(self, "plans_")
        frame = as_frame(X, self.feature_names_in_.tolist(), fewest=1)
        used = [one for one in self.plans_ if one.used]
        absent = [one.name for one in used if one.name not in frame]
        if absent:
            raise ValueError(f"the table has no column {_listed(list(map(repr, absent)))}")
        cells = [one.read(frame[one.name]) for one in used]
        numeric = [pair for pair in zip(used, cells, strict=True) if pair[0].kind != "category"]
        self._check_gaps([one.name for one, values in numeric if values.gaps.any()])
        for one, values in numeric:
            if values.notes:
                warn(f"column {one.name!r}: {'; '.join(values.notes)}")
        return self._framed(_encoded(used, cells, len(frame)), frame.index)

    @property
    def used_columns(self) -> list[str]:
        """The columns that become features."""
        check_is_fitted(self, "plans_")
        return [one.name for one in self.plans_ if one.used]

    @property
    def word_columns(self) -> list[str]:
        """The columns that become features by the levels that they hold."""
        check_is_fitted(self, "plans_")
        return [one.name for one in self.plans_ if one.used and one.levels]

    def has_gaps(self, X: Any) -> NDArray[np.bool_]:
        """Tell for each row whether a value is missing in some column that is used."""
        check_is_fitted(self, "plans_")
        frame = as_frame(X, self.feature_names_in_.tolist(), fewest=1)
        gaps = [one.read(frame[one.name]).gaps for one in self.plans_ if one.used]
        return np.asarray(np.logical_or.reduce(gaps))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the features."""
        check_is_fitted(self, "plans_")
        return np.array([name for one in self.plans_ for name in one.names], dtype=object)

    def to_dict(self) -> dict[str, Any]:
        """Return all as plain values, for JSON."""
        check_is_fitted(self, "plans_")
        return {"parameters": self.get_params(), "columns": [one.to_dict() for one in self.plans_]}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Self:
        """Return the preparer that :meth:`to_dict` described."""
        made = cls(**stored["parameters"])
        made._keep(list(map(Plan.from_dict, stored["columns"])))
        return made

    def summary(self) -> str:
        """Say in two lines what was done to which columns."""
        check_is_fitted(self, "plans_")
        used = [one for one in self.plans_ if one.used]
        width = len(self.get_feature_names_out())
        parts = []
        for kind, (word, words) in _KINDS.items():
            if names := [one.name for one in used if one.kind == kind]:
                parts.append(
                    f"{len(names)} {word if len(names) == 1 else words} ({_listed(names)})"
                )
        more = ""
        if filled := [one.name for one in used if one.gaps and one.kind != "category"]:
            more += f"; gaps filled in {_listed(filled)}"
        if logs := [one.name for one in used if one.log is not None]:
            more += f"; logarithm of {_listed(logs)}"
        n = len(self.plans_)
        first = f"{n} column{'s' * (n > 1)} made {width} feature{'s' * (width > 1)}: "
        order = list(_LEFT_OUT)
        unused = sorted(
            (one for one in self.plans_ if not one.used), key=lambda one: order.index(one.kind)
        )
        left = [
            f"{_listed(names)} ({why})"
            for why in dict.fromkeys(map(_reason, unused))
            if (names := [one.name for one in unused if _reason(one) == why])
        ]
        second = f"left out: {'; '.join(left) or 'none'}"
        if told := [f"{one.name} ({one.note})" for one in used if one.note]:
            second += f"; look at {_listed(told)}"
        return f"{first}{', '.join(parts)}{more}\n{second}"

    def report(self) -> pd.DataFrame:
        """Return a row for each column: its name, its kind, what was done, gaps and a note."""
        check_is_fitted(self, "plans_")
        rows = [(one.name, one.kind, one.done, one.gaps, one.note) for one in self.plans_]
        return pd.DataFrame(rows, columns=["column", "kind", "done", "gaps", "note"])

    def _wanted(self, plans: list[Plan]) -> list[Plan]:
        """Apply the parameters, and refuse what they exclude; some column must be left."""
        words = [one.name for one in plans if one.used and one.kind in ("category", "ordered")]
        if self.drop_text:
            plans = [replace(one, used=one.used and one.name not in words) for one in plans]
        elif words and not self.encode:
            raise ValueError(
                Text(
                    f"categories in {_listed(list(map(repr, words)))}, which are not encoded (",
                    Param("encode", False),
                    "): leave the columns out",
                    (", with ", Param("drop_text", True)),
                )
            )
        if not any(one.used for one in plans):
            why = _listed([f"{one.name} ({_reason(one)})" for one in plans])
            raise ValueError(f"no column of the table says how rows differ: {why}")
        self._check_gaps(
            [one.name for one in plans if one.used and one.gaps and one.kind != "category"]
        )
        return plans

    def _check_gaps(self, names: Sequence[str]) -> None:
        """Refuse gaps if they are not to be filled."""
        if names and not self.impute:
            raise ValueError(
                Text(
                    f"gaps in {_listed(list(map(repr, names)))}, which are not filled (",
                    Param("impute", False),
                    "): fill them in, or leave out the columns or the rows",
                )
            )

    def _framed(self, features: FloatArray, index: pd.Index) -> pd.DataFrame:
        """Return features as a data frame, which tells the next step of a pipeline its blocks."""
        made = pd.DataFrame(features, index, self.get_feature_names_out(), copy=False)
        made.attrs[BLOCKS] = (self.blocks_, tuple(made.columns))
        return made

    def _keep(self, plans: Sequence[Plan]) -> None:
        """Store the plans, and number the features."""
        self.plans_ = tuple(plans)
        self.feature_names_in_ = np.array([one.name for one in plans], dtype=object)
        self.n_features_in_ = len(plans)
        blocks: list[Block] = []
        start = 0
        for one in filter(lambda one: one.used, plans):
            stop = start + len(one.names)
            if one.gap and one.kind != "category":
                blocks.append(Block(one.name, one.kind, start, stop - 1))
                blocks.append(Block(one.name, "missing", stop - 1, stop))
            else:
                blocks.append(Block(one.name, one.kind, start, stop))
            start = stop
        self.blocks_ = tuple(blocks)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def _encoded(plans: Sequence[Plan], cells: Sequence[Cells], n: int) -> FloatArray:
    """Return the features as an array."""
    out = np.zeros((n, sum(len(one.names) for one in plans)), order="F")
    start = 0
    for one, values in zip(plans, cells, strict=True):
        if one.used:
            stop = start + len(one.names)
            one.encode(values, out[:, start:stop])
            start = stop
    return out


def _without_copies(plans: Sequence[Plan], cells: Sequence[Cells]) -> list[Plan]:
    """Leave out columns that say what an earlier one says, in the same or in other words."""
    seen: dict[Any, str] = {}
    made = []
    for one, values in zip(plans, cells, strict=True):
        if one.used:
            content = blake2b(np.ascontiguousarray(values.held)).digest()
            first = seen.setdefault((one.kind, content), one.name)
            if first != one.name:
                one = replace(one, kind="copy", used=False, note=f"the same as {first}")
        made.append(one)
    return made


def _with_gaps(plans: list[Plan], cells: Sequence[Cells], out: FloatArray) -> list[Plan]:
    """Give gaps of numbers a feature where they say something: where others depend on them."""
    found = [k for k, one in enumerate(plans) if one.used and one.gaps and one.kind != "category"]
    if not found:
        return plans
    thinned = slice(None, None, max(len(out) // _LOOKED_AT, 1))
    masks = np.column_stack([cells[k].gaps[thinned] for k in found]).astype(np.float64)
    both = np.hstack((out[thinned], masks))
    both -= both.mean(axis=0)
    size = np.sqrt((both**2).sum(axis=0))
    both /= np.where(size > 0, size, 1.0)
    related = np.abs(both[:, out.shape[1] :].T @ both)
    least = max(_SIGNAL, _BEYOND_CHANCE / np.sqrt(len(masks)))
    made, told = list(plans), list(range(out.shape[1]))
    for j, k in enumerate(found):
        start, own = sum(len(one.names) for one in plans[:k]), out.shape[1] + j
        related[j, [start, own]] = 0.0
        if related[j].max() >= least and related[j, told].max() < _SAME:
            made[k] = replace(plans[k], gap=True)
            told.append(own)
    return made


def _with_logs(plans: list[Plan], out: FloatArray, before: Sequence[Plan]) -> list[Plan]:
    """Take the logarithm of numbers with long tails."""
    made, start = [], 0
    for one, old in zip(plans, before, strict=True):
        if one.used and one.kind == "number":
            tails = find_tails(out[:, [start]])
            if tails is not None:
                one = replace(one, log=(float(tails.base[0]), float(tails.onset[0])))
        made.append(one)
        start += len(old.names)
    return made


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _reason(one: Plan) -> str:
    """Say why a column is left out."""
    return one.note if one.kind == "many" else _LEFT_OUT[one.kind]
