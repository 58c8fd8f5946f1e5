"""Constraints drawn between the samples: pairs as lines, labels as marks; kept and broken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.constraints.conflicts import flatten
from sentree.constraints.satisfaction import majority
from sentree.plots.style import BROKEN, INK

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from sentree.constraints import Constraints

IntArray = NDArray[np.int64]


class Look(NamedTuple):
    """How the statements of a kind are drawn: pairs as lines, points with a marker."""

    name: str
    dashed: bool = False
    marker: str = ""


_PAIRS = (Look("must-link"), Look("cannot-link", dashed=True))
_POINTS = (Look("label", marker="o"), Look("negative label", marker="s"))


class Drawn(NamedTuple):
    """Statements of one kind, all kept or all broken, of which some or all are drawn."""

    look: Look
    is_broken: bool
    rows: IntArray
    """Pairs of samples, of shape (m, 2), or samples, of shape (m,)."""
    total: int

    @property
    def title(self) -> str:
        """What the legend says."""
        m = len(self.rows)
        number = f"{self.total:,}" if m == self.total else f"{m:,} of {self.total:,}"
        return f"{self.look.name} {'broken' if self.is_broken else 'kept'} ({number})"


def choose_constraints(
    cluster: IntArray, given: Constraints, most: int, seed: int
) -> Iterator[Drawn]:
    """Choose at most so many pairs and as many samples to draw.

    Broken statements take up to half the room, or what kept ones leave.
    """
    rng = np.random.default_rng(seed)
    for looks, statements in zip((_PAIRS, _POINTS), _statements(given, cluster), strict=True):
        kept = _chosen([kind[0] for kind in statements], rng)
        broken = _chosen([kind[1] for kind in statements], rng)
        room_for_broken = min(len(broken), max(most // 2, most - len(kept)))
        for is_broken, chosen, room in (
            (False, kept, most - room_for_broken),
            (True, broken, room_for_broken),
        ):
            for kind, look in enumerate(looks):
                every = statements[kind][int(is_broken)]
                drawn = every[np.sort(chosen[:room, 1][chosen[:room, 0] == kind])]
                if len(every):
                    yield Drawn(look, is_broken, drawn, len(every))


def all_drawn(cluster: IntArray, given: Constraints, most: int) -> bool:
    """Tell whether so many lines and marks are enough for all that is said."""
    lines, marks = _statements(given, cluster)
    return max(sum(len(part) for kind in x for part in kind) for x in (lines, marks)) <= most


def _statements(given: Constraints, cluster: IntArray) -> tuple[Any, Any]:
    """Return pairs of samples and single samples: by kind, those of kept and broken statements."""
    report = given.satisfaction(cluster)
    split, crowded = _parted(given, cluster)
    misplaced = np.isin(given.label_index, report.broken["labels"])
    excluded = np.zeros(given.negative_index.size, dtype=np.bool_)
    excluded[report.broken["negative_labels"]] = True
    pairs = (
        _linked(given, cluster),
        (split, np.concatenate((crowded, report.broken_pairs("apart")))),
    )
    points = (
        (given.label_index[~misplaced], given.label_index[misplaced]),
        (given.negative_index[~excluded], given.negative_index[excluded]),
    )
    return pairs, points


def _chosen(kinds: list[IntArray], rng: np.random.Generator) -> IntArray:
    """Put all statements in a random order, as rows of kind and number."""
    kind = np.repeat(np.arange(len(kinds)), [len(statements) for statements in kinds])
    number = np.concatenate([np.arange(len(statements)) for statements in kinds])
    return np.column_stack((kind, number))[rng.permutation(kind.size)]


def _linked(given: Constraints, cluster: IntArray) -> tuple[IntArray, IntArray]:
    """Return pairs that belong together, kept and broken; groups give a pair for each member."""
    member, group = flatten(given.together)
    _, mate = majority(group, cluster[member], member)
    pairs = np.concatenate((given.must_link, np.column_stack((mate, member))[mate != member]))
    broken = cluster[pairs[:, 0]] != cluster[pairs[:, 1]]
    return pairs[~broken], pairs[broken]


def _parted(given: Constraints, cluster: IntArray) -> tuple[IntArray, IntArray]:
    """Return pairs that are apart, kept and broken; of groups, the kept of those side by side."""
    member, group = flatten(given.apart)
    beside = (group[1:] == group[:-1]) & (cluster[member[1:]] != cluster[member[:-1]])
    broken = cluster[given.cannot_link[:, 0]] == cluster[given.cannot_link[:, 1]]
    kept = np.column_stack((member[:-1], member[1:]))[beside]
    return np.concatenate((given.cannot_link[~broken], kept)), given.cannot_link[broken]


def draw(ax: Axes, places: Any, chosen: Drawn) -> Artist:
    """Draw statements of a kind, and return what the legend shows of them."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D
    from matplotlib.patheffects import withStroke

    look, is_broken, drawn, _ = chosen
    colour, width = (BROKEN, 1.6) if is_broken else (INK, 0.7)
    crowded = len(drawn) > 40
    if crowded:
        width *= 0.6
    label = chosen.title
    over = 3.2 if is_broken else 3.0
    if not look.marker:
        # Matplotlib counts dashes in widths of the line; these are 3 points long on all.
        dash: Any = (0, (3 / width, 2 / width)) if look.dashed else "solid"
        lines = LineCollection(
            list(places[drawn]), colors=colour, linewidths=width, linestyles=[dash]
        )
        lines.set(zorder=over, label=label, alpha=0.8 if is_broken else 0.5)
        if is_broken and not crowded:
            lines.set_path_effects([withStroke(linewidth=width + 1.2, foreground="white")])
        ax.add_collection(lines)
        return Line2D([], [], color=colour, linewidth=width, linestyle=dash, label=label)
    x, y = places[drawn].T
    marks: Any = {"marker": look.marker, "edgecolors": colour, "linewidths": 1.6 * width**0.5}
    return ax.scatter(x, y, s=34, facecolors="none", zorder=over, label=label, **marks)
