import numpy as np
import pytest
import scipy.sparse as sp
import toy
from scipy.sparse.linalg import eigsh
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from stored_sets import stored_labels, stored_pairs

from paper_data import oracle, paper_data
from sentree import ConstraintConflict, Constraints
from sentree.datasets import sample_labels, sample_pairs
from sentree.paper.baselines import SCMPI
from sentree.paper.baselines.eigen import leading
from sentree.paper.baselines.pair_relation import pair_relation
from sentree.paper.baselines.scmpi import correct, normalised


@parametrize_with_checks([SCMPI(n_clusters=3)])
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None  # a check that fails raises


def test_the_toy():
    model = SCMPI(3, delta=1.0, scale=None)
    model.fit(toy.points(), must_link=toy.MUST_LINK, cannot_link=toy.CANNOT_LINK)
    assert adjusted_rand_score(toy.GROUPS, model.labels_) == 1
    assert model.eigenvalues_ == pytest.approx([1.40404573, 1.37742593, 1.34839219], abs=1e-8)
    assert model.objective_ == [pytest.approx(model.eigenvalues_.sum())]
    assert model.labels_.dtype == np.int32


@pytest.mark.golden
def test_the_toy_to_the_last_digit():
    stored = oracle("scmpi.json")["toy"]
    kernel = normalised(toy.affinity())
    assert np.abs(kernel - stored["normalised_kernel_W"]).max() < 1e-12
    relation = pair_relation(Constraints.from_pairs(toy.MUST_LINK, toy.CANNOT_LINK), 12)
    assert np.array_equal(relation.toarray(), stored["Q"])
    correct(kernel, relation, 1.0)
    value = leading(kernel, 12, "LA", np.random.RandomState(0))[0]
    assert np.abs(value[::-1] - stored["eigenvalues_all_ascending"]).max() < 1e-12


def test_a_full_correction_makes_related_pairs_extreme():
    kernel = normalised(toy.affinity())
    before, high, low = kernel.copy(), kernel.max(), kernel.min()
    relation = pair_relation(Constraints.from_pairs(toy.MUST_LINK, toy.CANNOT_LINK), 12)
    correct(kernel, relation, 1.0)
    sign = relation.toarray()
    assert np.array_equal(kernel, kernel.T)
    expected = np.where(sign > 0, high, np.where(sign < 0, low, before))
    assert np.abs(kernel - expected).max() < 1e-15


def test_half_a_correction_goes_half_the_way():
    whole, half, none = (normalised(toy.affinity()) for _ in range(3))
    relation = pair_relation(Constraints.from_pairs(toy.MUST_LINK, toy.CANNOT_LINK), 12)
    correct(whole, relation, 1.0)
    correct(half, relation, 0.5)
    assert half == pytest.approx((whole + none) / 2, abs=1e-15)


@pytest.mark.parametrize("which", ["LM", "LA"])
def test_all_labels_give_the_classes(which):
    y = np.random.default_rng(0).integers(0, 3, 40)
    X = np.random.default_rng(1).normal(size=(40, 5))
    assert adjusted_rand_score(y, SCMPI(3, which=which).fit(X, y).labels_) == 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("delta", [0.01, 0.1, 1.0])
def test_easy_blobs(seed, delta):
    X, y = toy.easy_blobs(seed)
    for given in (sample_pairs(y, 0.2, 0.2, seed), sample_labels(y, 9, 0, seed)):
        labels = SCMPI(3, delta=delta).fit(X, constraints=given).labels_
        assert adjusted_rand_score(y, labels) == 1


def test_alpha_0_ignores_the_constraints():
    X, y = toy.easy_blobs()
    free = SCMPI(3, alpha=0.0).fit(X, constraints=sample_pairs(y, 0.2, 0.2, 0))
    assert np.array_equal(free.labels_, SCMPI(3).fit(X).labels_)


def test_the_two_ends_of_the_spectrum():
    W = np.diag([-3.0, 2.0, 1.0])
    random = np.random.RandomState(0)
    assert leading(W, 2, "LM", random)[0].tolist() == [2, -3]
    assert leading(W, 2, "LA", random)[0].tolist() == [2, 1]


def test_many_samples_take_the_same_eigenvectors():
    A = np.random.default_rng(0).normal(size=(310, 310))
    A = A + A.T
    every = np.linalg.eigvalsh(A)
    for which, rank in (("LM", np.abs(every)), ("LA", every)):
        value, vector = leading(A, 5, which, np.random.RandomState(0))
        assert value == pytest.approx(np.sort(every[np.argsort(-rank)[:5]])[::-1])
        assert np.abs(A @ vector - vector * value).max() < 1e-8


def test_negative_labels_count_where_wanted():
    X, y = toy.easy_blobs()
    known = np.where(np.arange(90) % 10 == 0, y, -1)
    ruled = Constraints.from_negative_labels([(i, (y[i] + 1) % 3) for i in range(1, 90, 2)])
    sums = {
        wanted: SCMPI(3, delta=1.0, use_negative_labels=wanted)
        .fit(X, known, constraints=ruled)
        .objective_[0]
        for wanted in (False, True)
    }
    plain = SCMPI(3, delta=1.0).fit(X, known).objective_[0]
    assert sums[False] == plain
    assert abs(sums[True] - plain) > 1e-3


def test_all_but_one_class_ruled_out_is_a_label():
    X, y = toy.easy_blobs()
    known = np.where(np.arange(90) % 10 == 0, y, -1)
    ruled = [(5, c) for c in range(3) if c != y[5]]
    said = known.copy()
    said[5] = y[5]
    by_exclusion = SCMPI(3).fit(X, known, constraints=Constraints.from_negative_labels(ruled))
    assert by_exclusion.objective_ == SCMPI(3).fit(X, said).objective_


def test_a_given_kernel_sparse_or_not():
    W = toy.affinity()
    pairs = {"must_link": toy.MUST_LINK, "cannot_link": toy.CANNOT_LINK}
    model = SCMPI(3, affinity="precomputed")
    from_samples = SCMPI(3, delta=1.0, scale=None).fit(toy.points(), **pairs)
    for given in (W, sp.csr_array(W)):
        before = given.copy()
        assert model.fit(given, **pairs).eigenvalues_ == pytest.approx(from_samples.eigenvalues_)
        assert abs(given - before).max() == 0


def test_rows_in_another_order():
    X, y = toy.easy_blobs()
    given = sample_pairs(y, 0.2, 0.2, 0)
    order = np.random.default_rng(0).permutation(90)
    place = np.argsort(order)
    labels = SCMPI(4, delta=0.1).fit(X, constraints=given).labels_
    moved = SCMPI(4, delta=0.1).fit(
        X[order], must_link=place[given.must_link], cannot_link=place[given.cannot_link]
    )
    assert adjusted_rand_score(labels[order], moved.labels_) == 1


def test_the_seed_does_not_matter():
    X = np.abs(np.random.default_rng(0).normal(size=(320, 6)))
    first, second = (SCMPI(4, random_state=seed).fit(X).labels_ for seed in (0, 1))
    assert np.array_equal(first, second)


def test_isolated_and_equal_samples():
    X = np.vstack((np.eye(6), np.eye(6)[:2]))  # distances of sqrt(2): every kernel value is 0
    labels = SCMPI(3, delta=1e-3, which="LA").fit(X).labels_
    assert labels[0] == labels[6]
    assert labels[1] == labels[7]
    assert np.array_equal(np.unique(labels), np.arange(labels.max() + 1))
    same = SCMPI(2).fit(np.ones((5, 3))).labels_
    assert same.max() <= 1


def test_zero_rows_and_one_or_all_clusters():
    X, _ = toy.easy_blobs()
    X = X[::10].copy()
    X[0] = 0
    assert SCMPI(1).fit(X).labels_.tolist() == [0] * 9
    assert sorted(SCMPI(9).fit(X).labels_) == list(range(9))


def test_contradictions_are_refused():
    with pytest.raises(ConstraintConflict):
        SCMPI(3).fit(toy.points(), must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


def test_more_classes_than_clusters_are_united():
    labels = SCMPI(2).fit(toy.points(), toy.GROUPS).labels_
    assert np.unique(np.column_stack((labels, toy.GROUPS)), axis=0).shape == (3, 2)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("name", "kind", "ari", "nmi"),
    [
        ("Yale", stored_pairs, 0.3432425717, 0.5975953207),
        ("Yale", stored_labels, 0.2321541165, 0.5033165846),
        ("Yale", None, 0.2106276473, 0.4904176503),
        ("ORL", stored_pairs, 0.5310853795, 0.8363010289),
        ("ORL", stored_labels, 0.3239540176, 0.7320152114),
        ("ORL", None, 0.3193396705, 0.7264992849),
    ],
)
def test_the_published_program_on_faces(name, kind, ari, nmi):
    X, y = paper_data(name)
    given = None if kind is None else kind(name, 0)
    labels = SCMPI(len(np.unique(y))).fit(X, constraints=given).labels_
    assert adjusted_rand_score(y, labels) == pytest.approx(ari, abs=1e-10)
    assert normalized_mutual_info_score(y, labels) == pytest.approx(nmi, abs=1e-10)


@pytest.mark.golden
@pytest.mark.parametrize(
    ("kind", "low", "high"), [(stored_pairs, 0.26, 0.35), (stored_labels, 0.19, 0.29)]
)
def test_yale_over_all_stored_sets(kind, low, high):
    X, y = paper_data("Yale")
    found = [
        adjusted_rand_score(y, SCMPI(15).fit(X, constraints=kind("Yale", number)).labels_)
        for number in range(5)
    ]
    assert low < np.mean(found) < high


def test_equal_eigenvalues_do_not_hold_it_up(monkeypatch):
    """Isolated pairs have eigenvalues 1 and -1 all alike, among which a few never settle."""
    from sentree.paper.baselines import eigen

    n = 600
    W = np.kron(np.eye(n // 2), [[0.0, 1.0], [1.0, 0.0]])
    W[:100, :100] = 0.2
    restarts = []
    monkeypatch.setattr(
        eigen, "eigsh", lambda *a, **k: restarts.append(k["maxiter"]) or eigsh(*a, **k)
    )
    value, vector = eigen.leading(W, 5, "LM", np.random.RandomState(0))
    assert restarts == [eigen._RESTARTS]
    assert value[0] == pytest.approx(20.0)
    assert np.abs(value[1:]) == pytest.approx(np.ones(4))
    assert np.abs(W @ vector - vector * value).max() < 1e-8
