"""The search for clusters that both estimators share: from a graph and constraints to labels."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from sentree.constraints import Constraints, PairSimilarity
from sentree.folds import FOLDS, Folds
from sentree.graph import FloatArray, Graph
from sentree.hard import Hardened, harden
from sentree.novelty import new_clusters
from sentree.optimise import PartitionResult, lowest, move, multilevel, settle
from sentree.propagation import propagate
from sentree.scale import Judge, at_resolution, coarsen, coarsen_by_pairs, to_number
from sentree.selection import Recipe, Selection, recipes, select, strongest
from sentree.tree import renumber
from sentree.weights import Anchored, anchor, cannot_share

__all__ = ["FlatSearch", "Found", "Problem"]

#: Rounds of the multilevel search: later ones still lower the objective, but not the error.
_ROUNDS = 3
#: Vertices above which one round must do, and a queue of moves in place of sweeps to the very end.
_LARGE = 20_000
#: Share of the samples that need a label before labels are spread over the graph as the start, and
#: labels a class needs on average for single samples, not modules, to be what takes a class.
_SHARE_TO_SPREAD, _LABELS_TO_SPREAD = 0.05, 3
#: selection="auto": fewest statements of either kind that tell recipes apart, and most samples to
#: search often. One kind alone never chooses: it would favour all together, or all apart.
_CONSTRAINTS_TO_SELECT, _SAMPLES_TO_SELECT = 200, 20_000
#: Pairs of either kind that tell the scale.
_PAIRS_TO_TELL = 30


class Problem(NamedTuple):
    """What a search works on."""

    graph: Graph
    similarity: PairSimilarity
    constraints: Constraints
    n_classes: int | None = None  # where the classes that are known are all there are
    hard: Constraints | None = None  # what must hold in the result
    init: NDArray[np.int32] | None = None  # clusters to start from
    concerned: NDArray[np.int64] | None = None  # samples that may have to move; None for all
    copies: NDArray[np.int64] | None = None  # distinct row of each sample, where rows repeat

    def paper_relation(self, penalty: float) -> Any:
        """Return the relation graph with the paper's weights; None without constraints."""
        if not self.constraints:
            return None
        return self.constraints.relation(
            self.graph.n, self.similarity, penalty=penalty, n_classes=self.n_classes
        )


class Found(NamedTuple):
    """Clusters, the graphs they were found on, and the objective along the way."""

    search: Anchored
    labels: NDArray[np.int32]  # of the samples, then of the anchors
    trace: FloatArray


@dataclass(frozen=True)
class FlatSearch:
    """The multilevel search at the scale that is asked for; parameters as in SSEPartition."""

    n_clusters: int | None = None
    resolution: float | None = None
    penalty: float | None = None
    weights: str = "degree"
    must_link_first: bool = False
    n_init: int = 1
    n_jobs: int | None = None
    seed: int = 0
    recipe: Recipe | None = None  # the usual one where none was chosen

    def run(self, problem: Problem, search: Anchored | None = None) -> Found:
        """Find modules, or take the clusters there are; bring them to the scale; move once more."""
        if search is None:
            search = self.constrained(problem)
        hardened = harden(search, problem.hard, self.n_clusters)
        working, vertex = hardened
        concerned, trace = None, np.empty(0)
        if problem.init is not None:
            labels, concerned = self._resumed(problem, hardened)
        else:
            labels, trace = self._found(problem, hardened)
            if self.n_clusters is None and self.resolution is None and not problem.constraints:
                # Left to itself the scale may be very unequal clusters; moving would even them out.
                concerned = np.empty(0, dtype=np.int64)
        result = _moved(working, labels, concerned)
        labels = result.labels
        if self.n_clusters is not None and np.unique(labels[: working.n]).size < self.n_clusters:
            labels = to_number(working, labels, self.n_clusters)  # only an anchor was left in one
        return Found(search, labels[vertex], np.concatenate((trace, result.trace)))

    def follow(self, selection: Selection | None, problem: Problem) -> tuple[FlatSearch, Problem]:
        """Return the search and the problem of a recipe that was chosen."""
        if selection is None:
            return self, problem
        recipe = selection.chosen
        graph = strongest(problem.graph, recipe.n_neighbors)
        return replace(self, recipe=recipe), problem._replace(graph=graph)

    def select(self, problem: Problem, wish: str) -> Selection | None:
        """Let the constraints choose the recipe, if that is wanted and they can."""
        given, graph = problem.constraints, problem.graph
        labelled = given.label_index.size
        of_each = min(len(given.must_link) + labelled, len(given.cannot_link) + labelled)
        enough = of_each >= _CONSTRAINTS_TO_SELECT and graph.n <= _SAMPLES_TO_SELECT
        wanted = wish == "on" or (wish == "auto" and enough and self.n_clusters is not None)
        if not wanted or not of_each or self.weights == "paper":
            return None
        cut: dict[int | None, Graph] = {}

        def solve(visible: Constraints, recipe: Recipe) -> NDArray[Any]:
            p = recipe.n_neighbors
            cut[p] = cut.get(p) or strongest(graph, p)
            # What must hold would be kept by all recipes, and tell nothing.
            part = problem._replace(graph=cut[p], constraints=visible, hard=None)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # said once, about the result
                return replace(self, recipe=recipe).run(part).labels[: graph.n]

        labels = self.n_clusters is not None and np.unique(given.label_code).size > 1
        neighbors = round(graph.n_edges / graph.n)
        tried = recipes(self.usual(problem), neighbors, labels)
        return select(graph.n, given, tried, solve)

    def usual(self, problem: Problem) -> Recipe:
        """Return the usual recipe: labels are spread as the start where they are many."""
        given = problem.constraints
        labelled, n_named = given.label_index.size, np.unique(given.label_code).size
        if self.n_clusters is None:
            scale_open = self.resolution is None and labelled > 0
            known = scale_open and labelled >= _LABELS_TO_SPREAD * n_named
            return Recipe(start="classes" if known else "modules")
        if labelled < _SHARE_TO_SPREAD * problem.graph.n or n_named < 2:
            return Recipe()
        few = labelled < _LABELS_TO_SPREAD * self.n_clusters
        return Recipe(start="votes" if few else "labels")

    def constrained(self, problem: Problem) -> Anchored:
        """Return the graphs with the constraints weighed."""
        given, graph = problem.constraints, problem.graph
        if not given or self.penalty == 0:
            return Anchored(graph, None, graph.n)
        if self.weights == "paper":
            penalty = 2.0 if self.penalty is None else self.penalty
            return Anchored(graph, problem.paper_relation(penalty), graph.n)
        penalty = 1.0 if self.penalty is None else self.penalty
        recipe = self.recipe or Recipe()
        closure = given.closure(graph.n, n_classes=problem.n_classes)
        share = cannot_share(self._same(problem)) * recipe.cannot
        anchored = anchor(graph, given, closure, share)
        return anchored._replace(relation=anchored.relation * (penalty * recipe.strength))

    def _same(self, problem: Problem) -> float:
        """Return the chance that two samples belong together, as far as it is known."""
        given, graph = problem.constraints, problem.graph
        n_classes = self.n_clusters or (len(given.classes) if len(given.classes) > 1 else None)
        if n_classes:
            return 1 / max(n_classes, 2)
        labels = problem.init
        if labels is None:
            rough = multilevel(graph, seed=self.seed, max_rounds=1).labels
            labels = coarsen(Anchored(graph, None, graph.n), rough)
        return float(np.sum((np.bincount(labels[labels >= 0]) / graph.n) ** 2))

    def _found(self, problem: Problem, hardened: Hardened) -> tuple[NDArray[Any], FloatArray]:
        """Search for modules and bring them to the scale that was asked for."""
        working = hardened.problem
        recipe = self.recipe or self.usual(problem)
        if recipe.start == "classes":
            classes = self._classes(problem, hardened)
            if classes is not None:
                return classes, np.empty(0)
            recipe = recipe._replace(start="modules")
        spread = recipe.start != "modules" and np.unique(problem.constraints.label_code).size > 1
        if spread and recipe.start == "labels":
            start, trace = self._spread(problem, hardened, None), np.empty(0)
        else:
            modules = self._modules(working)
            start, trace = modules.labels, modules.trace
            if spread:
                start = self._spread(problem, hardened, start)
        if self.n_clusters is not None:
            return to_number(working, start, self.n_clusters), trace
        if self.resolution is not None:
            return at_resolution(working, start, self.resolution), trace
        judges = self._judges(problem)
        if judges:
            vertex = hardened.vertex[: problem.graph.n]
            return coarsen_by_pairs(working, start, vertex, judges), trace
        return coarsen(working, start), trace

    def _judges(self, problem: Problem) -> list[Judge]:
        """Search without some of the constraints in turn, where there are enough to tell a scale.

        On large data only once.
        """
        given, n = problem.constraints, problem.graph.n
        if not len(given.must_link) + len(given.cannot_link) + given.label_index.size:
            return []
        folds, once = Folds(n, given), n > _LARGE
        pairs = [folds.hidden_pairs(fold) for fold in range(1 if once else FOLDS)]
        fewest = min(sum(map(len, side)) for side in zip(*pairs, strict=True))
        if fewest < (_PAIRS_TO_TELL / FOLDS if once else _PAIRS_TO_TELL):
            return []
        single, judges = replace(self, n_init=1), []
        for fold, (must, cannot) in enumerate(pairs):
            blind = problem._replace(constraints=folds.visible(fold), hard=None)
            search = single.constrained(blind)
            judges.append(Judge(search, single._modules(search).labels, must, cannot))
        return judges

    def _modules(self, working: Anchored) -> PartitionResult:
        """Return the modules of least objective of one or several searches."""
        graph, relation = working.graph, working.relation
        rounds = 1 if graph.n > _LARGE else _ROUNDS

        def search(seed: int) -> PartitionResult:
            if self.weights == "paper" and relation is not None:
                first = self.must_link_first
                return lowest(graph, relation, must_link_first=first, seed=seed, max_rounds=rounds)
            return multilevel(graph, relation, init=working.together, seed=seed, max_rounds=rounds)

        seeds = range(self.seed, self.seed + self.n_init)
        if self.n_init == 1:
            return search(self.seed)
        with ThreadPoolExecutor(min(effective_n_jobs(self.n_jobs), self.n_init)) as pool:
            return min(pool.map(search, seeds), key=lambda found: found.objective)

    def _spread(
        self, problem: Problem, hardened: Hardened, modules: NDArray[np.int32] | None
    ) -> NDArray[np.int32]:
        """Spread the labels over the graph; modules, where given, take one class each.

        Samples move before a class that no label names is looked for inside the others.
        """
        if modules is not None:
            modules = modules[hardened.vertex][: problem.graph.n]
        spread = _propagated(problem, modules)
        return _moved(hardened.problem, hardened.start(spread)).labels

    def _classes(self, problem: Problem, hardened: Hardened) -> NDArray[np.int32] | None:
        """Start from the classes that labels name, and clusters that are new; None if few tell.

        What is new shows in clusters found without labels: they do not pull their samples out.
        """
        given, graph = problem.constraints, problem.graph
        if not given.label_index.size:
            return None
        plain = Anchored(graph, None, graph.n)
        clusters = coarsen(plain, self._modules(plain).labels)
        index, first = np.unique(given.label_index, return_index=True)
        new = new_clusters(graph, clusters, index, given.label_code[first])
        if new is None:
            return None
        unnamed = new[clusters]
        unnamed[index] = False
        start = np.where(unnamed, len(given.classes) + clusters, _propagated(problem))
        return hardened.start(start)

    def _resumed(
        self, problem: Problem, hardened: Hardened
    ) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
        """Start from clusters there are; return them and the vertices that may have to move."""
        assert problem.init is not None
        working, vertex = hardened
        placed = np.flatnonzero(problem.init >= 0)
        samples = renumber(problem.init)
        if placed.size < samples.size:
            known = renumber(problem.init[placed])
            samples = renumber(propagate(problem.graph, placed, known))
        labels = hardened.start(samples)
        if self.n_clusters is not None and int(labels.max()) + 1 != self.n_clusters:
            return to_number(working, labels, self.n_clusters), None
        if problem.concerned is None:
            return labels, None
        moved = np.flatnonzero(renumber(labels[vertex[: samples.size]]) != samples)
        return labels, vertex[np.union1d(problem.concerned, moved)]


def _propagated(problem: Problem, modules: NDArray[np.int32] | None = None) -> NDArray[np.int64]:
    """Return the class of every sample, of those that labels name."""
    given = problem.constraints
    return propagate(
        problem.graph,
        given.label_index,
        given.label_code,
        excluded=(given.negative_index, given.negative_code),
        modules=modules,
    )


def _moved(
    working: Anchored, labels: NDArray[np.int32], concerned: NDArray[np.int64] | None = None
) -> PartitionResult:
    """Move single vertices, or only those concerned, at a fixed number of modules."""
    graph, relation = working.graph, working.relation
    if concerned is None and graph.n <= _LARGE:
        return move(graph, labels, relation, keep_modules=True)
    return settle(graph, labels, relation, vertices=concerned, keep_modules=True)
