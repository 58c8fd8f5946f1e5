"""What is read of an AnnData: its columns, the cells to cluster and the graph between them."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas
    from anndata import AnnData as AnnData

__all__ = [
    "Source",
    "checked",
    "choose_graph",
    "column",
    "did_you_mean",
    "missing_key",
    "natural_order",
    "restricted",
]

#: Among so many names at most a similar one is looked for.
_COMPARED = 20_000


class Source(NamedTuple):
    """What is clustered: a graph or samples, how sentree is to take it, and where it comes from."""

    data: Any
    affinity: str
    origin: str


def checked(adata: Any) -> AnnData:
    """Return adata, or say what is wrong with it."""
    try:
        from anndata import AnnData
    except ImportError as missing:
        raise ImportError(
            "sentree.tl and sentree.pl need anndata: pip install 'sentree[anndata]'"
        ) from missing
    if not isinstance(adata, AnnData):
        raise TypeError(
            f"expected an AnnData, got {type(adata).__name__}; "
            "arrays and graphs go to sentree.SSEPartition"
        )
    return adata


def missing_key(what: str, key: Any, keys: Collection[str]) -> NoReturn:
    """Raise KeyError for a key that is not there, with what may have been meant."""
    shown = ", ".join(map(repr, list(keys)[:10])) + (", ..." if len(keys) > 10 else "")
    raise KeyError(f"{what} has no {key!r}{did_you_mean(key, keys)} It has: {shown or 'nothing'}.")


def did_you_mean(name: Any, names: Collection[str]) -> str:
    """Return a question about names like this one; a full stop where there are none."""
    if not isinstance(name, str) or len(names) > _COMPARED:
        return "."
    by_lower = {str(other).lower(): str(other) for other in names}
    close = difflib.get_close_matches(name.lower(), by_lower)
    return f"; did you mean {' or '.join(repr(by_lower[x]) for x in close)}?" if close else "."


def column(adata: AnnData, key: str, what: str) -> pandas.Series[Any]:
    """Return a column of obs; ``what`` names the argument that asked for it."""
    if key not in adata.obs:
        missing_key(f"{what}: adata.obs", key, adata.obs.columns)
    return adata.obs[key]


def natural_order(names: Collection[str]) -> list[str]:
    """Sort names so that "10" follows "9"."""

    def parts(name: str) -> list[Any]:
        return [int(x) if x.isdecimal() else x for x in re.split(r"(\d+)", name)]

    return sorted(names, key=parts)


def restricted(
    adata: AnnData, restrict_to: tuple[str, Sequence[str]] | None
) -> NDArray[np.bool_] | None:
    """Return which cells are to be clustered; None for all."""
    if restrict_to is None:
        return None
    key, categories = restrict_to
    values = column(adata, key, "restrict_to")
    if isinstance(categories, str) or not all(isinstance(c, str) for c in categories):
        raise ValueError(
            f"restrict_to must be (column, list of categories), the categories as strings, e.g. "
            f"('leiden', ['1']) and not 1; got {restrict_to!r}"
        )
    if not hasattr(values, "cat"):
        raise ValueError(f"restrict_to: adata.obs[{key!r}] is not categorical")
    for name in categories:
        if name not in values.cat.categories:
            hint = did_you_mean(name, values.cat.categories)
            raise ValueError(f"{name!r} is not a valid category for {key!r}{hint}")
    return np.asarray(values.isin(list(categories)))


def choose_graph(
    adata: AnnData,
    inside: NDArray[np.bool_] | None,
    adjacency: Any,
    obsp: str | None,
    neighbors_key: str | None,
) -> Source:
    """Return the graph asked for, else that of ``pp.neighbors``, else the cells themselves."""
    if obsp is not None and neighbors_key is not None:
        raise ValueError("You can't specify both obsp, neighbors_key. Please select only one.")
    if adjacency is not None:
        matrix, origin = adjacency, "adjacency"
    else:
        matrix, origin = _stored_graph(adata, obsp, neighbors_key)
    if matrix is None:
        return _features(adata, inside)
    if np.shape(matrix) != (adata.n_obs, adata.n_obs):
        raise ValueError(
            f"{origin} has shape {np.shape(matrix)}, but there are {adata.n_obs} cells"
        )
    if inside is not None:
        matrix = sp.csr_array(matrix)[inside][:, inside]
    return Source(matrix, "precomputed", origin)


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


def _features(adata: AnnData, inside: NDArray[np.bool_] | None) -> Source:
    """Return principal components if there are any, else X; warn that a graph is made of them."""
    components = "X_pca" in adata.obsm
    origin = "obsm['X_pca']" if components else "X"
    data = adata.obsm["X_pca"] if components else adata.X
    if data is None:
        raise ValueError("adata has neither a neighbours graph nor X_pca nor X: nothing to cluster")
    if adata.isbacked and not components:
        data = data.to_memory() if hasattr(data, "to_memory") else data[:]
    warnings.warn(
        f"adata has no neighbours graph, so sentree made its own from {origin} and does not store "
        "it; sc.pp.neighbors(adata) makes one that all tools share",
        stacklevel=4,
    )
    # Components have the scale that their share of the variance gives them.
    affinity = "gaussian" if components else "auto"
    return Source(data if inside is None else data[inside], affinity, origin)
