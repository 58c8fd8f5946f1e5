"""Files in and out: samples, graphs, constraints, labels, tables and trees.

Every reader raises :class:`InputError` for what it cannot read as it is, with the place and what
to do. Formats are told by the ends of file names; "-" is standard input or output.
:func:`sentree.io.convert.convert` brings a file from one format to another.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentree.io.beside import Columns, read_columns, read_parents
    from sentree.io.errors import InputError
    from sentree.io.graphs import GraphFile, read_graph, write_graph
    from sentree.io.labels import clean_labels, count_classes, near_misses, read_labels
    from sentree.io.names import Names
    from sentree.io.samples import Samples, read_samples
    from sentree.io.statements import (
        Pairs,
        read_constraints,
        read_not_labels,
        read_pairs,
        write_constraints,
    )
    from sentree.io.tables import write_table
    from sentree.io.trees import read_tree, write_tree

_HOME = {
    "Columns": "beside",
    "GraphFile": "graphs",
    "InputError": "errors",
    "Names": "names",
    "Pairs": "statements",
    "Samples": "samples",
    "clean_labels": "labels",
    "count_classes": "labels",
    "near_misses": "labels",
    "read_columns": "beside",
    "read_constraints": "statements",
    "read_graph": "graphs",
    "read_labels": "labels",
    "read_not_labels": "statements",
    "read_pairs": "statements",
    "read_parents": "beside",
    "read_samples": "samples",
    "read_tree": "trees",
    "write_constraints": "statements",
    "write_graph": "graphs",
    "write_table": "tables",
    "write_tree": "trees",
}

__all__ = [
    "Columns",
    "GraphFile",
    "InputError",
    "Names",
    "Pairs",
    "Samples",
    "clean_labels",
    "count_classes",
    "near_misses",
    "read_columns",
    "read_constraints",
    "read_graph",
    "read_labels",
    "read_not_labels",
    "read_pairs",
    "read_parents",
    "read_samples",
    "read_tree",
    "write_constraints",
    "write_graph",
    "write_table",
    "write_tree",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"sentree.io.{_HOME[name]}"), name)
    raise AttributeError(f"module 'sentree.io' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
