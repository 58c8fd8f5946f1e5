"""What makes each cluster: a table of features and clusters, coloured by effect."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from sentree.plots.lettering import lettering, literal
from sentree.plots.style import BLUE, COLOURS, INK, SMALL, axes_of, bounds, legend, mixed, shortened
from sentree.profiles.profile import Profile
from sentree.profiles.traits import Trait

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HIGH, _RANGE = "#D55E00", COLOURS[2]
_PALE = "#9A9A9A"
#: Letters of a level, and of the name of a feature.
_LEVEL, _FEATURE = 11, 34
#: From so many clusters on, the legend is one line.
_ABREAST = 6


@lettering()
def profile(
    profile: Profile,
    *,
    max_features: int = 15,
    max_clusters: int = 20,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw what makes each cluster: the most telling features, with typical values.

    A cell holds the typical value of a cluster, as the median or the share of rows. It is coloured
    where the feature sets the cluster apart: orange where the cluster has more, blue where it has
    less, green where its values are in a narrow range; the stronger the effect, the darker. Grey
    values differ too little or too uncertainly.

    Parameters
    ----------
    profile : Profile
        What :func:`sentree.profile` found.
    max_features : int, default=15
        Most features to draw; every cluster has some of them in turn.
    max_clusters : int, default=20
        Most clusters to draw, the largest; the axis says what is left out.
    title : str, optional
        Title of the picture.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import sentree
    >>> from sentree import plots
    >>> found = sentree.profile({"x": [1, 2, 8, 9] * 9, "y": [3, 5] * 18}, [0, 0, 1, 1] * 9)
    >>> ax = plots.profile(found)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['x']
    """
    from matplotlib.patches import Patch

    if max_features < 1 or max_clusters < 1:
        raise ValueError(
            "max_features and max_clusters must be 1 or more, got "
            f"{max_features} and {max_clusters}"
        )
    largest = sorted(range(len(profile)), key=lambda c: (-profile.clusters[c].size, c))
    shown = [profile.clusters[c] for c in sorted(largest[:max_clusters])]
    features = telling_features(profile, shown, max_features)
    if not features:
        raise ValueError("there is no feature to draw: every column of the table says nothing")
    cells = [[profile.trait(one.cluster, name) for one in shown] for name in features]
    names = shortened(features, _FEATURE)
    called = [literal(wrapped) for wrapped in _wrapped([one.name for one in shown])]
    width = 0.2 + 0.075 * max(map(len, names)) + 0.78 * len(shown) + 0.3
    height = 0.8 + 0.36 * len(features) + 0.14 * max(name.count("\n") for name in called)
    lines = 3 if len(shown) < _ABREAST else 1  # of the legend
    ax = axes_of(ax, width, height + 0.15 * lines)
    colours = np.array([[_colour(trait) for trait in row] for row in cells])
    ax.imshow(colours, aspect="auto", interpolation="nearest")
    ax.set_yticks(range(len(names)), map(literal, names), fontsize=SMALL + 0.5)
    counts = [f"{name}\n({one.size:,})" for name, one in zip(called, shown, strict=True)]
    ax.set_xticks(range(len(shown)), counts, fontsize=SMALL + 0.5)
    ax.xaxis.tick_top()
    ax.tick_params(length=0, labelcolor="black")
    ax.set_title(literal(title), fontsize=SMALL + 2)
    ax.spines[:].set_visible(False)
    for k in range(1, len(shown)):
        ax.axvline(k - 0.5, color="white", linewidth=1.5)
    for k in range(1, len(names)):
        ax.axhline(k - 0.5, color="white", linewidth=1.5)
    amounts = all(trait.kind == "amount" for row in cells for trait in row)
    told = "share of rows that are not 0" if amounts else "median, or share of rows"
    told += (
        f"; the {len(shown)} largest of {len(profile):,} clusters"
        if len(shown) < len(profile)
        else ""
    )
    marks = {"lower, rarer": BLUE, "higher, more often": _HIGH, "in a narrow range": _RANGE}
    used = {trait.direction for row in cells for trait in row if trait.telling}
    handles = [
        Patch(color=tuple(mixed(colour, "#FFFFFF", 0.75).tolist()), label=text)
        for text, colour in marks.items()
        if colour != _RANGE or "between" in used
    ]
    legend(
        ax, "upper left", (0.0, 0.0), handles=handles, ncols=4 - lines, title=told, alignment="left"
    )
    _write(ax, cells)
    return ax


def _wrapped(names: list[str]) -> list[str]:
    """Break the names of clusters into lines as wide as a cell."""
    return [
        "\n".join(wrap(name, _LEVEL - 1, max_lines=4, placeholder="…") or [""])
        for name in shortened(names, 4 * _LEVEL - 8)
    ]


def telling_features(profile: Profile, shown: Any, most: int) -> list[str]:
    """Return features to show of some clusters: those that tell most of each cluster in turn."""
    telling = [[trait.feature for trait in one.telling] for one in shown]
    found: dict[str, int] = {}
    for rank in range(max(map(len, telling), default=0)):
        for c, names in enumerate(telling):
            if rank < len(names) and len(found) < most:
                found.setdefault(names[rank], c)
    for name in profile.order[: most if not found else 0]:
        found.setdefault(name, 0)
    return sorted(found, key=lambda name: found[name])  # stable: by cluster, then by rank


def hue(trait: Trait) -> str:
    """Return the colour of a direction: orange for more, blue for less, green for a range."""
    return {"between": _RANGE, "low": BLUE, "less": BLUE}.get(trait.direction, _HIGH)


def _colour(trait: Trait) -> Any:
    """Return the colour of a cell; white where the feature does not set the cluster apart."""
    base = hue(trait)
    share = 0.12 + 0.7 * abs(trait.effect) if trait.telling else 0.0
    return mixed(base, "#FFFFFF" if trait.telling else "#F7F7F7", share)


def _write(ax: Axes, cells: list[list[Trait]]) -> None:
    """Write typical values into the cells, all in one size that fits."""
    page = bounds(ax)
    figure: Any = ax.get_figure(root=True)
    texts = [[typical_value(trait) for trait in row] for row in cells]
    longest = max(len(line) for row in texts for text in row for line in text.split("\n"))
    tall = 1 + any("\n" in text for row in texts for text in row)
    size = float(SMALL)
    while size > 4:
        point = size * figure.dpi / 72
        wide = 0.56 * point * longest + 2 <= page.width / len(cells[0])
        if wide and 1.2 * point * tall <= page.height / len(cells):
            break
        size -= 0.5
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            trait = cells[i][j]
            strong = trait.telling and abs(trait.effect) > 0.75
            colour = _PALE if not trait.telling else "white" if strong else INK
            style: Any = {"ha": "center", "va": "center", "linespacing": 1.0}
            ax.text(j, i, literal(text), fontsize=size, color=colour, **style)


def typical_value(trait: Trait) -> str:
    """Return the typical value of a cell, a level above its share."""
    value = trait.inside.partition(" (")[0]
    return value if trait.level is None else f"{shortened([trait.level], _LEVEL)[0]}\n{value}"
