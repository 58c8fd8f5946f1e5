"""What is read of an AnnData: its columns, the cells to cluster and the graph between them."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.suggestions import did_you_mean
from sentree._util.warnings import warn
from sentree.graph import Graph

if TYPE_CHECKING:
    import pandas
    from anndata import AnnData as AnnData


class Input(NamedTuple):
    """What is clustered: a graph or samples, how sentree is to take it, and where it comes from."""

    values: Any
    affinity: str
    origin: str


def checked(adata: Any, written: bool = False) -> AnnData:
    """Return adata, or say what is wrong with it; not everything can be written to."""
    try:
        from anndata import AnnData
    except ImportError as missing:
        raise ImportError(
            "sentree.tl and sentree.pl need anndata: pip install anndata"
        ) from missing
    if not isinstance(adata, AnnData):
        raise TypeError(
            f"expected an AnnData, got {type(adata).__name__}; "
            "arrays and graphs go to sentree.SSEPartition"
        )
    if written and adata.isbacked and adata.is_view:
        raise ValueError(
            "adata is a view of a file, which cannot be written to: take adata.to_memory(), or "
            "copy=True"
        )
    return adata


def copied(adata: AnnData) -> AnnData:
    """Return a copy in memory."""
    return adata.to_memory() if adata.isbacked else adata.copy()


def missing_key(what: str, key: Any, keys: Collection[str]) -> NoReturn:
    """Raise KeyError for a key that is not there, with what may have been meant."""
    shown = ", ".join(map(repr, list(keys)[:10])) + (", ..." if len(keys) > 10 else "")
    hint = did_you_mean(key, keys) or "."
    raise KeyError(f"{what} has no {key!r}{hint} It has: {shown or 'nothing'}.")


def column(adata: AnnData, key: str, what: str) -> pandas.Series[Any]:
    """Return a column of obs; ``what`` names the argument that asked for it."""
    if not isinstance(key, str):
        raise TypeError(f"{what} must be the name of one column of adata.obs, got {key!r}")
    if key not in adata.obs:
        missing_key(f"{what}: adata.obs", key, adata.obs.columns)
    return adata.obs[key]


def natural_order(names: Collection[str]) -> list[str]:
    """Sort names so that "10" follows "9"."""

    def parts(name: str) -> tuple[list[Any], str]:
        return [int(x) if x.isdecimal() else x for x in re.split(r"(\d+)", name)], name

    return sorted(names, key=parts)


def restricted(
    adata: AnnData, restrict_to: tuple[str, Sequence[str]] | None
) -> NDArray[np.bool_] | None:
    """Return which cells are to be clustered; None for all."""
    if restrict_to is None:
        return None
    try:
        key, categories = restrict_to
        texts = not isinstance(categories, str) and all(isinstance(c, str) for c in categories)
        good = texts and len(categories) > 0
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ValueError(
            f"restrict_to must be (column, list of categories), the categories as strings, e.g. "
            f"('leiden', ['1']) and not 1; got {restrict_to!r}"
        )
    values = column(adata, key, "restrict_to")
    if not hasattr(values, "cat"):
        raise ValueError(f"restrict_to: adata.obs[{key!r}] is not categorical")
    for name in categories:
        if name not in values.cat.categories:
            hint = did_you_mean(name, values.cat.categories)
            raise ValueError(f"{name!r} is not a valid category for {key!r}{hint}")
    inside = np.asarray(values.isin(list(categories)))
    if inside.sum() < 2:
        raise ValueError(f"restrict_to leaves {inside.sum()} cells: clustering needs two")
    return inside


def choose_graph(
    adata: AnnData,
    inside: NDArray[np.bool_] | None,
    adjacency: Any,
    obsp: str | None,
    neighbors_key: str | None,
) -> Input:
    """Return the graph asked for, else that of ``pp.neighbors``, else the cells themselves."""
    if obsp is not None and neighbors_key is not None:
        raise ValueError("You can't specify both obsp, neighbors_key. Please select only one.")
    if adjacency is not None:
        matrix, origin = adjacency, "adjacency"
    else:
        matrix, origin = _stored_graph(adata, obsp, neighbors_key)
    if matrix is None:
        return _features(adata, inside)
    shape = (matrix.n, matrix.n) if isinstance(matrix, Graph) else np.shape(matrix)
    if shape != (adata.n_obs, adata.n_obs):
        raise ValueError(f"{origin} has shape {shape}, but there are {adata.n_obs} cells")
    if inside is not None:
        whole = matrix.to_scipy() if isinstance(matrix, Graph) else sp.csr_array(matrix)
        matrix = whole[inside][:, inside]
    return Input(matrix, "precomputed", origin)


def _stored_graph(adata: AnnData, obsp: str | None, neighbors_key: str | None) -> tuple[Any, str]:
    """Return the graph in adata and its place; None where none was asked for and none is there."""
    if obsp is not None:
        if obsp not in adata.obsp:
            missing_key("adata.obsp", obsp, adata.obsp.keys())
        return adata.obsp[obsp], f"obsp[{obsp!r}]"
    asked = neighbors_key is not None
    where = neighbors_key or "neighbors"
    if where not in adata.uns and asked:
        missing_key("neighbors_key: adata.uns", where, adata.uns.keys())
    stored = adata.uns.get(where, {})
    key = stored.get("connectivities_key", "connectivities")
    if key in adata.obsp:
        return adata.obsp[key], f"obsp[{key!r}]"
    if "connectivities" in stored:  # files of old versions of scanpy
        return stored["connectivities"], f"uns[{where!r}]['connectivities']"
    if asked:
        missing_key(f"uns[{where!r}] points to adata.obsp, which", key, adata.obsp.keys())
    return None, ""


def _features(adata: AnnData, inside: NDArray[np.bool_] | None) -> Input:
    """Return principal components if there are any, else X; warn that a graph is made of them."""
    components = "X_pca" in adata.obsm
    origin = "obsm['X_pca']" if components else "X"
    data = adata.obsm["X_pca"] if components else adata.X
    if data is None:
        raise ValueError("adata has neither a neighbours graph nor X_pca nor X: nothing to cluster")
    if adata.isbacked and not components:
        data = data.to_memory() if hasattr(data, "to_memory") else data[:]
    warn(
        f"adata has no neighbours graph, so sentree made its own from {origin} and does not store "
        "it; sc.pp.neighbors(adata) makes one that all tools share"
    )
    # Components have the scale that their share of the variance gives them.
    affinity = "gaussian" if components else "auto"
    return Input(data if inside is None else data[inside], affinity, origin)
