import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from sentree import Constraints, Graph, SSEPartition
from sentree.datasets import sample_labels, sample_pairs
from sentree.search.label_search import LabelSearch
from sentree.search.recipes import LABEL_RECIPES, Recipe, chosen, recipes, select, strongest

USUAL, OTHER = Recipe(), Recipe(n_neighbors=3)


def blobs(n=300, centers=4, spread=1.0):
    return make_blobs(n, n_features=5, centers=centers, cluster_std=spread, random_state=0)


def truth_or_noise(y, good):
    """Solve with the truth for one recipe and with chance for all others."""
    noise = np.random.default_rng(0).integers(0, 4, y.size)
    return lambda visible, recipe: y if recipe == good else noise


@pytest.mark.parametrize("sample", [sample_pairs, sample_labels])
@pytest.mark.parametrize("good", [USUAL, OTHER])
def test_the_recipe_that_keeps_hidden_constraints_is_chosen(sample, good):
    _, y = blobs()
    given = sample(y, 60, 60, 0)
    found = select(y.size, given, [USUAL, OTHER], truth_or_noise(y, good))
    assert found.chosen == good
    assert {c.recipe: c.score for c in found.candidates}[good] == 1
    assert found.candidates[0].gain == found.candidates[0].error == 0


def test_few_constraints_leave_the_usual_recipe():
    _, y = blobs()
    given = sample_pairs(y, 2, 2, 0)
    found = select(y.size, given, [USUAL, OTHER], truth_or_noise(y, OTHER))
    assert found.chosen == USUAL


def test_equal_recipes_leave_the_usual_one():
    _, y = blobs()
    found = select(y.size, sample_pairs(y, 90, 90, 0), [USUAL, OTHER], lambda *_: y)
    assert found.chosen == USUAL


def test_every_statement_is_hidden_once_and_nothing_else_gives_it_away():
    _, y = blobs()
    given = sample_pairs(y, 40, 40, 0) + sample_labels(y, 30, 20, 1)
    seen = []

    def solve(visible, recipe):
        seen.append(visible)
        return y

    found = select(y.size, given, [USUAL], solve)
    for kind in ("must_link", "cannot_link", "label_index"):
        hidden = [len(getattr(given, kind)) - len(getattr(v, kind)) for v in seen]
        assert sum(hidden) == len(getattr(given, kind))
        assert min(hidden) > 0
    pairs = {tuple(sorted(p)) for p in given.must_link.tolist()}
    for visible in seen:
        left = {tuple(sorted(p)) for p in visible.must_link.tolist()}
        component = Constraints.from_pairs(visible.must_link).closure(y.size).component
        assert all(component[a] != component[b] for a, b in pairs - left)
        assert np.array_equal(visible.negative_index, given.negative_index)
    assert found.n_hidden > 0


def test_one_large_set_of_must_links_is_not_hidden_at_once():
    chain = np.column_stack((np.arange(100), np.arange(1, 101)))
    sizes = []

    def solve(visible, recipe):
        sizes.append(len(visible.must_link))
        return np.zeros(101, dtype=int)

    select(101, Constraints.from_pairs(chain), [USUAL], solve)
    assert all(40 < size < 90 for size in sizes)


def test_selection_reads_well():
    _, y = blobs()
    given = sample_pairs(y, 60, 60, 0)
    found = select(y.size, given, [USUAL, OTHER], truth_or_noise(y, OTHER))
    stored = json.loads(json.dumps(found.to_dict()))
    assert stored["chosen"]["n_neighbors"] == 3
    assert [c["gain"] > 0 for c in stored["candidates"]] == [False, True]
    assert "* " in repr(found)
    assert "3 neighbours" in repr(found).splitlines()[0]


def test_recipes_differ_from_the_usual_in_one_respect():
    tried = recipes(20)
    assert tried[0] == USUAL
    assert len(set(tried)) == len(tried)
    for recipe in tried[1:]:
        assert sum(a != b for a, b in zip(recipe, USUAL, strict=True)) == 1
    assert {r.n_neighbors for r in tried} == {None, 10, 5}
    assert {r.n_neighbors for r in recipes(4)} == {None}  # fewer than 3 are never tried


def test_labels_choose_how_they_are_followed_and_leave_the_graph():
    assert LABEL_RECIPES[0] == USUAL
    assert len({r.label_options for r in LABEL_RECIPES}) == len(LABEL_RECIPES)
    for recipe in LABEL_RECIPES:
        assert (recipe.n_neighbors, recipe.cannot) == (USUAL.n_neighbors, USUAL.cannot)


def test_a_way_must_find_clearly_more_than_the_one_before():
    tried = [Recipe(), Recipe(even=True), Recipe(linear=True)]
    usual = np.repeat([1.0, 0.0], [10, 10])
    better, same, best = (np.repeat([1.0, 0.0], [k, 20 - k]) for k in (15, 10, 20))
    assert chosen(tried, [usual, better, best]).chosen == tried[2]
    assert chosen(tried, [usual, better, same]).chosen == tried[1]
    assert chosen(tried, [usual, best, better]).chosen == tried[1]
    assert chosen(tried, [usual, same, same]).chosen == tried[0]
    one_more = np.repeat([1.0, 0.0], [11, 9])  # one label is no evidence
    assert chosen(tried, [usual, one_more, one_more]).chosen == tried[0]
    found = chosen(tried, [usual, better, best])
    assert found.n_hidden == 20
    assert [c.score for c in found.candidates] == [0.5, 0.75, 1.0]
    assert [c.gain for c in found.candidates] == [0.0, 0.25, 0.5]


def test_the_strongest_edges_of_either_end_stay():
    graph = Graph.from_edges([(0, 1), (0, 2), (0, 3), (2, 3)], [3.0, 2.0, 1.0, 1.5])
    cut = strongest(graph, 1).to_scipy().toarray()
    assert cut[0, 1] == cut[1, 0] == 3
    assert cut[0, 2] == cut[2, 0] == 2  # the strongest of 2, not of 0
    assert cut[2, 3] == 1.5
    assert cut[0, 3] == 0
    assert strongest(graph, None) is graph


def test_pairs_choose_where_they_are_asked():
    X, y = blobs(spread=2.0)
    given = sample_pairs(y, 60, 60, 0)
    model = SSEPartition(4, selection="on").fit(X, constraints=given)
    assert model.selection_.candidates[0].recipe == USUAL
    assert {c.recipe.cannot for c in model.selection_.candidates} == {0.0, 1.0}
    assert model.graph_.n == 300
    assert model.n_clusters_ == 4
    again = SSEPartition(4, selection="on").fit(X, constraints=given)
    assert np.array_equal(again.labels_, model.labels_)
    assert again.selection_ == model.selection_
    many = sample_pairs(y, 400, 400, 0)
    for selection in ("auto", "off"):
        assert SSEPartition(4, selection=selection).fit(X, constraints=many).selection_ is None
    assert SSEPartition(4, selection="on").fit(X).selection_ is None
    one_kind = sample_pairs(y, 0, 300, 0)
    assert SSEPartition(4, selection="on").fit(X, constraints=one_kind).selection_ is None


@pytest.mark.parametrize("n_clusters", [4, None])
@pytest.mark.parametrize("share", [6, 60])
def test_labels_choose_unless_they_must_not(n_clusters, share):
    X, classes = blobs(spread=2.0)
    y = np.where(np.arange(300) % share, -1, classes)
    found = SSEPartition(n_clusters).fit(X, y)
    counts = np.bincount(y[y >= 0])
    assert found.selection_.n_hidden == counts[counts > 1].sum()
    assert tuple(c.recipe for c in found.selection_.candidates) == LABEL_RECIPES
    asked = SSEPartition(n_clusters, selection="on").fit(X, y)
    assert asked.selection_ == found.selection_
    assert np.array_equal(asked.labels_, found.labels_)
    assert SSEPartition(n_clusters, selection="off").fit(X, y).selection_ is None
    graph = SSEPartition(n_clusters, affinity="precomputed").fit(found.graph_, y)
    assert not any(c.recipe.linear for c in graph.selection_.candidates)  # no features to ask


@pytest.mark.parametrize("best", LABEL_RECIPES)
def test_what_labels_choose_is_what_is_done(monkeypatch, best):
    X, classes = blobs(spread=2.0)
    y = np.where(np.arange(300) % 6, -1, classes)
    done, run = [], LabelSearch.run

    def found(ways_tried, right):
        return chosen(ways_tried, [np.full_like(right[0], r == best) for r in ways_tried])

    def recorded(self, known, way):
        done.append(way)
        return run(self, known, way)

    monkeypatch.setattr("sentree.search.clusters.chosen", found)
    monkeypatch.setattr(LabelSearch, "run", recorded)
    model = SSEPartition(4).fit(X, y)
    assert model.selection_.chosen == best
    assert done == [best.label_options]


def test_a_given_graph_may_be_cut_too():
    X, y = blobs()
    graph = SSEPartition(4).fit(X).graph_
    model = SSEPartition(4, affinity="precomputed", selection="on")
    model.fit(graph, constraints=sample_pairs(y, 110, 110, 0))
    assert any(c.recipe.n_neighbors for c in model.selection_.candidates)


@pytest.mark.parametrize("labelled", [1, 2, 3])
def test_one_label_of_each_class_chooses_nothing(labelled):
    X, classes = make_blobs(60, centers=3, random_state=0)
    y = np.full(60, -1)
    first = [int(np.flatnonzero(classes == c)[0]) for c in range(labelled)]
    y[first] = classes[first]
    model = SSEPartition(n_clusters=3, selection="on").fit(X, y)
    assert model.selection_ is None
    second = int(np.flatnonzero(classes == 0)[1])
    y[second] = 0
    model = SSEPartition(n_clusters=3, selection="on").fit(X, y)
    assert model.selection_.n_hidden == 2  # the other classes have no label to spare
    assert model.selection_.chosen == USUAL


def test_hard_constraints_choose_as_soft_ones_do():
    X, classes = make_blobs(200, centers=4, cluster_std=3.0, random_state=1)
    y = np.where(np.arange(200) % 4 == 0, classes, -1)
    soft, hard = (
        SSEPartition(n_clusters=4, selection="on", hard=hard).fit(X, y).selection_
        for hard in (False, True)
    )
    assert soft == hard
    assert soft.candidates[0].score < 1.0
