import numpy as np
import pytest
import scipy.sparse as sp
import toy
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from paper_data import oracle, paper_data
from sentree import ConstraintConflict, Constraints
from sentree.paper.baselines import S4NMF, s4nmf

SEEDS = np.array([0, 0, -1, -1, 1, 1, -1, -1, 2, -1, -1, -1])
STARTS = np.stack([toy.start(12, 3, 1), toy.start(12, 3, 2)])
SMALL = {"n_members": 3, "n_rounds": 2, "max_iter": 20}


def fit_toy(y=SEEDS, **settings):
    settings = {"n_members": 2, "n_rounds": 1, "max_iter": 50, "init": STARTS, **settings}
    return S4NMF(3, affinity="precomputed", **settings).fit(toy.affinity(), y)


def three_labels_each(y):
    known = np.full(y.size, -1)
    for q in np.unique(y):
        known[np.flatnonzero(y == q)[:3]] = q
    return known


def dense_votes(labels, weights):
    return sum(a * (row[:, None] == row) for a, row in zip(weights, labels, strict=True))


@pytest.mark.filterwarnings("ignore:S4NMF reads labels only")
@parametrize_with_checks([S4NMF(3, **SMALL)])
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None


def test_trace_of_the_toy():
    model = fit_toy()
    assert model.weights_.argmax() == 0
    wanted = {1: 26.421938794895887, 10: 2.429924864483191, 50: 1.2295941735363998}
    for step, value in wanted.items():
        assert model.objective_[step] == pytest.approx(value, abs=1e-10)
    assert model.weights_ == pytest.approx([0.62854329, 0.37145671], abs=1e-8)
    assert np.array_equal(model.labels_, toy.GROUPS)
    assert model.n_iter_ == 50


@pytest.mark.golden
def test_stored_trace_and_weights_of_the_toy():
    stored = oracle("s4nmf.json")["toy"]
    model = fit_toy()
    assert np.allclose(model.objective_[1:], stored["objective_trace_member0"], rtol=0, atol=1e-10)
    assert np.allclose(model.weights_, stored["weights"], rtol=0, atol=1e-10)
    assert model.member_labels_.tolist() == stored["labels"]


def test_a_step_equals_the_dense_formula():
    y = np.array([0, 0, 0, 1, 1, 1, -1, 2, -1, -1, 2, -1])
    known = y >= 0
    same = (y[:, None] == y) & known & known[:, None]
    other = (y[:, None] != y) & known & known[:, None]
    A, H = toy.affinity(), toy.start(12, 3, 1)
    apart, together = 3.0, 0.4
    numerator = A @ H + together * same @ H
    denominator = H @ (H.T @ H) + together * same.sum(axis=1)[:, None] * H + apart / 2 * other @ H
    after = H * (numerator / denominator) ** 0.25

    def objective(H, power):
        gap = np.linalg.norm(H[:, None] - H, axis=2) ** power
        inside = np.square(A - H @ H.T).sum() + apart * (other * (H @ H.T)).sum()
        return inside + together * (same * gap).sum()

    prices = s4nmf._Known.of(y, apart, together)
    start = H[:, None].copy()
    run = s4nmf._descend(s4nmf._Graph(sp.csr_array(A)), prices, start, 1, True)
    assert np.allclose(start[:, 0], after, rtol=1e-12)
    assert run.objective[:, 0] == pytest.approx([objective(H, 2), objective(after, 2)], rel=1e-12)
    assert run.misfit[0] == pytest.approx(objective(after, 1), rel=1e-12)


@pytest.mark.parametrize("n_kinds", [5, 60])  # written out, and as a product
def test_votes_equal_the_dense_sum(n_kinds):
    random = np.random.default_rng(0)
    labels = random.integers(0, 4, (3, n_kinds))[:, random.integers(0, n_kinds, 80)]
    weights = np.array([0.5, 0.3, 0.2])
    votes = s4nmf._Votes.of(labels.astype(np.int32), weights, 4)
    assert len(votes.chain) == (1 if n_kinds == 5 else 2)
    A = dense_votes(labels, weights)
    H = random.random((80, 2, 4))
    assert np.allclose(votes.times(H), np.einsum("ij,jek->iek", A, H), rtol=1e-12)
    assert votes.squared == pytest.approx(np.square(A).sum(), rel=1e-12)


def test_the_second_round_factors_the_votes_of_the_first():
    X, y = toy.easy_blobs()
    known = three_labels_each(y)
    settings = {"n_members": 4, "max_iter": 30}
    first = S4NMF(3, n_rounds=1, **settings).fit(X, known)
    assert first.weights_.sum() == pytest.approx(1)
    A = dense_votes(first.member_labels_, first.weights_)
    assert np.allclose(A, A.T)
    assert np.allclose(A.diagonal(), 1)
    assert A.max() <= 1 + 1e-12
    random = np.random.RandomState(0)
    random.uniform(size=(4, 90, 3))
    again = S4NMF(
        3, affinity="precomputed", n_rounds=1, init=random.uniform(size=(4, 90, 3)), **settings
    ).fit(A, known)
    second = S4NMF(3, n_rounds=2, **settings).fit(X, known)
    assert np.allclose(second.objective_, again.objective_, rtol=1e-9)
    assert np.allclose(second.weights_, again.weights_, rtol=1e-7)


def test_the_objective_never_rises():
    X, y = toy.easy_blobs()
    model = S4NMF(3, n_rounds=1, n_members=3, max_iter=200).fit(X, three_labels_each(y))
    assert len(model.objective_) == 201
    assert np.diff(model.objective_).max() <= 1e-11 * model.objective_[0]


def test_without_prices_it_is_plain_symmetric_nmf():
    model = fit_toy(apart=0.0, together=0.0, max_iter=20)
    A = toy.affinity()
    fits = []
    for H in STARTS.copy():
        for _ in range(20):
            H *= ((A @ H) / np.maximum(H @ (H.T @ H), 1e-5)) ** 0.25
        fits.append(np.square(A - H @ H.T).sum())
    assert model.objective_[-1] == pytest.approx(min(fits), rel=1e-10)
    without_labels = fit_toy(y=None, max_iter=20)
    assert without_labels.objective_ == model.objective_


def test_a_high_price_makes_rows_of_different_classes_orthogonal():
    prices = s4nmf._Known.of(SEEDS, 1e4, 0.001)
    H = toy.start(12, 3, 1)[:, None].copy()
    s4nmf._descend(s4nmf._Graph(sp.csr_array(toy.affinity())), prices, H, 500, False)
    products = H[:, 0] @ H[:, 0].T
    apart = (SEEDS[:, None] != SEEDS) & (SEEDS >= 0) & (SEEDS >= 0)[:, None]
    assert products[apart].max() < 1e-12


def test_blocks_of_members_do_not_change_the_result(monkeypatch):
    X, y = toy.easy_blobs()
    whole = S4NMF(3, n_members=5, n_rounds=2, max_iter=30).fit(X, three_labels_each(y))
    monkeypatch.setattr(s4nmf, "_BLOCK", 1)
    single = S4NMF(3, n_members=5, n_rounds=2, max_iter=30).fit(X, three_labels_each(y))
    assert np.array_equal(whole.member_labels_, single.member_labels_)
    assert np.allclose(whole.objective_, single.objective_, rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_easy_blobs(seed):
    X, y = toy.easy_blobs(seed)
    model = S4NMF(3, n_rounds=1, max_iter=200, random_state=seed).fit(X, three_labels_each(y))
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.labels_.dtype == np.int32
    assert model.member_labels_.shape == (20, 90)


def test_degenerate_input():
    W = toy.affinity()
    W[3] = W[:, 3] = 0  # no neighbours
    lonely = S4NMF(3, affinity="precomputed", **SMALL).fit(W, SEEDS)
    assert np.isfinite(lonely.objective_).all()
    assert lonely.weights_.sum() == pytest.approx(1)
    one = S4NMF(1, **SMALL).fit(toy.points())
    assert not one.labels_.any()
    assert one.weights_.sum() == pytest.approx(1)
    perfect = S4NMF(2, affinity="precomputed", **SMALL, apart=0.0).fit(np.zeros((4, 4)))
    assert np.isfinite(perfect.weights_).all()
    # More classes than columns, and a class that no sample is known to be of, do no harm.
    many = S4NMF(2, **SMALL).fit(toy.points(), toy.GROUPS)
    assert many.labels_.max() <= 1
    # Duplicates are neighbours, as near as can be.
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 5, axis=0)
    twins = S4NMF(2, n_neighbors=4, n_rounds=1, max_iter=200).fit(X)
    assert adjusted_rand_score(np.repeat([0, 1], 5), twins.labels_) == 1


def test_more_than_255_labels_count_all():
    y = np.repeat([0, 1], 200)
    prices = s4nmf._Known.of(y, 1.0, 1.0)
    assert prices.size.tolist() == [200, 200]
    assert prices.price_apart(prices.sums(np.ones((400, 1, 1)))) == 2 * 200 * 200


def test_the_class_that_is_left_counts_as_a_label():
    X, y = toy.easy_blobs()
    known = three_labels_each(y)
    out = Constraints.from_negative_labels([(5, 1), (5, 2)])
    told = known.copy()
    told[5] = 0
    by_label = S4NMF(3, **SMALL).fit(X, told)
    by_rest = S4NMF(3, **SMALL).fit(X, known, constraints=out)
    assert by_rest.objective_ == pytest.approx(by_label.objective_)
    assert by_rest.objective_ != pytest.approx(S4NMF(3, **SMALL).fit(X, known).objective_)
    S4NMF(2, **SMALL).fit(X, known, constraints=out)  # more classes than clusters


def test_a_seed_repeats():
    X, y = toy.easy_blobs()
    first, second, other = (
        S4NMF(3, random_state=seed, **SMALL).fit(X, three_labels_each(y)) for seed in (1, 1, 2)
    )
    assert first.objective_ == second.objective_
    assert first.objective_ != other.objective_


def test_what_cannot_be_is_refused():
    X, y = toy.easy_blobs()
    with pytest.raises(ConstraintConflict):
        S4NMF(3).fit(X, y, must_link=[(0, 40)])
    with pytest.raises(ValueError, match="init must hold .* shape \\(20, 90, 3\\)"):
        S4NMF(3, init=np.ones((1, 90, 3))).fit(X, y)
    with pytest.warns(UserWarning, match="reads labels only"):
        S4NMF(3, **SMALL).fit(X, must_link=[(0, 1)])


@pytest.mark.golden
def test_yale_scores_as_the_reference():
    X, y = paper_data("Yale")
    given = oracle("constraints_yale_orl.json")["sets"]["Yale"][0]
    known = np.full(len(y), -1)
    for i, c in given["positive_labels"]:
        known[i] = c
    model = S4NMF(15, n_rounds=4).fit(X, known)
    members = model.member_labels_
    assert 0.20 <= np.mean([adjusted_rand_score(y, row) for row in members]) <= 0.27
    assert 0.45 <= np.mean([normalized_mutual_info_score(y, row) for row in members]) <= 0.53
