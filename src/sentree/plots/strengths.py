"""How firmly the samples of each cluster are held, as a silhouette."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sentree.plots.lettering import lettering, literal
from sentree.plots.style import (
    INK,
    SMALL,
    axes_of,
    checked_strength,
    palette,
    plain,
    ranked,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Most points of the outline of a cluster; the strengths between them are left out.
_POINTS = 100
#: In heights of a line of text, the room between two clusters and the height of all others.
_GAP, _OTHERS_HIGH = 0.35, 3.0
_GREY = "#8A8A8A"


@lettering()
def membership_strength(
    labels: ArrayLike,
    strengths: ArrayLike,
    names: Sequence[Any] | Mapping[Any, Any] | None = None,
    *,
    max_clusters: int = 20,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the strengths of the samples, cluster by cluster, the firmest sample on top.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Cluster of each sample.
    strengths : array-like of shape (n,)
        How firmly each sample is held, from 0 to 1, such as ``membership_strength_``. Below 1/2,
        left of the dashed line, another cluster would suit a sample better.
    names : sequence or mapping, optional
        By cluster its name; the cluster itself where there is none, or None.
    max_clusters : int, default=20
        Most clusters to draw, the largest; the others are one, in grey.
    title : str, optional
        Title of the picture.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    A cluster is as high as it has samples, but never lower than its name; its mark is the mean. The
    others together take no more than three lines. The colours are those of :func:`partition` with
    up to 20 clusters.

    Examples
    --------
    >>> from sentree import plots
    >>> ax = plots.membership_strength([0, 0, 0, 1], [1.0, 0.8, 0.3, 0.9], ["a", "b"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['a (3)', 'b (1)']
    """
    if max_clusters < 1:
        raise ValueError(f"max_clusters must be 1 or more, got {max_clusters}")
    clusters, code, size = ranked(labels)
    strength = checked_strength(strengths, code.shape)
    k = min(len(clusters), max_clusters)
    band = np.minimum(code, k)  # the others, where there are any, are the last band
    shown = _called(clusters, labels, names)[:k]
    colours: list[Any] = list(palette(k))
    size = np.bincount(band)
    if len(clusters) > k:
        shown.append(f"{len(clusters) - k:,} others")
        colours.append(_GREY)
    height = np.maximum(size / size[:k].sum() * 1.5 * k, 1.0)
    height[k:] = min(height[-1], _OTHERS_HIGH)
    ax = axes_of(ax, 6, 0.9 + 0.2 * float(height.sum() + _GAP * len(shown)))
    top = np.concatenate(([0.0], np.cumsum(height + _GAP)[:-1]))
    order = np.lexsort((-strength, band))
    for number, inside in enumerate(np.split(order, np.cumsum(size)[:-1])):
        values = strength[inside]
        at = np.unique(np.linspace(0, values.size, _POINTS + 1).astype(np.int64))
        # Steps: the i-th sample reaches from i to i + 1.
        y = top[number] + height[number] * at / values.size
        x = np.append(values[at[:-1]], values[-1])
        ax.fill_betweenx(y, 0, x, step="post", color=colours[number], linewidth=0)
        middle = top[number] + height[number] / 2
        ax.plot(values.mean(), middle, "|", color="black", markersize=8, markeredgewidth=1.4)
    ax.axvline(0.5, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    plain(ax)
    ax.set(title=literal(title), xlim=(0, 1.005), ylim=(top[-1] + height[-1] + _GAP, -_GAP))
    ax.set_xlabel("strength of each sample (mark: mean of the cluster)", fontsize=SMALL)
    texts = [
        f"{literal(name)} ({count:,})" for name, count in zip(shown, size.tolist(), strict=True)
    ]
    ax.set_yticks(top + height / 2, texts)
    ax.tick_params(axis="y", length=0)
    return ax


def _called(clusters: list[str], labels: ArrayLike, names: Any) -> list[str]:
    """Return what each cluster is called."""
    if names is None:
        return shortened(clusters)
    values = np.unique(np.asarray(labels)).tolist()
    pairs = names.items() if isinstance(names, Mapping) else enumerate(names)
    given = {str(cluster): name for cluster, name in pairs if name is not None}
    if not isinstance(names, Mapping) and (
        not all(isinstance(value, int) for value in values)
        or not 0 <= min(values) <= max(values) < len(names)
    ):
        raise ValueError(
            f"{len(names)} names for the clusters {values[0]} to {values[-1]}: give one for each "
            "cluster 0, 1, …, or a mapping"
        )
    return shortened([str(given.get(cluster, cluster)) for cluster in clusters])
