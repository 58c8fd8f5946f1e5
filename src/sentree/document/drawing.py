"""How the pictures of documents look, with matplotlib and without pyplot.

No global state is touched, and what users have set for their own pictures does not count.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sentree.plots.lettering import lettering

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["as_svg", "drawing_style"]

_RC: Any = {
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

#: Coordinates of paths need no more than hundredths of a point; they are most of a file.
_COORDINATES, _DIGITS = re.compile(rb' d="[^"]*"'), re.compile(rb"(\.\d\d)\d+")
#: Pixels per inch of what is not drawn as lines.
_DPI = 160


@contextmanager
def drawing_style() -> Iterator[None]:
    """Draw in one style, whatever the settings are."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RC)
        with lettering():
            yield


def as_svg(figure: Figure) -> bytes:
    """Return a picture as SVG, its text as text."""
    content = io.BytesIO()
    with drawing_style():
        figure.savefig(content, format="svg", dpi=_DPI, metadata={"Date": None})
    return _COORDINATES.sub(lambda path: _DIGITS.sub(rb"\1", path[0]), content.getvalue())
