"""SpecWRSC: spectral clusters joined by weighted recursive sparsest cuts (Laenen et al. 2023)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from sentree._util.labels import renumber
from sentree._util.sklearn import Interval, StrOptions
from sentree.constraints import Constraints
from sentree.graph import FloatArray, Graph
from sentree.graph.build import knn_graph
from sentree.metrics import dasgupta_cost
from sentree.paper.baselines.base import Baseline, scaled
from sentree.paper.baselines.eigen import leading
from sentree.paper.baselines.parts import k_means_parts, one_thread
from sentree.paper.baselines.trees import TreeBuilder
from sentree.paper.graphs import PRESETS
from sentree.tree import EncodingTree

Order = NDArray[np.intp]

#: Up to this size eigenvectors come from a dense solver.
_DENSE = 2000
#: Up to this many buckets every cut is tried.
_ENUMERATED = 12


@dataclass(eq=False, repr=False)
class SpecWRSC(Baseline):
    """A binary tree with a small Dasgupta cost, out of spectral clusters; it reads no constraints.

    Spectral clustering finds clusters, which are split into buckets of vertices of similar degree.
    The buckets are the leaves of a tree made by sparsest cuts, from the whole graph down; a bucket
    becomes a balanced tree over its vertices in the order of their second eigenvector.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of spectral clusters.
    affinity : {"cosine-knn", "precomputed"}, default="cosine-knn"
        The graph: the cosine to nearest neighbours, with self-loops; or X itself, a symmetric
        matrix of similarities whose diagonal holds self-loops.
    n_neighbors : int, default=5
        Neighbours of each sample in the graph.
    scale : {"zscore", "minmax", "unit", None}, default="zscore"
        Features to variance 1 or to [0, 1], or rows to length 1, before the graph is made.
    beta : float, default=2**20
        Ratio of the largest and the smallest degree in a bucket; the default puts nearly every
        cluster in one bucket.
    degree : {"weighted", "count", "published"}, default="weighted"
        Eigenvectors are divided by the root of this degree: the sum of weights, or the number of
        edges, where a self-loop counts twice; "published" is the latter with the mistake of the
        published program (see Notes).
    sparsest_cut : {"exact", "last"}, default="exact"
        How a set of buckets is split: by the sparsest cut (all are tried for up to 12 buckets;
        above, those along the second eigenvector), or the first bucket from all others.
    n_init : int, default=10
        Starts of k-means.
    random_state : int, RandomState or None, default=None
        Seed of k-means and of the sparse eigenvector solver; None is 0.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        The spectral clusters, 0, 1, … by first appearance.
    n_clusters_ : int
        Number of clusters; fewer than asked for where fewer samples differ.
    tree_ : EncodingTree
        The binary tree.
    graph_ : Graph
        The graph.
    objective_ : list of float
        The Dasgupta cost of the tree, without self-loops.
    n_iter_ : int
        Number of sparsest cuts.

    Notes
    -----
    The program behind the published figures differs in what ``degree="published"`` and
    ``sparsest_cut="last"`` repeat. It divides by the number of edges; within a cluster of less
    than half of the vertices it takes these numbers in the order of a Python set, while the
    eigenvector is in the order of the vertices; and the sign of that eigenvector is left to
    chance. It tries all cuts and never remembers the best value, so the last one wins, and which
    cluster is split off first depends on the numbers that k-means gave. That matters from three
    clusters on. The published figures are means over ten seeds of that.

    Where the graph or a bucket falls into parts that do not touch, each part has eigenvectors of
    its own; parts are ordered by size. A vertex without an edge or a loop is no such part: it gets
    no cluster of its own, but goes to one of the others.

    References
    ----------
    S. Laenen, B. Manghiuc, H. Sun: Nearly-optimal hierarchical clustering for well-clustered
    graphs. ICML 2023.

    Examples
    --------
    >>> from sentree.paper.baselines import SpecWRSC
    >>> model = SpecWRSC(2, n_neighbors=1, scale=None)
    >>> model.fit([[5.0, 1.0], [6.0, 1.0], [1.0, 5.0], [1.0, 6.0]]).labels_.tolist()
    [0, 0, 1, 1]
    >>> model.tree_.height
    2
    """

    n_clusters: int = 8
    _: KW_ONLY
    affinity: str = "cosine-knn"
    n_neighbors: int = 5
    scale: str | None = "zscore"
    beta: float = 2**20
    degree: str = "weighted"
    sparsest_cut: str = "exact"
    n_init: int = 10
    random_state: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Baseline._parameter_constraints,
        "affinity": [StrOptions({"cosine-knn", "precomputed"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "beta": [Interval(Real, 1, None, closed="neither")],
        "degree": [StrOptions({"weighted", "count", "published"})],
        "sparsest_cut": [StrOptions({"exact", "last"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }
    _reads = ()

    def _solve(self, X: Any, given: Constraints, random: np.random.RandomState) -> None:
        self.graph_ = self._graph(X)
        spectrum = _Spectrum(self.degree != "weighted", random)
        weights = _with_loops(self.graph_)
        rows = spectrum.rows(weights, self.n_clusters)
        clusters = k_means_parts(rows, self.n_clusters, random, n_init=self.n_init)
        if self.sparsest_cut == "exact":  # ties between cuts must not depend on k-means
            clusters.sort(key=lambda cluster: int(cluster[0]))
        buckets = [
            bucket
            for cluster in clusters
            for bucket in _by_degree(cluster, self.graph_.degree, self.beta)
        ]
        builder = TreeBuilder(self.graph_.n)
        splits = self._sparsest_cuts(weights, buckets, spectrum)
        node = [-1] * len(splits)
        for k in range(len(splits) - 1, -1, -1):  # halves stand behind what they are halves of
            split = splits[k]
            if split.halves:
                node[k] = builder.join([node[half] for half in split.halves])
            else:
                bucket = buckets[split.buckets[0]]
                misplaced = self._misplaced(bucket) if self.degree == "published" else None
                order = spectrum.order(weights[bucket][:, bucket], misplaced)
                node[k] = builder.balanced(bucket[order].tolist())
        self.tree_ = EncodingTree.from_parent(builder.parent(), self.graph_)
        label = np.empty(self.graph_.n, dtype=np.int32)
        for number, cluster in enumerate(clusters):
            label[cluster] = number
        self.labels_ = renumber(label)
        self.n_clusters_ = len(clusters)
        self.objective_ = [dasgupta_cost(self.graph_, self.tree_)]
        self.n_iter_ = len(buckets) - 1

    def _misplaced(self, bucket: Order) -> Order:
        """Return whose degree the published program takes for each vertex of a bucket."""
        if 2 * bucket.size >= self.graph_.n:
            return np.arange(bucket.size)
        return np.searchsorted(bucket, list(set(bucket.tolist())))

    def _graph(self, X: Any) -> Graph:
        if self.affinity == "precomputed":
            make = Graph.from_scipy if sp.issparse(X) else Graph.from_dense
            return make(X, self_loops="keep")
        settings = {**PRESETS["hierarchy"], "scale": None}
        return knn_graph(scaled(X, self.scale), self.n_neighbors, **settings)

    def _sparsest_cuts(
        self, weights: Any, buckets: list[Order], spectrum: _Spectrum
    ) -> list[_Split]:
        """Split the set of all buckets down to single ones; a half stands behind the whole."""
        size = np.array([bucket.size for bucket in buckets], dtype=np.float64)
        member = sp.csr_array(
            (np.ones(weights.shape[0]), np.concatenate(buckets), np.cumsum([0, *size], dtype=int)),
            shape=(size.size, weights.shape[0]),
        )
        between = sp.csr_array(member @ weights @ member.T)
        between.setdiag(0.0)
        between.eliminate_zeros()
        splits = [_Split(np.arange(size.size), ())]
        for k, split in enumerate(splits):  # grows while it is read
            members = split.buckets
            if members.size == 1:
                continue
            if self.sparsest_cut == "last":
                second = np.arange(members.size) > 0
            else:
                inside = sp.csr_array(between[members][:, members])
                second = _sparsest(inside, size[members], spectrum)
            splits[k] = _Split(members, (len(splits), len(splits) + 1))
            splits += [_Split(members[~second], ()), _Split(members[second], ())]
        return splits


class _Split(NamedTuple):
    """Buckets, and the places of their two halves in the list of splits."""

    buckets: Order
    halves: tuple[int, ...]


class _Spectrum:
    """Eigenvectors of the normalised Laplacian, divided by the roots of the degrees."""

    def __init__(self, count: bool, random: np.random.RandomState) -> None:
        self._count, self._random = count, random

    def _roots(self, weights: Any) -> FloatArray:
        """Return the root of what eigenvectors are divided by; 1 where a vertex has no edge."""
        degree = weights.sum(axis=1)
        if self._count:
            degree = np.diff(weights.indptr) + (weights.diagonal() > 0)
        return np.sqrt(np.where(degree > 0, degree, 1.0))

    def _vectors(self, weights: Any, k: int) -> tuple[FloatArray, FloatArray]:
        """Return the k smallest eigenvalues of a connected graph and their eigenvectors."""
        degree = weights.sum(axis=1)
        root = np.sqrt(np.where(degree > 0, degree, 1.0))
        diagonal = sp.diags_array(1.0 / root)
        walk = sp.csr_array(diagonal @ weights @ diagonal)
        n = weights.shape[0]
        if n > max(_DENSE, k + 1):
            value, vector = leading(walk, k, "LA", self._random)
            return 1.0 - value, vector
        laplacian = np.eye(n) - walk.toarray()
        with one_thread():
            value, vector = scipy.linalg.eigh(laplacian, subset_by_index=[0, k - 1])
        return value, vector

    def rows(self, weights: Any, k: int) -> FloatArray:
        """Return the coordinates of the vertices in k smallest eigenvectors.

        Every part that does not touch the others has an eigenvalue 0; the largest parts come first.
        A vertex without an edge or a loop has the eigenvalue 1 instead.
        """
        has_weight = np.diff(weights.indptr) > 0
        parts = sorted(_touching(weights), key=lambda part: not has_weight[part[0]])[:k]
        further = k - sum(bool(has_weight[part[0]]) for part in parts) + 1
        found = []
        for number, part in enumerate(parts):
            inside = weights[part][:, part]
            values, vectors = self._vectors(inside, min(further, part.size))
            if has_weight[part[0]]:
                values[0] = 0.0
            found += [(value, number, vectors[:, c]) for c, value in enumerate(values)]
        found = sorted(found, key=lambda pair: pair[:2])[:k]
        rows = np.zeros((weights.shape[0], len(found)))
        for column, (_, number, vector) in enumerate(found):
            rows[parts[number], column] = vector
        return rows / self._roots(weights)[:, None]

    def order(self, weights: Any, misplaced: Order | None = None) -> Order:
        """Return the vertices in the order of the second eigenvector, part by part."""
        roots = self._roots(weights)
        if misplaced is not None:
            roots = roots[misplaced]
        ordered = []
        for part in _touching(weights):
            if part.size > 2:
                vector = self._vectors(weights[part][:, part], 2)[1][:, 1]
                # Its sign means nothing; the program behind the published figures leaves it open.
                sign = np.sign(vector[np.argmax(np.abs(vector))])
                if misplaced is not None:
                    sign = self._random.choice((-1.0, 1.0))
                part = part[np.argsort(sign * vector / roots[part], kind="stable")]
            ordered.append(part)
        return np.concatenate(ordered)


def _with_loops(graph: Graph) -> Any:
    """Return the weights as a CSR array, with what a vertex has of its own on the diagonal."""
    own = graph.degree - graph.strength
    loops = sp.diags_array(np.where(own > 1e-12 * graph.degree, own, 0.0))
    weights = sp.csr_array(graph.to_scipy() + loops)
    weights.eliminate_zeros()
    return weights


def _touching(weights: Any) -> list[Order]:
    """Return the vertices of each connected part, the largest part first."""
    _, label = connected_components(weights, directed=False)
    order = np.argsort(label, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(label[order])) + 1)
    return sorted(parts, key=len, reverse=True)


def _by_degree(cluster: Order, degree: FloatArray, beta: float) -> list[Order]:
    """Split vertices so that degrees in a bucket differ by less than the factor beta."""
    positive = degree[degree > 0]
    smallest = positive.min() if positive.size else 1.0
    number = np.floor(np.log(np.maximum(degree[cluster] / smallest, 1.0)) / np.log(beta))
    return [cluster[number == value] for value in np.unique(number)]


def _sparsest(between: Any, size: FloatArray, spectrum: _Spectrum) -> NDArray[np.bool_]:
    """Return the side without the first bucket of the cut of least w(A, B) / (|A| |B|)."""
    m = size.size
    if m <= _ENUMERATED:
        sides = (np.arange(1, 2 ** (m - 1))[:, None] >> np.arange(m - 1)) & 1
        sides = np.column_stack((np.zeros(len(sides), dtype=int), sides))
        cut = ((sides @ between.toarray()) * (1 - sides)).sum(axis=1)
        inside = sides @ size
        return np.asarray(sides[np.argmin(cut / (inside * (size.sum() - inside)))] > 0)
    order = spectrum.order(between)
    place = np.empty(m, dtype=np.intp)
    place[order] = np.arange(m)
    edges = sp.triu(between, k=1).tocoo()
    ends = np.sort(np.column_stack((place[edges.row], place[edges.col])), axis=1)
    # An edge is cut by the prefixes that hold one of its ends.
    change = np.bincount(ends[:, 0], edges.data, m) - np.bincount(ends[:, 1], edges.data, m)
    cut = np.cumsum(change)[:-1]
    inside = np.cumsum(size[order])[:-1]
    last = int(np.argmin(cut / (inside * (size.sum() - inside))))
    return np.asarray((place > last) == (place[0] <= last))
