"""What is raised for files that cannot be read as they are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

__all__ = ["InputError", "did_you_mean", "listed"]

#: No more names than these are searched for one that may have been meant.
_SEARCHED = 10_000


class InputError(ValueError):
    """A file does not hold what was asked of it; the message says where and what to do."""


def did_you_mean(wanted: str, names: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" where a name is near, else nothing.

    At most 10,000 names are compared: those that begin with the same letter first.
    """
    known = list(names)
    plain = wanted.strip().casefold()
    near = next((name for name in known if name.strip().casefold() == plain), None)
    if near is None:
        alike = [name for name in known if name.strip()[:1].casefold() == plain[:1]]
        searched = [*alike[:_SEARCHED], *known[: max(_SEARCHED - len(alike), 0)]]
        near = next(iter(difflib.get_close_matches(wanted, searched, 1)), None)
    return "" if near is None else f"; did you mean {near!r}?"


def listed(names: Sequence[object], most: int = 12) -> str:
    """Return names as text, those beyond the first few counted."""
    shown = ", ".join(str(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
