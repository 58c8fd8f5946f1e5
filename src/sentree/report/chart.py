"""A map of samples as SVG that stands in the page itself, and its legend as a list.

The samples of a cluster are one path, so that 20,000 take some 200 kB. The browser tells the
cluster under the mouse; the script of the page reads places, ids and strengths from the paths and
tells more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.plots.links import Drawn
from sentree.plots.scatter import LEGEND, centres_of
from sentree.plots.style import shortened
from sentree.report.subject import Subject

IntArray = NDArray[np.int64]

#: Size of the map in its own units, and the margin around it.
_WIDTH, _HEIGHT, _MARGIN = 1600, 1050, 24
#: Clusters in the legend, the largest ones.
_LISTED = 100
#: Most clusters that may be named in the map, the largest ones, and those before overlaps count.
_NAMED = 200
#: Height of a name, and width of a letter of it.
_LINE, _LETTER = 32, 17
#: Clusters that share a sign: a disk, a square, a triangle.
_SIGNS = 7
#: Letters of an id that are shown.
_LONGEST = 24
#: Strengths 0.00 to 1.00 in two letters each.
_CODES = np.array([np.base_repr(k, 36).zfill(2).lower() for k in range(101)])


def some_rows(n: int, most: int) -> IntArray:
    """Choose the samples to draw: all, or so many at random."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, most, replace=False))


def map_svg(
    subject: Subject,
    places: Any,
    rows: IntArray,
    statements: Sequence[Drawn] = (),
    tips: bool = True,
) -> str:
    """Draw some rows of the samples, and statements about any.

    With ``tips`` the paths hold ids and strengths. Samples without a place, NaN, are not in rows.
    """
    at = _fitted(places)
    labels = subject.labels[rows]
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels, minlength=subject.k))
    few = len(subject.order) <= LEGEND
    width = float(np.clip(1300 / np.sqrt(rows.size), 7, 26))
    paths = [
        _path(subject, k, rank // _SIGNS * few, at, rows[inside], width, tips)
        for rank, k in enumerate(subject.order)
        if (inside := order[ends[k - 1] if k else 0 : ends[k]]).size
    ]
    names = [] if few or not tips else _names(subject, at)
    lines = [_statements(chosen, at) for chosen in statements if len(chosen.rows)]
    return (
        f'<svg class="map" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="Map of the {subject.noun}s" data-what="{subject.noun}">\n'
        + "\n".join(['<g fill="none">', *paths, "</g>", *lines, *names])
        + "\n</svg>"
    )


def _fitted(places: Any) -> Any:
    """Scale places to the units of the map, in whole numbers; y grows downward."""
    low, high = np.nanmin(places, axis=0), np.nanmax(places, axis=0)
    room = np.array([_WIDTH, _HEIGHT]) - 2 * _MARGIN
    wide = np.where(high > low, high - low, 1.0)
    share = (places - low) / wide + np.where(high > low, 0.0, 0.5)
    share[:, 1] = 1 - share[:, 1]
    return np.rint(_MARGIN + np.nan_to_num(share) * room).astype(np.int64)


def _path(
    subject: Subject, k: int, sign: int, at: Any, rows: IntArray, width: float, tips: bool
) -> str:
    """Draw the samples of a cluster."""
    colour, name = subject.colours[k], escape(subject.cluster_names[k])
    stroke = f'stroke="{colour}" stroke-width="{width:.0f}" stroke-linecap="round"'
    point = "h0"
    if sign == 1:
        stroke = stroke.replace("round", "square").replace(f"{width:.0f}", f"{0.85 * width:.0f}")
    elif sign == 2:  # a triangle around the place
        r = max(2, round(0.55 * width))
        stroke, point = f'fill="{colour}"', f"m{-r} {r}h{2 * r}l{-r} {-2 * r}z"
    d = "".join(f"M{x} {y}{point}" for x, y in at[rows].tolist())
    told = ""
    if tips:
        ids = "\n".join(shortened([subject.sample(row)], _LONGEST)[0] for row in rows.tolist())
        code = "".join(_CODES[np.rint(100 * subject.strength[rows]).astype(np.int64)].tolist())
        told = f' data-strength="{code}" data-ids="{escape(ids)}"'
    return (
        f'<path data-cluster="{k}" {stroke}{told} d="{d}"><title>cluster {name} '
        f"({subject.counted(subject.sizes[k])})</title></path>"
    )


def _statements(chosen: Drawn, at: Any) -> str:
    """Draw constraints of a kind as lines between samples, or as marks on them."""
    if chosen.look.marker == "o":
        d = "".join(f"M{x - 15} {y}a15 15 0 1 0 30 0a15 15 0 1 0 -30 0" for x, y in at[chosen.rows])
    elif chosen.look.marker:
        d = "".join(f"M{x - 14} {y - 14}h28v28h-28z" for x, y in at[chosen.rows])
    else:
        ends = at[chosen.rows].reshape(-1, 4).tolist()
        d = "".join(f"M{x} {y}L{u} {v}" for x, y, u, v in ends)
    return f'<path class="{_look(chosen)}" d="{d}"><title>{chosen.title}</title></path>'


def _look(chosen: Drawn) -> str:
    """Return the classes of the style."""
    dashed = " dashed" * chosen.look.dashed
    return f"said {'broken' if chosen.is_broken else 'kept'}{dashed}"


def _names(subject: Subject, at: Any) -> Iterator[str]:
    """Name clusters at their centres, the largest first, where names do not overlap."""
    rank = np.empty(subject.k, dtype=np.int64)
    rank[subject.order] = np.arange(len(subject.order))
    centres = centres_of(at, rank[subject.labels], len(subject.order))
    taken: list[tuple[float, float, float]] = []
    for k, (x, y) in zip(subject.order[:_NAMED], centres.tolist(), strict=False):
        name = shortened([subject.cluster_names[k]], _LONGEST)[0]
        half = _LETTER * len(name) / 2 + 4
        x = float(np.clip(x, half, _WIDTH - half))
        if all(abs(x - u) > half + w or abs(y - v) > _LINE for u, v, w in taken):
            taken.append((x, y, half))
            yield f'<text x="{x:.0f}" y="{y + 10:.0f}">{escape(name)}</text>'


def map_legend(subject: Subject, statements: Sequence[Drawn] = ()) -> str:
    """List the clusters and the kinds of constraints with their signs."""
    few = len(subject.order) <= LEGEND
    items = []
    for rank, k in enumerate(subject.order[:_LISTED]):
        sign = _swatch(subject.colours[k], rank // _SIGNS * few)
        name, size = escape(subject.cluster_names[k]), f"{subject.sizes[k]:,}"
        items.append(f'<li data-cluster="{k}">{sign} {name} <small>{size}</small></li>')
    more = len(subject.order) - _LISTED
    if more > 0:
        items.append(f"<li><small>and {more:,} smaller ones</small></li>")
    for chosen in statements:
        line = {
            "": '<path d="M1 8h28"/>',
            "o": '<circle cx="15" cy="8" r="6"/>',
            "s": '<path d="M9 2h12v12h-12z"/>',
        }[chosen.look.marker].replace("/>", f' class="{_look(chosen)}"/>')
        sign = f'<svg class="sign" viewBox="0 0 30 16" aria-hidden="true">{line}</svg>'
        items.append(f'<li class="said">{sign} {chosen.title}</li>')
    return '<ul class="legend">\n' + "\n".join(items) + "\n</ul>"


def _swatch(colour: str, sign: int) -> str:
    """Draw the sign of a cluster."""
    shape = (
        '<circle cx="8" cy="8" r="6"/>',
        '<path d="M3 3h10v10h-10z"/>',
        '<path d="M2 14h12l-6-12z"/>',
    )[sign]
    return (
        f'<svg class="swatch" viewBox="0 0 16 16" fill="{colour}" aria-hidden="true">{shape}</svg>'
    )
