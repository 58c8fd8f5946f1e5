"""DaskPartition: the partition of samples that are spread over the workers of a Dask cluster."""

from __future__ import annotations

import logging
import os
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sentree._util.labels import renumber
from sentree._util.progress import shown
from sentree._util.sklearn import Interval, StrOptions, fit_context
from sentree._util.warnings import warn
from sentree.constraints import Constraints
from sentree.constraints.satisfaction import ConstraintReport, cluster_names
from sentree.distributed.building import (
    EdgeList,
    ShardedGraph,
    block_rows,
    graph_of_edges,
    graph_of_samples,
    read_edges,
)
from sentree.distributed.carried import carried, kinds_apart
from sentree.distributed.coarse import PART_BYTES, Coarse, Found, coarsen, search_parts
from sentree.distributed.leaves import tree_of_parts
from sentree.distributed.moves import moved
from sentree.distributed.running import Crowd, current_client
from sentree.distributed.sources import Blocks, edge_blocks, sample_blocks
from sentree.estimators.inputs import check_length, gather_constraints
from sentree.graph.choice import GraphSettings
from sentree.relation.feature_weights import Features
from sentree.search.natural_number import NaturalScale
from sentree.search.recipes import Selection
from sentree.search.size_bounds import check_sizes, size_bounds, size_weights
from sentree.search.spacing import MeasuredSpacing
from sentree.search.starts import keep_numbers, lock, locked_points, start_labels
from sentree.tree import EncodingTree

__all__ = ["DaskPartition"]

logger = logging.getLogger(__name__)

#: What is searched on the parts; these have the meaning that they have in SSEPartition.
_SEARCH = (
    "n_clusters",
    "min_size",
    "max_size",
    "size_penalty",
    "resolution",
    "penalty",
    "selection",
    "n_init",
)
#: What helps where one worker cannot hold samples in a plane.
_IN_PLANE = (
    "samples in a plane are searched by one worker, unless n_clusters or resolution is given; or "
    "give it more memory"
)


class DaskPartition(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Partition samples by structural entropy on the workers of a Dask cluster.

    The neighbours of samples are searched in cells, the graph is kept in shards, and samples are
    united to small parts inside these. One worker searches the graph of the parts as
    :class:`~sentree.SSEPartition` does, with all constraints. Then single samples at borders of
    clusters move, in sub-rounds over all shards. The result depends on the data and the seed, not
    on the number of workers, of threads or of chunks, and is the same if workers get lost.

    Parameters
    ----------
    n_clusters, min_size, max_size, size_penalty, resolution, penalty, selection, n_init, hard
        As in :class:`~sentree.SSEPartition`.
    affinity : {"auto", "gaussian", "precomputed"}, default="auto"
        How the graph is made: "auto" scales and compares samples by what they look like, and
        "gaussian" takes them as they are. "precomputed": X is an edge list.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample in the graph.
    tree : bool, default=False
        Whether to grow a tree over the parts of samples, around the clusters.
    random_state : int, RandomState or None, default=None
        Seed; None is the same as 0.
    verbose : int, default=0
        What is said on standard error, as in :class:`~sentree.SSEPartition`.
    client : distributed.Client, optional
        The cluster to work on; by default the current client.

    Attributes
    ----------
    labels_ : dask array of int32, of shape (n_samples,)
        Cluster of each sample, in the order and the chunks of the rows.
    n_clusters_ : int
        Number of clusters found.
    cluster_names_ : tuple
        The most frequent class among the labelled samples of each cluster; None for a cluster
        without labels.
    entropy_ : float
        The structural entropy of the clusters on the graph, in bits.
    objective_ : float
        ``entropy_`` plus the cost of the constraints.
    constraints_ : Constraints
        All constraints that were given.
    constraint_report_ : ConstraintReport
        Which constraints the clusters keep and which they break.
    scale_ : NaturalScale or None
        How the data chose the number of clusters, where they did.
    selection_ : Selection or None
        Which recipe labels chose, where they did.
    graph_settings_ : GraphSettings or None
        What the samples were taken for, with ``affinity="auto"``.
    features_ : Features or None
        Which features were weighted by labels, and which had long tails.
    tree_ : EncodingTree
        A tree whose leaves are parts of samples and whose nodes include the clusters, with
        ``tree=True``.
    leaf_ : dask array of int32, of shape (n_samples,)
        The leaf of each sample in ``tree_``.
    n_edges_ : int
        Number of edges of the graph.
    n_parts_ : int
        Number of parts that one worker searched.

    See Also
    --------
    sentree.SSEPartition : the same on one machine, with predictions and edits.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sentree.distributed import DaskPartition
    >>> from sklearn.datasets import make_blobs
    >>> X, y = make_blobs(600, 5, centers=3, random_state=0)
    >>> with Client(processes=False, dashboard_address="127.0.0.1:0") as client:
    ...     model = DaskPartition().fit(da.from_array(X, chunks=(200, 5)))
    >>> model.n_clusters_
    3
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "min_size": [Interval(Real, 0, None, closed="neither"), None],
        "max_size": [Interval(Real, 0, None, closed="neither"), None],
        "size_penalty": [Interval(Real, 0, None, closed="left"), None],
        "resolution": [Interval(Real, 0, None, closed="neither"), None],
        "penalty": [Interval(Real, 0, None, closed="left")],
        "selection": [StrOptions({"auto", "on", "off"})],
        "affinity": [StrOptions({"auto", "gaussian", "precomputed"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "hard": ["boolean"],
        "tree": ["boolean"],
        "random_state": ["random_state"],
        "verbose": [Interval(Integral, 0, None, closed="left")],
        "client": "no_validation",
    }

    labels_: Any
    n_clusters_: int
    objective_: float
    entropy_: float
    constraints_: Constraints
    scale_: NaturalScale | None
    selection_: Selection | None
    graph_settings_: GraphSettings | None
    features_: Features | None
    tree_: EncodingTree
    leaf_: Any
    n_edges_: int
    n_parts_: int
    _rows: NDArray[np.int32]

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        min_size: float | None = None,
        max_size: float | None = None,
        size_penalty: float | None = None,
        resolution: float | None = None,
        penalty: float = 1.0,
        selection: str = "auto",
        affinity: str = "auto",
        n_neighbors: int | str = "auto",
        n_init: int = 1,
        hard: bool = False,
        tree: bool = False,
        random_state: Any = None,
        verbose: int = 0,
        client: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_size = min_size
        self.max_size = max_size
        self.size_penalty = size_penalty
        self.resolution = resolution
        self.penalty = penalty
        self.selection = selection
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.hard = hard
        self.tree = tree
        self.random_state = random_state
        self.verbose = verbose
        self.client = client

    @fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        constraints: Constraints | None = None,
        init: ArrayLike | None = None,
        locked: ArrayLike | None = None,
        size_weight: ArrayLike | None = None,
    ) -> Self:
        """Cluster the samples, with any constraints that are known.

        Parameters
        ----------
        X : dask array, dask data frame, path, AnnData or array
            The samples; chunk sizes may be unknown. A path is that of a Parquet file or folder (or
            a pattern, or a list of files), a .npy file, a Zarr array or an AnnData as Zarr, which
            all workers can read. Of an AnnData ``obsm["X_pca"]`` counts, or else ``X``. With
            ``affinity="precomputed"`` an edge list: a data frame, or Parquet, with the columns i, j
            and (else 1) weight. Numbers of vertices near one another should be near, too.
        y : array-like of shape (n_samples,), optional
            Known classes; -1 (or NaN, None) where the class is unknown. Of an AnnData that is
            ``adata.obs["name"]``.
        must_link, cannot_link : array-like of shape (n_pairs, 2), optional
            Pairs of row numbers of samples that belong together, or do not.
        constraints : Constraints, optional
            Any other constraints. They add to those of ``y``, ``must_link`` and ``cannot_link``.
        init : array-like of shape (n_samples,), optional
            Clusters to start from; -1 for a sample without one.
        locked : array-like, optional
            Samples (row numbers, or a mask) that stay in their cluster of ``init``.
        size_weight : array-like of shape (n_samples,), optional
            How much each sample counts in the size of its cluster.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ConstraintConflict
            If the constraints contradict one another, or the hard ones cannot hold.
        MemoryError
            If the workers have too little memory for a task; the message has the arithmetic.
        ValueError
            If the input is not as described, or there is no Dask client.
        """
        given = gather_constraints(y, must_link, cannot_link, constraints)
        if self.hard:
            given = given.hardened()
        given.closure(given.n_min)
        crowd = Crowd(current_client(self.client))
        with shown(self.verbose):
            crowd.check_versions()
            source = self._source(crowd, X, (y, init, size_weight))
            n = source.n
            check_length(y, n)
            given.check(n)
            start = None if init is None else start_labels(init, n)
            points = locked_points(start, locked, n)
            hard = given.hard
            if start is not None and points.size:
                locks = lock(start, points)
                hard = locks if hard is None else hard + locks
                hard.closure(n)
            weight = size_weights(size_weight, n)
            self._check(n, weight, hard)
            kinds = kinds_apart(given, hard, start, points, n)
            seed = self._seed()
            sized = self.min_size is not None or self.max_size is not None
            graph = self._graph(crowd, source, given, kinds, unite=not sized)
            in_plane = self._in_plane(crowd, graph, start)
            coarse = coarsen(
                crowd,
                graph,
                None if kinds is None else graph.by_vertex(kinds),
                self.n_clusters,
                seed,
                in_plane,
            )
            part = graph.by_row(coarse.part)
            found = self._searched(crowd, graph, coarse, part, given, start, points, weight)
            fixed = np.zeros(n, dtype=bool)
            fixed[given.named] = fixed[points] = True
            labels, sums = moved(
                crowd,
                graph,
                found.labels[coarse.part],
                found.shrinkage,
                graph.by_vertex(fixed) if fixed.any() else None,
                moves=not sized and coarse.n_parts < graph.n,
            )
            if self.tree:
                grown = tree_of_parts(crowd, graph, coarse.part, labels, seed)
        self.entropy_ = graph.entropy + sums.cost(graph.volume)
        self.objective_ = self.entropy_ + found.penalty
        self._rows = renumber(graph.by_row(labels))
        if start is not None:
            self._rows = keep_numbers(self._rows, start, points)
        chunks = source.chunks if isinstance(source, Blocks) else None
        self._keep(graph, coarse, found, given, chunks)
        if self.tree:
            self.tree_ = grown[0]
            self.leaf_ = _as_dask(graph.by_row(grown[1]), chunks)
        return self

    def _source(self, crowd: Crowd, X: Any, rows: tuple[Any, ...]) -> Blocks | EdgeList:
        """Return the samples in blocks, or the edges; ``rows`` have a value for each sample."""
        if self.affinity != "precomputed":
            return sample_blocks(X, crowd.client, partial(block_rows, crowd))
        # The last vertices may have no edge.
        least = max(len(one) if hasattr(one, "__len__") else 0 for one in rows)
        return read_edges(crowd, edge_blocks(X), least)

    def _graph(
        self, crowd: Crowd, source: Blocks | EdgeList, given: Constraints, kinds: Any, unite: bool
    ) -> ShardedGraph:
        """Return the graph; rows of different kinds are not united, even if they are equal."""
        if isinstance(source, EdgeList):
            return graph_of_edges(crowd, source)
        graph = graph_of_samples(
            crowd,
            source,
            given,
            kinds,
            affinity=self.affinity,
            n_neighbors=self.n_neighbors,
            n_clusters=self.n_clusters,
            seed=self._seed(),
            unite=unite,
        )
        if self.n_clusters is not None and self.n_clusters > graph.n:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the {graph.n} samples that differ"
            )
        return graph

    def _check(self, n: int, weight: Any, hard: Constraints | None) -> None:
        """Refuse what cannot be, before the search."""
        if self.n_clusters is not None and self.n_clusters > n:
            raise ValueError(f"n_clusters={self.n_clusters} is more than the {n} samples")
        sizes = size_bounds(self.min_size, self.max_size, self.size_penalty, weight, n)
        if sizes is not None:
            check_sizes(sizes, self.n_clusters, hard)
        elif weight is not None:
            raise ValueError(
                "size_weight counts for the bounds on sizes: give min_size or max_size"
            )

    def _in_plane(self, crowd: Crowd, graph: ShardedGraph, init: Any) -> bool:
        """Tell whether peaks of density set the number of clusters: single samples show them."""
        asked = self.n_clusters is None and self.resolution is None and init is None
        flat = MeasuredSpacing(graph.dimension, 0.0, np.empty(0)).in_plane
        if asked and flat:
            crowd.require("samples", graph.n, PART_BYTES, _IN_PLANE, alone=True)
        return asked and flat

    def _searched(
        self,
        crowd: Crowd,
        graph: ShardedGraph,
        coarse: Coarse,
        part: NDArray[np.int32],
        given: Constraints,
        init: NDArray[np.int32] | None,
        points: NDArray[np.int64],
        weight: Any,
    ) -> Found:
        """Search the graph of parts on one worker; ``part`` is that of each row."""
        n = coarse.n_parts
        logger.info("searching for clusters of %d parts", n, extra={"stage": "search"})
        crowd.require("parts", n, PART_BYTES, "give workers more memory", alone=True)
        size = np.bincount(part, minlength=n).astype(np.float64)
        measured: Any = None
        if n == graph.n and graph.dimension is not None and graph.widths is not None:
            measured = np.empty(n)
            measured[coarse.part] = graph.widths
        elif graph.dimension is not None:
            measured = MeasuredSpacing(graph.dimension, 2 * graph.n_edges / graph.n, size)
        more: dict[str, Any] = {}
        if init is not None:
            at_start = np.full(n, -1, dtype=np.int32)
            at_start[part] = init
            more["init"] = at_start
            if points.size:
                more["locked"] = np.unique(part[points])
        if self.min_size is not None or self.max_size is not None:
            more["size_weight"] = size if weight is None else np.bincount(part, weight, n)
        options = {name: getattr(self, name) for name in _SEARCH}
        options["random_state"] = self._seed()
        given = carried(given, part)
        task = crowd.submit(
            "search", search_parts, coarse.pieces, n, options, given, more, measured
        )
        found: Found = crowd.gather([task])[0]
        for text in found.said:
            warn(text)
        return found

    def _keep(
        self,
        graph: ShardedGraph,
        coarse: Coarse,
        found: Found,
        given: Constraints,
        chunks: tuple[int, ...] | None,
    ) -> None:
        """Store the results."""
        self.n_clusters_ = int(self._rows.max()) + 1
        self.constraints_ = given
        self.selection_, self.scale_ = found.selection, found.scale
        self.graph_settings_, self.features_ = graph.settings, graph.features
        self.n_edges_, self.n_parts_ = graph.n_edges, coarse.n_parts
        self.labels_ = _as_dask(self._rows, chunks)

    @property
    def cluster_names_(self) -> tuple[Any, ...]:
        """The most frequent class among the labels of each cluster; None where it has none."""
        check_is_fitted(self, "labels_")
        return cluster_names(self.constraints_, self._rows)

    @property
    def constraint_report_(self) -> ConstraintReport:
        """Which constraints the clusters keep and which they break."""
        check_is_fitted(self, "labels_")
        return self.constraints_.satisfaction(self._rows)

    def fit_predict(self, X: Any, y: ArrayLike | None = None, **constraints: Any) -> Any:
        """Cluster the samples and return ``labels_``; takes what :meth:`fit` takes."""
        return self.fit(X, y, **constraints).labels_

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the cluster of each sample, in the order of rows, to a folder of Parquet files.

        The column is called ``cluster``, and with ``tree=True`` there is ``leaf``, too; there is a
        file for each chunk of ``labels_``.
        """
        import dask.dataframe as dd

        check_is_fitted(self, "labels_")
        frame = dd.from_dask_array(self.labels_, columns="cluster").to_frame()
        if hasattr(self, "leaf_"):
            frame["leaf"] = dd.from_dask_array(self.leaf_, index=frame.index)
        frame.to_parquet(os.fspath(path))

    def _seed(self) -> int:
        """Return the seed of everything random."""
        state = 0 if self.random_state is None else self.random_state
        return int(check_random_state(state).randint(2**31 - 1))


def _as_dask(rows: NDArray[np.int32], chunks: tuple[int, ...] | None) -> Any:
    """Return values of rows as a dask array in these chunks."""
    import dask.array as da

    return da.from_array(rows, chunks=(chunks or "auto",), name=False)
