"""Files in and out: samples, graphs, constraints, labels, tables and trees.

Every reader raises :class:`InputError` for what it cannot read as it is, with the place and what
to do. Formats are told by the ends of file names; "-" is standard input or output.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentree.io.errors import InputError
    from sentree.io.names import Names
    from sentree.io.samples import Samples, read_samples

_HOME = {
    "InputError": "errors",
    "Names": "names",
    "Samples": "samples",
    "read_samples": "samples",
}

__all__ = ["InputError", "Names", "Samples", "read_samples"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"sentree.io.{_HOME[name]}"), name)
    raise AttributeError(f"module 'sentree.io' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
