"""Curves of active.csv as one picture: the mean of all sets, and some sets of the paper."""

from __future__ import annotations

import matplotlib
import numpy as np
from matplotlib.lines import Line2D

from active_summary import curves

#: Colours by method, choices dashed.
COLOURS = {
    "structural-choices": "#0072B2",
    "structural-pairs": "#0072B2",
    "uncertainty-choices": "#56B4E9",
    "uncertainty-pairs": "#56B4E9",
    "random-pairs": "#999999",
    "COBRAS": "#D55E00",
    "COBRA-50": "#E69F00",
    "NPU": "#009E73",
    "min-max": "#CC79A7",
}
SETS = ("OpticalDigits", "COIL20", "Isolet1", "Yale", "wine", "breast-cancer", "heart",
        "australian")  # fmt: skip
TICKS = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500)


def panels(rows):
    """Return mean curves by method: of all sets as far as all have them, and of single sets."""
    mean = curves(rows)
    known = mean.groupby(level="method").count() == mean.groupby(level="method").size().max()
    found = {"mean of all sets": mean.groupby(level="method").mean().where(known)}
    for name in SETS:
        if name in mean.index.get_level_values("set"):
            found[name] = mean.xs(name, level="set").droplevel(["part", "noise"])
    return found


def draw_picture(rows, path):
    """Draw the curves without wrong answers."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = panels(rows[rows["noise"] == 0])
    across = min(len(shown), 3)
    down = -(-len(shown) // across)
    figure, places = plt.subplots(
        down, across, figsize=(3.6 * across, 2.7 * down + 0.6), squeeze=False, sharey=True,
        layout="constrained",
    )  # fmt: skip
    drawn = [name for name in COLOURS if any(name in curve.index for curve in shown.values())]
    for axes, (title, curve) in zip(places.flat, shown.items(), strict=False):
        for name in reversed(drawn):
            if name in curve.index:
                height = curve.loc[name].dropna()
                axes.plot(height.index.astype(float), height, **style(name))
        axes.set_xscale("function", functions=(np.log1p, np.expm1))
        axes.set_xticks([tick for tick in TICKS if tick <= axes.dataLim.x1])
        axes.set_xlim(0, axes.dataLim.x1)
        axes.set_ylim(0, 1.02)
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in places.flat[len(shown) :]:
        axes.set_visible(False)
    figure.supxlabel("answers", fontsize=10)
    figure.supylabel("ARI of rows never asked about", fontsize=10)
    handles = [Line2D([], [], label=name, **style(name)) for name in drawn]
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False, fontsize=9)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def style(name):
    return {"color": COLOURS[name], "linestyle": "--" if name.endswith("choices") else "-",
            "linewidth": 2.2 if name.startswith("structural") else 1.4}  # fmt: skip
