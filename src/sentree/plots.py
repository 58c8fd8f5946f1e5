"""Pictures, with matplotlib: each function draws on ``ax`` (or a new one) and returns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sentree.tree import renumber

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sentree.constraints import Constraints

__all__ = ["partition"]

#: Okabe and Ito's colours, safe for the colour-blind; more clusters take further markers.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#000000")
_MARKERS = "os^Dv*Ph"


def partition(
    embedding: ArrayLike,
    labels: ArrayLike,
    *,
    constraints: Constraints | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a partition on a two-dimensional embedding of the samples.

    Parameters
    ----------
    embedding : array-like of shape (n, 2)
        Where each sample is drawn.
    labels : array-like of shape (n,)
        Cluster of each sample; the largest clusters get the first colours.
    constraints : Constraints, optional
        Draws must-links as solid and cannot-links as dotted lines, broken ones in red, and rings
        the labelled samples.
    title : str, optional
        Title of the picture.
    ax : matplotlib axes, optional
        Where to draw.
    """
    import matplotlib.pyplot as plt

    places = np.asarray(embedding, dtype=np.float64)
    clusters = renumber(labels)
    if places.shape != (clusters.size, 2):
        raise ValueError(f"embedding has shape {places.shape}, expected ({clusters.size}, 2)")
    if ax is None:
        _, ax = plt.subplots(figsize=(6, 5), layout="constrained")
    size = np.bincount(clusters)
    shown = 12
    for rank, cluster in enumerate(np.argsort(-size, kind="stable")):
        inside = clusters == cluster
        ax.scatter(
            places[inside, 0],
            places[inside, 1],
            s=14,
            color=_COLOURS[rank % len(_COLOURS)],
            marker=_MARKERS[rank // len(_COLOURS) % len(_MARKERS)],
            linewidths=0,
            alpha=0.8,
            label=f"{size[cluster]:,} samples" if rank < shown else None,
        )
    if constraints is not None:
        _draw_constraints(ax, places, np.asarray(labels), constraints)
    ax.set(title=title, xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    heading = f"{size.size} clusters" + ("" if size.size <= shown else f", {shown} largest")
    ax.legend(title=heading, loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=8)
    return ax


def _draw_constraints(ax: Axes, places: Any, labels: Any, constraints: Constraints) -> None:
    """Draw pairs as lines, kept in grey and broken in red, and rings around labelled samples."""
    from matplotlib.collections import LineCollection

    kinds = (
        (constraints.must_link, "solid", labels[constraints.must_link]),
        (constraints.cannot_link, "dotted", labels[constraints.cannot_link]),
    )
    for pairs, style, ends in kinds:
        together = ends[:, 0] == ends[:, 1]
        broken = together if style == "dotted" else ~together
        for chosen, colour, width in ((~broken, "#999999", 0.5), (broken, "#CC0000", 0.9)):
            ax.add_collection(
                LineCollection(
                    places[pairs[chosen]],
                    colors=colour,
                    linewidths=width,
                    linestyles=style,
                    alpha=0.6,
                )
            )
    known = places[constraints.label_index]
    ax.scatter(
        known[:, 0], known[:, 1], s=30, facecolors="none", edgecolors="black", linewidths=0.5
    )
