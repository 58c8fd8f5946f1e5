"""Clustering of :class:`~anndata.AnnData`, after the conventions of ``scanpy.tl.leiden``.

Needs the extra ``anndata``; scanpy is not needed, its neighbours graph is used where there is one.
"""

from sentree.tl.cluster import sse, sse_tree
from sentree.tl.results import get_constraints, get_tree

__all__ = ["get_constraints", "get_tree", "sse", "sse_tree"]
