"""Trees: as an icicle, as a dendrogram, or to click through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree.plots.lettering import lettering, literal
from sentree.plots.outline import Outline, majority, outline, rulers
from sentree.plots.style import (
    COLOURS,
    INK,
    SMALL,
    axes_of,
    bounds,
    legend,
    mixed,
    palette,
    ranked,
    recoloured,
    shortened,
)
from sentree.tree import EncodingTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

#: Colour of a node that holds all classes alike.
_MIXED = "#EBEBEB"
#: Most classes that a legend lists; more are named on the nodes alone.
_LEGEND = 14
_HATCH = "//////"


class _Blocks(NamedTuple):
    """What is drawn, with its colours and texts."""

    shape: Outline
    colour: NDArray[np.float64]
    text: list[list[str]]  # by block, what to write, the fullest first
    classes: list[str]  # by rank; empty where the caller named none
    shades: NDArray[np.float64]  # of the classes
    purity: NDArray[np.float64]
    winner: NDArray[np.int64]


@lettering()
def tree(
    tree: Any,
    labels: ArrayLike | None = None,
    *,
    style: str = "icicle",
    names: Sequence[str] | None = None,
    max_nodes: int | None = None,
    min_share: float | None = None,
    max_levels: int | None = None,
    colors: Mapping[str, Any] | None = None,
    title: str | None = None,
    interactive: bool = False,
    ax: Axes | None = None,
) -> Any:
    """Draw a tree, its large nodes as themselves and its small ones united.

    A node is as wide as it has samples. Its colour is that of the class most of its samples are
    in, the paler the more mixed it is. Siblings stand from the largest to the smallest; small ones
    are one hatched block, "n others". A class is named on the node that is nearly all of that class
    and holds most of it; below that the colour says it, and above stand numbers of samples. Text is
    written where it fits into the axes as they are at the call.

    Parameters
    ----------
    tree : EncodingTree or fitted SSEHierarchy
        The tree; of a model, ``tree_`` with the clusters ``labels_``.
    labels : array-like of shape (n,), optional
        Classes or clusters that give the colours. Without them (and without a model),
        about the seven largest branches.
    style : {"icicle", "dendrogram"}, default="icicle"
        Nodes as blocks from the root downward, or as brackets over the lowest blocks.
    names : sequence of str, optional
        Names of the samples, written on single ones; #0, #1, … by default.
    max_nodes : int, optional
        Most blocks to draw, the largest nodes being opened first; 300 by default, 3000 where
        interactive.
    min_share : float, optional
        Children with a smaller share of all samples are united; 1/150 by default, 1/5000 where
        interactive.
    max_levels : int, optional
        Most levels below the root; 12 by default, 100 where interactive. In a tree higher than
        that, nodes with only one child worth drawing are passed over.
    colors : mapping of str to colour, optional
        Colours of the classes in ``labels``, by name; others have their own.
    title : str, optional
        Title of the picture.
    interactive : bool, default=False
        Return a Plotly icicle to click through instead (needs the extra ``interactive``).
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes, or a Plotly figure where interactive

    Examples
    --------
    >>> from sentree import EncodingTree, Graph, plots
    >>> graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> ax = plots.tree(EncodingTree.from_labels([0, 0, 1, 1, 1], graph))
    >>> [int(block.get_width()) for block in ax.patches]
    [5, 3, 2, 1, 1, 1, 1, 1]
    """
    if style not in ("icicle", "dendrogram"):
        raise ValueError(f"style must be 'icicle' or 'dendrogram', got {style!r}")
    if interactive and (ax is not None or style != "icicle"):
        raise ValueError("interactive=True makes a Plotly icicle: leave ax and style out")
    shown, labels = _tree_and_labels(tree, labels)
    default = (3000, 1 / 5000, 100) if interactive else (300, 1 / 150, 12)
    limits: Any = [
        usual if given is None else given
        for given, usual in zip((max_nodes, min_share, max_levels), default, strict=True)
    ]
    _check_limits(*limits)
    blocks = _blocks(shown, labels, names, outline(shown, *limits), colors)
    if interactive:
        return _plotly(blocks, title)
    listed = blocks.classes if len(blocks.classes) <= _LEGEND else []
    ax = axes_of(ax, 8 + 0.06 * max(map(len, listed), default=0), 4.5)
    draw = _icicle if style == "icicle" else _dendrogram
    draw(ax, blocks)
    n = shown.n_leaves
    ax.set(title=literal(title), xlim=(0, n), xticks=[])
    ax.set_xlabel(_caption(shown, blocks.shape), fontsize=SMALL, color=INK)
    ax.spines[:].set_visible(False)
    _legend(ax, blocks)
    _write(ax, blocks, ends_only=style == "dendrogram")
    return ax


def _tree_and_labels(given: Any, labels: ArrayLike | None) -> tuple[EncodingTree, Any]:
    """Take a tree, or a model with its clusters."""
    if isinstance(given, EncodingTree):
        return given, labels
    if not isinstance(getattr(given, "tree_", None), EncodingTree):
        raise TypeError(
            "expected an EncodingTree or a fitted model that has one in tree_, got "
            f"{type(given).__name__}"
        )
    return given.tree_, given.labels_ if labels is None else labels


def _check_limits(max_nodes: int, min_share: float, max_levels: int) -> None:
    """Refuse limits that leave nothing to draw."""
    if max_nodes < 1 or max_levels < 0 or not 0 <= min_share <= 1:
        raise ValueError(
            "max_nodes must be 1 or more, max_levels 0 or more and min_share between 0 and 1; got "
            f"{max_nodes}, {max_levels} and {min_share}"
        )


def _blocks(
    shown: EncodingTree,
    labels: Any,
    names: Sequence[str] | None,
    shape: Outline,
    colors: Mapping[str, Any] | None,
) -> _Blocks:
    """Give the blocks their colours and texts."""
    n = shown.n_leaves
    if names is not None and len(names) != n:
        raise ValueError(f"{len(names)} names for {n} samples: give one for each")
    colours = max(len(COLOURS), shown.children(shown.root).size)  # the root is opened at least
    branches = shown.by_volume().cut_to(min(colours, n)) if labels is None else labels
    classes, code, _ = ranked(branches, n)
    k = len(classes)
    winner, purity = majority(shape, code, k)
    strength = (purity - 1 / k) / (1 - 1 / k) if k > 1 else np.ones_like(purity)
    shades = recoloured(palette(k), classes, colors)
    colour = mixed(shades[winner], _MIXED, strength)
    classes = [] if labels is None else shortened(classes)
    named = rulers(shape, winner, purity, np.bincount(code, minlength=k))
    text = []
    for block, (node, united, size) in enumerate(
        zip(*(x.tolist() for x in (shape.node, shape.united, shape.size)), strict=True)
    ):
        if united:
            text.append([f"{united:,} others", f"+{united:,}"])
        elif node < n:
            # A number alone would be taken for a size.
            text.append([f"#{node}" if names is None else str(names[node])])
        else:
            name = [f"{classes[winner[block]]}\n{size:,}"] if classes and named[block] else []
            text.append([*name, f"{size:,}"])
    return _Blocks(shape, colour, text, classes, shades, purity, winner)


def _icicle(ax: Axes, blocks: _Blocks) -> None:
    """Draw every block under the one above it."""
    shape = blocks.shape
    everything = np.ones(shape.node.size, dtype=np.bool_)
    _bars(ax, blocks, everything, -shape.level - 1.0, 1.0)
    height = int(shape.level.max())
    ax.set(ylim=(-height - 1, 0))
    if shape.shortened:
        ax.set(yticks=[])
    else:
        ax.set_yticks(-np.arange(height + 1) - 0.5, [str(level) for level in range(height + 1)])
        ax.set_ylabel("level", fontsize=SMALL, color=INK)
    ax.tick_params(length=0, labelsize=SMALL, labelcolor=INK)


def _dendrogram(ax: Axes, blocks: _Blocks) -> None:
    """Draw brackets from each block to those below it, over a row of the lowest blocks."""
    from matplotlib.collections import LineCollection

    shape = blocks.shape
    end = shape.is_end
    top = max(1, int(shape.level.max()))
    height = np.where(end, 0, top - shape.level)
    middle = shape.start + shape.size / 2
    left, right = middle.copy(), middle.copy()
    np.minimum.at(left, shape.above[1:], middle[1:])
    np.maximum.at(right, shape.above[1:], middle[1:])
    down = np.column_stack((middle, height, middle, height[shape.above]))[1:]
    across = np.column_stack((left, height, right, height))[~end]
    lines = np.concatenate((across, down)).reshape(-1, 2, 2)
    colour = np.concatenate((blocks.colour[~end], blocks.colour[1:]))
    colour = mixed(colour, "#000000", np.full(len(colour), 0.8))  # thin lines need more ink
    ax.add_collection(LineCollection(list(lines), colors=colour, linewidths=1.1, capstyle="round"))
    bar = 0.12 * top
    _bars(ax, blocks, end, np.full(end.size, -bar), bar)
    ax.set(ylim=(-bar, 1.03 * top), yticks=[])


def _bars(ax: Axes, blocks: _Blocks, chosen: Any, bottom: Any, height: float) -> None:
    """Draw blocks as wide as they have samples, hatched where nodes are united."""
    shape = blocks.shape
    bars = ax.bar(
        shape.start[chosen],
        height,
        width=shape.size[chosen],
        bottom=bottom[chosen],
        align="edge",
        color=blocks.colour[chosen],
        edgecolor="white",
        linewidth=0.6,
    )
    for bar, united in zip(bars, shape.united[chosen].tolist(), strict=True):
        if united:
            bar.set(hatch=_HATCH)


def _caption(shown: EncodingTree, shape: Outline) -> str:
    """Say how much of the tree is drawn."""
    drawn, every = int((shape.united == 0).sum()), shown.n_nodes
    samples = f"{shown.n_leaves:,} samples"
    if drawn == every:
        return samples
    chains = ", chains shortened" if shape.shortened else ""
    return f"{samples}\n{drawn:,} of {every:,} nodes drawn{chains}"


def _legend(ax: Axes, blocks: _Blocks) -> None:
    """Name the classes that are the majority of some block, and the hatching."""
    from matplotlib.patches import Patch

    k = len(blocks.classes)
    seen = np.unique(blocks.winner).tolist() if k <= _LEGEND else []
    handles = [
        Patch(color=blocks.shades[c], label=literal(blocks.classes[c])) for c in seen if c < k
    ]
    title = "majority\n(paler: mixed)" if handles else None
    if blocks.shape.united.any():
        style: Any = {"facecolor": "#BBBBBB", "edgecolor": "white", "hatch": _HATCH}
        handles.append(Patch(label="small nodes, united", linewidth=0, **style))
    if handles:
        more: Any = {"title": title, "alignment": "left", "borderaxespad": 0.0}
        legend(ax, "upper left", (1.01, 1.0), handles=handles, **more)


def _write(ax: Axes, blocks: _Blocks, ends_only: bool) -> None:
    """Write on each block the fullest of its texts that fits, lying or else standing."""
    page = bounds(ax)
    shape = blocks.shape
    per_sample = page.width / max(1, ax.get_xlim()[1])
    low, high = ax.get_ylim()
    tall = page.height / (high - low) * (-low if ends_only else 1.0)
    chosen = np.flatnonzero(shape.is_end) if ends_only else np.arange(shape.node.size)
    dark = blocks.colour @ (0.299, 0.587, 0.114) < 0.5
    for block in chosen.tolist():
        wide = shape.size[block] * per_sample
        if wide < SMALL * 0.8:
            continue
        y = low / 2 if ends_only else -shape.level[block] - 0.5
        text = ax.text(
            shape.start[block] + shape.size[block] / 2,
            y,
            "",
            ha="center",
            va="center",
            fontsize=SMALL,
            linespacing=1.1,
            color="white" if dark[block] else "black",
        )
        if shape.united[block]:  # keep the hatching off the letters
            text.set_bbox({"facecolor": blocks.colour[block], "linewidth": 0, "pad": 0.8})
        if not _fits(text, blocks.text[block], wide, tall):
            text.remove()


def _fits(text: Text, candidates: list[str], wide: float, tall: float) -> bool:
    """Set the first candidate that fits into so many pixels; tell whether there is one."""
    for candidate in candidates:
        text.set_text(literal(candidate))
        for angle in (0, 90):
            text.set_rotation(angle)
            extent = text.get_window_extent()
            if extent.width <= wide - 4 and extent.height <= tall - 2:
                return True
    return False


def _plotly(blocks: _Blocks, title: str | None) -> Any:
    """Make the icicle to click through."""
    try:
        import plotly.graph_objects as go
    except ImportError as missing:
        raise ImportError("interactive=True needs Plotly: pip install plotly") from missing
    from matplotlib.colors import to_hex

    shape = blocks.shape
    above = ["" if block < 0 else str(block) for block in shape.above.tolist()]
    hover = [_hover(blocks, block) for block in range(shape.node.size)]
    figure = go.Figure(
        go.Icicle(
            ids=[str(block) for block in range(shape.node.size)],
            parents=above,
            labels=[text[0].replace("\n", "<br>") for text in blocks.text],
            values=shape.size.tolist(),
            branchvalues="total",
            sort=False,
            marker={"colors": [to_hex(c) for c in blocks.colour], "line": {"width": 0.3}},
            hovertext=hover,
            hoverinfo="text",
            maxdepth=7,
            tiling={"orientation": "v"},
        )
    )
    figure.update_layout(
        title=title,
        margin={"t": 50 if title else 10, "l": 10, "r": 10, "b": 10},
        uniformtext={"minsize": 10, "mode": "hide"},  # no text too small to read
    )
    return figure


def _hover(blocks: _Blocks, block: int) -> str:
    """Say what a block is."""
    shape = blocks.shape
    node, united = int(shape.node[block]), int(shape.united[block])
    lines = [f"{united:,} nodes, united" if united else f"node {node}"]
    lines.append(f"{int(shape.size[block]):,} samples")
    if blocks.classes:
        name = blocks.classes[int(blocks.winner[block])]
        lines.append(f"{blocks.purity[block]:.0%} {name}")
    return "<br>".join(lines)
