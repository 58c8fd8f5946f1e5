"""From samples, a graph or distances to the graph that is clustered, as the parameters say."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from sentree.constraints import Constraints
from sentree.estimators.inputs import (
    check_edges,
    is_plain,
    prepared_blocks,
    stored_distances,
    validated,
)
from sentree.graph import Graph
from sentree.graph.blocks import Block
from sentree.graph.build import Affinity, auto_neighbors, build_affinity, distance_affinity
from sentree.graph.choice import GraphSettings, choose
from sentree.graph.extend import GraphExtension
from sentree.graph.neighbors import SEARCH_NAMES
from sentree.graph.scaling import Layout
from sentree.relation.feature_weights import Features, table_layout

if TYPE_CHECKING:
    from sentree.prepare import TablePreparer

__all__ = ["PRECOMPUTED", "GraphMaker"]

logger = logging.getLogger(__name__)

#: Affinities with which X is the graph, or its distances.
PRECOMPUTED = ("precomputed", "precomputed_distances")


class GraphMaker(BaseEstimator):  # type: ignore[misc]
    """The part of an estimator that makes graphs of samples, and checks new samples."""

    n_clusters: int | None
    affinity: str | Callable[[Any], Any]
    n_neighbors: int | str
    neighbors: Any
    prepare: Any
    n_jobs: int | None
    random_state: Any

    graph_settings_: GraphSettings | None
    features_: Features | None
    preparation_: TablePreparer | None = None
    _table: Any = None  # the samples as they came, if they were prepared

    def _affinity(self, X: Any, given: Constraints) -> Affinity:
        """Return the data graph of X, how new samples join it, and which rows repeat."""
        self.graph_settings_ = None
        if callable(self.affinity) or self.affinity in PRECOMPUTED:
            made = self._given_graph(X)
            check_edges(made.graph)
            return made
        if isinstance(X, Graph):
            raise ValueError("X is a Graph: set affinity='precomputed' to cluster it")
        known = prepared_blocks(X)  # by a step before this one
        X = self._prepared(X)
        known = known if self.preparation_ is None else self.preparation_.blocks_
        blocks = known if any(block.has_levels for block in known) else None
        auto = choose(X, blocks) if self.affinity == "auto" else None
        settings = {"kernel": self.affinity} if auto is None else auto.arguments()
        if auto is not None:
            logger.info("the samples are taken for %s", auto)
            if auto.dense and sp.issparse(X):
                X = X.toarray()
        told = {"stage": "neighbours"}
        logger.info("finding the neighbours of %d samples", X.shape[0], extra=told)
        wide = auto is not None and auto.wide
        p = self._count_neighbors(X.shape[0], wide)
        self.graph_settings_ = auto
        made = build_affinity(
            X,
            p,
            layout=self._layout(X, auto, given, blocks),
            ties=False,
            **settings,
            neighbors=self.neighbors,
            n_jobs=self.n_jobs,
            random_state=self._seed(),
        )
        check_edges(made.graph)
        return made

    def _prepared(self, X: Any) -> Any:
        """Return samples as numbers, by ``prepare`` where there is something to prepare."""
        if self.prepare is None or (self.prepare == "auto" and is_plain(X)):
            return self._validated(X)
        from sentree.prepare import TablePreparer

        preparer = TablePreparer() if self.prepare == "auto" else clone(self.prepare)
        if not isinstance(preparer, TablePreparer):
            kind = type(preparer).__name__
            raise TypeError(f"prepare must be 'auto' or a sentree.TablePreparer, got a {kind}")
        self.preparation_, self._table = preparer, X
        logger.info("preparing the table", extra={"stage": "preparing"})
        features = preparer.fit_transform(X)
        self.n_features_in_ = preparer.n_features_in_
        self.feature_names_in_ = preparer.feature_names_in_
        return np.ascontiguousarray(features)

    @property
    def _is_mixed(self) -> bool:
        """Whether samples are compared as rows of numbers and categories."""
        return self.graph_settings_ is not None and self.graph_settings_.kind == "mixed"

    @property
    def _feature_names(self) -> Any:
        """Names of the features that samples are compared by."""
        if self.preparation_ is not None:
            return self.preparation_.get_feature_names_out()
        return getattr(self, "feature_names_in_", None)

    @property
    def _width(self) -> int:
        """Number of features that samples are compared by."""
        if self.preparation_ is not None:
            return self.preparation_.get_feature_names_out().size
        return self.n_features_in_

    def _layout(
        self,
        X: Any,
        auto: GraphSettings | None,
        given: Constraints,
        blocks: Sequence[Block] | None,
    ) -> Layout | None:
        """Return how long tails are drawn in and features weighted, if X is a table."""
        if auto is None or not auto.is_table or sp.issparse(X):
            return None
        tails = self.preparation_ is None or self.preparation_.log is None
        layout = table_layout(X, auto.scale, given, blocks, tails)
        self.features_ = Features.of(layout, X.shape[1], self._feature_names)
        return layout

    def _seed(self) -> int:
        """Return the seed of everything random; None means 0, so results repeat."""
        state = 0 if self.random_state is None else self.random_state
        return int(check_random_state(state).randint(2**31 - 1))

    def _given_graph(self, X: Any) -> Affinity:
        """Return the graph where X, or a function of the user, gives it."""
        if self.affinity == "precomputed_distances":
            return self._distance_graph(X)
        given = self._called_graph(X) if callable(self.affinity) else self._own_graph(X)
        graph, factor = given.moderate()
        return Affinity(graph, GraphExtension(factor))

    def _called_graph(self, X: Any) -> Graph:
        """Return the graph that the user's function makes of X."""
        X = self._prepared(X)
        made = self.affinity(X)  # type: ignore[operator]
        if not isinstance(made, Graph) and not sp.issparse(made):
            raise TypeError(
                "affinity must return a sentree.Graph or a scipy sparse matrix, got "
                f"{type(made).__name__}"
            )
        graph = made if isinstance(made, Graph) else Graph.from_scipy(made)
        if graph.n != X.shape[0]:
            raise ValueError(
                f"affinity returned a graph of {graph.n} vertices for {X.shape[0]} samples"
            )
        return graph

    def _own_graph(self, X: Any) -> Graph:
        """Take X as the graph."""
        if not isinstance(X, Graph):
            return Graph.from_scipy(sp.csr_array(self._square(X)))
        if X.n < 2:
            raise ValueError(f"clustering needs at least 2 samples, got n_samples = {X.n}")
        self.n_features_in_ = X.n
        if hasattr(self, "feature_names_in_"):  # of an earlier fit
            del self.feature_names_in_
        return X

    def _distance_graph(self, X: Any) -> Affinity:
        """Return the graph of X as a matrix of distances."""
        X = self._square(X)
        p = None if self.n_neighbors == "auto" else int(self.n_neighbors)
        if not sp.issparse(X):
            p = auto_neighbors(X.shape[0], self.n_clusters) if p is None else p
            X = stored_distances(X)
        return distance_affinity(X, p)

    def _square(self, X: Any) -> Any:
        """Return X validated as a matrix of samples by samples."""
        X = self._validated(X)
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"affinity={self.affinity!r} needs a square matrix, got {X.shape}")
        return X

    def _count_neighbors(self, n: int, wide: bool) -> Any:
        """Resolve n_neighbors="auto"; a neighbours transformer brings its own number."""
        if self.n_neighbors != "auto" or self.neighbors not in SEARCH_NAMES:
            return self.n_neighbors
        return auto_neighbors(n, self.n_clusters, wide)

    def _validated(self, X: Any, new: bool = False) -> Any:
        """Return X as a float array or CSR matrix, with errors that name the place."""
        infinite = self.affinity == "precomputed_distances"
        return validated(self, X, new=new, infinite=infinite)

    def _validated_new(self, X: Any) -> Any:
        """Return new samples, or their similarities or distances, validated."""
        if isinstance(X, Graph):
            raise TypeError(
                "predict takes a matrix of similarities (new samples x training samples), not a "
                "Graph, which has no training samples"
            )
        if self.preparation_ is not None:
            return np.ascontiguousarray(self.preparation_.transform(X))
        X = self._validated(X, new=True)
        if self.affinity == "precomputed_distances" and not sp.issparse(X):
            return stored_distances(X, new=True)
        return X
