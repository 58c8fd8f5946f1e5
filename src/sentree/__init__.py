"""sentree: clustering and trees by structural entropy, with constraints.

Estimators after scikit-learn: :class:`SSEPartition` and :class:`SSEHierarchy`. What one knows of
the samples goes into :class:`Constraints`; :func:`knn_graph` makes the :class:`Graph`. Importing
the package runs nothing and loads nothing heavy: names are resolved when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentree import datasets, io, metrics, paper, pl, plots, report, tl
    from sentree.constraints import ConstraintConflict, ConstraintReport, Constraints
    from sentree.constraints.audit import audit_constraints
    from sentree.estimators.hierarchy import SSEHierarchy
    from sentree.estimators.partition import SSEPartition
    from sentree.estimators.persistence import load, save
    from sentree.graph import Graph
    from sentree.graph.build import knn_graph
    from sentree.metrics import dasgupta_cost, dendrogram_purity, structural_entropy
    from sentree.tree import EncodingTree

__version__ = "0.1.0"

_HOME = {
    "Constraints": "constraints",
    "ConstraintConflict": "constraints",
    "ConstraintReport": "constraints",
    "EncodingTree": "tree",
    "Graph": "graph",
    "SSEHierarchy": "estimators.hierarchy",
    "SSEPartition": "estimators.partition",
    "audit_constraints": "constraints.audit",
    "dasgupta_cost": "metrics",
    "dendrogram_purity": "metrics",
    "knn_graph": "graph.build",
    "load": "estimators.persistence",
    "save": "estimators.persistence",
    "structural_entropy": "metrics",
}
_MODULES = ("datasets", "io", "metrics", "paper", "pl", "plots", "report", "tl")

__all__ = [
    "ConstraintConflict",
    "ConstraintReport",
    "Constraints",
    "EncodingTree",
    "Graph",
    "SSEHierarchy",
    "SSEPartition",
    "__version__",
    "audit_constraints",
    "dasgupta_cost",
    "datasets",
    "dendrogram_purity",
    "io",
    "knn_graph",
    "load",
    "metrics",
    "paper",
    "pl",
    "plots",
    "report",
    "save",
    "structural_entropy",
    "tl",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"sentree.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"sentree.{name}")
    raise AttributeError(f"module 'sentree' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
