"""From samples to a graph.

In: samples, distances, or a graph of the user's. Out: :class:`Graph`, and what it takes to extend
it by new samples. Uses nothing but ``_util``.
"""

from sentree.graph.graph import (
    FloatArray,
    Graph,
    IntArray,
    components,
    frozen,
    largest_column,
    module_cuts,
    neighbor_graph,
    scaled_columns,
    scaled_rows,
    with_values,
)

__all__ = [
    "FloatArray",
    "Graph",
    "IntArray",
    "components",
    "frozen",
    "largest_column",
    "module_cuts",
    "neighbor_graph",
    "scaled_columns",
    "scaled_rows",
    "with_values",
]
