"""Trees as linkage matrices, JSON, networkx graphs and tables, written and read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    import networkx
    import pandas

    from sentree.tree.shape import TreeShape

__all__ = [
    "MEASURES",
    "linkage_parents",
    "read_json",
    "read_linkage",
    "read_networkx",
    "read_pandas",
    "write_json",
    "write_linkage",
    "write_networkx",
    "write_pandas",
]

#: What a tree knows of its nodes besides their parents.
MEASURES = ("volume", "cut", "relation_cut")


#: The parents of the nodes and what is known of them, by name; and the names of the leaves.
Columns = dict[str, NDArray[Any]]
Names = tuple[str, ...] | None


def write_linkage(shape: TreeShape, size: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the linkage matrix of the tree, with the heights of the subtrees."""
    n = shape.n_leaves
    height = shape.heights()
    first, child = shape.child_lists()
    node = list(range(shape.n_nodes))  # number of each node in the linkage
    sizes, heights = size.tolist(), height.tolist()
    rows: list[tuple[int, int, int, int]] = []
    # SciPy wants the rows by height.
    for a in (n + np.argsort(height[n:], kind="stable")).tolist():
        below = child[first[a] : first[a + 1]]
        joined, count = node[below[0]], sizes[below[0]]
        for b in below[1:]:
            count += sizes[b]
            rows.append((min(joined, node[b]), max(joined, node[b]), heights[a], count))
            joined = n + len(rows) - 1
        node[a] = joined
    return np.array(rows, dtype=np.float64).reshape(-1, 4)


def read_linkage(linkage: ArrayLike) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the parent of each node of a linkage, and which nodes are below no equal height."""
    from scipy.cluster.hierarchy import is_valid_linkage

    rows = np.asarray(linkage, dtype=np.float64)
    if rows.shape == (0, 4):  # one sample; SciPy has no such linkage
        return np.array([-1], dtype=np.int32), np.array([True])
    is_valid_linkage(rows, throw=True, name="linkage")
    n = rows.shape[0] + 1
    parent = linkage_parents(rows)
    kept = np.ones(parent.size, dtype=bool)
    kept[n:-1] = rows[:-1, 2] != rows[parent[n:-1] - n, 2]
    return parent, kept


def linkage_parents(rows: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return the parent of each node of a linkage that is known to be one."""
    n = rows.shape[0] + 1
    parent = np.full(2 * n - 1, -1, dtype=np.int32)
    parent[rows[:, :2].astype(np.int64)] = np.arange(n, 2 * n - 1, dtype=np.int32)[:, None]
    return parent


def write_json(columns: Columns, names: Names) -> str:
    """Return the arrays and the names as JSON."""
    data: dict[str, Any] = {"format": "sentree-tree", "version": 1}
    data |= {name: columns[name].tolist() for name in ("parent", *MEASURES)}
    return json.dumps(data if names is None else data | {"names": names})


def read_json(text: str) -> dict[str, Any]:
    """Return what a tree is made of, from the text of :func:`write_json`."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("format") != "sentree-tree":
        raise ValueError("this is not a sentree tree")
    if data.get("version") != 1:
        raise ValueError(f"unknown version {data.get('version')} of the tree format")
    for name in ("parent", *MEASURES):
        if not isinstance(data.get(name), list):
            raise ValueError(f"the tree has no list {name!r}")
    return {name: data.get(name) for name in ("parent", *MEASURES, "names")}


def write_networkx(columns: Columns, names: Names) -> networkx.DiGraph[int]:
    """Return a DiGraph of the nodes with their measures; leaves have their names."""
    import networkx as nx

    graph: networkx.DiGraph[int] = nx.DiGraph()
    values = [columns[name].tolist() for name in MEASURES]
    attributes = (dict(zip(MEASURES, row, strict=True)) for row in zip(*values, strict=True))
    graph.add_nodes_from(enumerate(attributes))
    for leaf, name in enumerate(names or ()):
        graph.nodes[leaf]["name"] = name
    parent = columns["parent"][:-1].tolist()
    graph.add_edges_from(zip(parent, range(len(parent)), strict=True))
    return graph


def read_networkx(graph: networkx.DiGraph[int]) -> dict[str, Any]:
    """Return what a tree is made of, from a graph such as :func:`write_networkx` makes."""
    nodes = range(graph.number_of_nodes())
    if not graph.is_directed() or any(node not in graph for node in nodes):
        raise ValueError(
            "the tree must be a DiGraph with edges from parents to children, and its nodes the "
            "numbers from 0, leaves first"
        )
    parent = [-1] * len(nodes)
    for above, below in graph.edges:
        if parent[below] != -1:
            raise ValueError(f"node {below} has two parents, {parent[below]} and {above}")
        parent[below] = above
    columns: dict[str, Any] = {"parent": parent}
    for name in MEASURES:
        columns[name] = [graph.nodes[node].get(name) for node in nodes]
        if None in columns[name]:
            raise ValueError(f"node {columns[name].index(None)} has no attribute {name!r}")
    names = [graph.nodes[node]["name"] for node in nodes if "name" in graph.nodes[node]]
    return columns | {"names": names or None}


def write_pandas(columns: Columns, names: Names) -> pandas.DataFrame:
    """Return a table with a row per node; inner nodes have an empty name."""
    import pandas as pd

    table = pd.DataFrame(columns).rename_axis("node")
    if names is not None:
        table.insert(0, "name", [*names, *[""] * (len(table) - len(names))])
    return table


def read_pandas(table: pandas.DataFrame) -> dict[str, Any]:
    """Return what a tree is made of, from a table such as :func:`write_pandas` makes."""
    if "node" in table.columns:
        table = table.set_index("node")
    missing = [name for name in ("parent", *MEASURES) if name not in table.columns]
    if missing:
        raise ValueError(f"the table has no column {missing[0]!r}")
    table = table.sort_index()
    if table.index.tolist() != list(range(len(table))):
        raise ValueError("the rows of the table must be the nodes, numbered from 0")
    columns = {name: table[name].to_numpy() for name in ("parent", *MEASURES)}
    names = None
    if "name" in table.columns:
        leaf = ~table.index.isin(columns["parent"])
        names = table["name"][leaf].tolist()
    return columns | {"names": names}
