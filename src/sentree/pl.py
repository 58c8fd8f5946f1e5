"""Pictures of what :mod:`sentree.tl` found, after the conventions of ``scanpy.pl``.

Each takes ``show``, ``save`` and ``ax`` last. A picture is shown unless ``show=False`` or it was
drawn on ``ax`` or saved; where it is not shown, the axes are returned. ``save`` is the path of a
file, whose ending says the format: ".png", ".pdf", ".svg". Colours are those in
``uns[column + "_colors"]`` if scanpy has chosen any, else ones that are safe for the colour-blind.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from sentree import plots
from sentree.plots import style as drawing
from sentree.plots.lettering import with_class
from sentree.tl.adata import checked, column, missing_key
from sentree.tl.results import get_constraints, get_tree

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from sentree.tl.adata import AnnData

__all__ = ["agreement", "constraints", "profile", "tree"]

#: Numbers that are categories have no more different values.
_CATEGORIES = 100
#: What stands for the cluster of cells that have none, and its colour.
_NONE, _GREY = "no cluster", "#C8C8C8"


def tree(
    adata: AnnData,
    key: str = "sse_tree",
    color: str | None = None,
    *,
    style: str = "icicle",
    max_nodes: int | None = None,
    min_share: float | None = None,
    max_levels: int | None = None,
    interactive: bool = False,
    title: str | None = None,
    show: bool | None = None,
    save: str | os.PathLike[str] | None = None,
    ax: Axes | None = None,
) -> Any:
    """Draw the tree of :func:`sentree.tl.sse_tree`.

    Parameters
    ----------
    adata : AnnData
        With a tree.
    key : str, default="sse_tree"
        What ``key_added`` was.
    color : str, optional
        Column of ``obs`` with categories that give the colours: a node has that of most of its
        cells, the paler the more mixed. By default the types that the clusters were given, or
        else the clusters.
    style, max_nodes, min_share, max_levels, interactive, title
        As in :func:`sentree.plots.tree`.
    show, save, ax
        As in all of :mod:`sentree.pl`; a Plotly figure (``interactive``) is always returned, shown
        only with ``show=True``, and saved as ".html".

    Returns
    -------
    matplotlib axes, Plotly figure or None
    """
    shown = get_tree(adata, key)
    if color is None:
        color = f"{key}_label" if f"{key}_label" in adata.obs else key
    values = column(adata, color, "color")
    _check_categories(values)
    drawn = plots.tree(
        shown,
        _text(values, "no value"),
        style=style,
        names=shown.names,
        max_nodes=max_nodes,
        min_share=min_share,
        max_levels=max_levels,
        colors=_colours(adata, values),
        title=title,
        interactive=interactive,
        ax=ax,
    )
    if not interactive:
        return _finished(drawn, show, save, ax)
    if save is not None:
        drawing.save(drawn, save)
    if show:
        drawn.show()
    return drawn


def constraints(
    adata: AnnData,
    key: str = "sse",
    basis: str = "umap",
    *,
    max_constraints: int = 200,
    title: str | None = None,
    show: bool | None = None,
    save: str | os.PathLike[str] | None = None,
    ax: Axes | None = None,
) -> Axes | None:
    """Draw clusters on an embedding, with the constraints they keep and those they break.

    Parameters
    ----------
    adata : AnnData
        Clustered by :func:`sentree.tl.sse` or :func:`sentree.tl.sse_tree`.
    key : str, default="sse"
        What ``key_added`` was.
    basis : str, default="umap"
        Draw on ``obsm["X_umap"]``, and so on; the first two columns.
    max_constraints : int, default=200
        Most lines to draw, and most marks; see :func:`sentree.plots.partition`.
    title : str, optional
        Title of the picture.
    show, save, ax
        As in all of :mod:`sentree.pl`.

    Returns
    -------
    matplotlib axes or None
    """
    given = get_constraints(adata, key)
    clusters = column(adata, key, "key")
    place = next((name for name in (f"X_{basis}", basis) if name in adata.obsm), None)
    if place is None:
        missing_key("basis: adata.obsm", f"X_{basis}", adata.obsm.keys())
    names = _text(clusters, _NONE)
    named = _with_types(names, adata.obs.get(f"{key}_label"))
    stored = {**(_colours(adata, clusters) or {}), _NONE: _GREY}
    pairs = zip(named, names, strict=True)
    colours = {new: stored[old] for new, old in dict(pairs).items() if old in stored}
    drawn = plots.partition(
        np.asarray(adata.obsm[place])[:, :2],
        named.to_numpy(),
        given if len(given) else None,
        max_constraints=max_constraints,
        colors=colours,
        title=title,
        ax=ax,
    )
    return _finished(drawn, show, save, ax)


def agreement(
    adata: AnnData,
    key: str = "sse",
    other: str = "leiden",
    *,
    title: str | None = None,
    show: bool | None = None,
    save: str | os.PathLike[str] | None = None,
    ax: Axes | None = None,
) -> Axes | None:
    """Draw how two columns of ``obs`` agree: the share of each row's cells in each column.

    Parameters
    ----------
    adata : AnnData
        The cells. Those without a value in one of the columns are left out.
    key : str, default="sse"
        Column whose values are the rows.
    other : str, default="leiden"
        Column whose values are the columns.
    title : str, optional
        Title of the picture; by default the adjusted Rand index and normalised mutual information.
    show, save, ax
        As in all of :mod:`sentree.pl`.

    Returns
    -------
    matplotlib axes or None
    """
    adata = checked(adata)
    rows, columns = column(adata, key, "key"), column(adata, other, "other")
    both = (rows.notna() & columns.notna()).to_numpy()
    if not both.any():
        raise ValueError(f"no cell has a value in both obs[{key!r}] and obs[{other!r}]")
    drawn = plots.agreement(
        rows[both].astype(str),
        columns[both].astype(str),
        row_title=key,
        column_title=other,
        title=title,
        ax=ax,
    )
    return _finished(drawn, show, save, ax)


def profile(
    adata: AnnData,
    key: str = "sse",
    *,
    layer: str | None = None,
    use_raw: bool | None = None,
    n_genes: int = 4,
    title: str | None = None,
    show: bool | None = None,
    save: str | os.PathLike[str] | None = None,
    ax: Axes | None = None,
) -> Axes | None:
    """Draw the genes that set each cluster apart, beside ``scanpy.pl.rank_genes_groups_*``.

    Clusters are compared by ranks, all genes at once and without making the matrix dense; a cell of
    the picture holds the share of cells that express the gene (of dense matrices the median). For
    the figures themselves, give :func:`sentree.profile` the matrix and the column.

    Parameters
    ----------
    adata : AnnData
        The cells. Those without a cluster are left out.
    key : str, default="sse"
        Column of ``obs`` with clusters, of any method.
    layer : str, optional
        Compare this layer instead of ``X``.
    use_raw : bool, optional
        Whether to compare ``raw.X``; by default if it is there and no layer is named, as in scanpy.
    n_genes : int, default=4
        Most genes for each cluster.
    title : str, optional
        Title of the picture.
    show, save, ax
        As in all of :mod:`sentree.pl`.

    Returns
    -------
    matplotlib axes or None
    """
    from sentree.profiles.profile import profile as profiled

    adata = checked(adata)
    if n_genes < 1:
        raise ValueError(f"n_genes must be 1 or more, got {n_genes}")
    clusters = column(adata, key, "key")
    if use_raw is None:
        use_raw = adata.raw is not None and layer is None
    matrix, genes = _genes(adata, layer, use_raw)
    found = profiled(matrix, clusters.astype(object).to_numpy(), features=genes)
    drawn = plots.profile(found, max_features=n_genes * len(found), title=title, ax=ax)
    return _finished(drawn, show, save, ax)


def _genes(adata: AnnData, layer: str | None, use_raw: bool) -> tuple[Any, Any]:
    """Return a matrix of cells by genes, and the names of the genes."""
    if use_raw and layer is not None:
        raise ValueError("layer and use_raw=True contradict each other: name one of them")
    if use_raw and adata.raw is None:
        raise ValueError("use_raw=True, but adata.raw is not set")
    if layer is not None and layer not in adata.layers:
        missing_key("layer: adata.layers", layer, adata.layers.keys())
    source = adata.raw if use_raw else adata
    matrix = source.X if layer is None else adata.layers[layer]
    if matrix is None:
        raise ValueError("adata has no X: name a layer")
    if hasattr(matrix, "to_memory"):  # a matrix in a file
        matrix = matrix.to_memory()
    return matrix, source.var_names


def _text(values: pandas.Series[Any], missing: str) -> pandas.Series[Any]:
    """Return a column as text, with a name for what is missing."""
    return values.astype(str).where(values.notna(), missing)


def _with_types(names: pandas.Series[Any], types: pandas.Series[Any] | None) -> Any:
    """Add its type to the name of each cluster; to be new is none."""
    if types is None:
        return names
    known = types.astype(str).where(types.notna() & (names != _NONE), names)
    new = known.str.replace("^(new )+", "", regex=True) == names
    called = [with_class(*pair) for pair in zip(names, known, strict=True)]
    return names.where(new, called)


def _check_categories(values: pandas.Series[Any]) -> None:
    """Refuse measurements: a node has a majority of categories only."""
    if getattr(values.dtype, "kind", "O") not in "iuf":
        return
    numbers = values.dropna()
    if (numbers % 1 != 0).any() or numbers.nunique() > _CATEGORIES:
        raise ValueError(
            f"color: obs[{values.name!r}] holds measurements, and nodes are coloured by the "
            f"category of most of their cells: give a column of categories, such as clusters or "
            "types"
        )


def _colours(adata: AnnData, values: pandas.Series[Any]) -> dict[str, Any] | None:
    """Return the colours that scanpy has stored for the categories of a column, by category."""
    stored = adata.uns.get(f"{values.name}_colors")
    if stored is None or not hasattr(values, "cat"):
        return None
    categories = [str(name) for name in values.cat.categories]
    return dict(zip(categories, stored, strict=True)) if len(stored) == len(categories) else None


def _finished(
    ax: Axes,
    show: bool | None,
    save: str | os.PathLike[str] | None,
    given: Axes | None,
) -> Axes | None:
    """Save and show as asked; return the axes where they are not shown."""
    import matplotlib.pyplot as plt

    if save is not None:
        drawing.save(ax, save)
    if show or (show is None and save is None and given is None):
        plt.show()
        return None
    return ax
