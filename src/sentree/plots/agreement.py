"""How two clusterings of the same samples agree: a table of shares, ordered to a diagonal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree.plots.lettering import lettering, literal
from sentree.plots.style import BLUE, INK, SMALL, axes_of, bounds, mixed, ranked, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Most rows, and most columns, that are named.
_NAMED = 60


@lettering()
def agreement(
    rows: ArrayLike,
    columns: ArrayLike,
    *,
    row_title: str | None = None,
    column_title: str | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how the samples of each row are shared out among the columns.

    Colours are shares of a row. Rows and columns stand so that the largest shares are near the
    diagonal. Counts are written where there is room.

    Parameters
    ----------
    rows, columns : array-like of shape (n,)
        Two clusterings, or a clustering and the true classes.
    row_title, column_title : str, optional
        What the rows and columns are.
    title : str, optional
        Title of the picture; by default the adjusted Rand index and normalised mutual information.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from sentree import plots
    >>> ax = plots.agreement(["a", "a", "b", "b"], [1, 1, 0, 0])
    >>> ax.get_title()
    'ARI 1.00, NMI 1.00'
    """
    from matplotlib.colors import LinearSegmentedColormap

    row_names, row, _ = ranked(rows)
    column_names, column, _ = ranked(columns, row.size)
    count = np.zeros((len(row_names), len(column_names)), dtype=np.int64)
    np.add.at(count, (row, column), 1)
    up, across = _diagonal_order(count)
    count = count[up][:, across]
    share = count / count.sum(axis=1, keepdims=True)
    row_names = shortened([row_names[k] for k in up])
    column_names = shortened([column_names[k] for k in across])
    height = np.clip(1.6 + 0.26 * len(row_names), 2.8, 9)
    width = np.clip(2.6 + 0.34 * len(column_names), 4, 11) + 0.05 * max(map(len, row_names))
    ax = axes_of(ax, float(width), float(height + 0.04 * max(map(len, column_names))))
    colours: Any = ["#FFFFFF", mixed(BLUE, "#FFFFFF", 0.5), BLUE, mixed(BLUE, "#000000", 0.55)]
    shades = LinearSegmentedColormap.from_list("share", colours)
    image = ax.imshow(share, cmap=shades, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    _name(ax, row_names, column_names)
    ax.set_xlabel(literal(column_title), fontsize=SMALL + 1, color=INK)
    ax.set_ylabel(literal(row_title), fontsize=SMALL + 1, color=INK)
    ax.set_title(_scores(row, column) if title is None else literal(title), fontsize=SMALL + 2)
    ax.spines[:].set(linewidth=0.6, color=INK)
    figure: Any = ax.figure
    bar = figure.colorbar(image, ax=ax, shrink=0.6, aspect=18, pad=0.02, format="{x:.0%}")
    bar.set_label("share of the row", fontsize=SMALL, color=INK)
    bar.ax.tick_params(labelsize=SMALL, length=2, width=0.6)
    bar.outline.set_linewidth(0.6)
    _write_counts(ax, count, share)
    return ax


def _diagonal_order(count: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Put rows that are mostly in one column next to each other, and columns alike.

    Both come ranked by size, which breaks ties.
    """
    columns = np.arange(count.shape[1])
    for _ in range(2):
        rows = _beside(count, columns)
        columns = _beside(count.T, rows)
    return rows, columns


def _beside(count: NDArray[np.int64], others: NDArray[np.intp]) -> NDArray[np.intp]:
    """Order rows as their largest columns are ordered, fuller ones first."""
    place = np.argsort(others)
    return np.lexsort((-count.max(axis=1), place[count.argmax(axis=1)]))


def _scores(row: NDArray[Any], column: NDArray[Any]) -> str:
    """Say how well the two agree in numbers."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    rand, shared = (
        score(row, column) for score in (adjusted_rand_score, normalized_mutual_info_score)
    )
    return f"ARI {rand:.2f}, NMI {shared:.2f}"


def _name(ax: Axes, rows: list[str], columns: list[str]) -> None:
    """Name rows and columns, every so many of them where they are too many."""
    for axis, names in ((ax.yaxis, rows), (ax.xaxis, columns)):
        step = -(-len(names) // _NAMED)
        size = SMALL if len(names) <= 30 else SMALL - 2
        axis.set_ticks(np.arange(0, len(names), step), map(literal, names[::step]), fontsize=size)
    ax.tick_params(length=0, labelcolor=INK)
    lying = len(columns) <= 20 and max(map(len, columns)) <= 3
    for text in ax.get_xticklabels():
        text.set(rotation=0 if lying else 90)


def _write_counts(ax: Axes, count: NDArray[np.int64], share: NDArray[np.float64]) -> None:
    """Write the counts, all in one size, if the largest of them fits into a cell."""
    page = bounds(ax)
    dpi = ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    for size in (SMALL, SMALL - 1, SMALL - 2):
        point = size * dpi / 72
        wide = 0.62 * point * len(f"{count.max():,}") + 3
        if wide <= page.width / count.shape[1] and 1.25 * point <= page.height / count.shape[0]:
            break
    else:
        return
    for i, j in np.argwhere(count).tolist():
        colour = "white" if share[i, j] > 0.45 else "black"
        ax.text(j, i, f"{count[i, j]:,}", ha="center", va="center", fontsize=size, color=colour)
