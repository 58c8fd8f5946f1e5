"""SSEPartition: a partition of the samples of least structural entropy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from sentree.constraints import Constraints
from sentree.entropy import partition_objective
from sentree.estimator import Problem, SSEEstimator, join_isolated, warn_if_too_many
from sentree.graph import FloatArray, Graph
from sentree.optimise import PartitionResult, lowest, merge, move, multilevel
from sentree.propagation import propagate
from sentree.scale import at_resolution, coarsen, to_number
from sentree.selection import Recipe, Selection, recipes, select, strongest
from sentree.tree import EncodingTree, renumber
from sentree.weights import Anchored, anchor, cannot_share

__all__ = ["SSEPartition"]

#: Rounds of the multilevel search: later ones still lower the objective, but not the error.
_ROUNDS = 3
#: Share of the samples that need a label before labels are spread over the graph as the start, and
#: labels a class needs on average for single samples, not modules, to be what takes a class.
_SHARE_TO_SPREAD, _LABELS_TO_SPREAD = 0.05, 3
#: selection="auto": fewest statements of either kind that tell recipes apart, and most samples to
#: search often. One kind alone never chooses: it would favour all together, or all apart.
_CONSTRAINTS_TO_SELECT, _SAMPLES_TO_SELECT = 200, 20_000


class SSEPartition(SSEEstimator):
    """Partition samples by structural entropy, with or without constraints.

    A nearest-neighbour graph of the samples is cut into modules so that a random walk on it is
    described with the fewest bits; constraints add a penalty for every must-link that is cut and
    every cannot-link that is not. The number of clusters need not be given.

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters. Without it the data decide, at the scale that ``resolution`` sets.
    method : {"multilevel", "paper"}, default="multilevel"
        "multilevel" moves samples, contracts what has come together and repeats, with constraints
        weighed by degree and information; "paper" merges modules greedily, then moves single
        samples, with the weights of the paper (Zeng et al., SDM 2024).
    resolution : float, optional
        Modules are united while they are linked at least this many times more strongly than chance
        would have it; larger gives more clusters. Without it and ``n_clusters`` the scale is chosen
        from the data. "multilevel" only.
    penalty : float, optional
        Weight of the constraints against the graph; 1 by default, 2 for the weights of the paper.
    weights : {"degree", "paper"}, default="degree"
        How "multilevel" weighs constraints: by the degree of a sample and by what a constraint
        tells, or by similarity as in the paper (the only way for "paper").
    selection : {"auto", "on", "off"}, default="auto"
        Whether the constraints choose the number of neighbours, their own weights and the start:
        each is hidden once, and another recipe than the usual is taken where it clearly keeps more
        of the hidden ones. Takes some fifteen searches on one graph. "auto" does so where
        ``n_clusters`` is given, with 200 must-links and cannot-links or 200 labels on up to 20,000
        samples. "multilevel" with weights by degree only.
    affinity : str or callable, default="auto"
        How the graph is made. "auto": Gaussian weights with a bandwidth of its own for every
        sample, on features scaled to [0, 1], by the correlation of two rows above 50 features and
        by their distance below. "gaussian", "cosine", "correlation", "binary": such weights on the
        features as they are. "paper-gaussian", "paper-cosine", "paper-hierarchy": the settings of
        the paper's experiments. "precomputed" takes a graph, "precomputed_distances" distances
        (sparse ones to neighbours, or dense); a callable gets X and returns a
        :class:`~sentree.Graph`.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample in the graph; "auto" is the square root of the number of samples,
        within bounds (:func:`sentree.affinity.auto_neighbors`).
    neighbors : str or scikit-learn neighbours transformer, default="auto"
        How neighbours are searched: "exact", "faiss", "sklearn", or a transformer such as
        ``KNeighborsTransformer``; "auto" is exact for small data.
    moving : bool, default=True
        Move single samples after merging ("paper" only).
    must_link_first : bool, default=False
        Merge must-linked modules before all others, as the paper does for RNA-seq data ("paper"
        only).
    n_jobs : int, optional
        Threads of the neighbour search.
    random_state : int, RandomState or None, default=None
        Seed of the search and of approximate neighbours; None is the same as 0, so that results
        repeat.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of each sample, numbered by first appearance.
    n_clusters_ : int
        Number of clusters found.
    objective_, entropy_ : float
        The objective (entropy and penalty) and the structural entropy of the result, in bits.
    trace_ : float array
        The objective at the start and after every step.
    tree_ : EncodingTree
        The result as a tree of height 2.
    graph_ : Graph
        The graph of the samples.
    constraint_report_ : ConstraintReport
        Which constraints are kept and which are broken.
    selection_ : Selection or None
        The recipe that the constraints chose and the evidence; None where they were not asked.
    n_features_in_ : int
        Number of features seen by :meth:`fit`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sentree import SSEPartition
    >>> X = load_iris().data
    >>> model = SSEPartition(n_clusters=3).fit(X, must_link=[(70, 77)], cannot_link=[(0, 149)])
    >>> model.n_clusters_
    3
    >>> model.constraint_report_.share
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SSEEstimator._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "method": [StrOptions({"multilevel", "paper"})],
        "resolution": [Interval(Real, 0, None, closed="neither"), None],
        "weights": [StrOptions({"degree", "paper"})],
        "selection": [StrOptions({"off", "on", "auto"})],
        "moving": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        method: str = "multilevel",
        resolution: float | None = None,
        penalty: float | None = None,
        weights: str = "degree",
        selection: str = "auto",
        affinity: str | Callable[[Any], Any] = "auto",
        n_neighbors: int | str = "auto",
        neighbors: Any = "auto",
        moving: bool = True,
        must_link_first: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.resolution = resolution
        self.penalty = penalty
        self.weights = weights
        self.selection = selection
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.moving = moving
        self.must_link_first = must_link_first
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _search(self, problem: Problem) -> None:
        self.selection_ = self._select(problem)
        if self.method == "multilevel":
            recipe = self.selection_.chosen if self.selection_ else self._recipe(problem)
            problem = problem._replace(graph=strongest(problem.graph, recipe.n_neighbors))
            self.graph_ = problem.graph
            graph, relation, labels, trace = self._multilevel(problem, recipe)
        else:
            graph, relation, labels, trace = self._merge_and_move(problem)
        found = renumber(labels[: problem.graph.n])
        self.labels_ = join_isolated(found, problem.graph, problem.constraints)
        self.tree_ = EncodingTree.from_labels(self.labels_, problem.graph)
        self._store(partition_objective(graph, labels, relation), trace)

    def _select(self, problem: Problem) -> Selection | None:
        """Let the constraints choose the recipe, if that is wanted and they can."""
        given, graph = problem.constraints, problem.graph
        labelled = given.label_index.size
        of_each = min(len(given.must_link) + labelled, len(given.cannot_link) + labelled)
        wanted = self.selection == "on" or (
            self.selection == "auto"
            and self.n_clusters is not None
            and of_each >= _CONSTRAINTS_TO_SELECT
            and graph.n <= _SAMPLES_TO_SELECT
        )
        if not wanted or not of_each or self.method != "multilevel" or self.weights == "paper":
            return None
        cut: dict[int | None, Graph] = {}

        def solve(visible: Constraints, recipe: Recipe) -> NDArray[Any]:
            p = recipe.n_neighbors
            cut[p] = cut.get(p) or strongest(graph, p)
            part = problem._replace(graph=cut[p], constraints=visible)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # said once, about the result
                return np.asarray(self._multilevel(part, recipe)[2][: graph.n])

        edges = graph.n_edges / graph.n
        labels = self.n_clusters is not None and np.unique(given.label_code).size > 1
        return select(graph.n, given, recipes(self._recipe(problem), round(edges), labels), solve)

    def _recipe(self, problem: Problem) -> Recipe:
        """Return the usual recipe: labels are spread as the start where they are many."""
        given, n = problem.constraints, problem.graph.n
        labelled = given.label_index.size
        enough = labelled >= _SHARE_TO_SPREAD * n and np.unique(given.label_code).size > 1
        if self.n_clusters is None or not enough:
            return Recipe()
        few = labelled < _LABELS_TO_SPREAD * self.n_clusters
        return Recipe(start="votes" if few else "labels")

    def _merge_and_move(self, problem: Problem) -> tuple[Graph, Any, Any, FloatArray]:
        """Search as the paper does."""
        if self.resolution is not None:
            raise ValueError("resolution belongs to method='multilevel'")
        graph, relation = problem.graph, self._paper_relation(problem)
        result = merge(
            graph, relation, n_modules=self.n_clusters, must_link_first=self.must_link_first
        )
        trace = result.trace
        if self.moving:
            reached = int(result.labels.max()) + 1 == self.n_clusters
            result = move(graph, result.labels, relation, keep_modules=reached)
            trace = np.concatenate((trace, result.trace[1:]))
        warn_if_too_many(int(result.labels.max()) + 1, self.n_clusters)
        return graph, relation, result.labels, trace

    def _multilevel(self, problem: Problem, recipe: Recipe) -> tuple[Graph, Any, Any, FloatArray]:
        """Search on all levels, then bring the modules to the scale that was asked for."""
        seed = self._seed()
        search = self._constrained(problem, recipe, seed)
        graph, relation, n = search.graph, search.relation, search.n
        modules = self._modules(search, seed)
        if self.n_clusters is not None:
            start = self._start(problem, recipe, search, modules.labels)
            labels = to_number(search, start, self.n_clusters)
        elif self.resolution is not None:
            labels = at_resolution(search, modules.labels, self.resolution)
        else:
            labels = coarsen(search, modules.labels, problem.constraints)
        result = move(graph, labels, relation, keep_modules=True)
        trace = np.concatenate((modules.trace, result.trace))
        labels = result.labels
        if self.n_clusters is not None and np.unique(labels[:n]).size < self.n_clusters:
            labels = to_number(search, labels, self.n_clusters)  # only an anchor was left in one
        return graph, relation, labels, trace

    def _modules(self, search: Anchored, seed: int) -> PartitionResult:
        """Return the modules of the search."""
        graph, relation = search.graph, search.relation
        if self.weights == "paper" and relation is not None:
            first = self.must_link_first
            return lowest(graph, relation, must_link_first=first, seed=seed, max_rounds=_ROUNDS)
        return multilevel(graph, relation, init=search.together, seed=seed, max_rounds=_ROUNDS)

    def _constrained(self, problem: Problem, recipe: Recipe, seed: int) -> Anchored:
        """Return the graphs with the constraints weighed."""
        given, graph = problem.constraints, problem.graph
        penalty = 1.0 if self.penalty is None else self.penalty
        if not given or penalty == 0:
            return Anchored(graph, None, graph.n)
        if self.weights == "paper":
            return Anchored(graph, self._paper_relation(problem), graph.n)
        closure = given.closure(graph.n, n_classes=problem.n_classes)
        n_classes = self.n_clusters or (len(given.classes) if len(given.classes) > 1 else None)
        if n_classes:
            same = 1 / max(n_classes, 2)
        else:
            rough = multilevel(graph, seed=seed, max_rounds=1).labels
            rough = coarsen(Anchored(graph, None, graph.n), rough)
            same = float(np.sum((np.bincount(rough) / graph.n) ** 2))
        anchored = anchor(graph, given, closure, cannot_share(same) * recipe.cannot)
        return anchored._replace(relation=anchored.relation * (penalty * recipe.strength))

    def _start(
        self, problem: Problem, recipe: Recipe, search: Anchored, modules: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Return where uniting starts: the modules, or the labels spread over the graph.

        Samples move before a class that no label names is looked for inside the others.
        """
        given = problem.constraints
        if recipe.start == "modules" or np.unique(given.label_code).size < 2:
            return modules
        spread = propagate(
            problem.graph,
            given.label_index,
            given.label_code,
            excluded=(given.negative_index, given.negative_code),
            modules=modules[: problem.graph.n] if recipe.start == "votes" else None,
        )
        classes = search.extended(spread)
        return move(search.graph, classes, search.relation, keep_modules=True).labels
