"""The data sets of the benchmark on questions: the paper's, public ones, and made ones.

Public sets, and made ones, belong to the half that defaults may be chosen on or to the half that
confirms, as in the benchmark on general data; the paper's belong to neither. Of the public sets all
tables are used, and of the shapes of each half, sorted by name, every third. Of sets with more than
6,000 rows a random 3,000 are used.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

import families
import general_sets
import shapes
from sentree.datasets import PAPER_SETS, load_paper

LARGEST, THINNED = 6_000, 3_000
EVERY = 3
#: Made sets, drawn anew with every seed.
FAMILIES = ["answers-1000-12q", "binary-1000", "components-1500", "copies-20", "dimensions-2",
            "dimensions-20", "irrelevant-15", "poisson-log-1000", "sentences-1500-384d",
            "sizes-2000+200+20-2d", "sizes-400+200+100+50+25-20d", "sizes-769+3x77-2d"]  # fmt: skip
SHAPES = {family.__name__: family for family in (
    shapes.bridged_blobs, shapes.crowded_blobs, shapes.many_small_blobs, shapes.moons,
    shapes.noisy_moons, shapes.two_spirals, shapes.unequal_densities, shapes.unequal_sizes,
)}  # fmt: skip
#: A set has questions enough for many clusters where it has so many classes.
MANY_CLASSES = 20


class Source(NamedTuple):
    """A data set by name."""

    name: str
    part: str
    half: str


def sources(data_dir=None):
    """List all sets: the paper's, public, made."""
    found = [Source(name, "paper", "") for name in PAPER_SETS]
    for large in (False, True):
        half = general_sets.halves(general_sets.names(data_dir, large))
        kind = {name: general_sets.kind(name, data_dir) for name in half}
        chosen = {name for name in half if kind[name] == "table"}
        for side in general_sets.HALVES:
            of_side = [name for name in half if half[name] == side and kind[name] == "shape"]
            chosen.update(of_side[::EVERY])
        found += [Source(name, "public", half[name]) for name in half if name in chosen]
    half = general_sets.halves(sorted([*FAMILIES, *SHAPES]))
    return found + [Source(name, "made", half[name]) for name in half]


@lru_cache(maxsize=2)
def load(source, seed, data_dir=None):
    """Return rows and classes 0..k-1; made sets are those of the seed."""
    if source.part == "paper":
        X, y = load_paper(source.name, data_dir)
    elif source.part == "public":
        X, y = general_sets.load(source.name, data_dir)
    elif source.name in SHAPES:
        X, y = shapes.shape(SHAPES[source.name], seed)
    else:
        X, y = families.make(source.name, seed)
    if len(y) > LARGEST:
        kept = np.sort(np.random.default_rng(0).choice(len(y), THINNED, replace=False))
        X, y = X[kept], y[kept]
    return X, np.unique(y, return_inverse=True)[1]
