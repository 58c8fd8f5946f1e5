"""Pictures of reports as SVG, with matplotlib and without pyplot.

No global state is touched, and what users have set for their own pictures does not count.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from sentree.plots.lettering import lettering
from sentree.report.blocks import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "legend.fontsize": 8,
    "axes.linewidth": 0.6,
    "axes.edgecolor": "#555555",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "grid.color": "#E3E3E3",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.0,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "sentree",
}

#: Coordinates of paths are most of a file; hundredths of a point are enough.
_COORDINATES, _DIGITS = re.compile(rb' d="[^"]*"'), re.compile(rb"(\.\d\d)\d+")
#: Pixels per inch of what is not drawn as lines.
_DPI = 160
#: A scatter of more samples is drawn as pixels.
_PIXELS = 500


@contextmanager
def drawing_style() -> Iterator[None]:
    """Draw in one style, whatever the settings are."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        with lettering():
            yield


def as_svg(figure: Figure) -> bytes:
    """Return a picture as SVG, its text as text."""
    content = io.BytesIO()
    with drawing_style():
        figure.savefig(content, format="svg", dpi=_DPI, metadata={"Date": None})
    return _COORDINATES.sub(lambda path: _DIGITS.sub(rb"\1", path[0]), content.getvalue())


class Pictures(dict[str, bytes]):
    """The pictures of a report by name, as SVG."""

    def draw(
        self, name: str, caption: str, size: tuple[float, float], plot: Callable[[Axes], Any]
    ) -> Picture:
        """Let ``plot`` draw on axes of a size in inches; return the picture for the document."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import PathCollection
        from matplotlib.figure import Figure

        with drawing_style():
            figure = Figure(size, layout="constrained")
            FigureCanvasAgg(figure)
            ax = figure.subplots()
            plot(ax)
            scatters = [x for x in ax.collections if isinstance(x, PathCollection)]
            if sum(np.shape(points.get_offsets())[0] for points in scatters) > _PIXELS:
                for points in scatters:
                    points.set_rasterized(True)
            self[name] = as_svg(figure)
        return Picture(name, caption)
