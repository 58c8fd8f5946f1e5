"""Clusters that users unite, divide, and move samples between."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

import sentree
from sentree import ConstraintConflict, SSEPartition

X, Y = make_blobs(300, 2, centers=[[0, 0], [8, 0], [0, 8], [8, 8], [16, 0]], random_state=0)


@pytest.fixture(params=[None, 5])
def model(request):
    return SSEPartition(request.param).fit(X)


def same(a, b):
    return adjusted_rand_score(a, b) == 1


def test_merged_clusters_are_one_and_others_stay(model):
    before = model.labels_.copy()
    model.merge(1, 3)
    wanted = np.where(before == 3, 1, before)
    assert same(wanted, model.labels_)
    stay = np.isin(before, (0, 1, 2))
    assert np.array_equal(model.labels_[stay], before[stay])  # and so do their numbers
    assert model.n_clusters_ == 4
    assert model.constraint_report_.n_broken == 0
    assert len(model.constraints_.hard.must_link) > 0
    assert np.array_equal(model.predict(X), model.labels_)
    model.merge(0, 1, 2)
    assert model.n_clusters_ == 2


def test_a_cluster_is_split_where_the_data_divide_it(model):
    joined = model.merge(1, 3).labels_.copy()
    fresh = SSEPartition(4 if model.n_clusters else None).fit(X, init=joined)
    fresh.split(1)
    assert same(Y, fresh.labels_)
    assert fresh.n_clusters_ == 5
    three = fresh.split(0, into=3)
    assert three.n_clusters_ == 7
    assert three.constraint_report_.n_broken == 0


def test_pairs_say_where_a_cluster_is_split():
    inside = np.flatnonzero(Y[0] == Y)
    right = X[inside, 0] > X[inside, 0].mean()
    random = np.random.default_rng(0)
    pairs = random.choice(inside.size, size=(40, 2))
    apart = pairs[right[pairs[:, 0]] != right[pairs[:, 1]]]
    together = pairs[(right[pairs[:, 0]] == right[pairs[:, 1]]) & (pairs[:, 0] != pairs[:, 1])]
    told = {"must_link": inside[together], "cannot_link": inside[apart]}
    model = SSEPartition(n_clusters=5).fit(X, **told).split(0)
    assert adjusted_rand_score(right, model.labels_[inside]) > 0.7


def test_moved_samples_are_where_they_were_sent(model):
    before = model.labels_.copy()
    rows = np.flatnonzero(before == 2)[:5]
    model.move(rows, to=4)
    assert (model.labels_[rows] == 4).all()
    rest = np.setdiff1d(np.arange(300), rows)
    assert np.array_equal(model.labels_[rest], before[rest])
    model.move(np.isin(np.arange(300), rows))  # to a cluster of their own
    assert np.unique(model.labels_[rows]).size == 1
    assert model.n_clusters_ == 6
    whole = np.flatnonzero(model.labels_ == model.labels_[rest[0]])
    model.move(whole, to=int(model.labels_[rows[0]]))
    assert model.n_clusters_ == 5
    unchanged = model.labels_.copy()
    assert np.array_equal(model.move(rows, to=int(model.labels_[rows[0]])).labels_, unchanged)


def test_a_refit_keeps_edits_and_one_without_them_undoes_them(model):
    before, said = model.labels_.copy(), model.constraints_
    for edit in (lambda: model.merge(1, 3), lambda: model.split(0), lambda: model.move([0, 1, 2])):
        edit()
        edited = model.labels_.copy()
        assert np.array_equal(model.refit().labels_, edited)
    far = int(np.flatnonzero(Y[10] != Y)[0])
    again = model.refit(cannot_link=[(10, far)]).labels_
    assert np.array_equal(again, edited)
    assert len(model.constraints_) > 20
    model.refit(constraints=said, keep=False)
    assert same(before, model.labels_)
    assert len(model.constraints_) == 0


@pytest.mark.parametrize("k", [2, 3, 4, 6])
def test_another_number_of_clusters_unites_or_divides_edited_ones(model, k):
    union = model.merge(1, 3).labels_ == 1
    found = model.set_params(n_clusters=k).refit()
    assert found.n_clusters_ == k
    if k < 5:  # whole clusters are united
        assert np.unique(found.labels_[union]).size == 1


def test_edits_last_in_a_file(model, tmp_path):
    edited = model.merge(0, 4).labels_.copy()
    loaded = sentree.load(model.save(tmp_path / "model.npz"))
    assert np.array_equal(loaded.refit(must_link=[(0, 1)]).labels_, edited) or same(
        loaded.labels_, edited
    )
    assert loaded.n_clusters_ == 4
    loaded.refit(keep=False)
    assert same(Y, loaded.labels_)
    assert loaded.merge(1, 2).n_clusters_ == 4


def test_a_later_edit_takes_an_earlier_one_back(model):
    before, said = model.labels_.copy(), len(model.constraints_)
    model.split(0)
    new = int(model.labels_.max())
    model.merge(0, new)
    assert np.array_equal(model.labels_, before)
    assert len(model.constraints_.cannot_link) == said
    assert np.array_equal(model.refit().labels_, before)


def test_hard_constraints_of_users_are_not_taken_back(model):
    before = model.labels_.copy()
    apart = [(int(np.flatnonzero(before == 0)[0]), int(np.flatnonzero(before == 1)[0]))]
    told = sentree.Constraints.from_pairs(cannot_link=apart, hard=True)
    model.refit(constraints=told)
    with pytest.raises(ConstraintConflict, match="cannot link"):
        model.move([apart[0][0]], to=1).move([apart[0][0], apart[0][1]])
    assert model.constraint_report_.n_broken == 0


def test_a_labelled_model_can_be_edited():
    told = np.where(np.arange(300) % 20 == 0, Y, -1)
    model = SSEPartition().fit(X, told)
    model.split(0)
    assert model.n_clusters_ == 6
    edited = model.labels_.copy()
    model.refit()
    assert len(model.constraint_report_.broken["cannot_link"]) == 0
    assert adjusted_rand_score(edited, model.labels_) > 0.9


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda m: m.merge(0), "two different clusters or more"),
        (lambda m: m.merge(1, 1), "two different clusters or more"),
        (lambda m: m.merge(0, 9), "there is no cluster 9: they are numbered 0 to 4"),
        (lambda m: m.split(-1), "there is no cluster -1"),
        (lambda m: m.split(0, into=1), "into must be a whole number from 2 to the"),
        (lambda m: m.split(0, into=1000), "into must be a whole number from 2 to the"),
        (lambda m: m.move([]), "names no sample"),
        (lambda m: m.move([300], to=0), "row numbers between 0 and 299"),
        (lambda m: m.move([0], to="a"), "there is no cluster 'a'"),
    ],
)
def test_mistakes_are_named_and_change_nothing(model, edit, words):
    before = model.labels_.copy()
    with pytest.raises(ValueError, match=words):
        edit(model)
    assert np.array_equal(model.labels_, before)
    assert len(model.constraints_) == 0


def test_edits_need_a_fit():
    for edit in (lambda m: m.merge(0, 1), lambda m: m.split(0), lambda m: m.move([0], to=1)):
        with pytest.raises(NotFittedError):
            edit(SSEPartition())
