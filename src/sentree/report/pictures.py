"""The pictures of a report, drawn by :mod:`sentree.plots` and kept as SVG."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sentree.document.blocks import Picture, prose
from sentree.document.drawing import as_svg, drawing_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Pictures"]

#: Samples from which on a scatter is kept as pixels.
_PIXELS = 500


class Pictures:
    """Draws pictures and keeps them by name."""

    def __init__(self) -> None:
        self._drawn: dict[str, bytes] = {}

    def draw(
        self,
        name: str,
        caption: str,
        size: tuple[float, float],
        plot: Callable[[Axes], Any],
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
            self._drawn[name] = as_svg(figure)
        return Picture(name, prose(caption))

    def __getitem__(self, name: str) -> bytes:
        return self._drawn[name]
