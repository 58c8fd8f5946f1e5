"""Reading what users say about samples: pairs, groups and labels in any form they come in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sentree._util.suggestions import did_you_mean
from sentree._util.warnings import warn

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: The largest number a sample may have: that of the last vertex of the largest graph.
_LARGEST = 2**31 - 3
#: Words, in small letters, that usually stand for a class that is not known.
_UNKNOWN = {"", "na", "n/a", "nan", "<na>", "null", "none", "-1", "-1.0", "?"}
_UNKNOWN |= {"unknown", "unassigned", "unlabeled", "unlabelled"}
#: More different numbers than this, and than half of the labels, are taken for a measurement.
_MANY_NUMBERS = 50
#: From so many values on, equal ones are looked at once.
_MANY_VALUES = 1 << 16
#: Labels that name so many classes may be those of a wrong column.
_MANY_CLASSES = 200


def no_pairs() -> IntArray:
    """Return an array of no pairs."""
    return np.empty((0, 2), dtype=np.int64)


def no_points() -> IntArray:
    """Return an array of no points."""
    return np.empty(0, dtype=np.int64)


def no_triplets() -> IntArray:
    """Return an array of no triplets."""
    return np.empty((0, 3), dtype=np.int64)


def pair_array(value: Any, name: str) -> IntArray:
    """Return pairs as an int64 array of shape (m, 2) of its own, or name what is wrong."""
    return _rows(value, name, no_pairs(), ("pair", "two", "a sample is not paired with itself"))


def triplet_array(value: Any, name: str) -> IntArray:
    """Return triplets as an int64 array of shape (m, 3) of its own, or name what is wrong."""
    return _rows(value, name, no_triplets(), ("triplet", "three", "its samples must differ"))


def _rows(value: Any, name: str, none: IntArray, words: tuple[str, str, str]) -> IntArray:
    """Return rows of different samples, as many in each as there are columns in ``none``."""
    kind, number, differ = words
    width = none.shape[1]
    if value is not None and not hasattr(value, "__iter__") and not hasattr(value, "__array__"):
        raise ValueError(f"{name}s must be a list of {kind}s, got {value!r}")
    given = () if value is None else value if hasattr(value, "__array__") else list(value)
    try:
        rows = np.asarray(given)
    except ValueError:  # rows of different lengths
        k = next(k for k, row in enumerate(given) if np.size(row) != width)
        raise ValueError(f"{name} {k} is {given[k]!r}: a {kind} has {number} members") from None
    if rows.size == 0:
        return none
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"{name}s must be {kind}s, shape (m, {width}); got shape {rows.shape}")

    def row_of(k: int) -> str:
        return f"{name} {k // width} is {tuple(rows[k // width].tolist())}"

    whole = whole_numbers(rows.ravel(), row_of).reshape(-1, width)
    twice = np.flatnonzero((np.diff(np.sort(whole, axis=1), axis=1) == 0).any(axis=1))
    if twice.size:
        raise ValueError(f"{row_of(width * int(twice[0]))}: {differ}")
    return whole


def index_array(value: Any, name: str) -> IntArray:
    """Return indices as an int64 array of its own, or name what is wrong."""
    array = np.asarray(value)
    if array.ndim != 1:
        raise ValueError(f"{name}s must have shape (m,), got {array.shape}")
    return whole_numbers(array, lambda k: f"{name} {k} is {array[k : k + 1].tolist()[0]!r}")


def group_tuple(value: Iterable[Any] | None, name: str, *, distinct: bool) -> tuple[IntArray, ...]:
    """Return groups as sorted read-only arrays, without those of fewer than two members."""
    given = () if value is None else value
    if not isinstance(given, Iterable):
        raise ValueError(f"{name}s must be a list of collections of samples, got {given!r}")
    groups = (one_group(group, f"{name} {k}", distinct) for k, group in enumerate(given))
    return tuple(group for group in groups if group.size > 1)


def one_group(value: Any, name: str, distinct: bool) -> IntArray:
    """Return the members of one group, sorted and unique, or name what is wrong."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name} is {value!r}, expected a collection of samples")
    given = np.asarray(value if hasattr(value, "__array__") else list(value))
    if given.ndim != 1:
        raise ValueError(f"{name} must be a flat collection of samples, got shape {given.shape}")
    members, count = np.unique(
        whole_numbers(given, lambda k: f"{name} has member {given[k : k + 1].tolist()[0]!r}"),
        return_counts=True,
    )
    if distinct and members.size < given.size:
        raise ValueError(f"{name} has member {members[count > 1][0]} more than once")
    members.flags.writeable = False
    return members


def whole_numbers(array: NDArray[Any], statement: Callable[[int], str]) -> IntArray:
    """Return a copy as int64; raise with the statement of the first entry that is no index."""
    if array.size == 0:
        return no_points()
    if array.dtype.kind not in "iu":
        is_index = [isinstance(x, Integral) and not isinstance(x, bool) for x in array.tolist()]
        bad = np.flatnonzero(~np.array(is_index))
        if bad.size:
            telling = [k for k in bad.tolist() if not is_whole(array[k])]
            raise ValueError(f"{statement((telling or bad.tolist())[0])}: samples are integers")
    outside = np.flatnonzero((array < 0) | (array > _LARGEST))
    if outside.size:
        raise ValueError(f"{statement(int(outside[0]))}: samples are numbered from 0 to {_LARGEST}")
    return array.astype(np.int64)


def is_whole(value: Any) -> bool:
    """Tell whether a number has no fraction."""
    return isinstance(value, Real) and float(value).is_integer()


def split_weights(weights: Any, must_link: Any, cannot_link: Any) -> tuple[Any, Any]:
    """Return the weights of the must-links and of the cannot-links, None where all are 1."""
    if weights is None:
        return None, None
    if isinstance(weights, Mapping):
        extra = [key for key in weights if key not in ("must_link", "cannot_link")]
        if extra:
            raise ValueError(f"weights has key {extra[0]!r}, expected 'must_link', 'cannot_link'")
        return weights.get("must_link"), weights.get("cannot_link")
    if isinstance(weights, tuple) and all(w is None or np.ndim(w) > 0 for w in weights):
        # A tuple of numbers is not split: it holds the weights of the only kind given.
        if len(weights) != 2:
            raise ValueError(f"a tuple of weights holds two arrays, got {len(weights)}")
        return weights
    if must_link is not None and cannot_link is not None:
        raise ValueError(
            "with must-links and cannot-links, give weights as "
            "{'must_link': ..., 'cannot_link': ...} or as a tuple of two arrays"
        )
    return (weights, None) if cannot_link is None else (None, weights)


def weight_array(value: Any, pairs: IntArray, name: str) -> FloatArray:
    """Return one weight for each pair, or name the pair whose weight is wrong."""
    if value is None:
        return np.ones(len(pairs))
    weight = np.array(value, dtype=np.float64)
    if weight.shape != (len(pairs),):
        raise ValueError(f"{len(pairs)} {name}s but weights of shape {weight.shape}")
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight > 0)))
    if bad.size:
        k = int(bad[0])
        raise ValueError(
            f"{name} {k}, {tuple(pairs[k].tolist())}, has weight {weight[k]}; "
            "weights must be finite and > 0"
        )
    return weight


def plain_value(value: Any) -> Any:
    """Return a class value as a Python scalar, whole floats as integers."""
    if isinstance(value, np.generic):
        value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def is_missing(value: Any) -> bool:
    """Tell None, NaN, NaT and NA from values."""
    if value is None:
        return True
    different = value != value  # NaN differs from itself; NA answers NA
    if isinstance(different, (bool, np.bool_)):
        return bool(different)
    return different is value


def class_tuple(classes: Collection[Any]) -> tuple[Any, ...]:
    """Return class values as Python scalars, all different and none missing."""
    if isinstance(classes, str):
        raise ValueError(f"classes must be a collection of classes, got the string {classes!r}")
    values = tuple(plain_value(value) for value in classes)
    for k, value in enumerate(values):
        if is_missing(value):
            raise ValueError(f"class {k} is missing ({value!r})")
    if len(set(values)) < len(values):
        twice = next(value for k, value in enumerate(values) if value in values[:k])
        raise ValueError(f"class {twice!r} is listed more than once")
    return values


def label_column(y: Any) -> NDArray[Any]:
    """Return labels as a one-dimensional array in which every value is still itself."""
    if isinstance(y, str) or not (hasattr(y, "__array__") or isinstance(y, Iterable)):
        raise ValueError(f"expected one label per sample, got {y!r}")
    column = np.asarray(y) if hasattr(y, "__array__") else list_column(list(y))
    if column.ndim != 1:
        raise ValueError(
            f"expected one label per sample, shape (n,); got shape {column.shape}"
            + ("; use y.ravel()" if column.ndim == 2 and column.shape[1] == 1 else "")
        )
    return column if column.dtype.kind in "biufUO" else column.astype(object)


def list_column(values: list[Any]) -> NDArray[Any]:
    """Make an array of a list; of object type where NumPy would turn mixed values into text."""
    kinds = set(map(type, values))
    return np.array(values, dtype=None if kinds <= {int, float} or kinds == {str} else object)


def says_unknown(value: Any) -> bool:
    """Tell whether a label usually means that the class is not known: -1, "?", "NA", "unknown"."""
    return str(plain_value(value)).strip().lower() in _UNKNOWN


def warn_of_placeholders(names: tuple[Any, ...]) -> None:
    """Warn of classes that look like "unknown", or like missing values turned into text."""
    for name in names:
        if isinstance(name, str) and says_unknown(name):
            warn(
                f"{name!r} counts as a class: if it means unknown, pass unknown={name!r} to "
                "Constraints.from_labels, or have None or NaN in its place"
            )


def looks_measured(classes: Collection[Any], known: int) -> bool:
    """Tell whether the classes of ``known`` labels are many numbers, most of them used once."""
    return len(classes) > max(_MANY_NUMBERS, known / 2) and all(map(_is_number, classes))


def _is_number(value: Any) -> bool:
    """Tell whether a class is a number, or text that says one."""
    if not isinstance(value, (str, Real)):
        return False
    try:
        float(value)
    except ValueError:
        return False
    return True


def warn_of_many_classes(classes: Collection[Any], known: int, n: int) -> None:
    """Warn of labels that look like a measurement, like ids, or like a wrong column."""
    k = len(classes)
    if looks_measured(classes, known):
        warn(
            f"the labels are {k} different numbers for {known} samples, which looks like a "
            "measurement and not like classes: group them into classes first (low, high), or leave "
            "the column among the features"
        )
    elif k > max(_MANY_NUMBERS, known / 2) and known > n / 2:
        warn(
            f"the labels name {k} classes for {known} samples, which looks like ids and not like "
            "classes: give a column of classes, or none"
        )
    elif k >= _MANY_CLASSES:
        warn(
            f"the labels name {k} classes for {known} samples, and each gets a cluster: if that "
            "is not meant, give a coarser column of classes"
        )


def is_unknown(column: NDArray[Any], unknown: Any) -> NDArray[np.bool_]:
    """Mark the labels that are missing or equal to ``unknown``."""
    kind = column.dtype.kind
    unknown = None if is_missing(unknown) else unknown
    if kind == "O":
        return told(column, lambda value: is_missing(value) or plain_value(value) == unknown)
    missing = np.isnan(column) if kind == "f" else np.zeros(column.size, dtype=np.bool_)
    comparable = isinstance(unknown, str) if kind == "U" else isinstance(unknown, Real)
    return missing | (column == unknown) if comparable else missing


def encode(
    values: NDArray[Any], declared: Collection[Any] | None, where: Callable[[int], str]
) -> tuple[IntArray, tuple[Any, ...]]:
    """Return the class code of every value, and the classes: those declared, or those found."""
    check_discrete(values, where)
    found, code = factorize(values)
    if declared is None:
        return code, found
    classes = class_tuple(declared)
    codes = {value: k for k, value in enumerate(classes)}
    moved = np.array([codes.get(value, -1) for value in found], dtype=np.int64)[code]
    outside = np.flatnonzero(moved < 0)
    if outside.size:
        k = int(outside[0])
        undeclared(where(k), found[code[k]], classes)
    return moved, classes


def factorize(values: NDArray[Any]) -> tuple[tuple[Any, ...], IntArray]:
    """Return the distinct classes, sorted where they can be, and the code of every value."""
    if values.dtype.kind != "O":
        found, code = np.unique(values, return_inverse=True)
        return tuple(map(plain_value, found)), code.astype(np.int64, copy=False)
    many = distinct(values)
    plain = [plain_value(value) for value in (values if many is None else many[1])]
    try:
        classes = list(dict.fromkeys(plain))
    except TypeError as error:
        raise ValueError(f"labels must be hashable values: {error}") from None
    with suppress(TypeError):  # values of different types stay in order of appearance
        classes.sort()
    codes = {value: code for code, value in enumerate(classes)}
    code = np.array([codes[value] for value in plain], dtype=np.int64)
    return tuple(classes), code if many is None else code[many[0]]


def distinct(values: NDArray[Any]) -> tuple[IntArray, list[Any]] | None:
    """Return the place of each of many values among the different ones, and these.

    Missing values have the place -1. None for few values, and for some that cannot be hashed.
    """
    if values.size < _MANY_VALUES:
        return None
    import pandas as pd

    try:
        place, found = pd.factorize(values)
    except TypeError:
        return None
    return place.astype(np.int64, copy=False), found.tolist()


def told(values: NDArray[Any], tell: Callable[[Any], bool]) -> NDArray[np.bool_]:
    """Mark the values of which something is true; of many, equal ones are asked about once."""
    many = distinct(values)
    if many is None:
        return np.fromiter(map(tell, values), dtype=np.bool_, count=values.size)
    place, found = many
    return np.array([*map(tell, found), tell(None)], dtype=np.bool_)[place]


def check_discrete(values: NDArray[Any], where: Callable[[int], str]) -> None:
    """Refuse numbers with a fraction: they are measurements, not classes."""
    if values.dtype.kind == "f":
        fraction = np.isinf(values) | (values != np.trunc(values))
    elif values.dtype.kind == "O":
        fraction = told(values, lambda value: isinstance(plain_value(value), float))
    else:
        return
    for k in np.flatnonzero(fraction)[:1].tolist():
        raise ValueError(
            f"{where(k)} is {plain_value(values[k])!r}: labels are classes, not continuous values; "
            "group them into classes first (low, high), or leave the column among the features"
        )


def undeclared(where: str, value: Any, declared: tuple[Any, ...]) -> NoReturn:
    """Raise for a class outside the declared ones, with what may have been meant."""
    shown = ", ".join(map(repr, declared[:10])) + (", ..." if len(declared) > 10 else "")
    raise ValueError(
        f"{where} is {value!r}, not among the declared classes ({shown})"
        f"{did_you_mean(value, declared)}"
    )
