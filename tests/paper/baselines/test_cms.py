"""Constrained mean shift: the stored runs, the plain form of every option, poor input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.preprocessing import minmax_scale
from sklearn.utils.estimator_checks import parametrize_with_checks
from toy import CANNOT_LINK, GROUPS, MUST_LINK, easy_blobs, points

from paper_data import oracle, paper_data
from sentree import ConstraintConflict
from sentree.datasets import sample_class_pairs, sample_pairs
from sentree.paper.baselines import ConstrainedMeanShift
from sentree.paper.baselines.cms import _merged, _ModeLinks


def plain(
    X,
    cannot_link,
    max_iter=80,
    blurring=False,
    kernel="gaussian",
    trunc=0.2,
    c_scale=0.5,
    merge_k=0.99,
    merge_b=0.1,
    early_stopping=True,
):
    """The method as it is written down: every sample and every link in both orders by itself."""

    def weight(squared, h):
        if kernel == "ball":
            return (squared <= h * h) * 1.0
        k = np.exp(-squared / h**2)
        return np.where(k < trunc, 0, k)

    def shares(squared, h):
        R = np.ones((len(X), len(X)))
        for x, y in [*cannot_link, *(pair[::-1] for pair in cannot_link)]:
            b = min(h, max(c_scale * np.sqrt(squared[x, y]), 0.001))
            R *= 1 - np.outer(weight(squared[x], b), weight(squared[y], b))
        return R

    distance = cdist(X, X)
    low, high = distance[distance > 0].min(), distance.max()
    Y = X
    for step in range(max_iter):
        h = low + step / (max_iter - 1) * (high - low)
        S = Y if blurring else X
        K, R = weight(cdist(Y, S, "sqeuclidean"), h), shares(cdist(Y, Y, "sqeuclidean"), h)
        if blurring:
            np.fill_diagonal(R, 1)
        E = K * R
        total = E.sum(axis=1)[:, None]
        old, Y = Y, np.where(total > 1e-10, E @ S / np.maximum(total, 1e-10), Y)
        still = np.allclose(Y, old, rtol=1e-4, atol=1e-6)
        if early_stopping and still and np.all((merge_b > R) | (merge_k < K)):
            break
    joined = (weight(cdist(Y, Y, "sqeuclidean"), h) > merge_k) & (merge_b < R)
    return connected_components(joined, directed=False)[1], Y, step + 1


def assert_equals_plain(X, cannot_link, **options):
    labels, modes, n_iter = plain(X, cannot_link, **options)
    model = ConstrainedMeanShift(scale=None, **options).fit(X, cannot_link=cannot_link)
    assert model.labels_.tolist() == labels.tolist()
    assert model.modes_ == pytest.approx(modes, abs=1e-7)
    assert model.n_iter_ == n_iter


@parametrize_with_checks([ConstrainedMeanShift(max_iter=2)])
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None


# Stored runs --------------------------------------------------------------------------------------


def test_toy():
    model = ConstrainedMeanShift(max_iter=30, scale=None).fit(points(), cannot_link=CANNOT_LINK)
    assert model.labels_.tolist() == GROUPS.tolist()
    assert model.n_clusters_ == 3
    assert model.n_iter_ == 30
    assert model.bandwidth_range_ == pytest.approx((0.877320076682841, 5.716399017885663), abs=1e-8)
    assert model.bandwidth_ == model.bandwidth_range_[1]
    assert model.modes_[0] == pytest.approx([0.07547393, -0.04481176], abs=1e-6)


@pytest.mark.golden
def test_toy_against_the_stored_modes():
    stored = oracle("cms.json")["toy"]
    model = ConstrainedMeanShift(max_iter=30, scale=None)
    model.fit(stored["points"], cannot_link=stored["cannot_link"])
    assert model.modes_ == pytest.approx(np.array(stored["modes"]), abs=1e-6)
    alone = model.fit(stored["points"])
    assert alone.labels_.tolist() == stored["labels_no_constraints"]
    assert alone.n_iter_ == stored["iters_no_constraints"]


@pytest.mark.golden
@pytest.mark.parametrize("number", range(6))  # Yale 0 to 4 and ORL 0
def test_stored_runs_exactly(number):
    run = oracle("cms.json")["real"]["runs_on_shared_constraint_sets"][number]
    told = oracle("constraints_yale_orl.json")["sets"][run["dataset"]][run["seed"]]
    X, y = paper_data(run["dataset"])
    model = ConstrainedMeanShift().fit(
        X, must_link=told["must_link"], cannot_link=told["cannot_link"]
    )
    assert model.labels_.tolist() == run["labels"]
    assert model.n_iter_ == run["iters"]
    assert model.bandwidth_range_ == pytest.approx((run["h_low"], run["h_high"]), abs=1e-8)
    assert adjusted_rand_score(y, model.labels_) == pytest.approx(run["ARI"], abs=1e-12)


@pytest.mark.golden
@pytest.mark.parametrize(("name", "seed"), [("Yale", 0), ("Yale", 1), ("ORL", 1)])
def test_stored_runs_with_links_between_all_classes(name, seed):
    real = oracle("cms.json")["real"]
    told = real["own_generator_constraint_sets"][f"{name}-{seed}"]
    [run] = [
        run
        for run in real["runs_with_own_generator_independent_numpy"]
        if (run["name"], run["seed"]) == (name, seed)
    ]
    X, y = paper_data(name)
    model = ConstrainedMeanShift().fit(X, cannot_link=told["cannot_link"])
    assert model.n_clusters_ == run["found"]
    assert adjusted_rand_score(y, model.labels_) == pytest.approx(run["ARI"], abs=1e-9)
    assert normalized_mutual_info_score(y, model.labels_) == pytest.approx(run["NMI"], abs=1e-9)


@pytest.mark.golden
def test_own_draws_score_as_the_study():
    X, y = paper_data("Yale")
    found = [
        ConstrainedMeanShift().fit(X, constraints=sample_class_pairs(y, 0.4, s)).labels_
        for s in range(2)
    ]
    assert 0.05 < np.mean([adjusted_rand_score(y, labels) for labels in found]) < 0.11
    assert 0.33 < np.mean([normalized_mutual_info_score(y, labels) for labels in found]) < 0.39


# The plain form -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"blurring": True},
        {"blurring": True, "trunc": 0.02, "merge_k": 0.95},
        {"kernel": "ball"},
        {"kernel": "ball", "blurring": True},
        {"trunc": 0.0},
        {"c_scale": 0.0},
        {"c_scale": 2.0, "merge_b": 0.5},
        {"early_stopping": False, "merge_k": 0.5},
    ],
    ids=str,
)
@pytest.mark.parametrize("seed", range(2))
def test_equals_the_plain_form(options, seed):
    random = np.random.default_rng(seed)
    y = random.integers(3, size=40)
    X = random.normal(size=(40, 3)) + 3 * np.eye(3)[y]
    X[30:] = X[10:20]  # the same samples twice
    y[30:] = y[10:20]
    i, j, _ = sample_pairs(y, 8, 16, seed).closure(40).cannot_pairs()
    assert_equals_plain(X, np.column_stack((i, j)), max_iter=25, **options)


@given(st.integers(0, 2**20), st.booleans())
@settings(max_examples=30)
def test_equals_the_plain_form_on_coarse_grids(seed, blurring):
    """Coincident samples and links between them, links that overlap, and equal distances."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, size=(15, 2)) + 0.01 * random.integers(0, 2, size=(15, 2))
    links = random.integers(0, 15, size=(6, 2))
    links = np.unique(np.sort(links[links[:, 0] != links[:, 1]], axis=1), axis=0)
    assert_equals_plain(X, links, max_iter=12, blurring=blurring)


@pytest.mark.golden
@pytest.mark.parametrize("draw", [sample_pairs, sample_class_pairs])
def test_equals_the_plain_form_on_digits(draw):
    X, y = paper_data("OpticalDigits")
    X, y = X[:80], y[:80]
    told = draw(y, *((16, 16) if draw is sample_pairs else (32,)), 0)
    i, j, _ = told.closure(80).cannot_pairs()
    labels, *_ = plain(minmax_scale(X), np.column_stack((i, j)))
    assert len(set(labels.tolist())) > 1
    model = ConstrainedMeanShift().fit(X, constraints=told)
    assert model.labels_.tolist() == labels.tolist()


# What must hold -----------------------------------------------------------------------------------


def test_the_share_left_is_symmetric_within_0_and_1_and_cut_at_the_links():
    X = np.random.default_rng(0).normal(size=(50, 4))
    first, second = np.arange(20), np.arange(20, 40)
    model = ConstrainedMeanShift(c_scale=1.0)
    left = model._left(cdist(X, X, "sqeuclidean"), _ModeLinks.between(first, second), 2.0)
    assert np.array_equal(left, left.T)
    assert left.min() == 0
    assert left.max() <= 1
    assert (left[first, second] == 0).all()
    nothing = _ModeLinks.between(first[:0], second[:0])
    assert (model._left(cdist(X, X, "sqeuclidean"), nothing, 2.0) == 1).all()
    narrow = ConstrainedMeanShift(c_scale=0.0)._left(
        cdist(X, X, "sqeuclidean"), _ModeLinks.between(first, second), 2.0
    )
    assert (narrow == 0).sum() == 40
    assert (narrow == 1).sum() == 2500 - 40


@pytest.mark.parametrize("blurring", [False, True])
def test_modes_stay_within_the_samples(blurring):
    X, y = easy_blobs()
    model = ConstrainedMeanShift(blurring=blurring, scale=None)
    modes = model.fit(X, constraints=sample_class_pairs(y, 0.4, 0)).modes_
    assert (modes >= X.min(axis=0) - 1e-9).all()
    assert (modes <= X.max(axis=0) + 1e-9).all()


@pytest.mark.parametrize("seed", range(3))
def test_easy_blobs_are_found(seed):
    X, y = easy_blobs(seed)
    model = ConstrainedMeanShift().fit(X, constraints=sample_class_pairs(y, 0, seed))
    assert adjusted_rand_score(y, model.labels_) == 1


def test_too_many_cannot_links_are_refused():
    X = np.random.default_rng(0).normal(size=(900, 2))
    with pytest.raises(ValueError, match="entail 202,500 cannot-links.* 200,000 at the most"):
        ConstrainedMeanShift().fit(X, np.arange(900) % 2)


def test_the_number_of_clusters_is_an_outcome():
    X, y = easy_blobs()
    found = ConstrainedMeanShift(2).fit(X, constraints=sample_class_pairs(y, 0, 0))
    assert found.n_clusters_ == 3


def test_without_cannot_links_all_is_one_cluster():
    X, _ = easy_blobs()
    assert set(ConstrainedMeanShift().fit(X).labels_.tolist()) == {0}
    with pytest.warns(UserWarning, match="no cannot-link follows"):
        model = ConstrainedMeanShift().fit(X, must_link=[(0, 40)])
    assert model.n_clusters_ == 1


def test_must_links_carry_cannot_links_on():
    X, model = points(), ConstrainedMeanShift(max_iter=1)
    carried = model.fit(X, must_link=MUST_LINK, cannot_link=[(0, 4)]).modes_
    spelled = model.fit(X, cannot_link=[(0, 4), (0, 5), (1, 4), (1, 5)]).modes_
    fewer = model.fit(X, cannot_link=[(0, 4)]).modes_
    assert np.array_equal(carried, spelled)
    assert np.abs(carried - fewer).max() > 0.01


def test_labels_count_as_links_between_classes():
    known = np.full(12, -1)
    known[[0, 4, 8]] = [2, 0, 1]
    by_label = ConstrainedMeanShift().fit(points(), known)
    by_link = ConstrainedMeanShift().fit(points(), cannot_link=CANNOT_LINK)
    assert np.array_equal(by_label.modes_, by_link.modes_)
    assert by_label.labels_.tolist() == GROUPS.tolist()


def test_the_order_of_samples_does_not_matter():
    X, y = easy_blobs(1)
    X = X + np.random.default_rng(0).normal(scale=3, size=X.shape)
    links = np.random.default_rng(1).integers(0, 90, size=(60, 2))
    links = links[y[links[:, 0]] != y[links[:, 1]]]
    order = np.random.default_rng(2).permutation(90)
    place = np.argsort(order)
    one = ConstrainedMeanShift().fit(X, cannot_link=links)
    other = ConstrainedMeanShift().fit(X[order], cannot_link=place[links])
    assert one.n_clusters_ > 1
    assert adjusted_rand_score(one.labels_[order], other.labels_) == 1


def test_modes_that_agree_become_one():
    modes = np.array([[0.0, 1.0], [2.0, 0.0], [1e-12, 1.0], [2.0, 1e-3], [0.0, 1.0 - 1e-12]])
    kept, place = _merged(modes, np.array([0, 1, 2, 3, 4, 4]), 1e-9)
    assert len(kept) == 3
    assert kept[place] == pytest.approx(modes[[0, 1, 2, 3, 4, 4]], abs=1e-11)


# Poor input and options ---------------------------------------------------------------------------


def test_equal_samples_are_one_cluster():
    X = np.full((6, 3), 0.3)
    for links in (None, [(0, 1), (2, 4)]):
        model = ConstrainedMeanShift(scale=None).fit(X, cannot_link=links)
        assert model.labels_.tolist() == [0] * 6
        assert model.modes_ == pytest.approx(X)


def test_the_smallest_distance_is_that_of_different_samples():
    X = [[0.0, 0.0], [0.0, 0.0], [3.0, 4.0], [3.0, 4.1]]
    low, high = ConstrainedMeanShift(scale=None).fit(X, cannot_link=[(0, 2)]).bandwidth_range_
    assert low == pytest.approx(0.1)
    assert high == pytest.approx(np.hypot(3.0, 4.1))


def test_linked_samples_at_one_place_are_cut():
    X = np.repeat([[0.0, 0.0], [1.0, 0.0]], 3, axis=0)
    model = ConstrainedMeanShift(max_iter=3, bandwidth=(0.1, 0.2)).fit(X, cannot_link=[(0, 1)])
    assert model.labels_[3:].tolist() == [model.labels_[3]] * 3
    assert model.labels_[0] != model.labels_[1]


def test_far_from_the_origin_nothing_changes():
    X, y = easy_blobs()
    told = sample_class_pairs(y, 0.4, 0)
    near = ConstrainedMeanShift(scale=None).fit(X, constraints=told)
    far = ConstrainedMeanShift(scale=None).fit(X + 1e6, constraints=told)
    assert near.labels_.tolist() == far.labels_.tolist()
    assert far.modes_ - 1e6 == pytest.approx(near.modes_, abs=1e-6)


def test_one_step_uses_the_last_bandwidth():
    model = ConstrainedMeanShift(max_iter=1, scale=None).fit(points(), cannot_link=CANNOT_LINK)
    assert model.n_iter_ == 1
    assert model.bandwidth_ == model.bandwidth_range_[1]


def test_a_fixed_bandwidth_stops_when_nothing_moves():
    options = {"bandwidth": (1.5, 1.5), "scale": None, "max_iter": 500}
    stopped = ConstrainedMeanShift(**options).fit(points(), cannot_link=CANNOT_LINK)
    full = ConstrainedMeanShift(early_stopping=False, **options)
    full.fit(points(), cannot_link=CANNOT_LINK)
    assert stopped.n_iter_ < 50
    assert full.n_iter_ == 500
    assert stopped.bandwidth_ == 1.5
    assert stopped.labels_.tolist() == full.labels_.tolist() == GROUPS.tolist()


@pytest.mark.parametrize("bandwidth", [(0, 1), (2, 1), (1,), (1, np.inf), [[1, 2]]])
def test_a_bandwidth_that_is_none_is_refused(bandwidth):
    with pytest.raises(ValueError, match="bandwidth must be a pair"):
        ConstrainedMeanShift(bandwidth=bandwidth).fit(points())


def test_contradictions_are_refused():
    with pytest.raises(ConstraintConflict):
        ConstrainedMeanShift().fit(points(), must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
