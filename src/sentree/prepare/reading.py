"""What kind of values a column holds, found by looking at them."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sentree.prepare.dates import DateFormat, date_format, days
from sentree.prepare.numbers import NumberFormat, number_format
from sentree.prepare.scales import in_order

__all__ = ["MISSING", "NUMERIC", "Cells", "kind_of_names", "read", "read_alike"]

#: Kinds of columns whose values are single numbers.
NUMERIC = ("number", "boolean", "date")
_WORDS = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "1.#IND", "1.#QNAN", "<NA>"),
    *("N/A", "NA", "NULL", "NaN", "n.a.", "nil", "?", "-", "--", ".", "..", "…", "unknown"),
    *("missing", "not available", "not applicable", "#VALUE!", "#REF!", "#DIV/0!"),
)
#: Words that mean that there is no value; "none" may be a value, as in "damage: none".
MISSING = frozenset(
    form for word in _WORDS for form in (word, word.lower(), word.upper(), word.capitalize())
) | {"None"}
#: Words for yes and no.
_PAIRS = (("yes", "no"), ("true", "false"), ("y", "n"), ("t", "f"), ("on", "off"))
_TRUTH = {word: truth for pair in _PAIRS for word, truth in zip(pair, (1.0, 0.0), strict=True)}
#: A column holds numbers or dates if at least this share of its values are such.
_MOST = 0.9
#: Half of them are enough with so many different numbers, which are too many to be levels.
_HALF, _MANY = 0.5, 20
#: Cells of text that are looked at to tell whether almost all are different, and what share is.
_LOOKED_AT, _DIFFERENT = 2000, 0.95
#: Text has so many words in a cell, on average; names have fewer.
_SENTENCE = 4

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cells:
    """The values of a column.

    ``kind`` is "number", "boolean" or "date", with ``numbers`` (NaN where missing); "category" or
    "ordered", with ``codes`` (-1 where missing) of ``levels``; or what cannot be compared: "text"
    (sentences), "ids" (almost all different), "empty" or "other" (no single values).
    """

    kind: str
    numbers: FloatArray | None = None
    codes: IntArray | None = None
    levels: tuple[str, ...] = ()
    format: NumberFormat | DateFormat | None = None
    notes: tuple[str, ...] = ()

    @property
    def held(self) -> NDArray[Any]:
        """The numbers or codes; nothing where values cannot be compared."""
        held = self.codes if self.numbers is None else self.numbers
        return np.empty(0) if held is None else held

    @property
    def gaps(self) -> NDArray[np.bool_]:
        """Where there is no value."""
        return np.isnan(self.held) if self.codes is None else self.codes < 0

    @property
    def ranks(self) -> FloatArray:
        """Codes as numbers."""
        return _spread(np.arange(len(self.levels)), self.held)


def read(column: pd.Series) -> Cells:
    """Find out what kind of values a column holds, and read them."""
    simple = _by_type(column)
    if simple is not None:
        return simple
    try:
        if (kind := _all_different(column)) is not None:
            return Cells(kind)
        codes, levels = _levels(column)
    except TypeError:
        return Cells("other")
    if not levels:
        return Cells("empty", codes=codes)
    if isinstance(column.dtype, pd.CategoricalDtype):
        return Cells("category", codes=codes, levels=tuple(levels))
    words = {level.casefold() for level in levels[:9]}
    if len(levels) < 9 and any(words <= set(pair) for pair in _PAIRS):
        return Cells("boolean", _spread(_truths(levels), codes))
    counts = np.bincount(codes[codes >= 0], minlength=len(levels))
    notes: tuple[str, ...] = ()
    for kind, find in (("number", _numbers), ("date", date_format)):
        found = find(levels)
        if isinstance(found, str):
            notes = (found,)
        elif found is not None:
            values, form, note = found
            wrong = np.isnan(values)
            share = counts[~wrong].sum() / counts.sum()
            many = kind == "number" and np.count_nonzero(~wrong) > _MANY
            if share >= (_HALF if many else _MOST):
                notes = tuple(filter(None, (note, _wrong(levels, counts, wrong, kind))))
                return Cells(kind, _spread(values, codes), format=form, notes=notes)
            if share > 1 - _MOST:
                notes = (note or f"{kind}s and words mixed",)
    ordered = in_order(levels)
    if ordered is not None:
        place = np.array([ordered.index(level) for level in levels])
        return Cells("ordered", codes=np.append(place, -1)[codes], levels=tuple(ordered))
    return Cells("category", codes=codes, levels=tuple(levels), notes=notes)


def read_alike(column: pd.Series, kind: str, levels: Sequence[str], form: Any) -> Cells:
    """Read a column as one of a kind.

    Numbers and dates that cannot be read are missing, and noted; levels that are not known have the
    code after the last.
    """
    if kind in NUMERIC:
        simple = _by_type(column)
        if simple is not None and simple.numbers is not None:
            return simple
        codes, texts = _levels(column)
        if kind == "boolean":
            values = _truths(texts)
        else:
            values = (form or (DateFormat(True) if kind == "date" else NumberFormat())).read(texts)
        wrong = np.isnan(values)
        counts = np.bincount(codes[codes >= 0], minlength=len(texts))
        notes = tuple(filter(None, [_wrong(texts, counts, wrong, kind)]))
        return Cells(kind, _spread(values, codes), notes=notes)
    codes, texts = _levels(column, set(levels))
    place = {level: k for k, level in enumerate(levels)}
    known = np.array([place.get(text, len(levels)) for text in texts], dtype=np.int64)
    notes = ()
    if kind == "ordered":  # a new level has no place in the order
        new, counts = known == len(levels), np.bincount(codes[codes >= 0], minlength=len(texts))
        notes = tuple(filter(None, [_wrong(texts, counts, new, kind)]))
        known = np.where(new, -1, known)
    return Cells(kind, codes=np.append(known, -1)[codes], levels=tuple(levels), notes=notes)


def _by_type(column: pd.Series) -> Cells | None:
    """Read a column whose type tells what it holds; None for objects and text."""
    kind = column.dtype.kind
    if isinstance(column.dtype, pd.CategoricalDtype):
        if not column.cat.ordered:
            return None
        levels = tuple(map(_text, column.cat.categories))
        return Cells("ordered", codes=column.cat.codes.to_numpy(np.int64), levels=levels)
    if isinstance(column.dtype, pd.PeriodDtype):
        return Cells("date", days(column.dt.to_timestamp()))
    if kind == "M":
        return Cells("date", days(column))
    if kind == "m":
        return Cells("number", column.dt.total_seconds().to_numpy(np.float64) / 86400)
    if kind not in "biuf":
        return None
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    notes: tuple[str, ...] = ()
    if kind == "f" and (infinite := np.isinf(numbers)).any():
        numbers = np.where(infinite, np.nan, numbers)
        notes = (f"{int(infinite.sum())} infinite values count as missing",)
    return Cells("boolean" if kind == "b" else "number", numbers, notes=notes)


def _all_different(column: pd.Series) -> str | None:
    """Tell ids and sentences by some cells, without looking at all; None for anything else."""
    if len(column) < 2 * _LOOKED_AT:
        return None
    rows = np.random.default_rng(0).choice(len(column), _LOOKED_AT, replace=False)
    _, levels = _levels(column.iloc[rows])
    if len(levels) < _DIFFERENT * _LOOKED_AT:
        return None
    if number_format(levels) is not None or date_format(levels) is not None:
        return None
    return kind_of_names(levels)


def kind_of_names(levels: Sequence[str]) -> str:
    """Tell sentences from ids."""
    seen = levels[:: max(len(levels) // 200, 1)]
    return "text" if sum(len(text.split()) for text in seen) > _SENTENCE * len(seen) else "ids"


def _levels(column: pd.Series, known: Collection[str] = frozenset()) -> tuple[IntArray, list[str]]:
    """Return the code of each cell and the texts that codes stand for, -1 for missing ones.

    Texts that are ``known`` are taken as they are.
    """
    codes, found = pd.factorize(column)
    values: list[Any] = np.asarray(found, dtype=object).tolist()
    if pd.api.types.infer_dtype(values, skipna=False) != "string":
        values = list(map(_text, values))
    texts = [text if text in known else text.strip() for text in values]
    gone = MISSING.difference(known) if known else MISSING
    if texts == values and gone.isdisjoint(texts):
        return codes.astype(np.int64), texts
    there = np.array([None if text in gone else text for text in texts], dtype=object)
    again, levels = pd.factorize(there)
    return np.append(again, -1)[codes].astype(np.int64), levels.tolist()


def _text(value: Any) -> str:
    """Write a value as text; whole numbers without a point, whatever their type."""
    if isinstance(value, str):
        return value
    if isinstance(value, (float, np.floating)) and value.is_integer():
        return str(int(value))
    if isinstance(value, (Real, Decimal, np.bool_, datetime.date, datetime.time, pd.Interval)):
        return str(value)
    raise TypeError("no single value")


def _spread(values: Any, codes: IntArray) -> FloatArray:
    """Return the value of each cell; codes beyond the last value are missing, as those below 0."""
    return np.append(np.asarray(values, dtype=np.float64), [np.nan, np.nan])[codes]


def _truths(levels: Sequence[str]) -> FloatArray:
    """Return 1 for yes and 0 for no, in any words; figures as they are."""
    words = [_TRUTH.get(level.casefold()) for level in levels]
    figures = NumberFormat().read(levels)
    return np.array([f if w is None else w for w, f in zip(words, figures, strict=True)])


def _numbers(levels: Sequence[str]) -> Any:
    """Return numbers, how they are written, and a word about it; or None, or only a word."""
    if any(text[:1] == "0" and len(text) > 1 and text.isdigit() for text in levels):
        return None  # codes with leading zeros
    form = number_format(levels)
    if form is None or isinstance(form, str):
        return form
    return form.read(levels), form, ""


def _wrong(
    levels: Sequence[str], counts: IntArray, wrong: NDArray[np.bool_], kind: str
) -> str | None:
    """Say how many cells could not be read, and which is the first."""
    if not wrong.any():
        return None
    n, first = int(counts[wrong].sum()), levels[int(np.argmax(wrong))]
    words = {"number": "no number", "date": "no date", "ordered": "no known level"}
    what = words.get(kind, "neither yes nor no")
    return f"{n} cell{'s' * (n > 1)} {what} and so missing, such as {first[:30]!r}"
