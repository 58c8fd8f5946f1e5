"""What is raised for files that cannot be read as they are."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from sentree._util.suggestions import did_you_mean
from sentree._util.wording import Either, Elsewhere, Param, Piece, Text

__all__ = ["Either", "Elsewhere", "InputError", "Param", "Piece", "did_you_mean", "listed"]
__all__ += ["optional"]


#: The extras of this package that install others.
_EXTRAS = {
    "anndata": "anndata",
    "networkx": "networkx",
    "openpyxl": "excel",
    "pyarrow": "parquet",
    "zarr": "zarr",
}


class InputError(ValueError):
    """A file does not hold what was asked of it; the message says where and what to do."""

    def __init__(self, *pieces: Piece) -> None:
        super().__init__(Text(*pieces))


def listed(names: Sequence[object], most: int = 12) -> str:
    """Return names as text, those beyond the first few counted."""
    shown = ", ".join(str(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def optional(module: str, what: str) -> Any:
    """Import a module of a package that need not be installed, or say what needs it."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise InputError(
            f"{what} need {package}: pip install {package}, or 'sentree[{_EXTRAS[package]}]'"
        ) from None
