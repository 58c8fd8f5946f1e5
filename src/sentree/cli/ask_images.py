"""Square rows as images, drawn in a terminal with two pixels in a character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from rich.color import Color
from rich.style import Style
from rich.text import Text

from sentree.profiles.images import Square, square_images

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sentree.profiles.shown import Rows

__all__ = ["Images"]

_UPPER, _LOWER, _BOTH = "▀", "▄", "█"


class Images:
    """How square rows are drawn.

    Parameters
    ----------
    square : Square
        What the images are like.
    """

    def __init__(self, square: Square) -> None:
        self._square, self.side = square, square.side

    @classmethod
    def of(cls, rows: Rows, wanted: bool | None) -> Images | None:
        """Tell whether rows are images; ``wanted`` says so where the user knows."""
        square = square_images(rows.matrix, wanted)
        return None if square is None else cls(square)

    def scale(self, columns: int, lines: int) -> int:
        """Return how large images can be drawn into a space."""
        return max(1, min(4, columns // self.side, 2 * lines // self.side))

    def draw(self, values: NDArray[np.float64], scale: int, colours: bool) -> Text:
        """Draw a row in levels of grey, or in black and white where there are no colours."""
        level = self._square.levels(values).reshape(self.side, self.side)
        pixels = level.repeat(scale, axis=0).repeat(scale, axis=1)
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
