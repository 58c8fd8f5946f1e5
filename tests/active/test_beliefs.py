"""What is believed about classes, and clusters that follow it."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import sentree
from sentree import Constraints, SSEHierarchy, SSEPartition
from sentree._util.labels import renumber
from sentree.active.beliefs import Beliefs, Landscape
from sentree.active.knowledge import refit
from sentree.active.situation import Situation
from sentree.search import units as units_module

X, Y = make_blobs(120, centers=[(0, 0), (4, 0), (9, 0)], random_state=0)
NONE = Constraints()


@pytest.fixture(scope="module")
def model():
    return SSEPartition().fit(X)


@pytest.fixture
def many(monkeypatch):
    """A model whose units are parts of modules, as of many samples."""
    monkeypatch.setattr(units_module, "_MOST_SINGLE", 50)
    return SSEPartition().fit(X)


def believed(model, known=NONE):
    return Beliefs.of(Situation.of(model, None, known, None))


def answers(rng, n):
    """True replies to questions which class random samples belong to."""
    rows = [np.flatnonzero(code == Y)[0] for code in range(3)]
    rows += rng.permutation(120)[:n].tolist()
    pairs = np.array([(a, b) for a in rows[:3] for b in rows if a != b])
    same = Y[pairs[:, 0]] == Y[pairs[:, 1]]
    return Constraints.from_pairs(pairs[same], pairs[~same])


def scattered(rng, n):
    """True pairs of random samples."""
    pairs = rng.permutation(120)[: 2 * n].reshape(-1, 2)
    same = Y[pairs[:, 0]] == Y[pairs[:, 1]]
    return Constraints.from_pairs(pairs[same], pairs[~same])


@pytest.mark.parametrize("settings", [{}, {"n_clusters": 2}, {"n_clusters": 6}, {"resolution": 3}])
def test_without_answers_clusters_are_those_of_the_model(settings):
    model = SSEPartition(**settings).fit(X)
    found = believed(model)
    assert found.n_classes == 1
    assert renumber(found.of_samples()).tolist() == renumber(model.labels_).tolist()
    np.testing.assert_allclose(found.probability.sum(axis=1), 1.0)
    assert 0 < found.certainty <= 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_clusters", [None, 3, 5])
def test_what_was_answered_holds(seed, n_clusters):
    model = SSEPartition(n_clusters).fit(X)
    known = answers(np.random.default_rng(seed), 3 + 8 * seed)
    found = refit(model, known)
    assert found is model
    report = model.constraint_report_
    assert (report.n_broken, model.constraints_) == (0, known)
    if n_clusters is not None:
        assert model.n_clusters_ == n_clusters
    assert model.n_clusters_ == np.unique(model.labels_).size


@pytest.mark.parametrize("n", [5, 40])
def test_scattered_pairs_are_left_to_the_search(n):
    known = scattered(np.random.default_rng(n), n)
    found = refit(SSEPartition().fit(X), known)
    expected = SSEPartition().fit(X).refit(constraints=known)
    assert found.labels_.tolist() == expected.labels_.tolist()


def test_samples_keep_their_classes_where_units_are_groups(many):
    known = answers(np.random.default_rng(3), 25)
    units = Landscape.of(many).units
    assert not units.single
    found = believed(many, known)
    labels = found.of_samples()
    for number, samples in enumerate(found.classes):
        assert set(labels[samples]) == {number}
    np.testing.assert_allclose(found.probability.sum(axis=1), 1.0)


def test_classes_are_those_of_the_answers(model):
    known = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(0, 2), (2, 3)])
    found = believed(model, known)
    # 3 is apart from one class only, and still open.
    assert [samples.tolist() for samples in found.classes[:2]] == [[0, 1], [2]]
    a, b = np.flatnonzero(Y == 0)[:6].reshape(2, 3), np.flatnonzero(Y == 2)[:6].reshape(2, 3)
    groups = [*zip(a[:, 0], a[:, 1], strict=True), *zip(b[:, 0], b[:, 1], strict=True)]
    known = Constraints.from_pairs(groups, [(a[0, 0], b[0, 0])])
    found = believed(model, known)  # groups that may be one are one if that is likely
    assert [sorted(samples) for samples in found.classes] == [
        sorted(a[:, :2].ravel()),
        sorted(b[:, :2].ravel()),
    ]
    named = believed(model, Constraints.from_labels(np.where(np.arange(120) < 9, Y, -1)))
    for code, samples in enumerate(named.classes):
        assert set(Y[samples]) == {Y[named.classes[code][0]]}
    assert sum(map(len, named.classes)) == 9


def test_an_open_sample_is_not_of_a_class_that_is_ruled_out(model):
    a, b, c = (np.flatnonzero(code == Y) for code in range(3))
    apart = [(a[0], b[0]), (a[0], c[0]), (b[0], c[0]), (a[1], a[0])]
    found = believed(model, Constraints.from_pairs(cannot_link=apart))
    unit = found.units.unit[a[1]]
    number = [a[0] in samples for samples in found.classes].index(True)
    assert found.probability[unit, number] < 1e-6


def test_one_row_with_many_classes_is_believed():
    rows = np.repeat(X[:3], 50, axis=0)
    y = np.tile(np.arange(50), 3)
    model = SSEPartition().fit(rows)
    found = believed(model, Constraints.from_labels(y))
    assert np.isfinite(found.probability).all()
    assert found.of_samples().tolist() == [found.of_samples()[one] for one in y]
    assert refit(model, Constraints.from_labels(y)).constraint_report_.n_broken == 0


def test_beliefs_are_remembered_for_the_same_knowledge_and_number(model):
    known = answers(np.random.default_rng(0), 5)
    first = believed(model, known)
    assert believed(model, known) is first
    assert believed(model) is not first
    landscape = Landscape.of(model)
    assert Landscape.of(model) is landscape
    other = SSEPartition().fit(X)
    assert Landscape.of(other) is not landscape
    assert Landscape.of(other.set_params(n_clusters=3)).n_clusters == 3
    refit(model, known)
    assert Landscape.of(model) is landscape


def test_edits_hold():
    model = SSEPartition(4).fit(X)
    model.merge(0, 1)
    labels, number = model.labels_, model.n_clusters_
    assert Landscape.of(model).n_clusters == number
    assert renumber(believed(model).of_samples()).tolist() == renumber(labels).tolist()
    refit(model, model.constraints_)
    assert model.n_clusters_ == number
    assert model.constraint_report_.n_broken == 0


def test_hard_constraints_and_sizes_hold():
    known = answers(np.random.default_rng(5), 40)
    hard = refit(SSEPartition(hard=True).fit(X), known)
    assert hard.constraints_.hard is not None
    assert hard.constraint_report_.n_broken == 0
    single = SSEPartition().fit(X)
    far = Constraints.from_pairs(must_link=[(np.flatnonzero(Y == 0)[0], np.flatnonzero(Y == 2)[0])])
    assert refit(single, far.hardened()).constraint_report_.n_broken == 0
    sized = refit(SSEPartition(3, max_size=41, min_size=30).fit(X), known)
    assert 30 <= np.bincount(sized.labels_).min() <= np.bincount(sized.labels_).max() <= 41


def test_more_classes_than_clusters_stay_apart():
    first = [np.flatnonzero(code == Y)[0] for code in range(3)]
    apart = [(a, b) for a in first for b in first if a < b]
    model = refit(SSEPartition(2).fit(X), Constraints.from_pairs(cannot_link=apart))
    assert np.unique(model.labels_[first]).size == 3


def test_a_refit_by_answers_is_a_model_like_others(model, tmp_path):
    known = answers(np.random.default_rng(1), 20)
    found = refit(SSEPartition().fit(X), known)
    assert found.tree_.n_leaves == 120
    assert found.trace_[-1] == pytest.approx(found.objective_)
    assert (found.predict(X) == found.labels_).mean() > 0.9
    assert found.membership_.shape == (120, found.n_clusters_)
    again = sentree.load(sentree.save(found, tmp_path / "model.npz"))
    assert again.labels_.tolist() == found.labels_.tolist()
    assert refit(again, known).labels_.tolist() == found.labels_.tolist()
    later = found.refit(constraints=known, keep=False)
    expected = SSEPartition().fit(X).refit(constraints=known)
    assert adjusted_rand_score(later.labels_, expected.labels_) == 1.0


def test_sparse_rows_and_isolated_samples_are_believed():
    rows = sp.csr_array(np.abs(X) * (np.abs(X) > 1))
    known = answers(np.random.default_rng(2), 10)
    assert refit(SSEPartition().fit(rows), known).constraint_report_.n_broken == 0
    weights = np.kron(np.eye(3), np.ones((4, 4)))
    weights[11] = weights[:, 11] = 0
    with pytest.warns(UserWarning, match="no neighbour"):
        model = SSEPartition(affinity="precomputed").fit(weights - np.diag(np.diag(weights)))
    assert renumber(believed(model).of_samples()).tolist() == renumber(model.labels_).tolist()
    refit(model, Constraints.from_pairs(must_link=[(11, 0)], cannot_link=[(0, 4)]))
    assert model.labels_[11] == model.labels_[0] != model.labels_[4]


def test_a_tree_is_refused():
    with pytest.raises(TypeError, match="need an SSEPartition, got SSEHierarchy"):
        Landscape.of(SSEHierarchy().fit(X))
