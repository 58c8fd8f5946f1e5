"""The lowest objective that the multilevel search reaches with the paper's weights."""

from __future__ import annotations

from typing import Any

from sentree.graph import Graph
from sentree.search.kernels import PartitionResult, merge, move, multilevel

__all__ = ["lowest"]


def lowest(graph: Graph, relation: Any = None, *, must_link_first: bool = False) -> PartitionResult:
    """Run the multilevel search from three starts and return the result of lowest objective.

    The starts are single vertices, the modules found without constraints, and the result of the
    paper's own search (merging, then moving), so the objective is never above the paper's. Single
    vertices alone are a bad start where strong cannot-links imply one another, as the paper's
    weights do with labels.
    """
    merged = merge(graph, relation, must_link_first=must_link_first).labels
    starts = (
        None,
        multilevel(graph, max_rounds=1).labels,
        move(graph, merged, relation).labels,
    )
    results = [multilevel(graph, relation, init=init) for init in starts]
    return min(results, key=lambda result: result.objective)
