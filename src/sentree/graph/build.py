"""From samples to a graph: neighbours, weighed by a kernel."""

from __future__ import annotations

import math
from functools import partial
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.graph import Graph, neighbor_graph
from sentree.graph.choice import choose
from sentree.graph.copies import find_copies, row_keys
from sentree.graph.extend import DistanceExtension, Extension, SampleExtension, TransformerExtension
from sentree.graph.kept import GraphStore, KeptGraph
from sentree.graph.kernels import KERNELS, LOCAL_RANK, NEGATIVE, Kernel, Weigher, bandwidths
from sentree.graph.neighbors import SEARCH_NAMES, NeighborSearch
from sentree.graph.queries import Neighbors, neighbors_from_distances
from sentree.graph.scaling import Layout, check_samples, check_squares
from sentree.graph.spaces import Metric, canonical_metric, is_sparse, make_space

__all__ = [
    "KERNELS",
    "Affinity",
    "auto_neighbors",
    "auto_settings",
    "build_affinity",
    "distance_affinity",
    "graph_from_distances",
    "knn_graph",
]

#: Neighbours of each sample where the caller does not say.
_AUTO_NEIGHBORS = 10
#: Most neighbours of a sample that :func:`auto_neighbors` gives.
_MOST_NEIGHBORS = 50
#: Samples times neighbours, at most, in a large graph.
_MOST_ENTRIES = 2_000_000
#: Fewest neighbours of a sample in a large graph.
_FEWEST_NEIGHBORS = 10
#: Answers have this many times more neighbours.
_WIDER = 3
#: Most neighbours of a sample among answers.
_MOST_WIDE = 100


class Affinity(NamedTuple):
    """A graph of samples, and what it takes to add new ones."""

    graph: Graph
    extension: Extension  # of the graph by new samples
    copies: NDArray[np.int64] | None = None  # distinct row of each sample; None where none repeats
    recall: float | None = None  # of the neighbour search, on a sample; None if it was exact


def auto_neighbors(n_samples: int, n_clusters: int | None = None, wide: bool = False) -> int:
    """Return a number of neighbours that serves most data.

    The square root of the number of samples, at most half the mean size of a cluster where their
    number is known, at most 50, and less on large data (never below 10 there). With ``wide``, which
    suits answers that take few values, three times the root, at most 100.
    """
    root = math.sqrt(n_samples)
    p = min(_WIDER * root, _MOST_WIDE) if wide else min(root, _MOST_NEIGHBORS)
    p = min(p, max(_MOST_ENTRIES / n_samples, _FEWEST_NEIGHBORS))
    if n_clusters is not None:
        p = min(p, max(n_samples / (2 * n_clusters), 3))
    return max(1, min(round(p), n_samples - 1))


def auto_settings(X: Any) -> dict[str, Any]:
    """Return settings of :func:`sentree.knn_graph` that serve most data.

    Gaussian weights with local bandwidths; how samples are scaled and compared follows from what
    their numbers look like (:func:`sentree.graph.choice.choose`).
    """
    return choose(X).arguments()


def knn_graph(
    X: Any,
    n_neighbors: int | Literal["auto"] = "auto",
    *,
    kernel: str = "gaussian",
    bandwidth: float | Literal["local"] = "local",
    local_rank: int = LOCAL_RANK,
    metric: Metric = "euclidean",
    scale: str | None = None,
    self_loops: bool = False,
    ties: bool = True,
    negative: str = "clip",
    neighbors: Any = "auto",
    n_jobs: int | None = None,
    random_state: Any = 0,
) -> Graph:
    """Join each sample to its nearest neighbours.

    An edge is kept when it is among the nearest of either end, with one weight for both. Samples
    may stay isolated: zero rows under a cosine, or where no similarity is above 0.

    Parameters
    ----------
    X : array-like or scipy sparse matrix of shape (n_samples, n_features)
        Finite samples, at least 2. Sparse data stay sparse.
    n_neighbors : int or "auto"
        Neighbours of each sample beyond itself, capped at n_samples - 1; "auto" is 10.
    kernel : {"gaussian", "cosine", "correlation", "binary"}
        Weight of an edge: exp(-d^2 / (s_i s_j)), the cosine, the cosine of row-centred data, or 1.
    bandwidth : float or "local"
        Of the Gaussian: s_i = s_j = bandwidth, or s_i = the distance to neighbour ``local_rank``.
    local_rank : int
        Which neighbour sets the local bandwidth; a closer one makes weights fall off more steeply.
    metric : str or callable
        Distance that ranks neighbours, of the Gaussian and binary kernels; the others rank by
        themselves. Any metric of scikit-learn that takes no parameters.
    scale : {None, "minmax", "zscore", "table", "centre", "maxabs"}
        Features first to [0, 1]; to mean 0 and variance 1; the same, but columns of two values to
        a fixed distance of these; to mean 0; to at most 1 in magnitude. Constant ones to 0. With
        "log-" before the name, of the logarithms of the values plus 1. Sparse data under a metric
        that sees a shift take only "maxabs", which keeps zeros.
    self_loops : bool
        Whether each vertex also has its similarity to itself (1; 0 for a zero row) as weight of its
        own, in its degree.
    ties : bool
        Whether the exact search keeps every sample as near as the last neighbour, as the paper
        does: equal rows then all join one another. Else neighbours are sought among the distinct
        rows, copies of a row share its edges evenly and are joined in a ring, and of samples
        equally near some are taken, whatever the order of rows.
    negative : {"clip", "shift", "error"}
        Negative cosines: no edge, all cosines s become (1 + s) / 2, or an error.
    neighbors : {"auto", "exact", "faiss", "cells", "sklearn"} or transformer
        Search: exact float64 blocks; an approximate inverted file, or overlapping cells, both with
        measured recall (at least 0.95); scikit-learn's NearestNeighbors; or a transformer such as
        KNeighborsTransformer, whose every neighbour is taken where ``n_neighbors`` is "auto".
        "auto" is exact up to 5000 samples, then the inverted file, and cells from 100,000 samples
        on; scikit-learn for sparse data, three features or fewer and other metrics.
    n_jobs : int, optional
        Threads of the search, -1 for all; None is the default of the library that searches.
    random_state : int, RandomState or None
        Seed of the approximate search.

    Returns
    -------
    Graph

    See Also
    --------
    sentree.graph.build.build_affinity : the same with what it takes to add new samples.
    sentree.graph.build.graph_from_distances : from a sparse matrix of neighbour distances.

    Examples
    --------
    >>> knn_graph([[0.0], [1.0], [5.0]], 1, kernel="binary").n_edges
    2
    """
    return build_affinity(
        X,
        n_neighbors,
        kernel=kernel,
        bandwidth=bandwidth,
        local_rank=local_rank,
        metric=metric,
        scale=scale,
        self_loops=self_loops,
        ties=ties,
        negative=negative,
        neighbors=neighbors,
        n_jobs=n_jobs,
        random_state=random_state,
    )[0]


def build_affinity(
    X: Any,
    n_neighbors: int | Literal["auto"] = "auto",
    *,
    kernel: str = "gaussian",
    bandwidth: float | Literal["local"] = "local",
    local_rank: int = LOCAL_RANK,
    metric: Metric = "euclidean",
    scale: str | None = None,
    self_loops: bool = False,
    ties: bool = True,
    negative: str = "clip",
    neighbors: Any = "auto",
    n_jobs: int | None = None,
    random_state: Any = 0,
    layout: Layout | None = None,
) -> Affinity:
    """Return the graph of :func:`sentree.knn_graph`, and its extension by new samples.

    The parameters are those of :func:`sentree.knn_graph`, and ``layout``, which says how features
    are scaled and weighed where that was decided before; then ``scale`` and ``metric`` do not
    count.

    Returns
    -------
    graph : Graph
    extension : Extension
    copies : int array or None
    recall : float or None
    """
    rule = _check_kernel(kernel, bandwidth, negative)
    ranking = _ranking_metric(kernel, metric if layout is None else layout.metric)
    _check_search(neighbors, kernel, ranking)
    checked = check_samples(X)
    layout = Layout.fit(checked, scale, ranking) if layout is None else layout
    p = _check_neighbors(n_neighbors, checked.shape[0])
    find = partial(
        NeighborSearch,
        p=p or _AUTO_NEIGHBORS,
        search=neighbors,
        n_jobs=n_jobs,
        seed=_seed(random_state),
        ties=ties,
    )
    store = None
    if isinstance(neighbors, str):
        how = (kernel, bandwidth, local_rank, self_loops, negative)
        options = {name: value for name, value in find.keywords.items() if name != "n_jobs"}
        store = GraphStore.of(checked, layout, {"how": how, **options})
    if store is not None and (kept := store.read()) is not None:
        weigher = Weigher(rule, kept.widths, negative, kept.silent)
        join = DistanceExtension(weigher, p, local_rank, self_loops)
        extension = SampleExtension(X, layout, find, join, kept.row)
        return Affinity(kept.graph, extension, kept.row, kept.recall)
    samples = layout.scaled(checked)
    keys = None if ties else row_keys(checked)
    copies = None if keys is None else find_copies(checked, keys)
    row = None if copies is None else copies.row
    if copies is not None and isinstance(neighbors, str):
        samples, keys = samples[copies.first], keys[copies.first]  # type: ignore[index]
    space = make_space(samples, ranking)
    check_squares(space)
    if isinstance(neighbors, str):
        found = find(space, keys=keys).others()
    else:
        transformer, found = _transform(neighbors, samples, p)
    widths = bandwidths(bandwidth, found, local_rank)
    weigher = Weigher(rule, widths, negative, ~space.has_direction())
    del samples, space, keys  # there may be no room for them beside the graph
    graph = _assemble(found, weigher, self_loops)
    join = DistanceExtension(weigher, p, local_rank, self_loops)
    if not isinstance(neighbors, str):
        return Affinity(graph, TransformerExtension(transformer, layout, join), row)
    if copies is not None:
        own = graph.degree - graph.strength if self_loops else None
        graph = copies.spread(graph, weigher.silent, own)
    if store is not None:
        store.write(KeptGraph(graph, widths, weigher.silent, row, found.recall))
    return Affinity(graph, SampleExtension(X, layout, find, join, row), row, found.recall)


def graph_from_distances(
    distances: Any,
    n_neighbors: int | None = None,
    *,
    kernel: str = "gaussian",
    bandwidth: float | Literal["local"] = "local",
    self_loops: bool = False,
    negative: str = "clip",
) -> Graph:
    """Make a graph from a sparse matrix of neighbour distances.

    Such matrices come from scikit-learn's neighbours transformers (``mode="distance"``) and from
    scanpy (``adata.obsp["distances"]``). Every stored entry off the diagonal is a neighbour, a
    stored 0 a duplicate. An edge is kept when either end stores it; where the two differ, the
    nearer counts.

    Parameters
    ----------
    distances : scipy sparse matrix or array of shape (n, n)
        Distances to the neighbours of each sample; finite, >= 0.
    n_neighbors : int, optional
        Take only so many nearest of each row, and the ties of the last; else all.
    kernel, bandwidth, self_loops, negative
        As in :func:`sentree.knn_graph`. "cosine" and "correlation" take the distances as
        1 - similarity; the local bandwidth is the distance to the 7th neighbour, or to the last if
        there are fewer.

    Returns
    -------
    Graph
    """
    return distance_affinity(
        distances,
        n_neighbors,
        kernel=kernel,
        bandwidth=bandwidth,
        self_loops=self_loops,
        negative=negative,
    )[0]


def distance_affinity(
    distances: Any,
    n_neighbors: int | None = None,
    *,
    kernel: str = "gaussian",
    bandwidth: float | Literal["local"] = "local",
    self_loops: bool = False,
    negative: str = "clip",
) -> Affinity:
    """Return the graph of :func:`graph_from_distances`, and its extension by new samples."""
    rule = _check_kernel(kernel, bandwidth, negative)
    if not is_sparse(distances):
        raise TypeError(f"expected a scipy sparse matrix, got {type(distances).__name__}")
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or distances.shape[0] < 2:
        raise ValueError(
            f"distances must be square with at least 2 rows, got shape {distances.shape}"
        )
    n = distances.shape[0]
    p = None if n_neighbors is None else _check_neighbors(n_neighbors, n)
    found = neighbors_from_distances(distances, p)
    widths = bandwidths(bandwidth, found, LOCAL_RANK)
    weigher = Weigher(rule, widths, negative, np.zeros(n, dtype=bool))
    graph = _assemble(found, weigher, self_loops)
    extension = DistanceExtension(weigher, p, LOCAL_RANK, self_loops)
    return Affinity(graph, extension)


def _check_kernel(kernel: str, bandwidth: Any, negative: str) -> Kernel:
    """Return the kernel of a name after checking what belongs to it."""
    _check_choice("kernel", kernel, KERNELS)
    _check_choice("negative", negative, NEGATIVE)
    number = isinstance(bandwidth, Real) and not isinstance(bandwidth, bool)
    if bandwidth != "local" and not (number and 0 < float(bandwidth) < math.inf):
        raise ValueError(f"bandwidth must be 'local' or a number > 0, got {bandwidth!r}")
    return KERNELS[kernel]


def _check_choice(what: str, value: Any, choices: Any) -> None:
    if value not in choices:
        raise ValueError(f"unknown {what} {value!r}; choose from {list(choices)}")


def _ranking_metric(kernel: str, metric: Metric) -> Metric:
    """Return the metric that ranks neighbours: the kernel's own where it has one."""
    own = KERNELS[kernel].metric
    if own is None:
        return metric
    if metric not in ("euclidean", own):
        raise ValueError(
            f"kernel={kernel!r} ranks neighbours by itself and takes no metric={metric!r}; "
            "use kernel='gaussian' or 'binary' with that metric"
        )
    return own


def _check_search(neighbors: Any, kernel: str, metric: Metric) -> None:
    """Refuse unknown searches, and transformers whose distances the kernel cannot use."""
    if isinstance(neighbors, str) and neighbors in SEARCH_NAMES:
        return
    if isinstance(neighbors, type) or not hasattr(neighbors, "fit_transform"):
        raise ValueError(
            f"unknown neighbors {neighbors!r}; choose from {list(SEARCH_NAMES)} or pass a "
            "transformer such as sklearn.neighbors.KNeighborsTransformer(mode='distance')"
        )
    if getattr(neighbors, "mode", "distance") == "connectivity" and kernel != "binary":
        raise ValueError(
            "a transformer with mode='connectivity' gives no distances: use mode='distance', or "
            "kernel='binary'"
        )
    theirs = _transformer_metric(neighbors)
    if theirs is not None and theirs != canonical_metric(metric):
        raise ValueError(
            f"the transformer measures {theirs!r} distances, but kernel={kernel!r} here ranks by "
            f"{metric!r}: give the transformer metric={metric!r}"
        )


def _transformer_metric(transformer: Any) -> Metric | None:
    """Metric of a transformer under its usual name; None where it does not tell."""
    metric = getattr(transformer, "metric", None)
    if metric == "minkowski":
        metric = {1: "manhattan", 2: "euclidean"}.get(getattr(transformer, "p", 2))
    return None if metric is None else canonical_metric(metric)


def _check_neighbors(n_neighbors: Any, n: int) -> int | None:
    """Return the number of neighbours, at most n - 1; None for "auto"."""
    if isinstance(n_neighbors, str) and n_neighbors == "auto":
        return None
    whole = isinstance(n_neighbors, Integral) and not isinstance(n_neighbors, bool)
    if not whole or n_neighbors < 1:
        raise ValueError(f"n_neighbors must be 'auto' or an integer >= 1, got {n_neighbors!r}")
    return min(int(n_neighbors), n - 1)


def _seed(random_state: Any) -> int:
    """Draw one seed for the searches that need one."""
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _transform(transformer: Any, samples: Any, p: int | None) -> tuple[Any, Neighbors]:
    """Let a copy of a transformer find the neighbours, and return it too."""
    from sklearn.base import clone

    fitted = clone(transformer, safe=False)
    matrix = fitted.fit_transform(samples)
    n = samples.shape[0]
    if not is_sparse(matrix) or matrix.shape != (n, n):
        raise ValueError(
            f"the transformer must return a sparse matrix of shape ({n}, {n}), got "
            f"{type(matrix).__name__} of shape {np.shape(matrix)}"
        )
    return fitted, neighbors_from_distances(matrix, p)


def _assemble(found: Neighbors, weigher: Weigher, self_loops: bool) -> Graph:
    """Weigh the neighbours, drop what has no weight, and join both directions."""
    graph = neighbor_graph(found.indptr, found.indices, weigher.of(found))
    if not self_loops:
        return graph
    own = graph.to_scipy().sum(axis=1) + ~weigher.silent
    return Graph(graph.indptr, graph.indices, graph.weights, own)
