"""The map of a fitted model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sentree.plots.layout import is_map
from sentree.plots.layout import places as make_places
from sentree.plots.scatter import cluster_colours, partition
from sentree.plots.style import cluster_titles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Most letters of the name of a cluster.
_LONGEST = 40


def map(
    model: Any,
    places: ArrayLike | None = None,
    *,
    constraints: bool = True,
    max_constraints: int = 200,
    colors: Mapping[str, Any] | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the samples of a fitted model on a map, coloured by cluster, with the constraints.

    Samples that are alike are near each other. The clusters are not used to place them.

    Parameters
    ----------
    model : fitted SSEPartition or SSEHierarchy
        The model.
    places : array-like of shape (n_samples, 2), optional
        Where each sample is drawn, such as a UMAP of your own. Else the samples themselves are
        the map where they have two features, or :func:`places` makes one.
    constraints : bool, default=True
        Whether to draw the constraints of the fit, as :func:`partition` does.
    max_constraints : int, default=200
        Most lines to draw, and most marks.
    colors : mapping of str to colour, optional
        Colours of clusters, by name; others have their own.
    title : str, optional
        Title of the picture.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sentree import SSEPartition, plots
    >>> ax = plots.map(SSEPartition(n_clusters=3).fit(load_iris().data))
    >>> ax.get_legend().get_title().get_text()
    '3 clusters'
    """
    if not hasattr(model, "labels_") or not hasattr(model, "graph_"):
        raise TypeError(f"expected a fitted model, got {type(model).__name__}")
    where = map_of(model)[0] if places is None else np.asarray(places, dtype=np.float64)
    labels = model.labels_
    names = cluster_titles(model.cluster_names_, int(labels.max()) + 1, _LONGEST)
    own = {} if where.shape != (labels.size, 2) else _colours(names, where, labels)
    return partition(
        where,
        np.array(names)[labels],
        model.constraints_ if constraints else None,
        max_constraints=max_constraints,
        colors={**own, **(colors or {})},
        title=title,
        ax=ax,
    )


def map_of(model: Any) -> tuple[Any, bool]:
    """Return the places of the samples on the map of a model, and whether they are a layout."""
    samples = getattr(getattr(model, "_extension", None), "samples", None)
    return make_places(model, samples), not is_map(samples)


def _colours(names: list[str], where: Any, labels: Any) -> dict[str, str]:
    """Return the colours of clusters by name, which are those of the report."""
    return dict(zip(names, cluster_colours(where, labels), strict=True))
