import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.decomposition import PCA

from sentree import SSEHierarchy, SSEPartition, load, report
from sentree.constraints import Constraints
from sentree.graph.build import auto_neighbors, auto_settings, knn_graph
from sentree.graph.scaling import weigh
from sentree.graph.tails import find_tails
from sentree.relation.feature_weights import Features, table_layout, weigh_features

SHARES = [0.4, 0.25, 0.2, 0.1, 0.05]


def customers(n=1500, seed=0, irrelevant=4):
    """Skewed rows in five classes of unequal size: amounts, counts, shares, and irrelevant ones."""
    random = np.random.default_rng(seed)
    y = random.choice(5, n, p=SHARES)
    amounts = [np.exp(random.normal(3 + random.normal(0, 1.3, 5)[y], 0.7)) for _ in range(4)]
    counts = [random.poisson(np.exp(random.normal(1, 1, 5))[y]) for _ in range(2)]
    share = [
        random.beta(*(6 * np.array([p, 1 - p]))) for p in random.uniform(0.2, 0.8, (2, 5))[:, y]
    ]
    noise = [np.exp(random.normal(2, 1.2, n)) for _ in range(irrelevant)]
    return np.column_stack([*amounts, *counts, *share, *noise]), y


def some_labels(y, share, seed=0):
    """Return y with most labels hidden."""
    known = np.random.default_rng((seed, 1)).random(y.size) < share
    return np.where(known, y, -1)


def usual_graph(X, n_clusters=None):
    """The graph of affinity="auto" on features that are scaled and nothing else."""
    p = auto_neighbors(len(X), n_clusters)
    return knn_graph(X, p, ties=False, random_state=SSEPartition()._seed(), **auto_settings(X))


def same_graph(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("indptr", "indices", "weights")
    )


def test_tails_of_some_columns_leave_the_others():
    X, _ = customers()
    tails = find_tails(X)
    assert set(tails.columns.tolist()) >= {0, 1, 2, 3, 8, 9, 10, 11}
    others = np.setdiff1d(np.arange(12), tails.columns)
    assert np.array_equal(tails(X)[:, others], X[:, others])


def test_irrelevant_columns_go_down():
    X, y = customers()
    model = SSEPartition(5).fit(X, some_labels(y, 0.1))
    weights = model.feature_weights_
    assert weights.shape == (12,)
    assert weights[8:].max() < 0.6
    assert (weights**2).mean() == pytest.approx(1)
    assert set(model.features_.down.tolist()) >= {8, 9, 10, 11}
    assert not set(model.features_.up.tolist()) & {8, 9, 10, 11}


def test_labels_beyond_the_bound_are_drawn():
    X, y = customers(4000)
    weights = table_layout(X, "zscore", Constraints.from_labels(y)).weights
    assert weights[8:].max() < 0.3


def test_few_labels_for_each_class_say_little():
    X, y = customers()
    known = np.full(y.size, -1)
    for c in range(5):
        known[np.flatnonzero(y == c)[:2]] = c
    weights = table_layout(X, "zscore", Constraints.from_labels(known)).weights
    assert weights is None or weights.min() > 0.7


@pytest.mark.parametrize("y", [[-1] * 100, [0] * 100, list(range(100)), [0, 1] + [-1] * 98])
@pytest.mark.filterwarnings("ignore:.*looks like a measurement")
def test_labels_that_cannot_tell_weigh_nothing(y):
    X = np.random.default_rng(0).normal(size=(100, 3))
    layout = table_layout(X, "zscore", Constraints.from_labels(y))
    assert layout.weights is None
    assert layout.tails is None


def test_wrong_labels_do_not_turn_weights_around():
    X, y = customers(3000)
    random = np.random.default_rng(1)
    for share in (0.1, 0.3):
        said = np.where(random.random(y.size) < share, random.integers(0, 5, y.size), y)
        weights = table_layout(X, "zscore", Constraints.from_labels(some_labels(said, 0.1))).weights
        assert weights is None or weights[8:].max() < weights[:4].max() / 2
    nonsense = random.permutation(y)
    weights = table_layout(X, "zscore", Constraints.from_labels(some_labels(nonsense, 0.1))).weights
    assert weights is None or weights.max() < 2.5


@pytest.mark.parametrize(
    "X",
    [
        make_moons(400, noise=0.05, random_state=0)[0],
        make_circles(400, noise=0.03, factor=0.4, random_state=0)[0],
        make_blobs(400, centers=5, random_state=0)[0],
        np.r_[make_blobs(2000, centers=1, random_state=0)[0], np.full((10, 2), 40.0)]
        + np.random.default_rng(0).normal(size=(2010, 2)),
    ],
)
def test_shapes_without_labels_are_untouched(X):
    model = SSEPartition().fit(X)
    assert same_graph(model.graph_, usual_graph(X))
    assert model.feature_weights_ is None
    assert not model.features_


def test_shapes_that_no_single_feature_explains_keep_their_features():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (1200, 2))
    y = (X[:, 0] > 0).astype(int) ^ (X[:, 1] > 0).astype(int)
    for seed in range(5):
        weights = table_layout(
            X, "zscore", Constraints.from_labels(some_labels(y, 0.1, seed))
        ).weights
        assert weights is None or weights.min() > 0.5


def test_permuted_columns_have_permuted_weights():
    X, y = customers()
    known = Constraints.from_labels(some_labels(y, 0.1))
    order = np.random.default_rng(0).permutation(12)
    np.testing.assert_allclose(
        table_layout(X[:, order], "zscore", known).weights,
        table_layout(X, "zscore", known).weights[order],
    )


def test_the_same_twice():
    X, y = customers()
    known = some_labels(y, 0.1)
    one, other = (SSEPartition(5).fit(X, known) for _ in range(2))
    assert np.array_equal(one.feature_weights_, other.feature_weights_)
    assert np.array_equal(one.labels_, other.labels_)


@pytest.mark.parametrize("affinity", ["auto", "gaussian"])
def test_training_samples_as_new_ones_are_where_they_were(affinity):
    X, y = customers(800)
    if affinity == "gaussian":
        X = np.log1p(X)
    model = SSEPartition(5, affinity=affinity).fit(X, some_labels(y, 0.2))
    assert (model.predict(X) == model.labels_).mean() > 0.95
    assert (model.features_ is None) == (affinity == "gaussian")


def test_constant_and_whole_number_columns():
    X, y = customers(600)
    X = np.column_stack([X, np.full(600, 3.0), np.arange(600) % 2, y == 0])
    model = SSEPartition(5).fit(X.round().astype(int), some_labels(y, 0.2))
    assert np.isfinite(model.feature_weights_).all()
    assert np.isfinite(model.graph_.weights).all()
    assert model.predict(X[:5].round().astype(int)).shape == (5,)


def test_only_constant_features_beside_one():
    X = np.column_stack([np.r_[np.zeros(30), np.ones(30)] + np.arange(60) / 100, np.ones(60)])
    y = np.r_[np.zeros(30, int), np.ones(30, int)]
    assert np.array_equal(SSEPartition(2).fit(X, y).labels_, y)


def test_new_samples_beyond_the_range_of_the_old():
    X, y = customers(500)
    model = SSEPartition(5).fit(X, some_labels(y, 0.2))
    assert model.predict(np.vstack([X[:1] * 1e6, -X[:1] * 1e6, X[:1] * 0])).shape == (3,)


def test_many_features_and_other_affinities_are_left_alone():
    random = np.random.default_rng(0)
    wide = np.exp(random.normal(size=(100, 60)))
    y = np.where(random.random(100) < 0.5, random.integers(0, 2, 100), -1)
    assert SSEPartition(2).fit(wide, y).features_ is None
    assert SSEPartition(2, affinity="cosine").fit(wide[:, :10], y).features_ is None
    assert SSEPartition(2, affinity="precomputed").fit(knn_graph(wide), y).features_ is None


def test_principal_components_are_left_as_they_are():
    X, y = customers()
    known = some_labels(y, 0.2)
    scores = PCA(6, random_state=0).fit_transform(X)
    model = SSEPartition().fit(scores, known)
    assert model.graph_settings_.kind == "components"
    assert not model.features_  # neither weighed nor tamed
    table = SSEPartition().fit(X - X.mean(axis=0), known)
    assert table.graph_settings_.kind == "table"
    assert table.features_.weights is not None


def test_weights_come_from_labelled_samples_alone():
    X, y = customers(200)
    assert weigh_features(X[:, :1], y) is None  # one feature counts anyway
    assert weigh_features(X, y).weights.shape == (12,)


@pytest.mark.parametrize("kind", [SSEPartition, SSEHierarchy])
def test_models_keep_their_features_in_files(kind, tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = customers(600)
    table = pd.DataFrame(X, columns=[f"c{k}" for k in range(12)])
    model = kind(n_clusters=5).fit(table, some_labels(y, 0.2))
    again = load(model.save(tmp_path / "model"))
    assert again.features_.to_dict() == model.features_.to_dict()
    assert np.array_equal(again.feature_weights_, model.feature_weights_)
    assert np.array_equal(again.predict(table), model.predict(table))
    bare = load(model.save(tmp_path / "bare", with_samples=False))
    assert bare.features_.to_dict() == model.features_.to_dict()


def test_features_tell_what_was_done():
    features = Features(
        4, np.array([1.6, 0.2, 1.1, 0.3]), np.array([2]), ("amount", "zip", "income", "day")
    )
    assert str(features) == "weighed up: amount; weighed down: zip, day; tails tamed: income"
    assert repr(features) == f"Features(4 features; {features})"
    assert json.loads(json.dumps(features.to_dict()))["tamed"] == [2]
    assert features
    plain = Features(12, None, np.arange(7))
    assert str(plain) == ("tails tamed: feature 0, feature 1, feature 2, feature 3, feature 4, …")
    nothing = Features(2, None, np.empty(0, int))
    assert not nothing
    assert str(nothing) == "all count alike"
    alike = Features(2, np.ones(2), np.empty(0, int), None, 2)
    assert str(alike) == "weighed about alike; beside them 2 combinations of features"


def test_combinations_of_features_count_where_they_tell_classes():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 600)
    along, step = random.normal(size=(600, 1)) * 2, 1.5 * y[:, None]
    X = np.hstack([along + step, along - step, random.normal(size=(600, 2))])
    layout = table_layout(X, "zscore", Constraints.from_labels(some_labels(y, 0.2)))
    assert layout.directions.shape[0] == 4
    assert layout.scaled(X).shape == (600, 4 + layout.directions.shape[1])
    model = SSEPartition(3).fit(X, some_labels(y, 0.2))
    assert "combination" in str(model.features_)
    assert (model.predict(X) == model.labels_).mean() > 0.9


def test_the_report_names_the_features_that_counted(tmp_path):
    pd = pytest.importorskip("pandas")
    X, y = customers(300)
    table = pd.DataFrame(X, columns=[f"<c{k}>" for k in range(12)])
    model = SSEPartition(5).fit(table, some_labels(y, 0.3))
    text = report.write_report(tmp_path / "r.html", model).read_text()
    assert "The weights of all features" in text
    assert "&lt;c0&gt;" in text
    plain = SSEPartition(2).fit(make_moons(200, noise=0.05, random_state=0)[0])
    text = report.write_report(tmp_path / "p.html", plain).read_text()
    assert "The weights of all features" not in text


def test_a_row_is_laid_out_alike_alone_and_among_others():
    random = np.random.default_rng(0)
    X, weights = random.normal(size=(100, 7)), random.uniform(0.5, 2, size=7)
    for k in (1, 3):
        directions = random.normal(size=(7, k))
        alone = [weigh(row[None], weights, directions)[0] for row in X]
        assert np.array_equal(weigh(X, weights, directions), alone)
