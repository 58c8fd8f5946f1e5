import numpy as np
import pytest
import scipy.sparse as sp
import toy
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from stored_sets import stored_pairs

from paper_data import oracle, paper_data
from sentree import ConstraintConflict, Constraints
from sentree.datasets import sample_pairs
from sentree.paper.baselines import OneStepPCP, pair_propagation, soft_threshold
from sentree.paper.baselines.onesteppcp import local_graph, refined
from sentree.paper.baselines.pair_propagation import KnownPairs, Schedule, propagate
from sentree.paper.baselines.pair_relation import class_relation, signed_relation
from sentree.paper.baselines.soft_threshold import SoftThreshold


def toy_pairs():
    """The pairs of the toy as they are, without closure."""
    F0 = np.zeros((12, 12))
    for value, pairs in ((1, toy.MUST_LINK), (-1, toy.CANNOT_LINK)):
        for i, j in pairs:
            F0[i, j] = F0[j, i] = value
    return F0


def run(W, F0, **schedule):
    known = KnownPairs(sp.csr_array(F0))
    return propagate(W, known, 1.0, Schedule(**schedule), np.random.RandomState(0))


def objective(W, F):
    """Trace norm plus roughness."""
    L = np.diag(W.sum(axis=1)) - W
    return np.abs(np.linalg.eigvalsh(F)).sum() + np.trace(F @ L @ F.T)


def slow_threshold(M, threshold):
    value, vector = np.linalg.eigh(M)
    return vector * (np.sign(value) * np.maximum(np.abs(value) - threshold, 0)) @ vector.T


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
@parametrize_with_checks([OneStepPCP(n_clusters=3, n_rounds=1)])
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None  # a check that fails raises


def test_propagation_on_the_toy():
    F0 = toy_pairs()
    found = run(toy.affinity(), F0)
    assert found.n_iter == 110
    F = found.relation
    assert F[0, :4] == pytest.approx([0.6690, 1.0010, 0.4664, 0.4822], abs=5e-5)
    assert np.array_equal(F, F.T)
    assert np.array_equal(found.bounded[F0 != 0], F0[F0 != 0])
    assert np.abs(found.bounded).max() == 1
    assert np.abs(found.smooth - F).max() < 1e-3
    assert np.abs(found.bounded - F).max() < 1e-3


def test_the_minimum_is_below_every_feasible_relation():
    W, F0 = toy.affinity(), toy_pairs()
    found = run(W, F0)
    assert found.objective == pytest.approx(objective(W, found.relation), rel=1e-10)
    assert found.objective == pytest.approx(13.837, abs=5e-4)
    truth = 2.0 * (toy.GROUPS[:, None] == toy.GROUPS) - 1
    assert found.objective < objective(W, F0) < objective(W, truth)
    random = np.random.default_rng(0)
    for size in (0.02, 0.1, 0.5):
        other = found.bounded + size * random.normal(size=(12, 12))
        other = np.clip((other + other.T) / 2, -1, 1)
        other[F0 != 0] = F0[F0 != 0]
        assert found.objective < objective(W, other)


@pytest.mark.golden
def test_propagation_on_the_toy_to_the_last_digit():
    stored = oracle("onesteppcp.json")["toy"]
    found = run(toy.affinity(), np.array(stored["F0"], dtype=float))
    for name, copy in (("F", found.relation), ("A", found.smooth), ("B", found.bounded)):
        assert np.abs(copy - stored[name]).max() < 1e-10
    W = refined(toy.affinity(), found.relation)
    assert np.abs(W - stored["S_after_transform"]).max() < 1e-3  # there without the clip


@pytest.mark.parametrize("steps", [1, 10, 63, 64, 80])
def test_steps_at_rest_are_skipped_exactly(steps):
    W, F0 = toy.affinity(), toy_pairs()
    found = run(W, F0, max_iter=steps)
    assert found.n_iter == steps
    assert (found.relation is None) == (steps < 64)
    if found.relation is None:
        return
    # The plain algorithm, from the first step.
    L = np.diag(W.sum(axis=1)) - W
    A, B, tau = F0, F0, 1e-4
    dual_a = dual_b = np.zeros((12, 12))
    for _ in range(steps):
        M = (A + B + (dual_a + dual_b) / tau) / 2
        F = slow_threshold((M + M.T) / 2, 0.5 / tau)
        A = (tau * F - dual_a) @ np.linalg.inv(2 * L + tau * np.eye(12))
        B = np.where(F0 != 0, F0, np.clip(F - dual_b / tau, -1, 1))
        dual_a, dual_b, tau = dual_a + tau * (A - F), dual_b + tau * (B - F), 1.1 * tau
    assert np.abs(found.relation - F).max() < 1e-9


def test_a_large_start_penalty_has_no_rest():
    found = run(toy.affinity(), toy_pairs(), tau=1.0)
    assert found.n_iter < 60
    assert np.abs(found.relation - run(toy.affinity(), toy_pairs()).relation).max() < 0.2


def test_the_steps_of_the_study_cost_nothing(monkeypatch):
    def never(*arguments, **options):
        raise AssertionError("eigenvectors of a dense matrix")

    X, y = toy.easy_blobs()
    given = sample_pairs(y, 0.2, 0.2, 0)
    monkeypatch.setattr(pair_propagation.scipy.linalg, "eigh", never)
    relation = signed_relation(given, 90, 3, negative_labels=True)
    found = run(local_graph(X, None), relation, max_iter=10)
    assert found.relation is None
    assert found.n_iter == 10


def test_the_options_of_the_study_ignore_constraints():
    X, y = toy.easy_blobs()
    X = X + 4  # hard enough for constraints to matter
    study = OneStepPCP(5, admm_max_iter=10, row_normalize=False)
    given = sample_pairs(y, 0.2, 0.2, 0)
    labels = study.fit(X, constraints=given).labels_
    assert study.n_iter_ == 10
    assert study.objective_ == [0.0]
    assert np.array_equal(labels, study.fit(X).labels_)
    assert study.n_iter_ == 0
    free = OneStepPCP(5).fit(X, constraints=given).affinity_matrix_
    assert np.abs(free - study.affinity_matrix_.toarray()).max() > 0.1


def test_all_labels_make_blocks():
    X, _ = toy.easy_blobs()
    y = np.random.default_rng(0).integers(0, 3, 90)
    model = OneStepPCP(3, n_rounds=1).fit(X, y)
    assert np.abs(model.affinity_matrix_ - (y[:, None] == y)).max() < 2e-3
    assert adjusted_rand_score(y, model.labels_) == 1


@pytest.mark.parametrize("seed", range(3))
def test_easy_blobs(seed):
    X, y = toy.easy_blobs(seed)
    given = sample_pairs(y, 0.2, 0.2, seed)
    for options in ({}, {"admm_max_iter": 10, "row_normalize": False}):
        labels = OneStepPCP(3, **options).fit(X, constraints=given).labels_
        assert adjusted_rand_score(y, labels) == 1


def test_refined_similarities():
    W = np.array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.2], [0.5, 0.2, 1.0]])
    F = np.array([[0, 0.5, -0.5], [0.5, 0, 1.001], [-0.5, 1.001, 0]])
    assert refined(W, F) == pytest.approx(np.array([[1, 0.75, 0.25], [0.75, 1, 1], [0.25, 1, 1]]))


def test_the_graph():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    W = local_graph(X, None).toarray()  # two neighbours each
    assert np.array_equal(W, W.T)
    assert W.diagonal().tolist() == [1, 1, 1, 1]
    assert W[0, 1] == pytest.approx((np.exp(-((1 / 2) ** 2)) + np.exp(-((1 / 1.5) ** 2))) / 2)
    assert W[0, 3] == 0
    assert W[1, 3] == pytest.approx(np.exp(-((6 / 5) ** 2)) / 2)


def test_labels_are_the_pairs_they_entail():
    X, y = toy.easy_blobs()
    known = np.where(np.arange(90) % 15 == 0, y, -1)
    must, cannot = [], []
    named = np.flatnonzero(known >= 0)
    for i in named:
        for j in named[named > i]:
            (must if y[i] == y[j] else cannot).append((i, j))
    by_label = OneStepPCP(3, n_rounds=1).fit(X, known)
    by_pair = OneStepPCP(3, n_rounds=1).fit(X, must_link=must, cannot_link=cannot)
    assert np.array_equal(by_label.affinity_matrix_, by_pair.affinity_matrix_)


def test_a_given_affinity_sparse_or_not():
    W = toy.affinity()
    pairs = {"must_link": toy.MUST_LINK, "cannot_link": toy.CANNOT_LINK}
    found = [
        OneStepPCP(3, affinity="precomputed", n_rounds=2).fit(given, **pairs)
        for given in (W, sp.csr_array(W))
    ]
    for model in found:
        assert adjusted_rand_score(toy.GROUPS, model.labels_) == 1
        assert len(model.objective_) == 2
    assert np.abs(found[0].affinity_matrix_ - found[1].affinity_matrix_).max() < 1e-10


def test_similarities_above_1_are_refused():
    W = 2 * toy.affinity() / toy.affinity().max()
    for given in (W, sp.csr_array(W)):
        with pytest.raises(ValueError, match="from 0 to 1, and the largest is 2: divide by it"):
            OneStepPCP(3, affinity="precomputed").fit(given)


def test_steps_that_do_not_do_are_named():
    pairs = {"must_link": toy.MUST_LINK, "cannot_link": toy.CANNOT_LINK}
    study = OneStepPCP(3, admm_max_iter=10).fit(toy.points(), **pairs)  # the relation is still 0
    assert study.objective_ == [0.0]
    enough = OneStepPCP(3).fit(toy.points(), **pairs).n_iter_
    OneStepPCP(3, admm_max_iter=enough).fit(toy.points(), **pairs)
    with pytest.warns(ConvergenceWarning, match=f"admm_max_iter={enough - 1}"):
        OneStepPCP(3, admm_max_iter=enough - 1).fit(toy.points(), **pairs)


def test_isolated_samples_of_a_given_affinity():
    W = np.zeros((6, 6))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 1
    labels = OneStepPCP(3, affinity="precomputed").fit(W, cannot_link=[(0, 2)]).labels_
    assert labels[0] == labels[1] != labels[2] == labels[3]


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_equal_samples_and_extreme_numbers_of_clusters():
    same = OneStepPCP(2).fit(np.ones((6, 3)), must_link=[(0, 1)]).labels_
    assert same[0] == same[1]
    assert np.array_equal(np.unique(same), np.arange(same.max() + 1))
    X, _ = toy.easy_blobs()
    X = X[::10].copy()
    X[0] = 0
    assert OneStepPCP(1).fit(X, must_link=[(1, 2)]).labels_.tolist() == [0] * 9
    assert sorted(OneStepPCP(9).fit(X, cannot_link=[(1, 8)]).labels_) == list(range(9))


def test_the_same_seed_gives_the_same_labels():
    X, y = make_blobs(80, 4, centers=6, cluster_std=3, random_state=0)
    given = sample_pairs(y, 0.2, 0.2, 0)
    first, second = (OneStepPCP(6, random_state=3).fit(X, constraints=given) for _ in range(2))
    assert np.array_equal(first.labels_, second.labels_)
    assert np.array_equal(first.affinity_matrix_, second.affinity_matrix_)


def test_contradictions_are_refused():
    with pytest.raises(ConstraintConflict):
        OneStepPCP(3).fit(toy.points(), must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_threshold_of_matrices_that_change_slowly(monkeypatch, dtype):
    """The subspace follows, also where the rank grows, and eigenvalues of both signs count."""
    monkeypatch.setattr(soft_threshold, "_FEW", 0)
    random = np.random.default_rng(0)
    basis = np.linalg.qr(random.normal(size=(200, 200)))[0]
    value = np.r_[np.linspace(4, 1, 40), -np.linspace(3, 1, 40), np.zeros(120)]
    drift = random.normal(size=(200, 200)) / 400
    drift = drift + drift.T
    leading = basis[:, np.argsort(-np.abs(value))[:50]].astype(dtype)  # not all it will need
    soft = SoftThreshold(leading, np.random.RandomState(0))
    for step in range(25):
        M = (basis * value @ basis.T + drift * step / 25).astype(dtype)
        threshold = 4.5 - 0.15 * step
        found = soft(M, threshold)
        expected = slow_threshold(M.astype(float), threshold)
        assert np.array_equal(found, found.T)
        assert found.dtype == dtype
        assert np.abs(found - expected).max() < 1e-2 * max(np.abs(expected).max(), 1)
        norm = np.abs(np.linalg.eigvalsh(expected)).sum()
        assert soft.trace_norm == pytest.approx(norm, rel=1e-2, abs=1e-2)


def test_threshold_finds_an_eigenvalue_that_jumps_up(monkeypatch):
    monkeypatch.setattr(soft_threshold, "_FEW", 0)
    basis = np.linalg.qr(np.random.default_rng(0).normal(size=(200, 200)))[0]
    value = np.r_[np.linspace(5, 2, 30), np.linspace(0.9, 0.1, 170)]
    soft = SoftThreshold(np.empty((200, 0)), np.random.RandomState(0))
    for _ in range(5):
        soft(basis * value @ basis.T, 1.0)
    value[199] = -6
    for _ in range(soft_threshold._PROBES):
        found = soft(basis * value @ basis.T, 1.0)
    assert np.abs(found - slow_threshold(basis * value @ basis.T, 1.0)).max() < 1e-2


def test_the_subspace_and_single_precision_change_nothing(monkeypatch):
    X, y = make_blobs(160, 6, centers=5, cluster_std=3, random_state=0)
    W = local_graph(X, None)
    F0 = signed_relation(sample_pairs(y, 0.2, 0.2, 0), 160, 5, negative_labels=True)
    exact = run(W, F0)
    monkeypatch.setattr(soft_threshold, "_FEW", 0)
    monkeypatch.setattr(pair_propagation, "_SINGLE", 0)
    fast = run(W, F0)
    assert fast.relation.dtype == np.float32
    assert fast.n_iter == exact.n_iter
    assert np.abs(fast.relation - exact.relation).max() < 1e-3


def test_full_relations_have_a_low_rank_solution(monkeypatch):
    monkeypatch.setattr(soft_threshold, "_FEW", 0)
    y = np.random.default_rng(0).integers(0, 3, 100)
    F0 = class_relation(y)
    found = run(sp.csr_array(np.ones((100, 100))), F0)
    assert np.abs(found.relation - F0.toarray()).max() < 1e-3


@pytest.mark.golden
def test_yale_with_the_options_of_the_study():
    X, y = paper_data("Yale")
    study = OneStepPCP(15, admm_max_iter=10, row_normalize=False)
    given = stored_pairs("Yale", 0)
    found = [
        adjusted_rand_score(
            y, study.set_params(random_state=seed).fit(X, constraints=given).labels_
        )
        for seed in range(5)
    ]
    assert 0.24 < np.mean(found) < 0.30


@pytest.mark.golden
def test_yale_and_orl_with_the_method_at_work():
    X, y = paper_data("Yale")
    yale = [
        OneStepPCP(15, n_rounds=3).fit(X, constraints=stored_pairs("Yale", s)) for s in range(2)
    ]
    assert 0.22 < np.mean([adjusted_rand_score(y, model.labels_) for model in yale]) < 0.40
    assert yale[0].n_iter_ == 134 + 141 + 147
    X, y = paper_data("ORL")
    orl = OneStepPCP(40, n_rounds=1).fit(X, constraints=stored_pairs("ORL", 0))
    assert orl.n_iter_ == 137
    assert adjusted_rand_score(y, orl.labels_) > 0.58


def test_negative_labels_are_pairs_too():
    X, y = toy.easy_blobs()
    known = np.where(np.arange(90) % 30 == 0, y, -1)
    ruled = Constraints.from_negative_labels([(45, 0)], classes=[0, 1, 2])
    model = OneStepPCP(3, n_rounds=1).fit(X, known, constraints=ruled)
    assert model.affinity_matrix_[0, 45] < 1e-3
