"""Warnings that point at the line of the user, however deep they arise."""

from __future__ import annotations

import sys
import warnings

from sentree._util.wording import Piece, Text

__all__ = ["warn"]

#: Packages whose lines are not the user's.
_PASSED = {"sentree", "sklearn"}


def warn(*message: Piece) -> None:
    """Warn at the innermost line that is neither ours nor scikit-learn's."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _package(frame.f_globals) in _PASSED:
        frame, level = frame.f_back, level + 1
    warnings.warn(Text(*message), stacklevel=level)


def _package(names: dict[str, object]) -> str:
    """Return the package that a frame's global names belong to."""
    return str(names.get("__name__")).partition(".")[0]
