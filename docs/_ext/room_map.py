"""``{room-map}``: which rooms of the package import which, drawn from the sources."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from rooms import ROOMS, arrows, without_detours

#: Every room may import it: its arrows would hide the others.
_GROUND = "_util"
_BOX, _STEP, _EDGE = (104, 32), (118, 84), 12
#: Columns, laid by hand so that few arrows cross; rooms that are not named stand at the right.
_COLUMN = {
    **{
        "graph": 3.5,
        "tree": 3.5,
        "constraints": 3.5,
        "relation": 2.5,
        "search": 2,
        "datasets": 3.5,
    },
    **{"estimators": 3, "metrics": 0.3, "plots": 4.7, "report": 0.5, "io": 2.5},
    **{"distributed": 4.6, "tl": 3.5, "pl": 5.4, "paper": 1.5, "demo": 4.6, "cli": 2},
}


def draw() -> str:
    """Return an SVG: a box for each room, arrows down to the rooms that it imports."""
    counts = {pair: n for pair, n in arrows().items() if pair[1] != _GROUND}
    shown = [name for name in ROOMS if name != _GROUND]
    floor: dict[str, int] = {}
    for name in shown:
        floor[name] = max((floor[b] + 1 for a, b in counts if a == name), default=0)
    top = max(floor.values())
    columns = {name: _COLUMN.get(name, 5.4) for name in shown}
    place = {
        name: (
            _EDGE + _BOX[0] / 2 + columns[name] * _STEP[0],
            _EDGE + _BOX[1] / 2 + (top - floor[name]) * _STEP[1],
        )
        for name in shown
    }
    width = max(x for x, _ in place.values()) + _BOX[0] / 2 + _EDGE
    height = max(y for _, y in place.values()) + _BOX[1] / 2 + _EDGE
    parts = [
        f'<svg class="room-map" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img" '
        'style="max-width: 100%; height: auto" aria-label="Which rooms import which" '
        'font-size="14" text-anchor="middle">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="currentColor"/></marker>'
        "</defs>",
    ]
    parts += [_arrow(place[a], place[b], counts[a, b]) for a, b in without_detours(counts)]
    parts += [_room(name, *place[name]) for name in shown]
    return "\n".join([*parts, "</svg>"])


def _arrow(start: tuple[float, float], end: tuple[float, float], count: int) -> str:
    """Draw an arrow from one box down to another, with its count near the start."""
    (x, y), (to_x, to_y) = (start[0], start[1] + _BOX[1] / 2), (end[0], end[1] - _BOX[1] / 2)
    share = min(26 / (to_y - y), 75 / max(abs(to_x - x), 1))
    at_x, at_y = x + share * (to_x - x), y + share * (to_y - y)
    return (
        f'<path d="M{x:g} {y:g} {to_x:g} {to_y:g}" stroke="currentColor" opacity="0.6" '
        'fill="none" marker-end="url(#tip)"/>'
        f'<circle cx="{at_x:.1f}" cy="{at_y:.1f}" r="9" fill="var(--color-background-primary)"/>'
        f'<text x="{at_x:.1f}" y="{at_y + 4:.1f}" font-size="12" fill="currentColor">{count}</text>'
    )


def _room(name: str, x: float, y: float) -> str:
    return (
        f'<rect x="{x - _BOX[0] / 2:g}" y="{y - _BOX[1] / 2:g}" width="{_BOX[0]}" '
        f'height="{_BOX[1]}" rx="5" fill="var(--color-background-secondary)" '
        'stroke="var(--color-brand-primary)"/>'
        f'<text x="{x:g}" y="{y + 5:g}" fill="currentColor">{name}</text>'
    )


class RoomMap(SphinxDirective):
    """The map as part of the page."""

    def run(self) -> list[nodes.Node]:
        """Draw it."""
        return [nodes.raw("", draw(), format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive."""
    app.add_directive("room-map", RoomMap)
    return {"parallel_read_safe": True}
