import numpy as np
import pytest
import scipy.sparse as sp
import toy
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from paper_data import oracle, paper_data
from sentree import ConstraintConflict
from sentree.paper.baselines import LpCNMF, lpcnmf

SEEDS = np.array([0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1])
CENTRES = np.array([(0, 0), (3, 0), (0, 3), (1, 1), (2, 2), (1.5, 0)])
FEATURES = np.exp(-((toy.points()[:, None] - CENTRES) ** 2).sum(axis=-1) / 4)
START = (toy.start(6, 3, 1), toy.start(3, 3, 2), toy.start(12, 3, 3))


def toy_problem(alpha=10.0, seeds=SEEDS):
    return lpcnmf._Objective.of(FEATURES, sp.csr_array(toy.affinity()), seeds, alpha)


def toy_start():
    return lpcnmf._Factors(*START).normalised(0.5)


def three_labels_each(y):
    known = np.full(y.size, -1)
    for q in np.unique(y):
        known[np.flatnonzero(y == q)[:3]] = q
    return known


#: Checks that set n_clusters to 1 or 2, or keep 3, and give labels of more classes.
MORE_CLASSES = [
    "check_dont_overwrite_parameters",
    "check_dtype_object",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_fit2d_1feature",
    "check_fit2d_predict1d",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
]


def expected_failures(estimator):
    failures = dict.fromkeys(MORE_CLASSES, "more classes than clusters are refused")
    if not estimator.shift:
        failures["check_clustering"] = "values below 0 are refused unless they are shifted"
    return failures


@pytest.mark.filterwarnings("ignore:LpCNMF without labels", "ignore:Number of distinct clusters")
@parametrize_with_checks(
    [LpCNMF(3, max_iter=20), LpCNMF(3, max_iter=20, shift=True, n_init=2)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None


def test_trace_of_the_toy():
    factors, trace = toy_problem().descend(toy_start(), 200)
    wanted = {1: 18.66908443614841, 10: 6.544132576217311, 200: 3.0995036829152247}
    for step, value in wanted.items():
        assert trace[step - 1] == pytest.approx(value, abs=1e-10)
    assert np.array_equal(factors.normalised(0.5).F.argmax(axis=1), toy.GROUPS)
    assert np.diff(trace).max() < 0


@pytest.mark.golden
def test_stored_factors_of_the_toy():
    stored = oracle("lpcnmf.json")["toy"]
    factors, trace = toy_problem().descend(toy_start(), 200)
    assert np.allclose(trace, stored["objective_trace"], rtol=0, atol=1e-10)
    _, Z, F = factors.normalised(0.5)
    assert np.allclose(F, stored["F_final_normalised"], rtol=0, atol=1e-10)
    assert np.allclose(Z, stored["Z_final_normalised"], rtol=0, atol=1e-10)


def test_the_objective_is_the_dense_formula():
    (U, Z, F), trace = toy_problem().descend(toy_start(), 3)
    W = toy.affinity()
    L = np.diag(W.sum(axis=1)) - W
    Y = (SEEDS[:, None] == np.arange(3)).astype(float)
    misfit = np.square(FEATURES - F @ Z @ U.T).sum()
    far = np.square((F - Y)[SEEDS >= 0]).sum()
    assert trace[-1] == pytest.approx(misfit + 10 * (np.trace(F.T @ L @ F) + far), rel=1e-12)


@pytest.mark.parametrize(("alpha", "far"), [(10.0, 0.1), (1e3, 1e-3), (1e6, 1e-6)])
def test_a_high_alpha_gives_the_harmonic_function(alpha, far):
    factors, _ = toy_problem(alpha).descend(toy_start(), 5000)
    W = toy.affinity()
    known = SEEDS >= 0
    Y = (SEEDS[:, None] == np.arange(3)).astype(float)
    harmonic = np.linalg.solve(np.diag(W.sum(axis=1) + known) - W, Y)
    difference = np.abs(factors.F - harmonic).max()
    assert far / 3 < difference < far


def test_without_alpha_it_is_a_plain_factorisation():
    with_labels, trace = toy_problem(0.0).descend(toy_start(), 300)
    without, other = toy_problem(0.0, np.full(12, -1)).descend(toy_start(), 300)
    assert trace == other
    assert np.array_equal(with_labels.F, without.F)
    assert np.diff(trace).max() <= 1e-12
    assert trace[-1] < 0.03 * np.square(FEATURES).sum()


def test_normalising_leaves_the_root_of_the_lengths():
    U, Z, F = toy_start()
    assert np.allclose(np.linalg.norm(U, axis=0), 1)
    assert np.allclose(np.linalg.norm(F, axis=0), 1)
    f, u = np.linalg.norm(START[2], axis=0), np.linalg.norm(START[0], axis=0)
    assert np.allclose(Z, np.sqrt(np.outer(f, u)) * START[1])


def test_the_factors_are_those_that_were_found():
    """Bringing columns to length 1 leaves the product, unless the published way is asked for."""
    X, y = toy.easy_blobs()
    known = three_labels_each(y)
    model = LpCNMF(3, alpha=0.0, scale=None).fit(X, known)
    misfit = np.square(X - model.coefficients_ @ model.components_).sum()
    assert misfit == pytest.approx(model.objective_[-1], rel=1e-9)
    assert np.linalg.norm(model.propagated_, axis=0) == pytest.approx(np.ones(3))
    assert np.linalg.norm(model.components_, axis=1) == pytest.approx(np.ones(3))
    published = LpCNMF(3, alpha=0.0, scale=None, normalize="published").fit(X, known)
    assert published.objective_ == model.objective_
    assert np.array_equal(published.labels_, model.labels_)
    assert np.square(X - published.coefficients_ @ published.components_).sum() > 1.1 * misfit


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("assign", ["argmax", "kmeans"])
def test_easy_blobs(seed, assign):
    X, y = toy.easy_blobs(seed)
    model = LpCNMF(3, assign=assign, random_state=seed).fit(X, three_labels_each(y))
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.labels_.dtype == np.int32
    assert np.diff(model.objective_).max() <= 1e-12 * model.objective_[0]
    assert len(model.objective_) == model.n_iter_ == 200
    assert np.array_equal(model.propagated_.argmax(axis=1), y)  # columns are classes


def test_a_sparse_x_gives_the_same_and_stays_sparse():
    X, y = toy.easy_blobs()
    X[X < 2] = 0
    dense = LpCNMF(3, max_iter=50).fit(X, three_labels_each(y))
    sparse = LpCNMF(3, max_iter=50).fit(sp.csr_array(X), three_labels_each(y))
    assert np.allclose(dense.objective_, sparse.objective_, rtol=1e-8)
    assert np.array_equal(dense.labels_, sparse.labels_)


def test_all_starts_are_tried_and_the_best_goes_on():
    X, y = toy.easy_blobs()
    known = three_labels_each(y)
    random = np.random.RandomState(0)
    starts = [tuple(random.uniform(size=s) for s in ((12, 3), (3, 3), (90, 3))) for _ in range(4)]
    single = [LpCNMF(3, init=start, max_iter=60).fit(X, known).objective_ for start in starts]
    trials = [trace[29] for trace in single]
    assert len(set(trials)) == 4
    several = LpCNMF(3, n_init=4, max_iter=60, random_state=0).fit(X, known).objective_
    assert len(several) == 60
    assert several == pytest.approx(single[int(np.argmin(trials))], rel=1e-12)


def test_values_below_zero():
    X, y = toy.easy_blobs()
    known = three_labels_each(y)
    with pytest.raises(ValueError, match="the lowest is -3; take shift=True"):
        LpCNMF(3).fit(X - X.min() - 3, known)
    shifted = LpCNMF(3, shift=True, max_iter=30).fit(X - 3, known)
    by_hand = LpCNMF(3, max_iter=30).fit(X - X.min(), known)
    assert shifted.objective_ == pytest.approx(by_hand.objective_, rel=1e-9)
    with pytest.raises(ValueError, match="sparse X dense"):
        LpCNMF(3, shift=True).fit(sp.csr_array(X - 3), known)
    scaled = LpCNMF(3, scale="minmax", max_iter=30).fit(X - 3, known)
    assert scaled.objective_ == pytest.approx(
        LpCNMF(3, scale="minmax", max_iter=30).fit(X, known).objective_, rel=1e-9
    )


def test_degenerate_input():
    X, y = toy.easy_blobs()
    known = three_labels_each(y)
    with pytest.warns(UserWarning, match="without labels"):
        model = LpCNMF(3).fit(X)
    assert np.unique(model.labels_).size == 3
    known[known == 2] = -1  # a class without labels: its column is free
    assert np.isfinite(LpCNMF(3, max_iter=50).fit(X, known).objective_).all()
    X[7] = 0  # a sample of zeros
    assert np.isfinite(LpCNMF(3, max_iter=50).fit(X, known).objective_).all()
    far = np.array([[1.0, 0.0]] * 5 + [[0.0, 1e3]])  # weights to the last one are 0
    lonely = LpCNMF(2, scale=None, n_neighbors=1, max_iter=50).fit(far, [0, -1, -1, -1, -1, 1])
    assert lonely.labels_[-1] == 1
    one = LpCNMF(1, max_iter=5).fit(X, np.where(known == 0, 0, -1))
    assert not one.labels_.any()


def test_a_seed_repeats():
    X, y = toy.easy_blobs()
    first, second, other = (
        LpCNMF(3, max_iter=10, random_state=seed).fit(X, three_labels_each(y)) for seed in (1, 1, 2)
    )
    assert first.objective_ == second.objective_
    assert first.objective_ != other.objective_


def test_what_cannot_be_is_refused():
    X, y = toy.easy_blobs()
    with pytest.raises(ConstraintConflict):
        LpCNMF(3).fit(X, y, must_link=[(0, 40)])
    with pytest.raises(ValueError, match="more than n_clusters=2"):
        LpCNMF(2).fit(X, y)
    with pytest.raises(ValueError, match="init of U must hold .* shape \\(12, 3\\)"):
        LpCNMF(3, init=START).fit(X, y)
    with pytest.raises(ValueError, match="init must be U, Z and F, got 2 arrays"):
        LpCNMF(3, init=START[:2]).fit(X, y)
    with (
        pytest.warns(UserWarning, match="reads labels only"),
        pytest.warns(UserWarning, match="without labels"),
    ):
        LpCNMF(3, max_iter=5).fit(X, must_link=[(0, 1)])


@pytest.mark.golden
@pytest.mark.parametrize(
    ("name", "n_sets", "by_argmax", "by_kmeans"),
    [("Yale", 5, (0.15, 0.23), (0.10, 0.18)), ("ORL", 1, (0.36, 0.45), (0.24, 0.34))],
)
def test_yale_and_orl_score_as_the_reference(name, n_sets, by_argmax, by_kmeans):
    X, y = paper_data(name)
    scores = []
    for given in oracle("constraints_yale_orl.json")["sets"][name][:n_sets]:
        known = np.full(len(y), -1)
        for i, c in given["positive_labels"]:
            known[i] = c
        model = LpCNMF(given["k"], assign="kmeans", normalize="published").fit(X, known)
        read = model.propagated_.argmax(axis=1), model.labels_  # argmax, k-means
        scores.append([adjusted_rand_score(y, labels) for labels in read])
    argmax, kmeans = np.mean(scores, axis=0)
    assert by_argmax[0] <= argmax <= by_argmax[1]
    assert by_kmeans[0] <= kmeans <= by_kmeans[1]
