"""The search for clusters that both estimators share: from a graph and constraints to labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from numpy.typing import NDArray

from sentree._util.labels import renumber
from sentree._util.stopping import check
from sentree.constraints import Constraints
from sentree.graph import Graph
from sentree.relation.by_degree import SearchGraphs, anchor, cannot_share
from sentree.relation.relation import apart_pairs
from sentree.search.beliefs import KnownClasses, disbelief
from sentree.search.hard import HardenedGraphs, harden, separated
from sentree.search.kernels import (
    PartitionResult,
    Progress,
    Steering,
    multilevel,
)
from sentree.search.label_search import LabelPulls, LabelSearch, hidden_accuracy
from sentree.search.label_spreading import propagate
from sentree.search.linear_beliefs import LinearBeliefs, LogisticBeliefs
from sentree.search.novelty import new_clusters
from sentree.search.objective import partition_objective
from sentree.search.pair_evidence import PairEvidence
from sentree.search.problem import (
    LARGE,
    SHRINKAGE_IN_PLANE,
    Problem,
    SearchResult,
    UnconstrainedResult,
    moved,
)
from sentree.search.recipes import (
    Recipe,
    Selection,
    chosen,
    recipes,
    select,
    strongest,
)
from sentree.search.scale import Contacts, at_resolution, split_off, to_number
from sentree.search.size_bounds import check_sizes
from sentree.search.sizes import SizedSearch

__all__ = ["ClusterSearch"]

#: Rounds of the multilevel search. More lower the objective, but do not improve the clusters.
_ROUNDS = 3
#: A second search wins if it keeps this many pairs more, or any more at a lower objective.
_CLEARLY_MORE = 2.0
#: Weight of a pair relative to all edges of a sample, with a penalty of 1.
_PAIR_STRENGTH = 0.7
#: Seconds between checks for Ctrl-C while searches run in threads.
_PAUSE = 0.1


@dataclass(frozen=True)
class ClusterSearch:
    """The search for clusters with the parameters of SSEPartition."""

    n_clusters: int | None = None
    resolution: float | None = None
    penalty: float = 1.0
    n_init: int = 1
    n_jobs: int | None = None
    seed: int = 0
    recipe: Recipe | None = None  # None for the usual one
    selection: str = "off"  # whether constraints may choose the recipe

    def run(self, problem: Problem, graphs: SearchGraphs | None = None) -> SearchResult:
        """Find clusters; ``graphs`` are those of :meth:`constrained`, if already made."""
        problem = self.with_unconstrained(problem)
        if graphs is None:
            graphs = self.constrained(problem)
        found = self._found(problem, graphs)
        return found if problem.sizes is None else self._within_sizes(problem, found)

    def _found(self, problem: Problem, graphs: SearchGraphs) -> SearchResult:
        """Find clusters of any size."""
        if self._follows_labels(problem):
            return self._search_by_labels(problem, graphs)
        if problem.init is not None:
            return self._from_clusters(problem, graphs)
        if not problem.hard:
            return self._search_softly(problem, graphs)
        hardened = harden(graphs, problem.hard, self.n_clusters, problem.copies_together)
        return self._enforce_hard(problem, hardened, self._search_softly(problem, graphs))

    def with_unconstrained(self, problem: Problem) -> Problem:
        """Add the result without constraints, unless it is there or clusters to start from are."""
        if problem.unconstrained is not None or problem.init is not None:
            return problem
        free = harden(SearchGraphs.plain(problem.graph), None, None, problem.copies)
        spacing = problem.spacing(free.vertex, free.graphs.n)
        unconstrained = UnconstrainedResult(
            free.graphs, free.vertex, self._modules(free.graphs), spacing
        )
        return problem._replace(unconstrained=unconstrained)

    def _search_softly(self, problem: Problem, graphs: SearchGraphs) -> SearchResult:
        """Search as if all constraints were soft: hard ones would break up the modules.

        Pairs first help to choose the number of clusters, then the samples that they name move. If
        some pairs are still broken, a second search follows the pairs from the start. Its result
        counts if it keeps clearly more of them, or more at a lower objective.
        """
        unconstrained = problem.unconstrained
        assert unconstrained is not None
        must_links = graphs.relation is not None and graphs.relation.has_must_links
        start = self._at_scale(problem, unconstrained, warns=not must_links)
        scale = None if self.n_clusters or self.resolution else unconstrained.scale
        if graphs.relation is None:
            return SearchResult(graphs, start.labels, start.trace, scale=scale)
        hardened = harden(graphs, None, self.n_clusters, problem.copies_together)
        working, vertex = hardened
        assert working.relation is not None
        steering = Steering(None, unconstrained.shrinkage)
        pairs = PairEvidence.of(problem.constraints, vertex, 1.0)
        modules = hardened.modules(start.labels)
        concerned = working.relation.related
        if unconstrained.edited is not None:  # edited clusters change only where they break pairs
            concerned = pairs.broken_vertices(modules)
        best = moved(working, modules, steering, concerned)
        if unconstrained.edited is None and pairs.broken(best.labels) > 0:
            number = int(best.labels[: working.n].max()) + 1
            modules = self._modules_with_pairs(hardened, unconstrained)
            united = to_number(working, modules, number, exact=False)
            other = moved(working, united, steering)
            kept = pairs.broken(best.labels) - pairs.broken(other.labels)
            better = other.objective < best.objective
            if kept >= _CLEARLY_MORE or (kept > 0 and better):
                best = other
        labels = self._with_all_clusters(working, best.labels)
        trace = np.concatenate((start.trace, best.trace))
        return SearchResult(graphs, labels[vertex], trace, scale=scale)

    def _modules_with_pairs(
        self, hardened: HardenedGraphs, unconstrained: UnconstrainedResult
    ) -> NDArray[np.int32]:
        """Improve the modules that were found without constraints by one round with pairs."""
        graph, relation, *_ = hardened.graphs
        start = hardened.modules(unconstrained.modules)
        return multilevel(graph, relation, init=start, seed=self.seed, max_rounds=1).labels

    def _at_scale(
        self, problem: Problem, unconstrained: UnconstrainedResult, warns: bool
    ) -> PartitionResult:
        """Unite the modules that were found without constraints to the clusters that are wanted.

        ``warns`` is whether to warn of parts that do not touch: must-links may connect them later.
        """
        if unconstrained.edited is not None or (
            self.n_clusters is None and self.resolution is None
        ):
            # Samples do not move: that would even out clusters of unequal size.
            strength = self.penalty if self.n_clusters is None else 0.0
            clusters = unconstrained.by_pairs(problem.constraints, strength)
            if self.n_clusters is not None and int(clusters.max()) >= self.n_clusters:
                plain = SearchGraphs.plain(problem.graph)
                clusters = to_number(plain, clusters, self.n_clusters, exact=warns)
            value = unconstrained.objective(clusters)
            return PartitionResult(clusters, value, np.append(unconstrained.found.trace, value))
        alone = SearchGraphs.plain(problem.graph)
        hardened = harden(alone, None, self.n_clusters, problem.copies_together)
        working, modules = hardened.graphs, hardened.modules(unconstrained.modules)
        if self.n_clusters is not None:
            clusters = to_number(working, modules, self.n_clusters, exact=warns)
        else:
            assert self.resolution is not None
            clusters = at_resolution(working, modules, self.resolution)
        result = moved(working, clusters, Steering(None, unconstrained.shrinkage))
        labels = self._with_all_clusters(working, result.labels)[hardened.vertex]
        trace = np.concatenate((unconstrained.found.trace, result.trace))
        return PartitionResult(labels, result.objective, trace)

    def _with_all_clusters(
        self, working: SearchGraphs, labels: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Make sure that there are ``n_clusters`` clusters of samples: anchors alone are none."""
        k = self.n_clusters
        if k is None or np.unique(labels[: working.n]).size >= k:
            return labels
        return to_number(working, labels, k)

    def _enforce_hard(
        self, problem: Problem, hardened: HardenedGraphs, found: SearchResult
    ) -> SearchResult:
        """Move samples so that no hard constraint is broken."""
        assert problem.hard is not None
        working, vertex = hardened
        modules = hardened.modules(found.labels[: problem.graph.n])
        start = separated(working, modules, self.n_clusters)
        changed = np.flatnonzero(start != modules)
        assert problem.unconstrained is not None
        steering = Steering(None, problem.unconstrained.shrinkage)
        result = moved(working, working.extended(start), steering, changed)
        labels = self._with_all_clusters(working, result.labels)[vertex]
        return found._replace(labels=labels, trace=np.concatenate((found.trace, result.trace)))

    def _from_clusters(self, problem: Problem, graphs: SearchGraphs) -> SearchResult:
        """Search from given clusters."""
        hardened = harden(graphs, problem.hard, self.n_clusters, problem.copies_together)
        working, vertex = hardened
        labels, concerned = self._resumed(problem, hardened)
        result = moved(working, labels, Steering(None, SHRINKAGE_IN_PLANE), concerned)
        labels = self._with_all_clusters(working, result.labels)[vertex]
        return SearchResult(graphs, labels, result.trace)

    def allowed(self, problem: Problem, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return clusters with as few changes as hard constraints and bounds on sizes allow."""
        kept = not problem.hard or (
            self.n_clusters in (None, np.unique(labels).size)
            and not problem.hard.satisfaction(labels).n_broken
        )
        if kept and problem.sizes is None:
            return labels
        problem = problem._replace(init=labels)
        graphs = self.constrained(problem)
        found = SearchResult(graphs, graphs.extended(labels), np.zeros(1))
        if problem.hard:
            hardened = harden(graphs, problem.hard, self.n_clusters, problem.copies_together)
            found = self._enforce_hard(problem, hardened, found)
        if problem.sizes is not None:
            found = self._within_sizes(problem, found)
        return renumber(found.labels[: problem.graph.n])

    def _within_sizes(self, problem: Problem, found: SearchResult) -> SearchResult:
        """Bring the sizes of clusters within their bounds."""
        sizes, graphs, n = problem.sizes, found.graphs, problem.graph.n
        assert sizes is not None
        check_sizes(sizes, self.n_clusters, problem.hard)
        hardened = harden(graphs, problem.hard, self.n_clusters)
        working, vertex = hardened
        start = hardened.modules(found.labels[:n])
        wanted = self.n_clusters
        if wanted is None and problem.init is not None:  # the number stays the same if it can
            count = int(start.max()) + 1
            wanted = count if count in sizes.numbers() else None
        free, pulls = problem.unconstrained, found.pulls
        search = SizedSearch(working, sizes.on(vertex, working.graph.n), sizes)
        if pulls is None:
            shrinkage = SHRINKAGE_IN_PLANE if free is None else free.shrinkage
            search = replace(search, shrinkage=shrinkage)
        else:
            known = self._known(problem)
            owner = np.full(working.graph.n, -1)
            owner[vertex[known.points]] = known.code
            number = np.empty(int(start.max()) + 1, dtype=np.int64)  # of each cluster before
            number[renumber(found.labels[:n])] = found.labels[:n]
            pulls = pulls.with_clusters(number)
            pull, shrinkage = pulls.steering
            member = sp.csr_array((np.ones(vertex.size), (vertex, np.arange(vertex.size))))
            search = replace(
                search, pull=sp.csr_array(member @ pull), shrinkage=shrinkage, owner=owner
            )
        try:
            labels = search.run(start, wanted)
        except ValueError:
            if wanted == self.n_clusters:
                raise
            labels = search.run(start, self.n_clusters)
        against = found.disbelief
        if pulls is not None:
            beliefs = search.followed(pulls.beliefs, start, labels)
            against = disbelief(beliefs, labels[vertex], graphs.graph, pulls.strength)
        before, after = (
            partition_objective(graphs.graph, clusters[vertex], graphs.relation).value
            for clusters in (start, labels)
        )
        return found._replace(
            labels=labels[vertex],
            trace=np.append(found.trace, found.trace[-1] + after - before),
            disbelief=against,
            oversize=0.0 if sizes.hard else sizes.price * sizes.violation(labels[vertex[:n]]),
        )

    def follow(
        self, selection: Selection | None, problem: Problem
    ) -> tuple[ClusterSearch, Problem]:
        """Return the search and the problem with the chosen recipe."""
        if selection is None:
            return self, problem
        recipe = selection.chosen
        graph = strongest(problem.graph, recipe.n_neighbors)
        return replace(self, recipe=recipe), problem._replace(graph=graph, unconstrained=None)

    def select(self, problem: Problem) -> Selection | None:
        """Let pairs choose the recipe if ``selection`` is "on"; this takes many searches.

        Both kinds of pairs are needed: must-links alone would favour one cluster, cannot-links
        alone many.
        """
        given, graph = problem.constraints, problem.graph
        if self.selection != "on" or self._follows_labels(problem):
            return None
        if not len(given.must_link) or not len(given.cannot_link):
            return None
        cut: dict[int | None, Graph] = {}

        def solve(visible: Constraints, recipe: Recipe) -> NDArray[Any]:
            p = recipe.n_neighbors
            cut[p] = cut.get(p) or strongest(graph, p)
            # Hard constraints are kept by all recipes, so they cannot tell these apart.
            part = problem._replace(graph=cut[p], constraints=visible, hard=None, sizes=None)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the final search warns
                return replace(self, recipe=recipe).run(part).labels[: graph.n]

        return select(graph.n, given, recipes(round(graph.n_edges / graph.n)), solve)

    def _follows_labels(self, problem: Problem) -> bool:
        """Whether labels steer the search."""
        return problem.constraints.label_index.size > 0 and self.penalty != 0

    def _known(self, problem: Problem) -> KnownClasses:
        """Return the known classes of the samples."""
        closure = problem.constraints.closure(problem.graph.n, n_classes=problem.n_classes)
        return KnownClasses.of(closure)

    def _search_by_labels(self, problem: Problem, graphs: SearchGraphs) -> SearchResult:
        """Find a cluster for each class that labels name, and further clusters in the data.

        Labels that are hidden in turn choose how labels are followed, at little cost.
        """
        hardened = harden(graphs, problem.hard, self.n_clusters, problem.copies_together)
        known = _without_conflicting_labels(
            self._known(problem).on(hardened.vertex), hardened.graphs
        )
        search = self._label_search(problem, hardened, known)
        selection, recipe = None, self.recipe or problem.label_recipes[0]
        enough = self.n_clusters is None or self.n_clusters >= known.n_classes
        if self.recipe is None and self.selection != "off" and problem.init is None and enough:
            asked, asked_known = search, known
            if problem.hard:  # hard labels are found by all recipes and cannot tell them apart
                soft = harden(graphs, None, None, problem.copies_together)
                asked_known = self._known(problem).on(soft.vertex)
                asked = self._label_search(problem, soft, asked_known)
            tried = [r for r in problem.label_recipes if asked.features is not None or not r.linear]
            options = [candidate.label_options for candidate in tried]
            once = problem.graph.n > LARGE
            right, doubted = hidden_accuracy(asked, asked_known, options, once)
            if not problem.hard:
                known = known.without(doubted)
            if right[0].size:
                selection = chosen(tried, right)
                recipe = selection.chosen
        found = search.run(known, recipe.label_options)
        labels, working = found.result.labels, hardened.graphs
        if self.n_clusters is not None and np.unique(labels[: working.n]).size < self.n_clusters:
            labels = split_off(working, labels, self.n_clusters)
        labels = labels[hardened.vertex]
        result = SearchResult(graphs, labels, found.result.trace, found.disbelief, selection)
        if problem.sizes is None:
            return result
        return result._replace(pulls=_on_samples(found.pulls, hardened, graphs.graph))

    def _label_search(
        self, problem: Problem, hardened: HardenedGraphs, known: KnownClasses
    ) -> LabelSearch:
        """Return the search that labels steer, from modules found without labels."""
        working = hardened.graphs
        unconstrained = problem.unconstrained
        if unconstrained is None:
            modules = self._placed(problem, hardened)
        elif apart_pairs(working.relation)[0].size:
            modules = self._modules(working).labels
        elif working.relation is None:
            modules = hardened.modules(unconstrained.modules)
        else:
            modules = self._modules_with_pairs(hardened, unconstrained)
        contacts = _contacts(unconstrained, working, modules)
        wanted, new = self.n_clusters, None
        if wanted is None and self.resolution is None and unconstrained is not None:
            new = _unlabelled_clusters(
                working.graph, hardened.modules(unconstrained.natural), known
            )
        elif wanted is None and problem.init is not None:
            wanted = int(modules[: working.n].max()) + 1

        def steered(labels: NDArray[Any], steering: Steering) -> PartitionResult:
            # Labels may have united vertices that are kept apart.
            start = separated(working, labels, self.n_clusters)
            return moved(working, start, steering.wide(int(start.max()) + 1))

        features = None
        if problem.samples is not None:
            first = np.unique(hardened.vertex[: problem.graph.n], return_index=True)[1]
            kind = LogisticBeliefs if problem.mixed else LinearBeliefs
            features = kind(problem.samples[first])
        return LabelSearch(
            working,
            modules,
            contacts,
            n_clusters=wanted,
            resolution=self.resolution,
            strength=self.penalty,
            new=new,
            features=features,
            divisible=problem.init is None,
            move=steered,
        )

    def constrained(self, problem: Problem) -> SearchGraphs:
        """Return the data graph and the relation graph of the pairs."""
        given, graph = problem.constraints, problem.graph
        pairs = given.without_labels()  # labels count as beliefs instead
        if not pairs or self.penalty == 0:
            return SearchGraphs.plain(graph)
        recipe = self.recipe or Recipe()
        same = self._chance_together(self.with_unconstrained(problem))
        share = cannot_share(same) * recipe.cannot
        anchored = anchor(graph, pairs, pairs.closure(graph.n), share)
        assert anchored.relation is not None
        strength = self.penalty * _PAIR_STRENGTH * recipe.strength
        return anchored._replace(relation=anchored.relation.scaled(strength))

    def _chance_together(self, problem: Problem) -> float:
        """Estimate the chance that two random samples belong together."""
        given, graph = problem.constraints, problem.graph
        n_classes = self.n_clusters or (len(given.classes) if len(given.classes) > 1 else None)
        if n_classes:
            return 1 / max(n_classes, 2)
        labels = problem.init if problem.unconstrained is None else problem.unconstrained.natural
        assert labels is not None
        return float(np.sum((np.bincount(labels[labels >= 0]) / graph.n) ** 2))

    def _modules(self, working: SearchGraphs) -> PartitionResult:
        """Return the modules with the lowest objective of ``n_init`` searches."""
        graph, relation = working.graph, working.relation
        rounds = 1 if graph.n > LARGE else _ROUNDS

        def search(seed: int, progress: Progress = None) -> PartitionResult:
            return multilevel(
                graph,
                relation,
                init=working.together,
                seed=seed,
                max_rounds=rounds,
                progress=progress,
            )

        if self.n_init == 1:
            return search(self.seed)
        seeds = range(self.seed, self.seed + self.n_init)
        found = _in_threads(search, seeds, effective_n_jobs(self.n_jobs))
        return min(found, key=lambda result: result.objective)

    def _placed(self, problem: Problem, hardened: HardenedGraphs) -> NDArray[np.int32]:
        """Return the clusters to start from; samples without one take that of their neighbours."""
        assert problem.init is not None
        placed = np.flatnonzero(problem.init >= 0)
        samples = renumber(problem.init)
        if placed.size < samples.size:
            known = renumber(problem.init[placed])
            samples = renumber(propagate(problem.graph, placed, known))
        graphs = hardened.graphs
        return graphs.extended(separated(graphs, hardened.modules(samples)))

    def _resumed(
        self, problem: Problem, hardened: HardenedGraphs
    ) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
        """Return the clusters to start from, and the vertices that may have to move."""
        assert problem.init is not None
        working, vertex = hardened
        labels = self._placed(problem, hardened)
        if self.n_clusters is not None and int(labels.max()) + 1 != self.n_clusters:
            return to_number(working, labels, self.n_clusters), None
        if problem.concerned is None:
            return labels, None
        samples = problem.init
        differs = renumber(labels[vertex[: samples.size]]) != renumber(samples)
        return labels, vertex[np.union1d(problem.concerned, np.flatnonzero(differs))]


class _Stopped(Exception):
    """Ends a search whose result is no longer needed."""


def _in_threads(
    search: Callable[[int, Progress], PartitionResult], seeds: Iterable[int], n_threads: int
) -> list[PartitionResult]:
    """Return the results of searches that run in threads.

    Only the waiting main thread sees Ctrl-C. It then sets an event that the searches check through
    their progress callback. The same happens when one of them fails.
    """
    stop = Event()

    def ask(_: float) -> None:
        if stop.is_set():
            raise _Stopped

    with ThreadPoolExecutor(n_threads) as pool:
        try:
            searches = [pool.submit(search, seed, ask) for seed in seeds]
            left = set(searches)
            while left:  # wait in steps: not every system lets Ctrl-C interrupt a wait
                check()
                done, left = wait(left, _PAUSE, FIRST_EXCEPTION)
                for one in done:
                    one.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop.set()
            raise
    return [one.result() for one in searches]


def _contacts(
    unconstrained: UnconstrainedResult | None, working: SearchGraphs, modules: NDArray[np.int32]
) -> Contacts:
    """Return how modules are in contact, which is known where no constraints changed the graph."""
    if unconstrained is None or working.relation is not None:
        return Contacts.of(working, modules)
    same = working.graph is unconstrained.graphs.graph
    return unconstrained.contacts if same else Contacts.of(working, modules)


def _unlabelled_clusters(
    graph: Graph, natural: NDArray[np.int32], known: KnownClasses
) -> NDArray[np.int64]:
    """Number the natural clusters that hold no class with labels, 0, 1, …; -1 elsewhere."""
    new = new_clusters(graph, natural, known.points, known.code)
    number = np.where(new, np.cumsum(new) - 1, -1)[natural]
    number[known.points] = -1
    return np.asarray(number, dtype=np.int64)


def _without_conflicting_labels(known: KnownClasses, working: SearchGraphs) -> KnownClasses:
    """Drop labels that give one class to vertices which are kept apart.

    This happens where samples are locked in different clusters. The vertex with most labels keeps
    its label.
    """
    code = np.full(working.graph.n, -1, dtype=np.int64)
    code[known.points] = known.code
    i, j = apart_pairs(working.relation)
    same = (code[i] >= 0) & (code[i] == code[j])
    if not same.any():
        return known
    apart: dict[int, set[int]] = {}
    for u, v in zip(i[same].tolist(), j[same].tolist(), strict=True):
        apart.setdefault(u, set()).add(v)
        apart.setdefault(v, set()).add(u)
    labels = np.ones(known.points.size) if known.samples is None else known.samples
    dropped: set[int] = set()
    for u in known.points[np.argsort(-labels, kind="stable")].tolist():
        if u not in dropped:
            dropped |= apart.get(u, set())
    return known.without(np.isin(known.points, list(dropped)))


def _on_samples(pulls: LabelPulls, hardened: HardenedGraphs, graph: Graph) -> LabelPulls:
    """Return the pulls of samples and anchors, which share that of their vertex by degree."""
    degree = hardened.graphs.graph.degree[hardened.vertex]
    share = sp.diags_array(graph.degree / np.where(degree > 0, degree, 1.0))
    beliefs, pull = (
        sp.csr_array(share @ sp.csr_array(rows)[hardened.vertex])
        for rows in (pulls.beliefs, pulls.steering.pull)
    )
    return pulls._replace(beliefs=beliefs, steering=pulls.steering._replace(pull=pull))
