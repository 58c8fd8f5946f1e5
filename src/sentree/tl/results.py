"""What is written into an AnnData, in forms that files can hold, and read back from it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import follow
from sentree._util.warnings import warn
from sentree.constraints import Constraints
from sentree.constraints.conflicts import flatten
from sentree.constraints.parsing import factorize, is_missing
from sentree.constraints.satisfaction import ConstraintReport, majority
from sentree.tl.adata import checked, missing_key, natural_order
from sentree.tree import EncodingTree, some_leaves
from sentree.tree.formats import MEASURES

if TYPE_CHECKING:
    import pandas

    from sentree.estimators.base import SSEEstimator
    from sentree.tl.adata import AnnData

#: Columns of the tables of statements, by kind.
_COLUMNS = {
    "must_link": ("cell", "other"),
    "cannot_link": ("cell", "other"),
    "together": ("cell", "group"),
    "apart": ("cell", "group"),
    "labels": ("cell", "label"),
    "negative_labels": ("cell", "label"),
    "triplets": ("cell", "other", "third"),
}


def check_key(key: str, read: Iterable[str | None]) -> None:
    """Refuse to write into columns that are read."""
    for name in read:
        if name is not None and (name == key or _is_of(name, key)):
            raise ValueError(
                f"the result would take the place of obs[{name!r}], which is read: choose another "
                f"key_added than {key!r}"
            )


def _is_of(name: Any, key: str) -> bool:
    """Tell whether a column is called like those beside the clusters: labels, strengths, levels."""
    return re.fullmatch(re.escape(key) + r"_(label|strength|L\d+)", str(name)) is not None


def _clear(adata: AnnData, key: str) -> None:
    """Remove what an earlier call has written, and only that: a call may write less."""
    if "statements" not in _mapping(adata.uns.get(key)):
        return
    for name in [name for name in adata.obs if _is_of(name, key)]:
        del adata.obs[name]
    if hasattr(adata, "obst") and key in adata.obst:
        del adata.obst[key]


def store_clusters(
    adata: AnnData,
    model: SSEEstimator,
    key: str,
    params: Mapping[str, Any],
    inside: NDArray[np.bool_] | None = None,
    restrict_to: tuple[str, Sequence[str]] | None = None,
) -> None:
    """Write clusters, strengths, names, and which constraints are kept.

    Where only some cells were clustered, the others keep their category of ``restrict_to`` and have
    no strength and no label.
    """
    _clear(adata, key)
    rows = np.arange(adata.n_obs) if inside is None else np.flatnonzero(inside)
    cluster, label = (np.full(adata.n_obs, None, dtype=object) for _ in range(2))
    prefix = ""
    if restrict_to is not None:
        cluster[:] = adata.obs[restrict_to[0]].astype(object).map(str, na_action="ignore")
        prefix = f"{'-'.join(restrict_to[1])},"
    groups = np.array([f"{prefix}{rank}" for rank in _size_ranks(model.labels_)], dtype=object)
    cluster[rows] = groups[model.labels_]
    strength = np.full(adata.n_obs, np.nan)
    strength[rows] = model.membership_strength_
    adata.obs[key] = _categorical(cluster)
    adata.obs[f"{key}_strength"] = strength
    if model.constraints_.label_index.size:
        classes = [str(name) for name in model.constraints_.classes]
        label[rows] = _cluster_names(model, groups)[model.labels_]
        adata.obs[f"{key}_label"] = _categorical(label, classes)
    tables = _statements(model, np.asarray(adata.obs_names, dtype=object)[rows])
    adata.uns[key] = {
        "params": {name: value for name, value in params.items() if value is not None},
        "objective": float(model.objective_),
        "entropy": float(model.entropy_),
        "constraints": _counts(model.constraint_report_),
        "statements": tables,
        "broken": {kind: t[~t["kept"]].drop(columns="kept") for kind, t in tables.items()},
    }


def _size_ranks(labels: NDArray[Any]) -> list[int]:
    """Return the place of each cluster when they stand from the largest to the smallest.

    Of equal ones, that of the first cell comes first: clusters are numbered so.
    """
    order = np.argsort(-np.bincount(labels), kind="stable")
    return [int(rank) for rank in np.argsort(order)]


def _categorical(values: NDArray[np.object_], first: Sequence[str] = ()) -> Any:
    """Return text as a categorical, some categories first and the others in natural order."""
    import pandas as pd

    used = {value for value in values.tolist() if not is_missing(value)}
    leading = [name for name in dict.fromkeys(first) if name in used]
    return pd.Categorical(values, categories=leading + natural_order(used.difference(leading)))


def _cluster_names(model: SSEEstimator, groups: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the class of each cluster; "new 3" for cluster 3 if it has no label."""
    names = groups.copy()
    taken = set(map(str, model.constraints_.classes))
    for cluster, name in enumerate(model.cluster_names_):
        called = f"new {groups[cluster]}" if name is None else str(name)
        while name is None and called in taken:
            called = f"new {called}"
        names[cluster] = called
    return names


def _counts(report: ConstraintReport) -> pandas.DataFrame:
    """Return how many statements of each kind were given and kept."""
    import pandas as pd

    kinds = [kind for kind, count in report.given.items() if count]
    columns = {"given": report.given, "kept": report.kept}
    counted = {name: [int(count[kind]) for kind in kinds] for name, count in columns.items()}
    return pd.DataFrame(counted, index=pd.Index(kinds, dtype=object, name="kind"), dtype=np.int64)


def _statements(model: SSEEstimator, cells: NDArray[np.object_]) -> dict[str, Any]:
    """Return a table of the statements of each kind, cells by name, with whether they are kept."""
    import pandas as pd

    given, report = model.constraints_, model.constraint_report_
    classes = np.array([str(name) for name in given.classes], dtype=object)
    cluster = model.labels_.astype(np.int64)
    columns: dict[str, tuple[Any, ...]] = {
        "must_link": tuple(cells[given.must_link.T]),
        "cannot_link": tuple(cells[given.cannot_link.T]),
        "labels": (cells[given.label_index], classes[given.label_code]),
        "negative_labels": (cells[given.negative_index], classes[given.negative_code]),
        "triplets": tuple(cells[given.triplets.T]),
    }
    kept: dict[str, NDArray[np.bool_]] = {}
    for kind, (first, *_) in columns.items():
        kept[kind] = np.ones(len(first), dtype=np.bool_)
        if kind in report.broken and kind != "labels":
            kept[kind][report.broken[kind]] = False
    kept["labels"] = ~np.isin(given.label_index, report.broken["labels"])
    for kind in ("together", "apart"):
        member, group = flatten(getattr(given, kind))
        columns[kind] = cells[member], group
        if kind == "together":
            kept[kind] = cluster[member] == majority(group, cluster[member], member)[0]
        else:
            _, place, size = np.unique(
                np.column_stack((group, cluster[member])),
                axis=0,
                return_inverse=True,
                return_counts=True,
            )
            kept[kind] = size[place] == 1
    tables = {}
    for kind, names in _COLUMNS.items():
        if len(kept[kind]):
            table = pd.DataFrame(dict(zip(names, columns[kind], strict=True)))
            table["kept"] = kept[kind]
            table.index = table.index.astype(str)  # as files have it
            tables[kind] = table
    return tables


def get_constraints(adata: AnnData, key: str = "sse") -> Constraints:
    """Return the constraints behind a clustering, by row number.

    Cells are found by their names, so this holds after cells were reordered or left out; what was
    said about those that have gone is not returned. Classes are text; weights, and which statements
    were hard, are not stored.

    Parameters
    ----------
    adata : AnnData
        Clustered by :func:`sse` or :func:`sse_tree`.
    key : str, default="sse"
        What ``key_added`` was.

    Returns
    -------
    Constraints
    """
    adata = checked(adata)
    cells = adata.obs_names
    tables = _result(adata, key, "statements")
    if tables and not cells.is_unique:
        raise ValueError(
            "the obs names are not unique, so they do not tell which cells the statements in "
            f"uns[{key!r}] are about: call adata.obs_names_make_unique(), and cluster again"
        )
    parts: dict[str, Any] = {}
    for kind, table in tables.items():
        names = [name for name in _COLUMNS[kind] if name not in ("group", "label")]
        rows = np.column_stack([cells.get_indexer(table[name].astype(object)) for name in names])
        here = (rows >= 0).all(axis=1)
        rows, table = rows[here].astype(np.int64), table[here]
        if "group" in table:
            order = np.argsort(np.asarray(table["group"]), kind="stable")
            size = np.unique(table["group"], return_counts=True)[1]
            parts[kind] = np.split(rows[order, 0], np.cumsum(size)[:-1])
        elif "label" in table:
            parts[kind] = rows[:, 0], np.asarray(table["label"].astype(object), dtype=object)
        else:
            parts[kind] = rows
    none = np.empty(0, dtype=np.int64), np.empty(0, dtype=object)
    label, negative = parts.pop("labels", none), parts.pop("negative_labels", none)
    classes, code = factorize(np.concatenate((label[1], negative[1])))
    return Constraints(
        **parts,
        label_index=label[0],
        label_code=code[: label[0].size],
        negative_index=negative[0],
        negative_code=code[label[0].size :],
        classes=classes,
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping, an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def _result(adata: AnnData, key: str, part: str) -> Any:
    """Return a part of a stored result."""
    if key not in adata.uns:
        missing_key("adata.uns", key, adata.uns.keys())
    stored = _mapping(adata.uns[key])
    if part not in stored:
        raise KeyError(f"adata.uns[{key!r}] was not written by sentree: it has no {part!r}")
    return stored[part]


def store_tree(adata: AnnData, tree: EncodingTree, key: str, n_levels: int) -> None:
    """Write the tree, its first levels as columns, and into ``obst`` where there is one."""
    for level, names in enumerate(_level_names(tree, n_levels), start=1):
        adata.obs[f"{key}_L{level}"] = _categorical(names)
    arrays = {name: np.array(getattr(tree, name)) for name in ("parent", *MEASURES)}
    adata.uns[key]["tree"] = arrays | {"cells": np.asarray(adata.obs_names, dtype=object)}
    if hasattr(adata, "obst"):
        try:
            adata.obst[key] = _named_graph(tree, adata, key)
        except ValueError as refused:
            warn(f"the tree is in uns but not in obst: {refused}")


def _level_names(tree: EncodingTree, n_levels: int) -> list[NDArray[np.object_]]:
    """Name the node of each sample at the levels 1, 2, …: "0", then "0.1", then "0.1.2".

    Children are numbered as clusters are: by size, then by their first sample. Samples that no
    deeper node holds keep the name of the one above.
    """
    n, depth, size = tree.n_leaves, tree.depth, tree.sizes
    lowest = np.where(depth[:n] > 1, tree.parent[:n], np.arange(n))
    deepest = int(depth[lowest].max())
    names = np.full(tree.n_nodes, "", dtype=object)
    found = []
    for level in range(1, min(n_levels, deepest) + 1):
        at = follow(np.where(depth > level, tree.parent, np.arange(tree.n_nodes)))[lowest]
        here = np.flatnonzero(depth[at] == level)
        new, earliest = np.unique(at[here], return_index=True)
        new = new[np.lexsort((earliest, -size[new], tree.parent[new]))]
        first = np.searchsorted(tree.parent[new], tree.parent[new])
        for node, rank in zip(new.tolist(), (np.arange(new.size) - first).tolist(), strict=True):
            above = names[tree.parent[node]]
            names[node] = f"{above}.{rank}" if above else str(rank)
        found.append(names[at])
    return found


def _named_graph(tree: EncodingTree, adata: AnnData, key: str) -> Any:
    """Return the tree as a DiGraph whose leaves are called like the cells."""
    import networkx as nx

    cells = adata.obs_names.tolist()
    inner = {node: f"{key}:{node}" for node in range(len(cells), tree.n_nodes)}
    return nx.relabel_nodes(tree.to_networkx(), dict(enumerate(cells)) | inner)


def get_tree(adata: AnnData, key: str = "sse_tree") -> EncodingTree:
    """Return the tree of :func:`sse_tree`; its leaves are the cells in their order in ``adata``.

    Parameters
    ----------
    adata : AnnData
        With a tree of all its cells. If there are fewer cells than when the tree was made, or in
        another order, the tree is that of those there are; where cells have gone, volumes are
        numbers of cells and there are no cuts.
    key : str, default="sse_tree"
        What ``key_added`` was.

    Returns
    -------
    EncodingTree
        With the names of the cells where these are unique.
    """
    import pandas as pd

    adata = checked(adata)
    stored = _result(adata, key, "tree")
    names = adata.obs_names.tolist() if adata.obs_names.is_unique else None
    measures: dict[str, Any] = {name: np.asarray(stored[name]) for name in MEASURES}
    tree = EncodingTree(np.asarray(stored["parent"]), **measures)
    cells = pd.Index(np.asarray(stored["cells"], dtype=object))
    if len(cells) == adata.n_obs and (cells == adata.obs_names).all():
        return tree if names is None else tree.with_names(names)
    if not cells.is_unique or names is None:
        raise ValueError("cells were left out or reordered, and their names are not unique")
    leaf = cells.get_indexer(adata.obs_names)
    if (leaf < 0).any():
        name = adata.obs_names[int(np.argmax(leaf < 0))]
        raise ValueError(f"cell {name!r} is not in the tree {key!r}: make it again")
    marked = np.zeros(len(cells), dtype=np.bool_)
    marked[leaf] = True
    parent = some_leaves(tree.parent, marked)
    order = np.argsort(np.argsort(leaf))  # rows of adata among the leaves kept
    parent[: leaf.size] = parent[: leaf.size][order]
    if leaf.size < len(cells):
        return EncodingTree.from_parent(parent, names=names)
    at = np.concatenate((leaf, np.arange(len(cells), tree.n_nodes)))
    moved = {name: values[at] for name, values in measures.items()}
    return EncodingTree(parent, **moved, names=tuple(names))
