"""Square rows as images: recognised, and drawn in a terminal with two pixels in a character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.color import Color
from rich.style import Style
from rich.text import Text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sentree.cli.ask_rows import Rows

__all__ = ["Images"]

#: The smallest side of an image.
_SIDE = 6
#: In images, pixels above each other are alike, at least so much more than any two pixels.
_ALIKE = 0.3
_UPPER, _LOWER, _BOTH = "▀", "▄", "█"


class Images:
    """How square rows are drawn.

    Parameters
    ----------
    side : int
        Pixels in a row of an image.
    low, high : float
        Values that are black and white.
    """

    def __init__(self, side: int, low: float, high: float) -> None:
        self.side, self._low, self._high = side, low, high

    @classmethod
    def of(cls, rows: Rows, wanted: bool | None) -> Images | None:
        """Tell whether rows are images; ``wanted`` says so where the user knows."""
        width = len(rows.names)
        side = int(np.sqrt(width))
        if wanted is False or side * side != width or rows.matrix is None:
            return None
        values = rows.matrix
        low, high = np.nanmin(values), np.nanmax(values)
        if not low < high or not (wanted or (side >= _SIDE and _looks_like(values, side))):
            return None
        return cls(side, float(low), float(high))

    def scale(self, columns: int, lines: int) -> int:
        """Return how large images can be drawn into a space."""
        return max(1, min(4, columns // self.side, 2 * lines // self.side))

    def draw(self, values: NDArray[np.float64], scale: int, colours: bool) -> Text:
        """Draw a row in levels of grey, or in black and white where there are no colours."""
        level = (values.reshape(self.side, self.side) - self._low) / (self._high - self._low)
        pixels = np.nan_to_num(level).clip(0, 1).repeat(scale, axis=0).repeat(scale, axis=1)
        if pixels.shape[0] % 2:
            pixels = np.vstack([pixels, np.zeros_like(pixels[:1])])
        lines = zip(pixels[::2], pixels[1::2], strict=True)
        return Text("\n").join(self._line(*pair, colours) for pair in lines)

    def _line(self, upper: Any, lower: Any, colours: bool) -> Text:
        line = Text(no_wrap=True)
        for above, below in zip(upper.tolist(), lower.tolist(), strict=True):
            if colours:
                line.append(_UPPER, Style(color=_grey(above), bgcolor=_grey(below)))
            else:
                line.append(
                    {(1, 1): _BOTH, (1, 0): _UPPER, (0, 1): _LOWER}.get(
                        (above > 0.5, below > 0.5), " "
                    )
                )
        return line


def _grey(level: float) -> Color:
    tone = round(255 * level)
    return Color.from_rgb(tone, tone, tone)


def _looks_like(values: NDArray[np.float64], side: int) -> bool:
    """Tell whether columns have a common range, and those above each other are alike."""
    spread = np.ptp(values, axis=0)
    if np.isnan(values).any() or np.median(spread) < np.ptp(values) / 4:
        return False
    varied = spread > 0
    z = np.zeros_like(values)
    z[:, varied] = (values - values.mean(axis=0))[:, varied] / values.std(axis=0)[varied]
    above = np.abs((z[:, :-side] * z[:, side:]).mean(axis=0))[varied[:-side] & varied[side:]]
    shuffled = np.random.default_rng(0).permutation(np.flatnonzero(varied))
    any_two = np.abs((z[:, shuffled] * z[:, np.roll(shuffled, 1)]).mean(axis=0))
    return bool(above.mean() > any_two.mean() + _ALIKE)
