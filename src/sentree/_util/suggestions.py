"""Names that may be mistyped: the one that was meant, and classes that look like another."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

__all__ = ["count_classes", "did_you_mean", "near_misses"]

#: No more names than these are searched for one that may have been meant.
_SEARCHED = 10_000
#: A class that occurs no more often is rare; one that occurs this many times as often is common.
_RARE, _COMMON = 2, 5


def did_you_mean(wanted: Any, names: Iterable[Any]) -> str:
    """Return "; did you mean 'x'?" where a name is near, else nothing.

    At most 10,000 names are compared: those that begin with the same letter first. What is not
    text is not mistyped.
    """
    if not isinstance(wanted, str):
        return ""
    known = [name for name in names if isinstance(name, str)]
    plain = wanted.strip().casefold()
    near = next((name for name in known if name.strip().casefold() == plain), None)
    if near is None:
        alike = [name for name in known if name.strip()[:1].casefold() == plain[:1]]
        searched = [*alike[:_SEARCHED], *known[: max(_SEARCHED - len(alike), 0)]]
        near = next(iter(difflib.get_close_matches(wanted, searched, 1)), None)
    return "" if near is None else f"; did you mean {near!r}?"


def count_classes(labels: Iterable[Any]) -> dict[Any, tuple[int, int]]:
    """Return how often each class occurs, and its first row; None is no class."""
    found: dict[Any, tuple[int, int]] = {}
    for row, value in enumerate(labels):
        if value is not None:
            count, first = found.get(value, (0, row))
            found[value] = count + 1, first
    return found


def near_misses(
    classes: Mapping[Any, tuple[int, int]] | Iterable[Any], declared: Collection[Any] | None = None
) -> list[tuple[Any, int, int, Any]]:
    """Find classes that may be misspelt.

    Parameters
    ----------
    classes : mapping of class to (count, first row), or labels
        As :func:`count_classes` returns, or the labels themselves.
    declared : collection, optional
        The classes that there are; these are not misspelt.

    Returns
    -------
    list of (class, count, first row, likely class)
        Classes that occur once or twice and differ from one that is declared, or occurs five times
        as often, in case and spaces alone or by one letter. Digits, and words of one or two
        letters, tell classes apart ("CD4 T", "CD8 T", "B cell", "T cell") and are not counted as
        slips.

    Examples
    --------
    >>> near_misses(["setosa"] * 9 + ["setsoa"])
    [('setsoa', 1, 9, 'setosa')]
    """
    counts = classes if isinstance(classes, Mapping) else count_classes(classes)
    known = [c for c in declared or () if isinstance(c, str)]
    common = {c: count for c, (count, _) in counts.items() if isinstance(c, str)}
    common = {c: count for c, count in common.items() if count > _RARE}
    found = []
    for value, (count, first) in counts.items():
        if not isinstance(value, str) or count > _RARE or value in known:
            continue
        often = [c for c, times in common.items() if times >= _COMMON * count]
        likely = next((c for c in (*known, *often) if c != value and _slip(value, c)), None)
        if likely is not None:
            found.append((value, count, first, likely))
    return found


def _slip(one: str, two: str) -> bool:
    """Tell whether two names differ in case and spaces alone, or by one slip of the pen."""
    a, b = ("".join(re.split(r"[\s_-]+", name.casefold())) for name in (one, two))
    if a == b:
        return True
    words, others = (re.split(r"[\s_-]+", name.strip().casefold()) for name in (one, two))
    if len(words) != len(others):
        return False
    different = [(x, y) for x, y in zip(words, others, strict=True) if x != y]
    return len(different) == 1 and _one_edit(*different[0])


def _one_edit(one: str, two: str) -> bool:
    """Tell whether words differ by a letter more, less, changed, or by two in wrong order."""
    if min(len(one), len(two)) < 3:
        return False
    start = _shared(one, two)
    end = _shared(one[start:][::-1], two[start:][::-1])
    a, b = one[start : len(one) - end], two[start : len(two) - end]
    slip = len(a + b) == 1 or len(a) == len(b) == 1 or (len(a) == 2 and a == b[::-1])
    return slip and not any(letter.isdigit() for letter in a + b)


def _shared(one: str, two: str) -> int:
    """Return the number of letters that two words begin with alike."""
    different = (k for k, (x, y) in enumerate(zip(one, two, strict=False)) if x != y)
    return next(different, min(len(one), len(two)))
