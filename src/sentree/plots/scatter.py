"""A partition on a map of the samples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree.plots.lettering import lettering, literal
from sentree.plots.links import choose_constraints, draw
from sentree.plots.style import (
    COLOURS,
    SMALL,
    axes_of,
    bounds,
    legend,
    palette,
    ranked,
    recoloured,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from sentree.constraints import Constraints

#: Most clusters that have a colour and marker of their own; more are named in the picture.
LEGEND = 20
_MARKERS = "os^"
#: Number of different colours in the palette.
_COLOURS = 2 * len(COLOURS)
#: Most clusters whose colours are chosen so that equal ones are far from each other.
_SPREAD = 1000
#: Most clusters that may be named in the picture, the largest ones.
_NAMED = 200


@lettering()
def partition(
    embedding: ArrayLike,
    labels: ArrayLike,
    constraints: Constraints | None = None,
    *,
    max_constraints: int = 200,
    seed: int = 0,
    colors: Mapping[str, Any] | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a partition on a two-dimensional embedding of the samples.

    Up to 20 clusters have a colour and marker of their own and a legend, the largest first. More
    have their names at their centres, where these do not overlap, and colours that repeat far
    from each other.

    Parameters
    ----------
    embedding : array-like of shape (n, 2)
        Where each sample is drawn.
    labels : array-like of shape (n,)
        Cluster of each sample.
    constraints : Constraints, optional
        Drawn over the samples. Must-links are solid and cannot-links dashed lines, labels are
        rings and negative labels squares; kept ones thin and grey, broken ones thick and red.
        Groups are drawn as one line for each member, with the pairs; triplets, being about
        trees, are not drawn.
    max_constraints : int, default=200
        Most lines to draw, and most marks. Of more a random choice is drawn, in which broken
        ones take up to half the room (or what kept ones leave); the legend says how many of how
        many.
    seed : int, default=0
        Makes that choice.
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
    >>> from sentree import Constraints, plots
    >>> given = Constraints.from_pairs(must_link=[(0, 1), (1, 2)])
    >>> ax = plots.partition([[0, 0], [0, 1], [5, 5]], [0, 0, 1], given)
    >>> ax.get_legend().get_title().get_text()
    '2 clusters'
    """
    places = np.asarray(embedding, dtype=np.float64)
    names, code, size = ranked(labels)
    if places.shape != (code.size, 2):
        raise ValueError(f"embedding has shape {places.shape}, expected ({code.size}, 2)")
    if not np.isfinite(places).all():
        row = int(np.flatnonzero(~np.isfinite(places).all(axis=1))[0])
        raise ValueError(f"embedding holds {places[row].tolist()} in row {row}, not two numbers")
    if max_constraints < 0:
        raise ValueError(f"max_constraints must be 0 or more, got {max_constraints}")
    if constraints is not None:
        constraints.check(code.size)
    few = len(names) <= LEGEND
    ax = axes_of(ax, 6 + few * 0.06 * max(map(len, shortened(names[:LEGEND]))), 5)
    centres = centres_of(places, code, len(names))
    colours = np.arange(len(names)) % _COLOURS if few else _spread_colours(centres)
    shades = recoloured(palette(_COLOURS)[colours], names, colors)
    _draw_points(ax, places, code, colours, shades, markers=few)
    ax.set(title=literal(title), xticks=[], yticks=[])
    ax.spines[:].set_visible(False)
    handles: list[Any] = []
    if constraints is not None:
        chosen = choose_constraints(code, constraints, max_constraints, seed)
        handles = [draw(ax, places, statements) for statements in chosen]
    note = None if few else f"{len(names):,} clusters, named at their centres where there is room"
    below = None
    if handles or note:
        below = legend(ax, "upper center", (0.5, 0.0), handles=handles, title=note, ncols=2)
    if few:
        _list_clusters(ax, names, size, shades)
        if below:
            ax.add_artist(below)  # the second legend replaced the first
            below.set_clip_box(None)  # it stands outside the axes
    else:
        _name_clusters(ax, centres[:_NAMED], shortened(names[:_NAMED]))
    return ax


def centres_of(places: Any, code: Any, k: int) -> NDArray[np.float64]:
    """Return for each cluster its sample nearest to the medians of its coordinates."""
    order = np.argsort(code, kind="stable")
    centres = np.empty((k, 2))
    for cluster, inside in enumerate(np.split(order, np.cumsum(np.bincount(code))[:-1])):
        away = places[inside] - np.median(places[inside], axis=0)
        centres[cluster] = places[inside[np.argmin((away**2).sum(axis=1))]]
    return centres


def _spread_colours(centres: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give each cluster the colour whose nearest cluster so far is farthest away."""
    colours = np.arange(len(centres)) % _COLOURS
    nearest = np.full((min(len(centres), _SPREAD), _COLOURS), np.inf)
    for cluster in range(len(nearest)):
        colour = int(np.argmax(nearest[cluster]))
        colours[cluster] = colour
        away = np.hypot(*(centres[: len(nearest)] - centres[cluster]).T)
        nearest[:, colour] = np.minimum(nearest[:, colour], away)
    return colours


def cluster_colours(places: Any, labels: NDArray[Any]) -> list[str]:
    """Return the colour of each cluster 0, 1, … on a map, as "#rrggbb"; empty ones have grey.

    Where samples lack a place, NaN, clusters have colours in turn.
    """
    from matplotlib.colors import to_hex

    names, code, _ = ranked(labels)
    shades = palette(len(names))
    if len(names) > LEGEND and not np.isnan(places).any():
        shades = shades[_spread_colours(centres_of(places, code, len(names)))]
    found = ["#888888"] * (int(np.max(labels)) + 1)
    for name, shade in zip(names, shades, strict=True):
        found[int(name)] = to_hex(shade)
    return found


def _draw_points(
    ax: Axes, places: Any, code: Any, colours: Any, shades: Any, markers: bool
) -> None:
    """Draw the samples, those of one colour and marker at once, small clusters over large ones."""
    group = np.arange(colours.size) if markers else colours
    area = float(np.clip(14000 / code.size, 1.5, 16))
    for number in np.unique(group).tolist():
        drawn = group[code] == number
        x, y = places[drawn].T
        ax.scatter(
            x,
            y,
            s=area,
            c=shades[code[drawn]],
            marker=_MARKERS[number // len(COLOURS)] if markers else "o",
            linewidths=0,
            alpha=0.8,
            rasterized=code.size > 5000,  # keeps vector files small
        )


def _list_clusters(ax: Axes, names: list[str], size: Any, shades: Any) -> None:
    """List the clusters beside the picture."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            linestyle="none",
            markersize=5,
            markeredgewidth=0,
            marker=_MARKERS[number // len(COLOURS)],
            color=shade,
            label=f"{literal(name)} ({count:,})",
        )
        for number, (name, count, shade) in enumerate(
            zip(shortened(names), size.tolist(), shades.tolist(), strict=True)
        )
    ]
    title = f"{len(names)} cluster{'s' if len(names) > 1 else ''}"
    more: Any = {"handles": handles, "title": title, "labelspacing": 0.35, "alignment": "left"}
    legend(ax, "center left", (1.0, 0.5), **more)


def _name_clusters(ax: Axes, centres: Any, names: list[str]) -> None:
    """Write names at the centres, the largest cluster first, leaving out those that overlap."""
    from matplotlib.patheffects import withStroke

    bounds(ax)  # settles the layout, so that sizes are those of the page
    ax.autoscale_view()
    placed: list[Any] = []
    for (x, y), name in zip(centres, names, strict=True):
        text = ax.text(
            x,
            y,
            literal(name),
            ha="center",
            va="center",
            fontsize=SMALL,
            fontweight="bold",
            color="black",
            zorder=4,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )
        box = text.get_window_extent()
        if any(box.overlaps(other) for other in placed):
            text.remove()
        else:
            placed.append(box)
