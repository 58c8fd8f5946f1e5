import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sentree import ConstraintConflict, Constraints
from sentree.paper.baselines.base import (
    Baseline,
    checked_affinity,
    class_codes,
    class_columns,
    nearest,
    scaled,
    unit_rows,
)

X = np.arange(12.0).reshape(6, 2)


class Recorder(Baseline):
    """A method that keeps what it was given."""

    def __init__(self, n_clusters=2, *, affinity="features", random_state=None):
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.random_state = random_state

    def _solve(self, X, given, random):
        self.X_, self.given_, self.draw_ = X, given, random.random_sample()
        self.labels_ = np.zeros(X.shape[0], dtype=np.int32)


class LabelReader(Recorder):
    _reads = ("labels",)


class PairReader(Recorder):
    _reads = ("pairs",)


def test_all_that_is_known_adds_up():
    y = [0, 1, -1, -1, -1, -1]
    more = Constraints.from_groups(together=[[3, 4]])
    given = Recorder().fit(X, y, must_link=[(0, 2)], cannot_link=[(2, 5)], constraints=more).given_
    component = given.closure(6).component
    assert component[0] == component[2] != component[1]
    assert component[3] == component[4]
    assert len(given.cannot_link) == 1


def test_fit_predict_reads_labels():
    """scikit-learn's own leaves y out."""
    model = Recorder()
    assert model.fit_predict(X, [0, 0, 1, -1, -1, -1]).tolist() == [0] * 6
    assert model.given_.label_index.tolist() == [0, 1, 2]


def test_no_seed_is_a_seed():
    assert Recorder().fit(X).draw_ == Recorder(random_state=0).fit(X).draw_
    assert Recorder().fit(X).draw_ != Recorder(random_state=1).fit(X).draw_


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [0, 1]}, "y has 2 labels for 6 samples"),
        ({"must_link": [(0, 6)]}, "6"),
        ({"constraints": [(0, 1)]}, "must be a sentree.Constraints"),
    ],
)
def test_what_does_not_fit_the_samples_is_refused(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Recorder().fit(X, **arguments)


def test_more_clusters_than_samples_are_refused():
    with pytest.raises(ValueError, match="n_clusters=7 is more than n_samples=6"):
        Recorder(7).fit(X)


def test_contradictions_are_refused_before_the_search():
    with pytest.raises(ConstraintConflict):
        Recorder().fit(X, [0, 1, -1, -1, -1, -1], must_link=[(0, 1)])


@pytest.mark.parametrize(
    "given",
    [
        Constraints.from_pairs(must_link=[(0, 1)]),
        Constraints.from_groups(together=[[0, 1]]),
        Constraints.from_groups(apart=[[0, 1]]),
        Constraints.from_triplets([(0, 1, 2)]),
    ],
)
def test_a_method_says_that_nothing_counts(given):
    with pytest.warns(UserWarning, match="LabelReader reads labels only") as caught:
        LabelReader().fit(X, constraints=given)
    assert caught[0].filename == __file__


def test_a_method_is_silent_where_something_counts(recwarn):
    LabelReader().fit(X, [0, 1, -1, -1, -1, -1], must_link=[(2, 3)])
    LabelReader().fit(X, constraints=Constraints.from_negative_labels([(0, "a")]))
    LabelReader().fit(X)
    PairReader().fit(X, constraints=Constraints.from_groups(together=[[0, 1]]))
    PairReader().fit(X, constraints=Constraints.from_groups(apart=[[0, 1]]))
    assert len(recwarn) == 0


def test_a_precomputed_affinity_is_checked():
    A = np.array([[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]])
    assert np.array_equal(Recorder(affinity="precomputed").fit(A).X_, A)
    found = Recorder(affinity="precomputed").fit(sp.csr_array(A)).X_
    assert sp.issparse(found)
    assert np.array_equal(found.toarray(), A)
    with pytest.raises(ValueError, match="needs a square matrix"):
        Recorder(affinity="precomputed").fit(X)
    with pytest.raises(ValueError, match="some are below 0"):
        Recorder(affinity="precomputed").fit(-A)
    with pytest.raises(ValueError, match="differs from its transpose by 0.5"):
        Recorder(affinity="precomputed").fit(A + np.diag([0.5, 0.0], 1))
    with pytest.raises(TypeError, match="dense data is required"):
        Recorder().fit(sp.csr_array(A))


def test_a_graph_without_edges_is_an_affinity():
    assert checked_affinity(sp.csr_array((3, 3))).nnz == 0
    assert checked_affinity(np.zeros((3, 3))).sum() == 0


def test_scales():
    samples = np.array([[0.0, 5.0], [4.0, 5.0], [8.0, 5.0]])
    assert scaled(samples, None) is samples
    assert scaled(samples, "minmax").tolist() == [[0, 0], [0.5, 0], [1, 0]]
    zscores = scaled(samples, "zscore")
    assert zscores.std(axis=0) == pytest.approx([1, 0])
    assert zscores.mean(axis=0) == pytest.approx([0, 0])
    assert samples.tolist() == [[0, 5], [4, 5], [8, 5]]  # the samples themselves stay
    assert np.linalg.norm(scaled(samples, "unit"), axis=1) == pytest.approx([1, 1, 1])


def test_rows_of_zeros_stay():
    rows = np.array([[3.0, 4.0], [0.0, 0.0]])
    assert unit_rows(rows) == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))
    assert unit_rows(sp.csr_array(rows)).toarray() == pytest.approx(unit_rows(rows))


def test_nearest_leaves_the_sample_itself_out():
    samples = np.random.default_rng(0).normal(size=(20, 3))
    samples[1] = samples[0]
    distance, index = nearest(samples, 4)
    square = cdist(samples, samples)
    np.fill_diagonal(square, np.inf)
    assert distance == pytest.approx(np.sort(square, axis=1)[:, :4])
    assert index[0, 0] == 1
    assert index[1, 0] == 0
    assert nearest(samples[:3], 9)[1].shape == (3, 2)


def test_classes_pass_along_must_links():
    given = Constraints.from_labels(["b", None, None, "a", None])
    given = given + Constraints.from_pairs(must_link=[(0, 1), (1, 4)])
    codes = class_codes(given, 5)
    names = [given.classes[c] if c >= 0 else None for c in codes]
    assert names == ["b", "b", None, "a", "b"]


def test_no_labels_are_no_classes():
    assert class_codes(Constraints(), 3).tolist() == [-1, -1, -1]
    assert class_codes(Constraints.from_pairs(must_link=[(0, 1)]), 3, 2).tolist() == [-1, -1, -1]


def test_the_class_that_is_left():
    given = Constraints.from_labels(["a", "b", "c", None, None])
    given = given + Constraints.from_negative_labels([(3, "a"), (3, "b"), (4, "a")])
    assert class_codes(given, 5, 3).tolist() == [0, 1, 2, 2, -1]
    assert class_codes(given, 5, 4).tolist() == [0, 1, 2, -1, -1]  # there may be another class
    assert class_codes(given, 5).tolist() == [0, 1, 2, -1, -1]


def test_the_class_that_is_left_of_what_belongs_together():
    """Negative labels of must-linked samples count together, and nobody else is of class c."""
    given = Constraints.from_negative_labels([(0, "a"), (1, "b")], classes=["a", "b", "c"])
    given = given + Constraints.from_pairs(must_link=[(0, 1), (1, 2)])
    assert class_codes(given, 4, 3).tolist() == [2, 2, 2, -1]


def test_no_class_left_is_a_contradiction():
    given = Constraints.from_labels(["a", "b", None])
    given = given + Constraints.from_negative_labels([(2, "a"), (2, "b")])
    with pytest.raises(ConstraintConflict):
        class_codes(given, 3, 2)
    assert class_codes(given, 3, 3).tolist() == [0, 1, -1]


def test_more_classes_than_clusters_are_refused():
    with pytest.raises(ValueError, match="the labels name 3 classes, more than n_clusters=2"):
        class_columns(Constraints.from_labels(["a", "b", "c"]), 3, 2)
    declared = Constraints.from_labels(["a", None, None], classes=["a", "b", "c"])
    declared = declared + Constraints.from_negative_labels([(1, "b")], classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="name 2 classes, and 1 more are declared, more than n_cl"):
        class_columns(declared, 3, 2)
    assert class_columns(declared, 3, 3).tolist() == [0, -1, -1]


def test_more_classes_than_clusters_have_codes():
    """A method without a cluster for every class unites some."""
    assert class_codes(Constraints.from_labels(["a", "b", "c"]), 3, 2).tolist() == [0, 1, 2]
