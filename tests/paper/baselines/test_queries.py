import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from toy import GROUPS, easy_blobs, points

from sentree import ConstraintConflict, Constraints
from sentree.paper.baselines import COBRA, COBRAS, NPU, ExploreConsolidate
from sentree.paper.baselines.queries import Answers, SuperInstance, merge_by_questions
from sentree.paper.baselines.trees import TreeBuilder

BOTH = [COBRA, COBRAS]


@pytest.mark.filterwarnings("ignore:.* has nobody to ask")
@parametrize_with_checks(
    [
        COBRA(5),
        COBRA(5, max_queries=3),
        COBRAS(20, n_init=2),
        ExploreConsolidate(2, max_queries=5),
        NPU(2, max_queries=2, n_trees=1),
    ]
)
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None  # a check that fails raises


def truth(y):
    return lambda i, j: bool(y[i] == y[j])


def asked_of(y):
    """An oracle that also keeps what it was asked."""
    asked = []

    def oracle(i, j):
        asked.append((i, j))
        return bool(y[i] == y[j])

    return oracle, asked


def test_answers_follow_from_labels_and_pairs():
    given = Constraints.from_labels([0, 1, -1, -1, -1, -1, -1, -1])
    given += Constraints.from_pairs(must_link=[(0, 2), (3, 4)], cannot_link=[(4, 5)])
    given += Constraints.from_groups(apart=[[5, 6]])
    ask = Answers(given, 8, None, None)
    assert ask(2, 0) is True
    assert ask(1, 2) is False  # other classes, through a must-link
    assert ask(3, 5) is False  # a cannot-link, through a must-link
    assert ask(6, 5) is False  # an apart group
    assert ask(0, 3) is None
    assert ask(4, 6) is None
    assert ask.may_ask.tolist() == [True] * 7 + [False]
    assert ask.queries[:2] == [(0, 2, True), (1, 2, False)]
    assert len(ask.queries) == 6
    assert ask(0, 2) is True  # remembered
    assert len(ask.queries) == 6
    assert ask.refused == [(1, 2), (3, 5), (5, 6)]


def test_an_oracle_is_asked_only_what_is_not_given():
    oracle, asked = asked_of([0, 0, 1, 1])
    ask = Answers(Constraints.from_pairs(must_link=[(0, 1)]), 4, oracle, 2)
    assert ask(1, 0) is True
    assert asked == ask.queries == []
    assert ask(3, 0) is False
    assert asked == [(0, 3)]
    assert not ask.exhausted
    assert ask(3, 2) is True
    assert ask.exhausted
    assert ask.may_ask.all()


@pytest.mark.parametrize("estimator", BOTH)
def test_a_truthful_oracle_and_all_classes_are_the_same(estimator):
    X, y = make_blobs(80, 3, centers=5, cluster_std=2.0, random_state=0)
    model = estimator(random_state=1).fit(X, y)
    oracle, asked = asked_of(y)
    other = clone(model).fit(X, oracle=oracle)
    assert np.array_equal(model.labels_, other.labels_)
    assert np.array_equal(model.tree_.parent, other.tree_.parent)
    assert model.queries_ == other.queries_
    assert asked == [(i, j) for i, j, _ in model.queries_]
    assert len(set(asked)) == model.n_queries_ > 0  # nothing is asked twice
    assert all(answer == (y[i] == y[j]) for i, j, answer in model.queries_)
    assert not hasattr(model, "_oracle") or model._oracle is None


@pytest.mark.parametrize("estimator", BOTH)
def test_results_repeat_and_have_their_shape(estimator):
    X, y = make_blobs(80, 3, centers=5, cluster_std=2.0, random_state=0)
    model, again = (estimator(random_state=3).fit(X, y) for _ in range(2))
    assert np.array_equal(model.labels_, again.labels_)
    assert np.array_equal(model.tree_.parent, again.tree_.parent)
    assert model.labels_.dtype == np.int32
    assert np.array_equal(np.unique(model.labels_), np.arange(model.n_clusters_))
    assert np.array_equal(model.tree_.labels_at(1), model.labels_)
    # A super-instance is inside one cluster.
    pairs = np.unique(np.column_stack((model.super_instances_, model.labels_)), axis=0)
    assert len(pairs) == model.super_instances_.max() + 1


@pytest.mark.parametrize("estimator", BOTH)
def test_easy_groups_are_found(estimator):
    X, y = easy_blobs()
    assert adjusted_rand_score(y, estimator().fit(X, y).labels_) == 1
    X = points()
    assert adjusted_rand_score(GROUPS, estimator(6).fit(X, GROUPS).labels_) == 1


@pytest.mark.parametrize("estimator", BOTH)
def test_one_class_is_one_cluster(estimator):
    X, _ = easy_blobs()
    model = estimator().fit(X, np.zeros(90))
    assert model.n_clusters_ == 1
    assert all(answer is True for _, _, answer in model.queries_)


@pytest.mark.parametrize("estimator", BOTH)
def test_only_named_samples_are_asked_about(estimator):
    X, y = easy_blobs()
    known = np.where(np.arange(90) % 5 == 0, y, -1)
    model = estimator().fit(X, known)
    asked = np.unique([(i, j) for i, j, _ in model.queries_])
    assert (asked % 5 == 0).all()
    assert adjusted_rand_score(y, model.labels_) == 1
    pairs = estimator().fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(2, 40)])
    assert set(np.unique([(i, j) for i, j, _ in pairs.queries_])) <= {0, 1, 2, 40}


@pytest.mark.parametrize("estimator", BOTH)
def test_a_single_known_sample_makes_one_cluster(estimator):
    X, _ = easy_blobs()
    model = estimator().fit(X, [0] + [-1] * 89)
    assert model.n_clusters_ == 1
    assert model.n_queries_ == 0
    assert model.tree_.height == 1


@pytest.mark.parametrize(("estimator", "clusters"), [(COBRA, 50), (COBRAS, 2)])
def test_nobody_to_ask(estimator, clusters):
    X, _ = easy_blobs()
    with pytest.warns(UserWarning, match="has nobody to ask.*give oracle=") as caught:
        model = estimator().fit(X)
    assert caught[0].filename == __file__
    assert model.n_clusters_ == clusters
    assert model.n_queries_ == 0


@pytest.mark.parametrize("estimator", BOTH)
def test_an_oracle_that_never_knows_merges_nothing(estimator):
    X, _ = easy_blobs()
    model = estimator(20).fit(X, oracle=lambda i, j: None)
    assert model.n_clusters_ == model.super_instances_.max() + 1 > 1
    assert {answer for _, _, answer in model.queries_} == {None}


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize("limit", [0, 1, 7])
def test_the_budget_holds(estimator, limit):
    X, y = make_blobs(80, 3, centers=5, cluster_std=2.0, random_state=0)
    model = estimator(max_queries=limit).fit(X, y)
    assert model.n_queries_ == limit
    assert model.n_clusters_ > 1


@pytest.mark.parametrize("estimator", BOTH)
def test_duplicates_two_samples_and_more_parts_than_samples(estimator):
    y = np.repeat([0, 1], 6)
    model = estimator().fit(np.repeat([[0.0], [1.0]], 6, axis=0), y)
    assert model.labels_.tolist() == y.tolist()
    assert estimator().fit(np.zeros((5, 2)), np.zeros(5)).n_clusters_ == 1
    two = estimator().fit([[0.0], [1.0]], [0, 1])
    assert two.labels_.tolist() == [0, 1]
    assert two.tree_.n_nodes == 3


@pytest.mark.parametrize("estimator", BOTH)
def test_what_is_refused(estimator):
    X, y = easy_blobs()
    with pytest.raises(ConstraintConflict, match="0 and 1"):
        estimator().fit(X, must_link=[(0, 1)], cannot_link=[(0, 1)])
    with pytest.raises(TypeError, match=r"oracle\(\d+, \d+\) returned 'no'"):
        estimator().fit(X, oracle=lambda i, j: "no")
    with pytest.raises(TypeError, match="oracle must be callable, got ndarray"):
        estimator().fit(X, oracle=y)
    with pytest.raises(ValueError, match="max_queries"):
        estimator(max_queries=-1).fit(X, y)


def slow_merging(clusters, ask):
    """The merging loop word by word: sort, ask the middles of the closest two, start again."""
    clusters = [list(cluster) for cluster in clusters]
    merged = True
    while merged:
        merged = False
        pairs = [(a, b) for a in range(len(clusters)) for b in range(a + 1, len(clusters))]

        def between(pair):
            a, b = pair
            return [
                (np.linalg.norm(s.centroid - t.centroid), s.representative, t.representative)
                for s in clusters[a]
                for t in clusters[b]
            ]

        def refused(pair):
            return any((min(p, q), max(p, q)) in ask.refused for _, p, q in between(pair))

        open_pairs = [pair for pair in pairs if not refused(pair)]
        for pair in sorted(open_pairs, key=lambda pair: min(between(pair))[0]):
            _, p, q = min(between(pair), key=lambda found: found[0])
            if ask(p, q):
                clusters[pair[0]] += clusters.pop(pair[1])
                merged = True
                break
    return clusters


@pytest.mark.parametrize("seed", range(8))
def test_merging_asks_what_the_loop_asks_word_by_word(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(25, 2))
    y = random.integers(0, 3, 25)
    y[random.random(25) < 0.2 * (seed % 2)] = -1  # some answers are unknown
    given = Constraints.from_labels(y)
    clusters = [[SuperInstance(np.array([i]), X[i], i)] for i in range(25)]
    ask, slow = Answers(given, 25, None, None), Answers(given, 25, None, None)
    found, merges, finished = merge_by_questions(clusters, ask, "closest")
    expected = slow_merging(clusters, slow)
    assert ask.queries == slow.queries
    names = [[s.representative for s in cluster] for cluster in found]
    assert names == [[s.representative for s in cluster] for cluster in expected]
    assert finished
    assert len(merges) == 25 - len(found)
    assert all(len(cluster) == 1 for cluster in clusters)  # the input stays


def test_trees_are_built_from_below():
    builder = TreeBuilder(5)
    left = builder.balanced([4, 0, 2])  # the smaller half first: 4, then 0 with 2
    assert builder.join([left]) == left  # nothing above a single node
    builder.join([left, builder.join([1, 3])])
    assert builder.parent().tolist() == [5, 7, 5, 7, 6, 6, 8, 8, -1]
