"""What all pictures share: colours, axes, clusters ranked by size, and whether text fits."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree._util.files import replacing, write
from sentree.plots.lettering import clean, lettering, with_class

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.transforms import Bbox

BLUE = "#0072B2"
#: Okabe and Ito's colours without black, which text and lines need.
COLOURS = (BLUE, "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
#: Broken constraints; always thicker or hatched as well.
BROKEN = "#C1121F"
INK = "#444444"
#: Size of small text, in points.
SMALL = 8


def axes_of(ax: Axes | None, width: float, height: float) -> Axes:
    """Return ax, or the axes of a new figure of that size in inches."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def save(picture: Any, path: str | os.PathLike[str]) -> Path:
    """Write axes as a picture, or a Plotly figure as a page, whole or not at all.

    The ending of the name says the format. No time is written, so that the same picture is the same
    file.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"save must be the path of a file, such as 'picture.png', got {path!r}")
    target = Path(path)
    is_page = hasattr(picture, "to_html")
    figure: Any = picture if is_page else picture.get_figure(root=True)
    kinds = ["html"] if is_page else sorted(figure.canvas.get_supported_filetypes())
    kind = target.suffix.removeprefix(".").lower()
    if kind not in kinds:
        endings = ", ".join(f".{name}" for name in kinds)
        raise ValueError(f"{str(path)!r} does not tell a format: the name must end with {endings}")
    if is_page:
        return write(target, figure.to_html(include_plotlyjs=True))
    from matplotlib import rc_context

    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind, {})
    with replacing(target) as part, lettering(), rc_context({"svg.hashsalt": "sentree"}):
        figure.savefig(part, format=kind, dpi=150, bbox_inches="tight", metadata=metadata)
    return target


def legend(ax: Axes, loc: str, at: tuple[float, float], **more: Any) -> Legend:
    """Add a small legend without a frame; ``loc`` is the corner that stands at ``at``."""
    look: Any = {"loc": loc, "bbox_to_anchor": at, "fontsize": SMALL, "title_fontsize": SMALL}
    return ax.legend(frameon=False, **look, **more)


def note(ax: Axes, text: str, point: Any, offset: tuple[float, float], **more: Any) -> None:
    """Write small text at an offset in points from a point."""
    look: Any = {"textcoords": "offset points", "fontsize": SMALL, "color": INK}
    ax.annotate(text, point, xytext=offset, **look, **more)


def plain(ax: Axes) -> None:
    """Leave only the two axis lines that are read, thin."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[:].set(linewidth=0.6, color=INK)
    ax.tick_params(width=0.6, length=2.5, color=INK, labelsize=SMALL)


def bounds(ax: Axes) -> Bbox:
    """Return where the axes are on the page in pixels, once legends have their room."""
    figure: Any = ax.get_figure(root=True)
    if engine := figure.get_layout_engine():
        engine.execute(figure)
    return ax.get_window_extent()


def mixed(colour: Any, other: Any, share: Any) -> NDArray[np.float64]:
    """Mix two colours; share 1 is the first one. Arrays of shape (m, 3) and (m,) do as well."""
    from matplotlib.colors import to_rgb

    first, second = (np.array(to_rgb(c)) if isinstance(c, str) else c for c in (colour, other))
    weight = np.asarray(share)[..., None]
    return np.asarray(weight * first + (1 - weight) * second)


def palette(k: int) -> NDArray[np.float64]:
    """Return k colours: seven, darker ones of the same, then both again."""
    from matplotlib.colors import to_rgb

    base = np.array([to_rgb(colour) for colour in COLOURS])
    both = np.concatenate((base, mixed(base, "#000000", np.full(len(base), 0.55))))
    return both[np.arange(k) % len(both)]


def recoloured(
    shades: NDArray[np.float64], names: Sequence[str], colors: Mapping[str, Any] | None
) -> NDArray[np.float64]:
    """Return the shades of clusters with those that the caller has chosen by name."""
    from matplotlib.colors import to_rgb

    chosen = {} if colors is None else colors
    return np.array(
        [to_rgb(chosen.get(x, shade)) for x, shade in zip(names, shades, strict=True)]
    ).reshape(-1, 3)


def ranked(labels: ArrayLike, n: int | None = None) -> tuple[list[str], Any, NDArray[np.int64]]:
    """Number clusters from the largest to the smallest: their names, one number each, and sizes."""
    values = np.asarray(labels)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"expected one label per sample, shape (n,), got shape {values.shape}")
    if n is not None and values.size != n:
        raise ValueError(f"{values.size} labels for {n} samples: give one for each")
    if values.dtype == object:
        values = values.astype(str)
    names, code, size = np.unique(values, return_inverse=True, return_counts=True)
    order = np.argsort(-size, kind="stable")
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    return [str(name) for name in names[order]], rank[code], size[order]


def checked_strength(values: ArrayLike, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return strengths of membership, one for each sample."""
    strength = np.asarray(values, dtype=np.float64)
    if strength.shape != shape:
        raise ValueError(f"strength has shape {strength.shape}, expected {shape}")
    if not ((strength >= 0) & (strength <= 1)).all():
        raise ValueError("strength must be between 0 and 1")
    return strength


def shortened(names: Sequence[str], longest: int = 24) -> list[str]:
    """Cut the middle out of long names, less of it where they would look the same."""
    cut = list(names)
    for length in (longest, 2 * longest):
        half = length // 2
        cut = [x if len(x) <= length else f"{x[: half - 1]}…{x[-half:]}" for x in names]
        if len(set(cut)) == len(set(names)):
            break
    return cut


def cluster_titles(names: Sequence[Any], k: int, longest: int) -> list[str]:
    """Return what k clusters are called: their numbers, with their classes where they have any."""
    given = ["" if name is None else shortened([clean(name)], longest)[0] for name in names]
    given += [""] * (k - len(given))
    return [with_class(number, name) if name else str(number) for number, name in enumerate(given)]
