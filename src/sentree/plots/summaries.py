"""Summaries of a result: its objective, constraints, and the sizes and strengths of clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from sentree.constraints.satisfaction import ConstraintReport
from sentree.plots.lettering import lettering, literal
from sentree.plots.style import (
    BLUE,
    BROKEN,
    INK,
    SMALL,
    axes_of,
    checked_strength,
    legend,
    mixed,
    note,
    palette,
    plain,
    ranked,
    recoloured,
    shortened,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_KIND_NAMES = {"must_link": "must-link", "cannot_link": "cannot-link"}
#: Longest trace whose values have markers.
_MARKED = 60
#: Most clusters that are named under their bars.
_NAMED = 40
#: Classes of strength from 0 to 1.
_STRENGTHS = 4
#: Most points of the outline of a cluster; the strengths between them are left out.
_POINTS = 100
#: Room between two clusters, in lines of text.
_GAP = 0.35
#: Largest height of all other clusters together, in lines of text.
_OTHERS_HIGH = 3.0
_GREY = "#8A8A8A"


@lettering()
def objective(model: Any, *, title: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the objective over the steps of the search.

    Parameters
    ----------
    model : fitted estimator or array-like of shape (n_steps + 1,)
        A model, whose ``trace_`` is drawn, or such a trace.
    title : str, optional
        Title of the picture.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
    """
    from matplotlib.ticker import MaxNLocator

    trace = np.asarray(getattr(model, "trace_", model))
    if trace.dtype.kind not in "fiu" or trace.ndim != 1 or trace.size == 0:
        raise ValueError(
            "expected a fitted model with trace_, or a trace of shape (n_steps + 1,); got "
            f"{type(model).__name__}"
        )
    ax = axes_of(ax, 5.5, 3.2)
    marker = "o" if trace.size <= _MARKED else None
    ax.plot(np.arange(trace.size), trace, color=BLUE, linewidth=1.4, marker=marker, markersize=3.5)
    for step, side in {0: "left", trace.size - 1: "right"}.items():
        where = side if trace.size > 1 else "center"
        under = step and trace[step] < trace[step - 1]  # off a line that falls to the point
        place: Any = {"ha": where, "va": "top" if under else "bottom"}
        note(ax, f"{trace[step]:.4g}", (step, trace[step]), (0, -6 if under else 6), **place)
    ax.margins(y=0.15)
    ax.set_xlim(min(-0.5, -0.02 * trace.size), max(0.5, 1.02 * trace.size - 1))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set(title=literal(title), xlabel="step of the search", ylabel="objective (bits)")
    plain(ax)
    return ax


@lettering()
def constraint_satisfaction(
    report: Any, *, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the shares of the constraints kept and broken, by kind.

    Parameters
    ----------
    report : ConstraintReport or fitted estimator
        A report, or a model, whose ``constraint_report_`` is drawn.
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
    >>> ax = plots.constraint_satisfaction(given.satisfaction([0, 0, 1]))
    >>> [text.get_text() for text in ax.texts]
    ['1 of 2']
    """
    from matplotlib.ticker import PercentFormatter

    report = getattr(report, "constraint_report_", report)
    if not isinstance(report, ConstraintReport):
        raise TypeError(
            "expected a ConstraintReport or a fitted model that has one in constraint_report_, got "
            f"{type(report).__name__}"
        )
    kinds = [kind for kind, count in report.given.items() if count]
    ax = axes_of(ax, 5.5, 1.2 + 0.36 * max(1, len(kinds)))
    given = np.array([report.given[kind] for kind in kinds], dtype=np.int64)
    kept = np.array([report.kept[kind] for kind in kinds], dtype=np.int64)
    place, share = np.arange(len(kinds)), kept / given
    look: Any = {"height": 0.62, "edgecolor": "white", "linewidth": 0.5}
    ax.barh(place, share, color=BLUE, label="kept", **look)
    ax.barh(place, 1 - share, left=share, color=BROKEN, hatch="/////", label="broken", **look)
    for y, (count, all_) in enumerate(zip(kept.tolist(), given.tolist(), strict=True)):
        note(ax, f"{count:,} of {all_:,}", (1, y), (4, 0), va="center", annotation_clip=False)
    plain(ax)
    ax.set(title=literal(title), xlim=(0, 1), ylim=(len(kinds) - 0.4, -0.6))
    ax.set_yticks(place, [_KIND_NAMES.get(kind, kind.replace("_", " ")) for kind in kinds])
    ax.tick_params(axis="y", length=0)
    if not kinds:
        ax.text(0.5, 0.5, "no constraints", transform=ax.transAxes, ha="center", va="center")
        ax.set(xticks=[])
        ax.spines[:].set_visible(False)
        return ax
    ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    legend(ax, "lower left", (0, 1.0), ncols=2, borderaxespad=0.2)
    return ax


@lettering()
def cluster_sizes(
    labels: ArrayLike,
    strength: ArrayLike | None = None,
    *,
    max_clusters: int = 200,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the sizes of the clusters, the largest first, and how firmly they are held.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Cluster of each sample.
    strength : array-like of shape (n,), optional
        How firmly each sample is held, from 0 to 1, such as ``membership_strength_``; divides the
        bars, the firmest samples at the bottom.
    max_clusters : int, default=200
        Most clusters to draw; the axis says what is left out.
    title : str, optional
        Title of the picture.
    ax : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes
    """
    from matplotlib.ticker import MaxNLocator

    names, code, size = ranked(labels)
    if max_clusters < 1:
        raise ValueError(f"max_clusters must be 1 or more, got {max_clusters}")
    shown = min(len(names), max_clusters)
    counts = None if strength is None else _by_strength(strength, code, len(names))
    texts = shortened(names[:shown]) if shown <= _NAMED else []
    longest = max(map(len, texts), default=0)
    ax = axes_of(ax, float(np.clip(2.5 + 0.2 * shown, 4, 8)), 3.4 + 0.06 * longest)
    place = np.arange(shown)
    width = 0.8 if shown <= _NAMED else 1.0
    if counts is None:
        ax.bar(place, size[:shown], width=width, color=BLUE)
    else:
        base = np.zeros(shown)
        for part in range(_STRENGTHS - 1, -1, -1):
            ax.bar(
                place,
                counts[part, :shown],
                width=width,
                bottom=base,
                color=mixed(BLUE, "#FFFFFF", (part + 0.6) / (_STRENGTHS - 0.4)),
                label=f"{part / _STRENGTHS:.2g} to {(part + 1) / _STRENGTHS:.2g}",
            )
            base += counts[part, :shown]
        legend(ax, "upper left", (1.0, 1.0), title="strength", reverse=True, alignment="left")
    plain(ax)
    ax.set(
        title=literal(title), ylabel="samples", xlim=(-0.5 - 0.2 * (width < 1), shown - 0.5 + 0.2)
    )
    ax.set_ylim(0, 1.05 * size[0])
    ax.yaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.yaxis.set_major_formatter("{x:,.0f}")
    noun = "cluster" if len(names) == 1 else "clusters"
    caption = f"{len(names):,} {noun}"
    if shown < len(names):
        caption += f"; the {shown:,} largest, {size[:shown].sum() / size.sum():.1%} of the samples"
    ax.set_xlabel(caption)
    ax.set_xticks(range(len(texts)), map(literal, texts), rotation=90 if longest > 3 else 0)
    ax.tick_params(axis="x", length=0)
    return ax


def _by_strength(strength: Any, code: Any, k: int) -> Any:
    """Count the samples of each cluster by class of strength."""
    strength = checked_strength(strength, code.shape)
    part = np.minimum((strength * _STRENGTHS).astype(np.int64), _STRENGTHS - 1)
    return np.bincount(part * k + code, minlength=_STRENGTHS * k).reshape(_STRENGTHS, k)


@lettering()
def membership_strength(
    labels: ArrayLike,
    strengths: ArrayLike,
    names: Sequence[Any] | Mapping[Any, Any] | None = None,
    *,
    max_clusters: int = 20,
    colors: Mapping[str, Any] | None = None,
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
    colors : mapping of str to colour, optional
        Colours of clusters; others have their own.
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
    colours: list[Any] = list(recoloured(palette(k), clusters[:k], colors))
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
