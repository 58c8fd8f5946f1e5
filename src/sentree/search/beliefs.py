"""Beliefs: the class of each vertex as nearby labels suggest it, and how strongly they pull."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.constraints import Closure
from sentree.graph import FloatArray, Graph, scaled_columns, scaled_rows, with_values
from sentree.relation.by_degree import SearchGraphs
from sentree.search.kernels import SharpGraph, sharpened, spread_labels

__all__ = ["LEAST_BELIEF", "KnownClasses", "belief_graph", "beliefs", "bits", "disbelief"]

#: Labels spread over this many of the strongest edges of a vertex.
_STRONGEST = 8
#: Labels spread with this power of the edge weights: far along close neighbours, not across gaps.
_SHARPNESS = 3.0
#: The strongest edges of larger graphs are not copied.
_LARGE = 50_000
#: The least belief that counts: 10 bits below certainty.
LEAST_BELIEF = 1e-3
#: Prior number of labels of each class when the shares of classes are estimated.
_PRIOR_LABELS = 3.0
#: With this many labels per class, estimated shares count as much as the masses after spreading.
_LABELS_TO_TRUST = 3.0

IntArray = NDArray[np.int64]


class KnownClasses(NamedTuple):
    """Vertices whose class is known, or classes that vertices are known not to have."""

    points: IntArray  # each vertex once
    code: IntArray  # their classes, 0..n_classes-1
    n_classes: int
    excluded: tuple[IntArray, IntArray]  # vertices, and a class that each does not have
    samples: IntArray | None = None  # labelled samples of each vertex; None for one each

    @property
    def per_class(self) -> float:
        """Mean number of labelled samples per class."""
        count = self.points.size if self.samples is None else int(self.samples.sum())
        return max(count, 1) / max(self.n_classes, 1)

    @classmethod
    def of(cls, closure: Closure) -> KnownClasses:
        """Return what constraints imply about samples; classes are in the order of their codes."""
        codes = np.flatnonzero(closure.class_component >= 0)
        number = np.full(closure.n_components, -1, dtype=np.int64)
        number[closure.class_component[codes]] = np.arange(codes.size)
        code = number[closure.component]
        index = np.flatnonzero(code >= 0)
        ends = np.concatenate((closure.direct, closure.direct[:, ::-1]))
        ends = ends[number[ends[:, 1]] >= 0]
        order = np.argsort(closure.component, kind="stable")
        size = np.bincount(closure.component, minlength=closure.n_components)
        start = np.cumsum(size) - size
        members = [order[start[u] : start[u] + size[u]] for u in ends[:, 0]]
        excluded = (
            np.concatenate([np.empty(0, dtype=np.int64), *members]),
            np.repeat(number[ends[:, 1]], size[ends[:, 0]]),
        )
        return cls(index, code[index], codes.size, excluded)

    def on(self, vertex: IntArray) -> KnownClasses:
        """Return the same for the vertices that the samples belong to."""
        index, first, count = np.unique(vertex[self.points], return_index=True, return_counts=True)
        excluded = vertex[self.excluded[0]], self.excluded[1]
        return KnownClasses(index, self.code[first], self.n_classes, excluded, count)

    def without(self, hidden: NDArray[np.bool_]) -> KnownClasses:
        """Return the same without hidden labels; the classes stay as they are."""
        samples = None if self.samples is None else self.samples[~hidden]
        return self._replace(points=self.points[~hidden], code=self.code[~hidden], samples=samples)

    def with_classes(self, index: IntArray, code: IntArray, n_classes: int) -> KnownClasses:
        """Add vertices of further classes."""
        return self._replace(
            points=np.concatenate((self.points, index)),
            code=np.concatenate((self.code, code)),
            n_classes=n_classes,
            samples=None,
        )


def belief_graph(graphs: SearchGraphs) -> Any:
    """Return the graph that labels spread over: the strongest edges and the must-links."""
    if graphs.relation is None and graphs.graph.n > _LARGE:
        return SharpGraph.of(graphs.graph, _STRONGEST, _SHARPNESS)
    sharp = sharpened(graphs.graph, _STRONGEST, _SHARPNESS)
    if graphs.relation is None:
        return sharp
    linked = graphs.relation.matrix.tocoo()
    good = linked.data > 0
    if not good.any():
        return sharp
    i, j, weight = linked.row[good], linked.col[good], linked.data[good]
    # A must-link has the same weight, relative to the edges of its ends, as in the search.
    now = np.asarray(sharp.sum(axis=1)).ravel()
    now[now == 0] = 1.0
    before = np.maximum(graphs.graph.degree, np.finfo(float).tiny)
    weight = weight * np.sqrt((now / before)[i] * (now / before)[j])
    return (sharp + sp.csr_array((weight, (i, j)), shape=sharp.shape)).tocsr()


def beliefs(
    graph: Any, n: int, known: KnownClasses, named: int, quick: bool = False
) -> sp.csr_array:
    """Return the beliefs of the first n vertices: a matrix of vertices by classes.

    The belief of a vertex is the mean of its neighbours' beliefs; labelled vertices keep their
    class. The first ``named`` classes are then weighted so that their total masses come closer to
    their shares among the labels, the more so the more labels there are per class. Rows sum to 1,
    or are empty where no label reaches. ``quick`` is less exact.
    """
    belief = spread_labels(graph, known.points, known.code, quick=quick)
    belief.resize((n, known.n_classes))
    ruled_out = known.excluded
    if ruled_out[0].size:
        wrong = sp.csr_array((np.ones(ruled_out[0].size), ruled_out), shape=belief.shape)
        belief = belief - belief.multiply(wrong > 0)
    belief = scaled_columns(belief, _class_weights(belief, known, named))
    total = np.asarray(belief.sum(axis=1)).ravel()
    return scaled_rows(belief, 1.0 / np.where(total > 0, total, 1.0))


def _class_weights(belief: Any, known: KnownClasses, named: int) -> FloatArray:
    """Return the factor for the beliefs in each class."""
    weights = np.ones(known.n_classes)
    size = np.ones(known.code.size) if known.samples is None else known.samples
    first = known.code < named
    count = np.bincount(known.code[first], size[first], named)
    mass = np.asarray(belief.sum(axis=0)).ravel()[:named]
    share = (count + _PRIOR_LABELS) / np.sum(count + _PRIOR_LABELS)
    per_class = count.sum() / max(named, 1)
    trust = per_class / (per_class + _LABELS_TO_TRUST)
    there = mass > 0
    weights[:named][there] = (share[there] * mass.sum() / mass[there]) ** trust
    return weights


def bits(belief: Any, graph: Graph, strength: float) -> sp.csr_array:
    """Return how strongly beliefs pull each vertex to each class, in bits times weight.

    This is the degree times log2 of the belief over ``LEAST_BELIEF``, and 0 for smaller beliefs.
    """
    above = np.maximum(belief.data, LEAST_BELIEF)
    above /= LEAST_BELIEF
    drawn = scaled_rows(with_values(belief, np.log2(above, out=above)), graph.degree)
    drawn.data *= strength
    return drawn


def disbelief(pull: Any, labels: NDArray[Any], graph: Graph, strength: float) -> float:
    """Return the mean of -log2 of the belief of vertices in their class, weighted by degree."""
    if graph.volume == 0:
        return 0.0
    rows = np.flatnonzero(np.diff(pull.indptr))
    most = -np.log2(LEAST_BELIEF) * strength * graph.degree[rows].sum()
    return float(most - pull[rows, labels[rows]].sum()) / graph.volume
