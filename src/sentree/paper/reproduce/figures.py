"""Pictures of the report, with matplotlib and without pyplot, so no global state is touched."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sentree._util.files import replacing, write
from sentree.document.blocks import counted
from sentree.document.drawing import as_svg, drawing_style
from sentree.paper.reproduce.grid import AMOUNT, AMOUNTS
from sentree.paper.reproduce.ranks import Ranking, cliques, p_value
from sentree.paper.reproduce.tables import TABLES, Place, Score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Style", "curves", "rank_diagrams", "save", "trade_off"]


class Style(NamedTuple):
    """How a method is drawn, in every picture alike."""

    colour: str
    marker: str
    dash: Any = "solid"


# Okabe and Ito's colours; methods that share one never meet in a picture.
_STYLE = {
    "SE": Style("#000000", "*", (0, (4, 2))),
    "SSE": Style("#D55E00", "s"),
    "sentree": Style("#0072B2", "o"),
    "PCPSNMF": Style("#E69F00", "^"),
    "OneStepPCP": Style("#009E73", "v"),
    "CMS": Style("#CC79A7", "D"),
    "SC-MPI": Style("#56B4E9", "P"),
    "Seeded-KMeans": Style("#E69F00", ">"),
    "S4NMF": Style("#009E73", "<"),
    "LpCNMF": Style("#CC79A7", "X"),
    "SpecWRSC": Style("#E69F00", "*", (0, (1, 1.2))),
    "COBRA": Style("#009E73", "p"),
    "COBRAS": Style("#56B4E9", "h"),
    "Semi-MultiCons": Style("#CC79A7", "d"),
}
_OTHER = Style("#7F7F7F", ".")
_DPI = 220
#: From this many draws on the spread is a band, below it bars.
_BAND = 5


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write a picture as PNG and as SVG with its text as text."""
    with drawing_style(), replacing(folder / f"{name}.png") as part:
        figure.savefig(part, dpi=_DPI, format="png")
    write(folder / f"{name}.svg", as_svg(figure))


def curves(
    scores: Mapping[Place, Score],
    table: str,
    datasets: Sequence[str],
    metrics: Sequence[str],
    methods: Mapping[str, Sequence[str]],
) -> Figure:
    """Draw scores against the number of pairs: a row per metric, a column per data set.

    Methods of the kind "none" are horizontal lines; a hollow mark is the printed figure.
    """
    from matplotlib.figure import Figure

    with drawing_style():
        width = max(1.75 * len(datasets) + 0.4, 4.6)
        figure = Figure((width, 1.6 * len(metrics) + 0.65), layout="constrained")
        axes = figure.subplots(len(metrics), len(datasets), sharex=True, squeeze=False)
        for row, metric in zip(axes, metrics, strict=True):
            for ax, dataset in zip(row, datasets, strict=True):
                for kind, names in methods.items():
                    for method in names:
                        start = Place(table, dataset, kind, 0.0, method, metric)
                        _line(ax, scores, start) if kind == "none" else _curve(ax, scores, start)
                _dress(ax)
            row[0].set_ylabel(f"{metric} (%)")
        for ax, dataset in zip(axes[0], datasets, strict=True):
            ax.set_title(dataset)
        figure.supxlabel("pairs per sample", fontsize=8)
        figure.align_ylabels(axes[:, 0])
        names = [method for group in methods.values() for method in group]
        columns = len(names) + 1 if width > 6 else math.ceil((len(names) + 1) / 2)
        figure.legend(
            handles=_handles(names, methods.get("none", ())),
            loc="outside upper center",
            ncols=columns,
            frameon=False,
            handlelength=1.8,
            columnspacing=1.4,
        )
    return figure


def _dress(ax: Axes) -> None:
    """Ticks, limits and a light grid."""
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(AMOUNTS[0] - 0.06, AMOUNTS[-1] + 0.06)
    ax.set_xticks(AMOUNTS)
    ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10], integer=True))
    ax.margins(y=0.08)
    ax.grid(True)
    ax.set_axisbelow(True)


def _line(ax: Axes, scores: Mapping[Place, Score], place: Place) -> None:
    """Draw a method that takes no constraints."""
    score = scores.get(place)
    if score is not None and score.n:
        style = _STYLE.get(place.method, _OTHER)
        ax.axhline(score.mean, color=style.colour, linewidth=1.1, linestyle=style.dash, zorder=1.5)


def _curve(ax: Axes, scores: Mapping[Place, Score], start: Place) -> None:
    """Draw a method by the amount of constraints, with its spread and its printed figure."""
    style = _STYLE.get(start.method, _OTHER)
    front = 4.0 if start.method == "sentree" else 3.0 if start.method == "SSE" else 2.0
    places = (start._replace(amount=amount) for amount in AMOUNTS)
    amounts = [place.amount for place in places if place in scores and scores[place].n]
    found = [scores[start._replace(amount=amount)] for amount in amounts]
    mean = [score.mean for score in found]
    low = [score.mean - score.sd for score in found]
    high = [score.mean + score.sd for score in found]
    look: dict[str, Any] = {"color": style.colour, "zorder": front}
    ax.plot(amounts, mean, marker=style.marker, markeredgewidth=0, **look)
    if found and min(score.n for score in found) >= _BAND:
        ax.fill_between(
            amounts, low, high, color=style.colour, alpha=0.15, linewidth=0, zorder=front - 1
        )
    elif found and min(score.n for score in found) > 1:
        ax.errorbar(
            amounts, mean, [score.sd for score in found], fmt="none", elinewidth=0.8, capsize=1.5,
            ecolor=style.colour, zorder=front,
        )  # fmt: skip
    printed = _printed(start)
    if amounts and printed is not None:
        ax.plot(
            [AMOUNT[start.constraint]], [printed], marker=style.marker, markersize=4.6,
            markerfacecolor="white", markeredgecolor=style.colour, markeredgewidth=0.9,
            zorder=front + 3,
        )  # fmt: skip


def _printed(place: Place) -> float | None:
    """Find the printed figure of a method, which stands in a table."""
    there = place._replace(amount=AMOUNT[place.constraint])
    texts = (there._replace(table=table).printed for table in TABLES)
    return next((float(text) for text in texts if text is not None), None)


def _handles(methods: Sequence[str], flat: Sequence[str]) -> list[Any]:
    """Make the entries of the legend, and one for the hollow marks."""
    from matplotlib.lines import Line2D

    entries = []
    for method in methods:
        style = _STYLE.get(method, _OTHER)
        marker = "none" if method in flat else style.marker
        entries.append(
            Line2D([], [], color=style.colour, marker=marker, linestyle=style.dash, label=method,
                   markeredgewidth=0)
        )  # fmt: skip
    hollow = Line2D(
        [], [], color="none", marker="o", markerfacecolor="white", markeredgecolor="#555555",
        markeredgewidth=0.9, label="published",
    )  # fmt: skip
    return [*entries, hollow]


def rank_diagrams(rankings: Mapping[str, Ranking]) -> Figure:
    """Draw Demsar's diagram of critical differences for every group, one below the other."""
    from matplotlib.figure import Figure

    with drawing_style():
        rows = [_levels(rank) for rank in rankings.values()]
        figure = Figure((6.4, 0.17 * sum(rows) + 0.1))
        grid = figure.add_gridspec(
            len(rows), 1, height_ratios=rows, left=0, right=1, bottom=0, top=1, hspace=0
        )
        for number, (title, rank) in enumerate(rankings.items()):
            _diagram(figure.add_subplot(grid[number, 0]), title, rank, rows[number])
    return figure


_AXIS = 4.6  # lines above and on the axis of a diagram


def _levels(rank: Ranking) -> float:
    """Height of a diagram, in lines."""
    bars = len(cliques(rank.mean, rank.critical))
    return _AXIS + 0.5 * bars + 1.35 * math.ceil(len(rank.mean) / 2) + 1.0


def _diagram(ax: Axes, title: str, rank: Ranking, height: float) -> None:
    """Draw one diagram: y is counted in lines from the top, x from 0 to 1."""
    count = len(rank.mean)
    left, right = 0.24, 0.76

    def place(value: float) -> float:
        return left + (value - 1) / (count - 1) * (right - left)

    ax.set(xlim=(0, 1), ylim=(height, 0))
    ax.axis("off")
    ink: dict[str, Any] = {"color": "#222222", "linewidth": 0.8, "solid_capstyle": "butt"}
    ax.text(0.02, 1.0, title, fontsize=8.5, fontweight="bold", va="center")
    test = f"{counted(rank.n_datasets, 'data set')}, Friedman {p_value(rank.p)}"
    ax.text(0.98, 1.0, test, fontsize=7.5, va="center", ha="right", color="#444444")
    ax.plot([left, right], [_AXIS, _AXIS], **ink)
    for tick in range(1, count + 1):
        ax.plot([place(tick)] * 2, [_AXIS - 0.45, _AXIS], **ink)
        ax.text(place(tick), _AXIS - 0.75, str(tick), ha="center", va="bottom", fontsize=7.5)
    span = min(rank.critical, count - 1)
    ends = [left, place(1 + span)]
    ax.plot(ends, [2.3, 2.3], **ink | {"linewidth": 1.2})
    for end in ends:
        ax.plot([end] * 2, [2.05, 2.55], **ink)
    more = "" if span == rank.critical else " (more than the axis)"
    ax.text(
        sum(ends) / 2,
        1.9,
        f"CD = {rank.critical:.2f}{more}",
        ha="center",
        va="bottom",
        fontsize=7.5,
    )
    groups = cliques(rank.mean, rank.critical)
    for number, group in enumerate(groups):
        y = _AXIS + 0.55 + 0.5 * number
        reach = [place(rank.mean[group[0]]) - 0.006, place(rank.mean[group[-1]]) + 0.006]
        ax.plot(reach, [y, y], **ink | {"linewidth": 2.6, "color": "#555555"})
    order = sorted(rank.mean, key=lambda method: rank.mean[method])
    half = math.ceil(count / 2)
    below = _AXIS + 0.5 * len(groups) + 1.0
    for number, method in enumerate(order):
        best = number < half
        line = number if best else count - 1 - number
        y = below + 1.35 * line + 0.35
        x, edge = place(rank.mean[method]), left - 0.03 if best else right + 0.03
        colour = _STYLE.get(method, _OTHER).colour
        ax.plot([x, x, edge], [_AXIS, y, y], **ink | {"color": colour, "linewidth": 1.0})
        ax.text(
            edge + (-0.008 if best else 0.008),
            y,
            f"{method}  {rank.mean[method]:.2f}" if best else f"{rank.mean[method]:.2f}  {method}",
            ha="right" if best else "left",
            va="center",
            fontweight="bold" if method == "sentree" else "normal",
        )


def trade_off(groups: Mapping[str, Mapping[str, tuple[float, float]]]) -> Figure:
    """Draw accuracy against time: for every group of methods their seconds and their mean ARI."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    with drawing_style():
        figure = Figure((2.7 * len(groups) + 0.3, 2.9), layout="constrained")
        axes = figure.subplots(1, len(groups), squeeze=False)[0]
        for ax, (title, points) in zip(axes, groups.items(), strict=True):
            for method, (seconds, score) in points.items():
                style = _STYLE.get(method, _OTHER)
                ax.plot(
                    seconds, score, style.marker, color=style.colour, markersize=6, label=method,
                    markeredgewidth=0,
                )  # fmt: skip
            ax.set_xscale("log")
            times = [max(seconds, 1e-4) for seconds, _ in points.values()]
            ax.set_xlim(_decade(min(times), -1), _decade(max(times), 1))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.margins(0.12)
            ax.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10], integer=True))
            ax.set_title(title)
            ax.grid(True)
            ax.legend(
                loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2, frameon=False,
                fontsize=7.5, handletextpad=0.3, columnspacing=1.0,
            )  # fmt: skip
            ax.set_xlabel("CPU seconds, all sets together")
        axes[0].set_ylabel("mean ARI (%)")
    return figure


def _decade(value: float, side: int) -> float:
    """Return the power of ten below (-1) or above (1) a value, not too near."""
    exponent = math.log10(value) + 0.1 * side
    return float(10.0 ** (math.ceil(exponent) if side > 0 else math.floor(exponent)))
