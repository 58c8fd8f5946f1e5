"""The search for clusters that both estimators share: from a graph and constraints to labels."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from sentree.beliefs import KnownClasses
from sentree.constraints import Constraints, PairSimilarity
from sentree.folds import FOLDS, Folds
from sentree.graph import FloatArray, Graph
from sentree.hard import Hardened, harden, with_isolated
from sentree.linear import LinearBeliefs
from sentree.named import NamedSearch, hidden_accuracy
from sentree.novelty import new_clusters
from sentree.optimise import PartitionResult, Steering, lowest, move, multilevel, settle
from sentree.propagation import propagate
from sentree.scale import (
    Contacts,
    Judge,
    at_resolution,
    coarsen,
    coarsen_by_pairs,
    split_off,
    to_number,
)
from sentree.selection import LABEL_RECIPES, Recipe, Selection, chosen, recipes, select, strongest
from sentree.spacing import Spacing
from sentree.tree import renumber
from sentree.weights import Anchored, anchor, cannot_share

__all__ = ["FlatSearch", "Found", "Problem"]

#: Rounds of the multilevel search: later ones still lower the objective, but not the error.
_ROUNDS = 3
#: Vertices above which one round must do, and a queue of moves in place of sweeps to the very end.
_LARGE = 20_000
#: Pairs of either kind that tell the scale.
_PAIRS_TO_TELL = 30
#: Shrinkage of volumes while samples move among a known number of clusters: nearly unweighed, so
#: that unequal clusters stay so.
_SHRINKAGE = 0.9


#: What a pair weighs against all edges of a sample, where the penalty is 1.
_PAIR_STRENGTH = 0.7


class Problem(NamedTuple):
    """What a search works on."""

    graph: Graph
    similarity: PairSimilarity
    constraints: Constraints
    n_classes: int | None = None  # where the classes that are known are all there are
    hard: Constraints | None = None  # what must hold in the result
    init: NDArray[np.int32] | None = None  # clusters to start from
    concerned: NDArray[np.int64] | None = None  # samples that may have to move; None for all
    copies: NDArray[np.int64] | None = None  # number of the row that each sample repeats
    samples: FloatArray | None = None  # features as they were compared, where they are few
    widths: FloatArray | None = None  # bandwidths behind the weights, where these are Gaussian

    @property
    def copies_together(self) -> NDArray[np.int64] | None:
        """Samples that are equal share a number, unless constraints want them apart.

        So do samples without neighbours and those that must-links join them to.
        """
        n, joined = self.graph.n, self.constraints and self.graph.isolated.size
        if self.copies is None and not joined:
            return None
        closure = self.constraints.closure(n)
        groups = np.arange(n) if self.copies is None else closure.kept_together(self.copies)
        return with_isolated(groups, self.graph, closure)

    def spacing(self, vertex: NDArray[np.int64], n: int) -> Spacing | None:
        """Return how the n vertices lie in space that samples are part of, if it is known."""
        if self.widths is None:
            return None
        return Spacing.of(self.graph, self.widths, vertex[: self.graph.n], n)

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
    disbelief: float = 0.0  # bits that the labels nearby say against the result
    selection: Selection | None = None  # by which recipe it was found, and why


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
    selection: str = "off"  # whether constraints may choose it

    def run(self, problem: Problem, search: Anchored | None = None) -> Found:
        """Find modules, or take the clusters there are; bring them to the scale; move once more."""
        if search is None:
            search = self.constrained(problem)
        hardened = harden(search, problem.hard, self.n_clusters, problem.copies_together)
        if self._follows_labels(problem):
            return self._named(problem, search, hardened)
        working, vertex = hardened
        concerned, trace = None, np.empty(0)
        shrinkage = 0.0 if self.weights == "paper" else _SHRINKAGE
        if problem.init is not None:
            labels, concerned = self._resumed(problem, hardened)
        else:
            labels, trace = self._found(problem, hardened)
            if self.n_clusters is None and self.resolution is None:
                shrinkage = 0.0
                if not problem.constraints:
                    # The scale may be very unequal clusters; moving would even them out.
                    concerned = np.empty(0, dtype=np.int64)
        result = _moved(working, labels, Steering(None, shrinkage), concerned)
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

    def select(self, problem: Problem) -> Selection | None:
        """Let pairs choose the recipe, if that is asked for: it takes many searches.

        One kind of pairs alone never chooses: it would favour all together, or all apart.
        """
        given, graph = problem.constraints, problem.graph
        if self.selection != "on" or self.weights == "paper" or self._follows_labels(problem):
            return None
        if not len(given.must_link) or not len(given.cannot_link):
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

        return select(graph.n, given, recipes(round(graph.n_edges / graph.n)), solve)

    def _follows_labels(self, problem: Problem) -> bool:
        """Whether labels steer the search."""
        labelled = problem.constraints.label_index.size > 0
        return labelled and self.weights == "degree" and self.penalty != 0

    def _known(self, problem: Problem) -> tuple[KnownClasses, NDArray[np.int64]]:
        """Return what is known of the classes of samples, and the code of each class."""
        closure = problem.constraints.closure(problem.graph.n, n_classes=problem.n_classes)
        return KnownClasses.of(closure)

    def _named(self, problem: Problem, search: Anchored, hardened: Hardened) -> Found:
        """Find a cluster for each class that labels name, and others as the data have it.

        How labels are followed is told by labels hidden in turn, in a fraction of a search.
        """
        known = self._known(problem)[0].on(hardened.vertex)
        named = self._named_search(problem, hardened, known)
        selection, recipe = None, self.recipe or LABEL_RECIPES[0]
        enough = self.n_clusters is None or self.n_clusters >= known.n_classes
        if self.recipe is None and self.selection != "off" and problem.init is None and enough:
            asked, asked_known = named, known
            if problem.hard:  # what must hold would be found by all ways, and tell nothing
                soft = harden(search, None, None, problem.copies_together)
                asked_known = self._known(problem)[0].on(soft.vertex)
                asked = self._named_search(problem, soft, asked_known)
            tried = [r for r in LABEL_RECIPES if asked.features is not None or not r.linear]
            ways = [candidate.way for candidate in tried]
            once = problem.graph.n > _LARGE
            right, doubted = hidden_accuracy(asked, asked_known, ways, once)
            if not problem.hard:
                known = known.without(doubted)
            if right[0].size:
                selection = chosen(tried, right)
                recipe = selection.chosen
        found = named.run(known, recipe.way)
        labels, working = found.result.labels, hardened.problem
        if self.n_clusters is not None and np.unique(labels[: working.n]).size < self.n_clusters:
            labels = split_off(working, labels, self.n_clusters)
        labels = labels[hardened.vertex]
        return Found(search, labels, found.result.trace, found.disbelief, selection)

    def _named_search(
        self, problem: Problem, hardened: Hardened, known: KnownClasses
    ) -> NamedSearch:
        """Return the search around labels, on the modules of one without."""
        working = hardened.problem
        if problem.init is not None:
            modules = self._placed(problem, hardened)
        else:
            modules = self._modules(working).labels
        contacts = Contacts.of(working, modules)
        wanted, new = self.n_clusters, None
        if wanted is None and self.resolution is None and problem.init is None:
            spacing = problem.spacing(hardened.vertex, working.n)
            new = _new(working, modules, known, spacing)
        elif wanted is None and problem.init is not None:
            wanted = int(modules[: working.n].max()) + 1
        strength = 1.0 if self.penalty is None else self.penalty

        def moved(labels: NDArray[Any], steering: Steering) -> PartitionResult:
            return _moved(working, labels, steering)

        features = None
        if problem.samples is not None:
            first = np.unique(hardened.vertex[: problem.graph.n], return_index=True)[1]
            features = LinearBeliefs(problem.samples[first])
        return NamedSearch(
            working,
            modules,
            contacts,
            n_clusters=wanted,
            resolution=self.resolution,
            strength=strength,
            new=new,
            features=features,
            divisible=problem.init is None,
            move=moved,
        )

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
        pairs = given.without_labels()  # labels are followed as beliefs
        if not pairs:
            return Anchored(graph, None, graph.n)
        share = cannot_share(self._same(problem)) * recipe.cannot
        anchored = anchor(graph, pairs, pairs.closure(graph.n), share)
        return anchored._replace(
            relation=anchored.relation * (penalty * _PAIR_STRENGTH * recipe.strength)
        )

    def _same(self, problem: Problem) -> float:
        """Return the chance that two samples belong together, as far as it is known."""
        given, graph = problem.constraints, problem.graph
        n_classes = self.n_clusters or (len(given.classes) if len(given.classes) > 1 else None)
        if n_classes:
            return 1 / max(n_classes, 2)
        labels = problem.init
        if labels is None:
            rough = multilevel(graph, seed=self.seed, max_rounds=1).labels
            whole = Anchored(graph, None, graph.n)
            labels = coarsen(whole, rough, problem.spacing(np.arange(graph.n), graph.n))
        return float(np.sum((np.bincount(labels[labels >= 0]) / graph.n) ** 2))

    def _found(self, problem: Problem, hardened: Hardened) -> tuple[NDArray[Any], FloatArray]:
        """Search for modules and bring them to the scale that was asked for."""
        working = hardened.problem
        modules = self._modules(working)
        start, trace = modules.labels, modules.trace
        if self.n_clusters is not None:
            return to_number(working, start, self.n_clusters), trace
        if self.resolution is not None:
            return at_resolution(working, start, self.resolution), trace
        judges = self._judges(problem)
        if judges:
            vertex = hardened.vertex[: problem.graph.n]
            return coarsen_by_pairs(working, start, vertex, judges), trace
        return coarsen(working, start, problem.spacing(hardened.vertex, working.n)), trace

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

    def _placed(self, problem: Problem, hardened: Hardened) -> NDArray[np.int32]:
        """Return the clusters to start from, with samples that have none put to neighbours'."""
        assert problem.init is not None
        placed = np.flatnonzero(problem.init >= 0)
        samples = renumber(problem.init)
        if placed.size < samples.size:
            known = renumber(problem.init[placed])
            samples = renumber(propagate(problem.graph, placed, known))
        return hardened.start(samples)

    def _resumed(
        self, problem: Problem, hardened: Hardened
    ) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
        """Start from clusters there are; return them and the vertices that may have to move."""
        assert problem.init is not None
        working, vertex = hardened
        labels = self._placed(problem, hardened)
        if self.n_clusters is not None and int(labels.max()) + 1 != self.n_clusters:
            return to_number(working, labels, self.n_clusters), None
        if problem.concerned is None:
            return labels, None
        samples = problem.init
        moved = renumber(labels[vertex[: samples.size]]) != renumber(samples)
        return labels, vertex[np.union1d(problem.concerned, np.flatnonzero(moved))]


def _new(
    working: Anchored,
    modules: NDArray[np.int32],
    known: KnownClasses,
    spacing: Spacing | None,
) -> NDArray[np.int64]:
    """Return the clusters in which vertices are of no class that labels name; -1 elsewhere."""
    clusters = coarsen(working, modules, spacing)
    new = new_clusters(working.graph, clusters, known.points, known.code)
    number = np.where(new, np.cumsum(new) - 1, -1)[clusters]
    number[known.points] = -1
    return np.asarray(number, dtype=np.int64)


def _moved(
    working: Anchored,
    labels: NDArray[Any],
    steering: Steering,
    concerned: NDArray[np.int64] | None = None,
) -> PartitionResult:
    """Move single vertices, or only those concerned, at a fixed number of modules."""
    graph, relation = working.graph, working.relation
    if concerned is None and graph.n <= _LARGE:
        return move(graph, labels, relation, steering=steering, keep_modules=True)
    return settle(graph, labels, relation, vertices=concerned, steering=steering, keep_modules=True)
