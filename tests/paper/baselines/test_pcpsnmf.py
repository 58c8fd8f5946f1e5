import numpy as np
import pytest
import scipy.sparse as sp
import toy
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from paper_data import oracle, paper_data
from sentree import ConstraintConflict
from sentree.datasets import sample_pairs
from sentree.paper.baselines import PCPSNMF, pcpsnmf

START = (toy.start(12, 3, 1), toy.start(12, 12, 2))
BOTH = ["exact", "multiplicative"]


def fit_toy(**settings):
    settings = {"affinity": "precomputed", "init": START, **settings}
    return PCPSNMF(3, **settings).fit(toy.affinity(), must_link=toy.MUST_LINK)


def toy_pull(must_link, mu=0.5, alpha=1.0):
    component = np.arange(12)
    for i, j in must_link:
        component[component == component[j]] = component[i]
    component = np.unique(component, return_inverse=True)[1]
    return pcpsnmf._Pull.of(sp.csr_array(toy.affinity()), component, mu, alpha)


def dense_parts(must_link):
    """Z and L, written out."""
    Z = np.eye(12)
    for i, j in must_link:
        Z[i, j] = Z[j, i] = 1
    W = toy.affinity()
    return Z, np.diag(W.sum(axis=1)) - W


@parametrize_with_checks(
    [
        PCPSNMF(3, max_iter=30, n_init=2),
        PCPSNMF(3, max_iter=30, n_init=1, k_step="multiplicative"),
    ]
)
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None


def test_multiplicative_trace_of_the_toy():
    model = fit_toy(k_step="multiplicative")
    wanted = {0: 26.93114947916527, 1: 9.717119166439385, 10: 7.929109590663052}
    wanted[500] = 5.418687496173922
    for step, value in wanted.items():
        assert model.objective_[step] == pytest.approx(value, abs=1e-10)
    assert np.array_equal(model.labels_, toy.GROUPS)
    assert model.n_iter_ == 500


@pytest.mark.golden
def test_multiplicative_factors_of_the_toy():
    stored = oracle("pcpsnmf.json")["toy"]
    pull = toy_pull(toy.MUST_LINK)
    V, K = (pcpsnmf._unit_columns(part) for part in START)
    run = pcpsnmf._multiplicative_descent(pull, V, K, 500)
    assert np.allclose(run.objective, stored["objective_trace"], rtol=0, atol=1e-10)
    assert np.allclose(run.V, stored["V_final_unnormalised"], rtol=0, atol=1e-10)
    V = pcpsnmf._unit_columns(toy.start(12, 3, 3))
    K = pcpsnmf._unit_columns(toy.start(12, 12, 4))
    second = pcpsnmf._multiplicative_descent(pull, V, K, 500)
    reference = stored["reference_V_returned_normalised"]
    assert np.allclose(pcpsnmf._unit_columns(second.V), reference, rtol=0, atol=1e-12)


def test_the_exact_step_ends_where_the_multiplicative_one_does():
    exact, slow = fit_toy(), fit_toy(k_step="multiplicative")
    assert exact.objective_[50] == pytest.approx(6.798, abs=5e-4)
    assert exact.objective_[-1] == pytest.approx(slow.objective_[-1], abs=1e-9)
    assert np.allclose(exact.factor_, slow.factor_, atol=1e-5)


@pytest.mark.parametrize("mu", [0.5, 9.0])  # with 9, the diagonal of K has to be lifted to 0
def test_low_rank_form_equals_the_dense_best_k(mu):
    Z, L = dense_parts(toy.MUST_LINK)
    alpha = 0.7
    V = toy.start(12, 3, 1) / 3
    K = np.maximum(2 * V @ V.T + 2 * alpha * Z - mu * L, 0) / (2 * (1 + alpha))
    assert (K.diagonal() == 0).any() == (mu == 9.0)
    J = np.square(K - V @ V.T).sum() + mu * np.trace(L @ K) + alpha * np.square(K - Z).sum()
    pull = toy_pull(toy.MUST_LINK, mu, alpha)
    run = pcpsnmf._exact_descent(pull, V[:, None].copy(), 1)[0]
    assert run.objective[0] == pytest.approx(J, rel=1e-12)
    assert np.allclose(run.V, V * ((K @ V) / (V @ V.T @ V)) ** 0.25, rtol=1e-12)


def test_blocks_count_as_all_their_pairs():
    chain, clique = [(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]
    Z, L = dense_parts(clique)
    V = toy.start(12, 3, 2)
    wanted = (Z - 0.25 * L) @ V
    pull = toy_pull(chain)
    assert np.allclose(pull.times(V[:, None])[:, 0], wanted, rtol=1e-12)
    assert pull.squared == pytest.approx(np.square(Z - 0.25 * L).sum(), rel=1e-12)


@pytest.mark.parametrize("k_step", BOTH)
def test_the_objective_never_rises(k_step):
    X, y = toy.easy_blobs()
    pairs = sample_pairs(y, 0.2, 0.2, 0)
    trace = PCPSNMF(3, k_step=k_step, n_init=2, max_iter=150).fit(X, constraints=pairs).objective_
    assert len(trace) == 151
    assert np.diff(trace).max() <= 1e-11 * trace[0]


@pytest.mark.parametrize(("alpha", "steps"), [(1.0, 2000), (1e4, 3000)])
def test_k_ends_at_the_best_one_and_with_much_fidelity_at_z(alpha, steps):
    pull = toy_pull(toy.MUST_LINK, alpha=alpha)
    V, K = (pcpsnmf._unit_columns(part) for part in START)
    run = pcpsnmf._multiplicative_descent(pull, V, K, steps)
    Z, L = dense_parts(toy.MUST_LINK)
    best = np.maximum(2 * run.V @ run.V.T + 2 * alpha * Z - 0.5 * L, 0) / (2 * (1 + alpha))
    assert np.allclose(run.SV, best @ run.V, atol=1e-5)
    if alpha == 1e4:
        assert np.allclose(run.SV, Z @ run.V, atol=2e-4)


def test_blocks_of_all_classes_are_found_without_a_graph():
    groups = [(4 * g, 4 * g + t) for g in range(3) for t in range(1, 4)]
    model = PCPSNMF(3, affinity="precomputed", smoothness=0.0).fit(toy.affinity(), must_link=groups)
    assert adjusted_rand_score(toy.GROUPS, model.labels_) == 1


def test_labels_are_must_links():
    X, y = toy.easy_blobs()
    some = np.where(np.arange(90) % 10 == 0, y, -1)
    chain = [(i, i + 10) for i in range(0, 80, 10) if y[i] == y[i + 10]]
    by_labels = PCPSNMF(3, max_iter=50).fit(X, some)
    by_pairs = PCPSNMF(3, max_iter=50).fit(X, must_link=chain)
    assert by_labels.objective_ == by_pairs.objective_


@pytest.mark.parametrize("seed", range(3))
def test_easy_blobs(seed):
    X, y = toy.easy_blobs(seed)
    pairs = sample_pairs(y, 0.2, 0.2, seed)
    model = PCPSNMF(3, n_neighbors=15, random_state=seed).fit(X, constraints=pairs)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.labels_.dtype == np.int32


def test_all_starts_are_run_and_the_lowest_objective_counts():
    X, _ = toy.easy_blobs()
    random = np.random.RandomState(0)
    starts = [random.uniform(size=(90, 3)) for _ in range(5)]
    single = [PCPSNMF(3, init=V).fit(X).objective_[-1] for V in starts]
    assert len(set(single)) == 5
    assert PCPSNMF(3, random_state=0).fit(X).objective_[-1] == pytest.approx(min(single), rel=1e-9)


@pytest.mark.parametrize("k_step", BOTH)
def test_degenerate_input(k_step):
    W = toy.affinity()
    W[3] = W[:, 3] = 0  # no neighbours
    model = PCPSNMF(3, affinity="precomputed", k_step=k_step, max_iter=50).fit(W)
    assert np.isfinite(model.objective_).all()
    assert np.isfinite(model.factor_).all()
    one = PCPSNMF(1, k_step=k_step, max_iter=5).fit(toy.points())
    assert not one.labels_.any()
    V = toy.start(12, 3, 1)
    V[5] = 0  # a row of zeros stays so, and is placed by what it is drawn to
    K = toy.start(12, 12, 2)
    K[0, 7] = K[7, 0] = 0
    settings = {"affinity": "precomputed", "k_step": k_step, "init": (V, K)}
    model = PCPSNMF(3, **settings).fit(toy.affinity(), must_link=toy.MUST_LINK)
    assert not model.factor_[5].any()
    assert model.labels_[5] == model.labels_[4]
    same = PCPSNMF(2, k_step=k_step, max_iter=20).fit(np.ones((6, 2)))
    assert same.labels_.max() <= 1
    assert np.isfinite(same.objective_).all()


def test_sparse_and_dense_affinity_agree():
    W = toy.affinity() + np.eye(12)  # the diagonal drops out of the Laplacian
    settings = {"affinity": "precomputed", "init": START}
    dense = PCPSNMF(3, **settings).fit(W)
    sparse = PCPSNMF(3, **settings).fit(sp.csr_array(toy.affinity()))
    assert np.allclose(dense.objective_, sparse.objective_, rtol=1e-12)


def test_a_seed_repeats():
    X, y = toy.easy_blobs()
    pairs = sample_pairs(y, 0.2, 0.2, 0)
    first, second, other = (
        PCPSNMF(3, max_iter=20, random_state=seed).fit(X, constraints=pairs) for seed in (1, 1, 2)
    )
    assert np.array_equal(first.factor_, second.factor_)
    assert not np.array_equal(first.factor_, other.factor_)


def test_what_cannot_be_is_refused():
    X, _ = toy.easy_blobs()
    with pytest.raises(ConstraintConflict):
        PCPSNMF(3).fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    with pytest.raises(ValueError, match="init of V must hold .* shape \\(90, 3\\)"):
        PCPSNMF(3, init=np.ones((90, 2))).fit(X)
    with pytest.raises(ValueError, match="init of K"):
        PCPSNMF(3, init=(np.ones((90, 3)), -np.ones((90, 90))), k_step="multiplicative").fit(X)
    with pytest.warns(UserWarning, match="must-links only"):
        PCPSNMF(3, max_iter=2).fit(X, cannot_link=[(0, 40)])


@pytest.mark.golden
def test_yale_and_orl_score_as_the_reference():
    score = {}
    for name, sets in oracle("constraints_yale_orl.json")["sets"].items():
        X, y = paper_data(name)
        for given in sets if name == "Yale" else sets[:1]:
            model = PCPSNMF(given["k"]).fit(
                X, must_link=given["must_link"], cannot_link=given["cannot_link"]
            )
            found = adjusted_rand_score(y, model.labels_)
            shared = normalized_mutual_info_score(y, model.labels_)
            score.setdefault(name, []).append((found, shared))
    ari, nmi = np.mean(score["Yale"], axis=0)
    assert 0.20 <= ari <= 0.33
    assert 0.50 <= nmi <= 0.60
    ari, nmi = np.mean(score["ORL"], axis=0)
    assert 0.47 <= ari <= 0.60
    assert 0.79 <= nmi <= 0.86
