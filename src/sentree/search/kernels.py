"""The single steps of the search, from merge to multilevel: the only module that calls them.

Each takes a :class:`~sentree.Graph` and, if there are constraints, the signed relation graph (a
symmetric scipy sparse array whose weights include the penalty). It returns a result whose ``trace``
is the objective before the first step and after every step. ``progress`` is called about ten times
a second with the finished share of the work; Ctrl-C stops a search within that time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sentree import _kernels
from sentree._util.labels import follow, renumber
from sentree._util.threads import sharing
from sentree.graph import FloatArray, Graph
from sentree.relation.relation import Relation
from sentree.search.objective import (
    partition_objective,
    singles_objective,
    steered_objective,
    tree_objective,
)
from sentree.tree import EncodingTree, keep_nodes

__all__ = [
    "LinkResult",
    "PartitionResult",
    "ShardRows",
    "SharpGraph",
    "Steering",
    "TreeBeliefs",
    "TreeResult",
    "UnitEdges",
    "balance",
    "compress",
    "contracted",
    "density_clusters",
    "graft",
    "grow",
    "link",
    "merge",
    "move",
    "move_from_queue",
    "move_gain",
    "multilevel",
    "shard_moves",
    "sharpened",
    "spread_labels",
    "stretch",
    "unite_inside",
]

Progress = Callable[[float], object] | None
_Longs = NDArray[np.int64]
_Ints = NDArray[np.int32]
_Arrays = tuple[_Longs, _Ints, FloatArray, FloatArray, _Longs, _Ints, FloatArray]

#: A move must gain more than this many bits: smaller gains are rounding, and sweeps would not end.
_LEAST_MOVE_GAIN = 1e-12
#: How labels are spread: classes kept per vertex, least share of a class, and most sweeps.
_EXACT = (8, 1e-3, 150)
#: The same where a quick result is asked for.
_QUICK = (8, 1e-3, 30)
#: The same for large graphs.
_ROUGH = (4, 1e-2, 5)
#: Graphs with more vertices than this are large.
_LARGE = 20_000
#: Above this many modules, several are united at the same time.
_MANY_MODULES = 8192
#: Spreading ends when the mean change of shares is below this, over the number of sweeps.
_LEAST_CHANGE = 0.03


class Steering(NamedTuple):
    """Changes to the objective while vertices move among a fixed number of modules.

    ``pull`` is a sparse matrix of vertices by modules: how strongly each vertex is drawn to each
    module, in bits times weight. ``shrinkage`` s replaces the volume of a module by (1 - s) V_X +
    s V / k, so that modules of unequal size are not evened out; 0 is the objective itself.
    """

    pull: Any = None
    shrinkage: float = 0.0

    def wide(self, n_modules: int) -> Steering:
        """Return the same for more modules, which have no pull."""
        if self.pull is None or self.pull.shape[1] >= n_modules:
            return self
        wider = sp.csr_array(self.pull, copy=True)
        wider.resize((wider.shape[0], n_modules))
        return self._replace(pull=wider)

    def arrays(self, n_modules: int) -> tuple[_Longs, _Ints, FloatArray, float, int]:
        """Return the arguments of the kernels."""
        if self.pull is None:
            none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0)
            return (*none, self.shrinkage, n_modules)
        rows = sp.csr_array(self.pull)
        return (
            rows.indptr.astype(np.int64, copy=False),
            rows.indices.astype(np.int32, copy=False),
            np.ascontiguousarray(rows.data, dtype=np.float64),
            self.shrinkage,
            n_modules,
        )


#: No changes: moves follow the objective alone.
_UNSTEERED = Steering()


class PartitionResult(NamedTuple):
    """A partition, its objective, and the objective before and after every step."""

    labels: NDArray[np.int32]
    objective: float
    trace: FloatArray


class LinkResult(NamedTuple):
    """A partition, and the unions that lead to it, in order.

    ``unions`` has the numbers of the two modules of each: 0..k-1 for the first modules, then k, k +
    1, … for the results of unions. ``linkage`` is how strongly the two were linked.
    """

    labels: NDArray[np.int32]
    linkage: FloatArray
    unions: NDArray[np.int32]

    def after(self, count: int, n_modules: int) -> NDArray[np.int32]:
        """Return the module of each first module after ``count`` unions."""
        return renumber(_joined(n_modules, *self.unions[:count].T))


class ShardRows(NamedTuple):
    """The rows of some vertices 0..n-1 of a graph; columns from n on are vertices elsewhere.

    ``degree`` includes what leads elsewhere, and ``inner``, the weight inside a vertex.
    """

    indptr: _Longs
    indices: _Ints
    weights: FloatArray
    degree: FloatArray
    inner: FloatArray

    @property
    def n(self) -> int:
        """Number of vertices of the shard."""
        return int(self.indptr.size - 1)

    @property
    def n_columns(self) -> int:
        """Number of vertices of the shard and those elsewhere that it needs."""
        return max(self.n, int(self.indices.max(initial=-1)) + 1)


class TreeResult(NamedTuple):
    """An encoding tree, its objective, and the objective before and after every step."""

    tree: EncodingTree
    objective: float
    trace: FloatArray


def merge(
    graph: Graph,
    relation: Any = None,
    *,
    n_modules: int | None = None,
    must_link_first: bool = False,
    owner: ArrayLike | None = None,
    progress: Progress = None,
) -> PartitionResult:
    """Merge modules from single vertices, the pair with the largest gain first.

    Only pairs adjacent in the data graph merge. Without ``n_modules`` merging ends when no merge
    lowers the objective; with it, when that many modules (or no adjacent pair) are left.
    ``must_link_first`` merges pairs with positive relation weight before all others, and then lets
    modules made by a must-link grow before the rest. Vertices with an ``owner`` (>= 0) are never
    merged with one another.
    """
    if n_modules is not None and n_modules < 1:
        raise ValueError(f"n_modules must be at least 1, got {n_modules}")
    n = graph.n
    start = singles_objective(graph, relation).value
    if graph.volume == 0:
        return PartitionResult(np.arange(n, dtype=np.int32), start, np.array([start]))
    first, second, gain = _kernels.merge(
        *_arrays(graph, relation), n_modules or 0, must_link_first, _owners(owner), progress
    )
    return PartitionResult(renumber(_joined(n, first, second)), *_trace(start, gain))


def move(
    graph: Graph,
    labels: ArrayLike,
    relation: Any = None,
    *,
    steering: Steering = _UNSTEERED,
    keep_modules: bool = False,
    max_sweeps: int = 300,
    progress: Progress = None,
) -> PartitionResult:
    """Move vertices one by one to the adjacent module with the largest gain, until none gains.

    With ``keep_modules`` no module becomes empty. If ``steering`` has a pull, labels are its
    modules, and keep their numbers.
    """
    start_labels = _numbered(labels, steering)
    start = steered_objective(graph, start_labels, relation, *steering).value
    if graph.volume == 0:
        return PartitionResult(start_labels, start, np.array([start]))
    moved, _, _, gain, _ = _kernels.move(
        *_arrays(graph, relation),
        start_labels,
        *steering.arrays(int(start_labels.max()) + 1),
        _LEAST_MOVE_GAIN,
        max_sweeps,
        keep_modules,
        progress,
    )
    return PartitionResult(_numbered(moved, steering), *_trace(start, gain))


def move_gain(
    graph: Graph,
    labels: ArrayLike,
    i: int,
    module: int,
    relation: Any = None,
    *,
    steering: Steering = _UNSTEERED,
) -> float:
    """Return the gain of moving vertex i to a module; unused numbers are empty modules."""
    modules = np.ascontiguousarray(labels, dtype=np.int32)
    steered = steering.arrays(int(modules.max()) + 1)
    return float(_kernels.move_gain(*_arrays(graph, relation), modules, *steered, i, module))


def move_from_queue(
    graph: Graph,
    labels: ArrayLike,
    relation: Any = None,
    *,
    vertices: ArrayLike | None = None,
    steering: Steering = _UNSTEERED,
    keep_modules: bool = False,
    progress: Progress = None,
) -> PartitionResult:
    """Move vertices from a queue until it is empty; a move puts affected neighbours back into it.

    The queue starts with ``vertices``, or all. A vertex may start a module of its own, unless
    ``keep_modules`` fixes the number of modules. Vertices move along the edges of both graphs. The
    trace has two values. ``steering`` is as in :func:`move`.
    """
    start_labels = _numbered(labels, steering)
    start = steered_objective(graph, start_labels, relation, *steering).value
    if graph.volume == 0:
        return PartitionResult(start_labels, start, np.array([start]))
    queue = np.arange(graph.n) if vertices is None else np.unique(np.asarray(vertices))
    moved, gain = _kernels.move_from_queue(
        *_arrays(graph, relation),
        start_labels,
        *steering.arrays(int(start_labels.max()) + 1),
        queue.astype(np.int32),
        _LEAST_MOVE_GAIN,
        not keep_modules,
        keep_modules,
        sharing(),
        progress,
    )
    return PartitionResult(_numbered(moved, steering), *_trace(start, np.array([gain])))


def balance(
    graph: Graph,
    labels: ArrayLike,
    size: ArrayLike,
    relation: Any = None,
    *,
    least: float = 0.0,
    most: float = np.inf,
    price: float = np.inf,
    n_samples: int | None = None,
    steering: Steering = _UNSTEERED,
    progress: Progress = None,
) -> PartitionResult:
    """Move vertices until every module has a size from ``least`` to ``most``, at the lowest cost.

    The size of a module is the sum of the sizes of its vertices. Chains of moves, the cheapest
    first, lead from modules that are too large to modules with room, and to those that are too
    small. Then moves, and chains that begin with a move for which there is no room, lower the
    objective. Each module keeps at least one of the first ``n_samples`` vertices. With a finite
    ``price``, each unit of size outside the bounds costs that many bits, and stays outside where
    that is cheaper. The sizes may also stay outside where vertices of unequal size, or vertices
    that are kept apart, leave no cheap way: look at them. The objective does not include the price.
    """
    start_labels = _numbered(labels, steering)
    start = steered_objective(graph, start_labels, relation, *steering).value
    if graph.volume == 0:  # all moves cost nothing
        graph = Graph(graph.indptr, graph.indices, graph.weights, np.ones(graph.n))
    k = int(start_labels.max()) + 1
    moved, gain = _kernels.balance(
        *_arrays(graph, relation),
        start_labels,
        *steering.arrays(k),
        np.ascontiguousarray(size, dtype=np.float64),
        graph.n if n_samples is None else n_samples,
        least,
        most,
        price,
        _LEAST_MOVE_GAIN,
        progress,
    )
    return PartitionResult(moved, *_trace(start, np.array([gain])))


def multilevel(
    graph: Graph,
    relation: Any = None,
    *,
    init: ArrayLike | None = None,
    seed: int = 0,
    max_rounds: int = 10,
    progress: Progress = None,
) -> PartitionResult:
    """Move vertices, contract the modules, and repeat on the smaller graph, for several rounds.

    Vertices move along the edges of both graphs, and may start a module of their own. A round
    starts from the result of the one before (the first from ``init``, or single vertices) and
    divides modules into connected pieces before it contracts them. Rounds end when one gains
    nothing. The trace has one value per round.
    """
    if init is None:
        first = np.arange(graph.n, dtype=np.int32)
        start = singles_objective(graph, relation).value
    else:
        first = renumber(init)
        start = partition_objective(graph, first, relation).value
    if graph.volume == 0:
        return PartitionResult(first, start, np.array([start]))
    labels, gain = _kernels.multilevel(
        *_arrays(graph, relation),
        first,
        seed,
        max_rounds,
        _LEAST_MOVE_GAIN,
        sharing(),
        progress,
    )
    return PartitionResult(renumber(labels), *_trace(start, gain))


def unite_inside(shard: ShardRows, total: float, most: float, *, seed: int = 0) -> _Ints:
    """Unite vertices of a shard to connected parts of at most a volume ``most``; return the parts.

    Each vertex in turn joins the part of its shard that gains most. ``total`` is the volume of the
    whole graph.
    """
    return _kernels.unite_inside(*shard, shard.n_columns, total, most, seed, _LEAST_MOVE_GAIN)


def shard_moves(
    shard: ShardRows,
    labels: _Ints,
    total: float,
    association: FloatArray,
    volume: FloatArray,
    vertices: _Ints,
    shrinkage: float = 0.0,
) -> tuple[_Ints, _Ints, FloatArray, FloatArray]:
    """Return the best moves of vertices of a shard, all decided on the same labels and modules.

    ``labels`` are those of all columns; ``association`` and ``volume`` are sums over the vertices
    of each module, in all shards: the weight inside it (both directions), and the degrees.
    Vertices for which no move gains are left out.

    Returns
    -------
    vertex, to : int arrays
        Which vertices move, and to which module.
    from_weight, to_weight : float arrays
        Weight between each of them and the module that it leaves, and that it joins.
    """
    arrays = (*shard, labels, total, association, volume, shrinkage, vertices)
    return _kernels.decide(*arrays, _LEAST_MOVE_GAIN)


def link(
    graph: Graph,
    labels: ArrayLike,
    relation: Any = None,
    *,
    n_modules: int = 1,
    least: float = 0.0,
    powers: tuple[float, float] = (1.0, 1.0),
    owner: ArrayLike | None = None,
    many: int = _MANY_MODULES,
    progress: Progress = None,
) -> LinkResult:
    """Unite adjacent modules, the most strongly linked pair first.

    The linkage of two modules is the weight between them in both graphs, over ``powers`` of the
    lesser and the greater volume, all as shares of the total. With powers of 1 it is w V / (V_X
    V_Y), the weight relative to what is expected by chance. Uniting ends at ``n_modules``, when no
    linkage reaches ``least``, or when no two modules have a positive weight between them. Modules
    with an ``owner`` (>= 0; one entry for each, by first appearance in ``labels``) are never united
    with one another.

    Above ``many`` modules, pairs that are linked most strongly to one another are united in rounds,
    all at the same time if their linkage is at least the median of the strongest of every module.
    Their parts come before them, but they are in order of linkage only within a round. With powers
    of 1 they are the same unions, unless ``n_modules`` ends them.
    """
    modules = renumber(labels)
    k = int(modules.max()) + 1
    if graph.volume == 0:
        return LinkResult(modules, np.empty(0), np.empty((0, 2), dtype=np.int32))
    first, second, linkage = _kernels.link(
        *_arrays(graph, relation),
        modules,
        max(least, 0.0),
        n_modules,
        *powers,
        _owners(owner),
        many,
        sharing(),
        progress,
    )
    labels = renumber(_joined(k, first, second)[modules])
    return LinkResult(labels, linkage, np.column_stack((first, second)))


def contracted(graph: Graph, labels: ArrayLike) -> sp.csr_array[Any, tuple[int, int]]:
    """Return the weights between the modules 0..k-1, symmetric up to rounding."""
    modules = np.ascontiguousarray(labels, dtype=np.int32)
    k = int(modules.max()) + 1
    rows = _kernels.contracted(*_arrays(graph, None), modules, k, sharing())
    return sp.csr_array((rows[2], rows[1], rows[0]), shape=(k, k))


class SharpGraph(NamedTuple):
    """What :func:`sharpened` returns, computed edge by edge when labels spread: without a copy."""

    graph: Graph
    limit: FloatArray  # of each vertex: the least weight of its strongest edges
    power: float

    @classmethod
    def of(cls, graph: Graph, most: int, power: float) -> SharpGraph:
        """Take the parameters of :func:`sharpened`."""
        arrays = graph.indptr, graph.indices, graph.weights
        return cls(graph, _kernels.strongest_limits(*arrays, most, sharing()), power)


def sharpened(
    graph: Graph, most: int, power: float, *, progress: Progress = None
) -> sp.csr_array[Any, tuple[int, int]]:
    """Return the graph to spread labels over: the strongest edges, with sharper weights.

    An edge is kept if it is among the ``most`` strongest of either end (or ties with them). Its
    weight, relative to the largest of all, is raised to ``power``.
    """
    arrays = graph.indptr, graph.indices, graph.weights
    indptr, indices, weights = _kernels.sharpened(*arrays, most, power, sharing(), progress)
    return sp.csr_array((weights, indices, indptr), shape=(graph.n, graph.n))


def density_clusters(
    i: ArrayLike,
    j: ArrayLike,
    height: ArrayLike,
    n: int,
    *,
    few: int,
    many: int,
    rise: ArrayLike,
    sure: float = 1.0,
    progress: Progress = None,
) -> tuple[NDArray[np.int32], float]:
    """Return the peak of density 0..k-1 of every vertex, -1 for none, and the clearest rise.

    The latter is the largest rise of the lower of two peaks above the place where they meet, as a
    share of the rise that a peak must have.

    Parameters
    ----------
    i, j : int arrays
        Ends of the edges.
    height : float array
        Minus the log of the density at each edge.
    n : int
        Number of vertices.
    few, many : int
        Number of vertices of the smallest peak, and number from which on the mass of a peak counts.
    rise : float array
        How much the log density must rise from where a peak meets another to where its first few, 2
        few, 4 few, ... vertices are connected; one of these is enough.
    sure : float
        Factor for these rises.
    """
    rising = np.asarray(height, dtype=np.float64)
    order = np.argsort(rising, kind="stable")
    first, second = (np.asarray(side, dtype=np.int32)[order] for side in (i, j))
    least = np.asarray(rise, dtype=np.float64)
    found, clearest = _kernels.density_clusters(
        first, second, rising[order], n, few, many, least, sure, progress
    )
    peaks = np.unique(np.append(found, -1), return_inverse=True)[1][:-1] - 1
    return peaks.astype(np.int32), clearest


def spread_labels(
    graph: Any,
    index: ArrayLike,
    code: ArrayLike,
    *,
    quick: bool = False,
    progress: Progress = None,
) -> sp.csr_array[Any, tuple[int, int]]:
    """Spread the classes 0..k-1 of some vertices: the belief of others is their neighbours' mean.

    ``graph`` is a :class:`~sentree.Graph`, a :class:`SharpGraph`, or a symmetric CSR array of
    weights >= 0. Returns a
    matrix of vertices by classes whose rows sum to 1, or are empty where no label reaches. Only the
    eight largest shares of a vertex are kept, and none below 0.001; in graphs of more than 20,000
    vertices only four, and none below 0.01. ``quick`` ends after fewer sweeps.
    """
    points = np.ascontiguousarray(index, dtype=np.int32)
    classes = np.ascontiguousarray(code, dtype=np.int32)
    k = int(classes.max(initial=-1)) + 1
    limit, power = np.empty(0), 1.0
    if isinstance(graph, SharpGraph):
        graph, limit, power = graph
    if isinstance(graph, Graph):
        n, indptr, indices, weights = graph.n, graph.indptr, graph.indices, graph.weights
    else:
        n, weights = graph.shape[0], graph.data
        indptr = graph.indptr.astype(np.int64, copy=False)
        indices = graph.indices.astype(np.int32, copy=False)
    exactness = _ROUGH if n > _LARGE else _QUICK if quick else _EXACT
    shares, least, sweeps = exactness
    indptr, indices, share = _kernels.spread_labels(
        indptr,
        indices,
        weights,
        limit,
        power,
        points,
        classes,
        k,
        shares,
        least,
        sweeps,
        _LEAST_CHANGE / sweeps,
        sharing(),
        progress,
    )
    return sp.csr_array((share, indices, indptr), shape=(n, k))


class TreeBeliefs(NamedTuple):
    """Probabilities of classes on a tree of units."""

    belief: FloatArray  # of shape (n_units, n_classes)
    cut: FloatArray  # probability that each edge is cut


class UnitEdges(NamedTuple):
    """The edges of a tree of units, each from a heavy unit to a light one.

    A unit is the light one of one edge, which comes after all edges in which it is the heavy one;
    only the root is never the light one.
    """

    heavy: _Ints
    light: _Ints
    root: int
    between: NDArray[np.bool_]  # whether an edge is of the second kind

    def beliefs(self, cut: FloatArray, share: FloatArray, evidence: FloatArray) -> TreeBeliefs:
        """Return the class of every unit, given evidence about some.

        A light unit has the class of the heavy one unless the edge is ``cut``, which has a
        probability; then another class is drawn by the ``share`` of classes, which has a row for
        edges within and one for edges ``between``. The last class stands for all that are still
        unseen: two unseen classes across a cut are different ones. ``evidence`` is the likelihood
        of every class of every unit.
        """
        found = self._believed(cut, share, evidence, True)
        return TreeBeliefs(found[0].reshape(evidence.shape), found[1])

    def log_likelihood(self, cut: FloatArray, share: FloatArray, evidence: FloatArray) -> float:
        """Return the log of the probability of the evidence."""
        return self._believed(cut, share, evidence, False)[2]

    def _believed(
        self, cut: FloatArray, share: FloatArray, evidence: FloatArray, everything: bool
    ) -> tuple[FloatArray, FloatArray, float]:
        kind = self.between.astype(np.uint8)
        k = evidence.shape[1]
        return _kernels.tree_beliefs(
            *self[:3], cut, kind, share.ravel(), k, evidence.ravel(), everything
        )

    def reached(self, kept: FloatArray, value: FloatArray) -> FloatArray:
        """Return for every unit the sum of all values, each times ``kept`` of all edges between."""
        return _kernels.tree_reach(*self[:3], kept, value, False)

    def nearest(self, kept: FloatArray, value: FloatArray) -> FloatArray:
        """Return the same with the greatest in place of the sum."""
        return _kernels.tree_reach(*self[:3], kept, value, True)


def stretch(
    graph: Graph,
    relation: Any = None,
    *,
    leaf_penalty: bool = False,
    must_link_first: bool = False,
    progress: Progress = None,
) -> TreeResult:
    """Stretch the star to a binary tree, joining the pair with the largest gain first.

    Components of the graph become children of the root at the end, which then has more than two
    children if there are three components or more. ``leaf_penalty`` extends the penalty to the
    leaves.
    """
    n = graph.n
    no_joins = np.empty(0, dtype=np.int32)
    first, second, gain = (
        _kernels.stretch(*_arrays(graph, relation), leaf_penalty, must_link_first, progress)
        if graph.volume > 0
        else (no_joins, no_joins, np.empty(0))
    )
    parent = np.full(n + first.size, -1, dtype=np.int32)
    parent[first] = parent[second] = n + np.arange(first.size, dtype=np.int32)
    tops = np.flatnonzero(parent < 0)
    if tops.size > 1:
        parent = np.append(parent, np.int32(-1))
        parent[tops] = parent.size - 1
    related = None if relation is None else Relation.checked(relation, n).matrix
    tree = EncodingTree.from_parent(parent, graph, related)
    star = EncodingTree.from_labels(np.zeros(n), graph, related)
    start = tree_objective(star, leaf_penalty=leaf_penalty).value
    return TreeResult(tree, *_trace(start, gain))


def compress(
    tree: EncodingTree,
    height: int,
    *,
    leaf_penalty: bool = False,
    progress: Progress = None,
) -> TreeResult:
    """Remove the inner nodes that cost least until the tree has the given height."""
    _check_height(height)
    start = tree_objective(tree, leaf_penalty=leaf_penalty).value
    removed, gain = _kernels.compress(
        tree.parent,
        tree.volume,
        tree.cut,
        tree.relation_cut,
        tree.n_leaves,
        height,
        leaf_penalty,
        progress,
    )
    kept = np.ones(tree.n_nodes, dtype=bool)
    kept[removed] = False
    measures = (tree.volume[kept], tree.cut[kept], tree.relation_cut[kept])
    smaller = EncodingTree(keep_nodes(tree.parent, kept), *measures, tree.names)
    return TreeResult(smaller, *_trace(start, gain))


def grow(
    graph: Graph,
    relation: Any = None,
    *,
    clusters: ArrayLike | None = None,
    triplets: tuple[ArrayLike, ArrayLike] | None = None,
    height: int | None = None,
    leaf_penalty: bool = False,
    seed: int = 0,
    max_rounds: int = 1,
    max_grafts: int = 1,
    progress: Progress = None,
) -> TreeResult:
    """Grow a tree level by level with the multilevel search, then move subtrees.

    The children of a node are grouped, then the groups, and the members of each group, as long as
    this gains: until every node has two children, or children that do not touch. With ``height``,
    levels are added where they gain most until the tree has that height, and all levels are
    searched again after each. Each of the ``clusters`` becomes a node of the tree (a leaf, if it
    has one member).

    ``triplets`` are rows (i, j, k) and their weights. While the three are in different children of
    one node, i and j attract each other by the weight, and each repels k by half of it, so that i
    and j are joined below k. Once they are grouped, the triplet has no effect. Moves ignore
    triplets, so there are none if triplets are given.

    ``max_rounds`` limits the search of one level, ``max_grafts`` the rounds of :func:`graft`. The
    trace has the objective of the star, of the grown tree and after every round of moves.
    """
    _check_height(height)
    kept = _clusters(clusters, graph.n)
    arrays = _arrays(graph, relation)
    star = _measured(arrays, np.append(np.full(graph.n, graph.n), -1))
    start = tree_objective(star, leaf_penalty=leaf_penalty).value
    if graph.volume == 0 or height == 1:
        tree = star if height == 1 or clusters is None else EncodingTree.from_labels(kept, graph)
        return TreeResult(tree, start, np.array([start]))
    rows, weights = (np.empty(0), np.empty(0)) if triplets is None else triplets
    parent = _kernels.grow(
        *arrays,
        kept,
        np.asarray(rows, dtype=np.int32).ravel(),
        np.asarray(weights, dtype=np.float64),
        leaf_penalty,
        height or 0,
        seed,
        max_rounds,
        _LEAST_MOVE_GAIN,
        sharing(),
        progress,
    )
    gain = np.empty(0)
    if max_grafts > 0 and triplets is None:
        options = leaf_penalty, height or 0, max_grafts, _LEAST_MOVE_GAIN, sharing(), progress
        parent, gain = _kernels.graft(*arrays, parent, kept, *options)
    tree = _measured(arrays, parent)
    end = tree_objective(tree, leaf_penalty=leaf_penalty).value
    return TreeResult(tree, end, np.append(start, _trace(end + gain.sum(), gain)[1]))


def graft(
    graph: Graph,
    tree: EncodingTree,
    relation: Any = None,
    *,
    clusters: ArrayLike | None = None,
    height: int | None = None,
    leaf_penalty: bool = False,
    max_rounds: int = 10,
    progress: Progress = None,
) -> TreeResult:
    """Move leaves and subtrees to other parents, and remove inner nodes that raise the objective.

    A subtree becomes a child of another node, or its sibling below a new node, whichever lowers the
    objective most. Leaves move first, then larger and larger subtrees. ``height`` is not exceeded.
    ``clusters`` that are nodes of the tree stay nodes. The trace has one value per round.
    """
    _check_height(height)
    start = tree_objective(tree, leaf_penalty=leaf_penalty).value
    if graph.volume == 0 or tree.n_nodes == 1:
        return TreeResult(tree, start, np.array([start]))
    arrays = _arrays(graph, relation)
    parent, gain = _kernels.graft(
        *arrays,
        tree.parent,
        _clusters(clusters, graph.n),
        leaf_penalty,
        height or 0,
        max_rounds,
        _LEAST_MOVE_GAIN,
        sharing(),
        progress,
    )
    return TreeResult(_measured(arrays, parent), *_trace(start, gain))


def _numbered(labels: ArrayLike, steering: Steering) -> _Ints:
    """Return labels numbered by first appearance, or unchanged if there is a pull."""
    if steering.pull is None:
        return renumber(labels)
    return np.ascontiguousarray(labels, dtype=np.int32)


def _owners(owner: ArrayLike | None) -> _Ints:
    """Return owners for the kernels; empty for None."""
    return np.asarray([] if owner is None else owner, dtype=np.int32)


def _measured(arrays: _Arrays, parent: NDArray[Any]) -> EncodingTree:
    """Return the tree with volumes and cuts, its nodes numbered by volume."""
    parent = parent.astype(np.int32, copy=False)
    return EncodingTree(parent, *_kernels.measure(*arrays, parent)).by_volume()


def _check_height(height: int | None) -> None:
    if height is not None and height < 1:
        raise ValueError(f"height must be at least 1, got {height}")


def _clusters(labels: ArrayLike | None, n: int) -> _Ints:
    """Return clusters for the kernels; empty for None."""
    if labels is None:
        return np.empty(0, dtype=np.int32)
    clusters = renumber(labels)
    if clusters.size != n:
        raise ValueError(f"{clusters.size} labels for a graph of {n} vertices")
    return clusters


def _joined(n: int, first: _Ints, second: _Ints) -> _Ints:
    """Return the module of each of n items after joins, whose results are n, n + 1, …"""
    up = np.arange(n + first.size, dtype=np.int32)
    up[first] = up[second] = n + np.arange(first.size, dtype=np.int32)
    return follow(up)[:n]


def _trace(start: float, gain: FloatArray) -> tuple[float, FloatArray]:
    """Return the last objective, and the objective at the start and after each step."""
    trace = start - np.concatenate(([0.0], np.cumsum(gain)))
    return float(trace[-1]), trace


def _arrays(graph: Graph, relation: Any) -> _Arrays:
    """Return the seven arrays that every kernel takes."""
    arrays = (graph.indptr, graph.indices, graph.weights, graph.degree)
    if relation is None:
        empty = np.zeros(graph.n + 1, dtype=np.int64)
        return (*arrays, empty, np.empty(0, dtype=np.int32), np.empty(0))
    return (*arrays, *Relation.checked(relation, graph.n).arrays)
