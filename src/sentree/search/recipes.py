"""The choice of a recipe by the constraints: hide some, search, and see which are kept.

Every constraint is hidden once. Each candidate is compared with the usual recipe on the same hidden
statements, and replaces it only if it keeps clearly more; so few constraints change nothing. Labels
choose among four ways of following them; pairs, if asked to, among graphs and weights.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.graph import FloatArray, Graph
from sentree.search.holdout import FOLDS, Folds
from sentree.search.label_search import LabelOptions

__all__ = [
    "LABEL_RECIPES",
    "MIXED_RECIPES",
    "Candidate",
    "Recipe",
    "Selection",
    "chosen",
    "recipes",
    "select",
    "strongest",
]

logger = logging.getLogger(__name__)

#: With pairs, the gain of a candidate must exceed this many standard errors.
_ERRORS = 2.0
#: With pairs, the gain of a candidate must exceed this.
_LEAST = 0.02

IntArray = NDArray[np.int64]


class Recipe(NamedTuple):
    """Settings of a search that constraints may choose."""

    n_neighbors: int | None = None  # strongest neighbours of a sample that are kept; None for all
    strength: float = 1.0  # factor for the weights of all constraints
    cannot: float = 1.0  # factor for the weights of cannot-links
    even: bool = False  # with labels: whether clusters become more even while samples move
    linear: bool = False  # with labels: whether a linear discriminant of the features is used
    home: float = 1.0  # with labels: factor for the pull of the cluster of a sample's module

    @property
    def label_options(self) -> LabelOptions:
        """The settings of a search with labels."""
        return LabelOptions(self.even, self.strength, self.linear, self.home)

    def __str__(self) -> str:
        usual, parts = Recipe(), []
        if self.n_neighbors != usual.n_neighbors:
            parts.append(f"{self.n_neighbors} neighbours")
        if self.strength != usual.strength:
            parts.append(f"weights x {self.strength:g}")
        if self.cannot != usual.cannot:
            parts.append(f"cannot-links x {self.cannot:g}")
        if self.even:
            parts.append("even clusters")
        if self.linear:
            parts.append("a discriminant of the features")
        if self.home != usual.home:
            parts.append(f"modules x {self.home:g}")
        return ", ".join(parts) or "usual"


#: The recipes that hidden labels choose from.
LABEL_RECIPES = (
    Recipe(),
    Recipe(even=True),
    Recipe(even=True, strength=0.3),
    Recipe(linear=True),
)
#: The same for tables of numbers and categories, where classes are rarely clusters.
MIXED_RECIPES = (Recipe(linear=True, strength=3.0, home=0.2),)
#: With labels, the gain over the best recipe so far must exceed this many standard errors.
_LABEL_ERRORS = 1.0


@dataclass(frozen=True)
class Candidate:
    """A recipe and the evidence for it.

    Attributes
    ----------
    recipe : Recipe
        What was tried.
    score : float
        With labels, the share of hidden labels that is found. With pairs, the share of hidden
        must-links kept plus that of hidden cannot-links, minus 1: 1 is best, and a random
        clustering gets 0.
    gain, error : float
        The difference to the score of the usual recipe, and its standard error.
    """

    recipe: Recipe
    score: float
    gain: float
    error: float

    @property
    def clear(self) -> bool:
        """Whether the gain is large enough for pairs to choose this recipe."""
        return self.gain > max(_LEAST, _ERRORS * self.error)


@dataclass(frozen=True, repr=False)
class Selection:
    """The chosen recipe and the evidence for it; the first candidate is the usual recipe."""

    chosen: Recipe
    candidates: tuple[Candidate, ...]
    n_hidden: int
    n_folds: int = FOLDS

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, strings and lists."""
        return {
            "chosen": self.chosen._asdict(),
            "candidates": [{**asdict(c), "recipe": c.recipe._asdict()} for c in self.candidates],
            "n_hidden": self.n_hidden,
            "n_folds": self.n_folds,
        }

    def __repr__(self) -> str:
        lines = [f"Selection of {self.chosen} by {self.n_hidden} constraints, hidden in turn"]
        lines += [
            f"{'*' if c.recipe == self.chosen else ' '} {c.score:6.3f}  {c.gain:+.3f} +- "
            f"{c.error:.3f}  {c.recipe}"
            for c in self.candidates
        ]
        return "\n".join(lines)


def recipes(n_neighbors: int) -> list[Recipe]:
    """Return the usual recipe for pairs, and others that differ from it in one respect.

    ``n_neighbors`` is how many a sample has in the graph.
    """
    fewer = [p for p in (n_neighbors // 2, n_neighbors // 4) if p >= 3]
    return [
        Recipe(),
        *(Recipe(n_neighbors=p) for p in fewer),
        Recipe(cannot=0.0),
        Recipe(strength=2.0),
    ]


def chosen(candidates: Sequence[Recipe], right: Sequence[FloatArray]) -> Selection:
    """Choose by the hidden labels that each recipe finds: the last one that is clearly better.

    The usual recipe is the first. ``right`` has 1 for each hidden label that a recipe finds, and 0
    for the others.
    """
    tried, best = [], 0
    for k, recipe in enumerate(candidates):
        tried.append(_compare(recipe, [right[k]], [right[0]]))
        against = _compare(recipe, [right[k]], [right[best]])
        if against.gain > _LABEL_ERRORS * against.error:
            best = k
    return Selection(candidates[best], tuple(tried), right[0].size)


def strongest(graph: Graph, n_neighbors: int | None) -> Graph:
    """Keep the edges that are among the ``n_neighbors`` strongest of either end; None for all."""
    if n_neighbors is None:
        return graph
    rows = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    order = np.lexsort((graph.indices, -graph.weights, rows))
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size) - graph.indptr[rows]
    kept = rank < n_neighbors
    shape = (graph.n, graph.n)
    one_way = sp.csr_array((graph.weights[kept], (rows[kept], graph.indices[kept])), shape=shape)
    both: Any = one_way.maximum(one_way.T.tocsr())
    return Graph.from_scipy(both)


def select(
    n: int,
    given: Constraints,
    candidates: Sequence[Recipe],
    solve: Callable[[Constraints, Recipe], NDArray[Any]],
) -> Selection:
    """Choose among recipes, the usual one first, by the hidden constraints that they keep.

    Pairs and labels are hidden in turn, groups and negative labels never. ``solve(constraints,
    recipe)`` returns the clusters of the n samples.
    """
    folds = Folds(n, given)
    kept = []
    for k, recipe in enumerate(candidates):
        share = {"share": k / len(candidates)}
        logger.info("trying recipe %d of %d", k + 1, len(candidates), extra=share)
        found = [solve(folds.visible(f), recipe) for f in range(FOLDS)]
        parts = [folds.kept(f, labels) for f, labels in enumerate(found)]
        kept.append(tuple(map(np.concatenate, zip(*parts, strict=True))))
    tried = tuple(_compare(r, own, kept[0]) for r, own in zip(candidates, kept, strict=True))
    clear = [c for c in tried if c.clear]
    best = max(clear, key=lambda c: c.score).recipe if clear else candidates[0]
    return Selection(best, tried, sum(part.size for part in kept[0]))


def _compare(recipe: Recipe, own: Sequence[FloatArray], usual: Sequence[FloatArray]) -> Candidate:
    """Compare a recipe with the usual one on the same hidden statements."""
    present = [k for k in range(len(own)) if own[k].size]
    score = sum(float(own[k].mean()) for k in present) + 1.0 - len(present)
    gain = variance = 0.0
    for k in present:
        difference = own[k] - usual[k]
        gain += float(difference.mean())
        variance += float(np.mean(difference**2)) / difference.size
    return Candidate(recipe, score, gain, float(np.sqrt(variance)))
