"""sentree: clustering and trees by structural entropy, with constraints.

Estimators after scikit-learn: :class:`SSEPartition` and :class:`SSEHierarchy`. What one knows of
the samples goes into :class:`Constraints`; :func:`knn_graph` makes the :class:`Graph`. Importing
the package runs nothing and loads nothing heavy: names are resolved when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentree import baselines, datasets, io, metrics, optimise, pl, plots, summary, tl
    from sentree.affinity import knn_graph, paper_neighbors
    from sentree.audit import audit_constraints
    from sentree.constraints import ConstraintConflict, ConstraintReport, Constraints
    from sentree.graph import Graph
    from sentree.hierarchy import SSEHierarchy
    from sentree.metrics import dasgupta_cost, dendrogram_purity, structural_entropy
    from sentree.partition import SSEPartition
    from sentree.persistence import load, save
    from sentree.tree import EncodingTree

__version__ = "0.1.0"

_HOME = {
    "Constraints": "constraints",
    "ConstraintConflict": "constraints",
    "ConstraintReport": "constraints",
    "EncodingTree": "tree",
    "Graph": "graph",
    "SSEHierarchy": "hierarchy",
    "SSEPartition": "partition",
    "audit_constraints": "audit",
    "dasgupta_cost": "metrics",
    "dendrogram_purity": "metrics",
    "knn_graph": "affinity",
    "load": "persistence",
    "paper_neighbors": "affinity",
    "save": "persistence",
    "structural_entropy": "metrics",
}
_MODULES = ("baselines", "datasets", "io", "metrics", "optimise", "pl", "plots", "summary", "tl")

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
    "baselines",
    "dasgupta_cost",
    "datasets",
    "dendrogram_purity",
    "io",
    "knn_graph",
    "load",
    "metrics",
    "optimise",
    "paper_neighbors",
    "pl",
    "plots",
    "save",
    "structural_entropy",
    "summary",
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
