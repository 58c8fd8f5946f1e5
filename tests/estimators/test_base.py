import pickle
import tracemalloc
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sentree import (
    ConstraintConflict,
    Constraints,
    Graph,
    SSEHierarchy,
    SSEPartition,
    knn_graph,
    load,
)
from sentree.metrics import structural_entropy
from sentree.search.objective import tree_objective

BOTH = [SSEPartition, SSEHierarchy]


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(120, 4, centers=4, cluster_std=0.8, random_state=0)


@pytest.mark.filterwarnings(
    "ignore:the labels name", "ignore:the graph falls into", "ignore:the clusters break"
)
@parametrize_with_checks(
    [SSEPartition(), SSEPartition(n_clusters=3), SSEHierarchy()],
    # These take whatever has predict_proba and reads sparse samples for a classifier.
    expected_failed_checks=lambda estimator: dict.fromkeys(
        ("check_estimator_sparse_array", "check_estimator_sparse_matrix"), "a column per cluster"
    ),
)
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None  # a check that fails raises


@pytest.mark.parametrize("estimator", BOTH)
def test_fitted_attributes_agree_with_one_another(estimator, blobs):
    X, y = blobs
    model = estimator().fit(X, must_link=[(0, 1)] if y[0] == y[1] else None)
    assert model.labels_.shape == (120,)
    assert model.labels_.dtype == np.int32
    assert model.n_clusters_ == len(set(model.labels_.tolist()))
    assert model.n_features_in_ == 4
    assert model.graph_.n == 120
    assert model.trace_[-1] == pytest.approx(model.objective_, abs=1e-9)
    assert model.entropy_ <= model.trace_[0]
    assert model.tree_.n_leaves == 120
    assert np.array_equal(model.tree_.labels_at(1), model.labels_)


def test_hierarchy_has_the_asked_height_and_number(blobs):
    X, y = blobs
    model = SSEHierarchy(4, height=3).fit(X)
    assert model.tree_.height == 3
    assert model.n_clusters_ == 4
    assert adjusted_rand_score(y, model.labels_) > 0.9
    assert model.objective_ == tree_objective(model.tree_).value
    assert SSEHierarchy(height=1).fit(X).tree_.height == 1


@pytest.mark.parametrize("estimator", BOTH)
def test_without_constraints_it_is_plain_structural_entropy(estimator, blobs):
    X, _ = blobs
    plain = estimator().fit(X)
    unknown = estimator().fit(X, np.full(120, -1))
    nothing = estimator().fit(X, must_link=[], cannot_link=[], constraints=Constraints())
    weightless = estimator(penalty=0.0).fit(X, must_link=[(0, 1)])
    for model in (unknown, nothing, weightless):
        assert np.array_equal(model.labels_, plain.labels_)
        assert model.objective_ == plain.objective_ == plain.entropy_
    assert plain.constraint_report_.share == 1


@pytest.mark.parametrize("estimator", BOTH)
def test_all_ways_to_say_the_same_agree(estimator, blobs):
    X, y = blobs
    known = np.full(120, -1)
    known[:12] = y[:12]
    labels = estimator().fit(X, known).labels_
    as_names = np.where(known < 0, None, np.array(["a", "b", "c", "d"])[known]).astype(object)
    as_frame = pd.Series(known).where(known >= 0)
    as_pairs = [(i, j) for i in range(12) for j in range(i + 1, 12)]
    must = [(i, j) for i, j in as_pairs if y[i] == y[j]]
    cannot = [(i, j) for i, j in as_pairs if y[i] != y[j]]
    for model in (
        estimator().fit(X, as_names),
        estimator().fit(X, as_frame),
        estimator().fit(X, constraints=Constraints.from_labels(known)),
        estimator().fit(X, must_link=must, cannot_link=cannot),
        estimator().fit(X, must_link=must, constraints=Constraints.from_pairs(None, cannot)),
    ):
        assert np.array_equal(model.labels_, labels)


def test_constraints_change_the_result_and_are_reported():
    X = load_iris().data
    y = load_iris().target
    plain = SSEPartition(n_clusters=3).fit(X)
    rng = np.random.default_rng(0)
    known = np.where(rng.random(150) < 0.3, y, -1)
    told = SSEPartition(n_clusters=3).fit(X, known)
    held_out = known == -1
    score = adjusted_rand_score(y[held_out], told.labels_[held_out])
    assert score > adjusted_rand_score(y[held_out], plain.labels_[held_out])
    report = told.constraint_report_
    assert report.n_given == (known >= 0).sum()
    assert 0.9 < report.share <= 1


def test_fit_predict_passes_labels_and_constraints(blobs):
    X, y = blobs
    known = np.where(np.arange(120) < 20, y, -1)
    expected = SSEPartition().fit(X, known, cannot_link=[(30, 31)]).labels_
    assert np.array_equal(SSEPartition().fit_predict(X, known, cannot_link=[(30, 31)]), expected)


@pytest.mark.parametrize("estimator", BOTH)
def test_same_answer_for_frames_arrays_sparse_and_precomputed(estimator, blobs):
    X, _ = blobs
    estimator = partial(estimator, n_neighbors=10)
    expected = estimator().fit(X).labels_
    assert np.array_equal(estimator().fit(pd.DataFrame(X)).labels_, expected)
    estimator = partial(estimator, affinity="gaussian")
    expected = estimator().fit(X).labels_
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = estimator().fit(frame)
    assert model.feature_names_in_.tolist() == list("abcd")
    others = [
        model.labels_,
        estimator().fit(pl.DataFrame(frame.to_dict("list"))).labels_,
        estimator().fit(sp.csr_matrix(X)).labels_,
        estimator().fit(sp.csr_array(X)).labels_,
        estimator(affinity="precomputed").fit(knn_graph(X)).labels_,
        estimator(affinity="precomputed").fit(knn_graph(X).to_scipy()).labels_,
        estimator(affinity="precomputed").fit(knn_graph(X).to_scipy().toarray()).labels_,
        estimator(affinity=knn_graph).fit(X).labels_,
        estimator(affinity=lambda X: knn_graph(X).to_scipy()).fit(X).labels_,
        estimator(neighbors="exact").fit(X).labels_,
        estimator(neighbors=KNeighborsTransformer(n_neighbors=10)).fit(X).labels_,
    ]
    for labels in others:
        assert np.array_equal(labels, expected)


def test_pipelines_with_a_neighbours_transformer(blobs):
    X, y = blobs
    pipeline = make_pipeline(
        StandardScaler(),
        KNeighborsTransformer(n_neighbors=10, mode="distance"),
        SSEPartition(n_clusters=4, affinity="precomputed_distances"),
    )
    labels = pipeline.fit_predict(
        X, ssepartition__must_link=[(0, int(np.flatnonzero(y == y[0])[1]))]
    )
    assert adjusted_rand_score(y, labels) > 0.95


def test_grid_search_over_a_pipeline_parameter(blobs):
    X, _ = blobs

    def score(model, X, y):
        return -abs(model.fit(X).n_clusters_ - 4)

    search = GridSearchCV(SSEPartition(), {"n_neighbors": [3, 20]}, scoring=score, cv=2)
    assert search.fit(X, np.full(120, -1)).best_params_["n_neighbors"] in (3, 20)


@pytest.mark.parametrize("estimator", BOTH)
def test_clone_and_pickle(estimator, blobs):
    X, _ = blobs
    model = estimator(n_neighbors=7, penalty=1.5).fit(X, must_link=[(0, 1)])
    copied = clone(model)
    assert copied.get_params() == model.get_params()
    assert not hasattr(copied, "labels_")
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.labels_, model.labels_)
    assert np.array_equal(again.tree_.parent, model.tree_.parent)
    assert again.constraint_report_.share == model.constraint_report_.share


@pytest.mark.parametrize("estimator", BOTH)
def test_two_samples(estimator):
    model = estimator().fit([[0.0], [1.0]])
    assert len(model.labels_) == 2
    assert np.isfinite(model.objective_)


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.empty((0, 3)), "0 sample"),
        ([[1.0, 2.0]], "minimum of 2 is required"),
        ([1.0, 2.0, 3.0], "Expected 2D array"),
        ([[1.0], [np.nan], [2.0]], r"NaN \(first at row 1, column 0\)"),
        ([[1.0, 2.0], [3.0, np.inf]], r"infinity \(first at row 1, column 1\)"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": [np.nan, 1.0]}), r"row 0, column 'b'"),
        (pd.DataFrame({"a": [1.0, 2.0], "city": ["x", "y"]}), "text in 'city'"),
        (pl.DataFrame({"a": [1.0, 2.0], "city": ["x", "y"]}), "text in 'city'"),
        (sp.csr_array([[0.0, np.nan], [1.0, 0.0]]), r"NaN \(first at row 0, column 1\)"),
    ],
)
def test_bad_samples_are_refused_with_their_place(estimator, X, message):
    with pytest.raises(ValueError, match=message):
        estimator().fit(X)


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"must_link": [(0, 999)]}, r"\(0, 999\).*120 samples"),
        ({"must_link": [(3, 3)]}, "3"),
        ({"must_link": [(0, 1, 2)]}, "shape"),
        ({"cannot_link": [(0, -1)]}, "-1"),
        ({"cannot_link": [(0.5, 1)]}, "0.5|whole|integer"),
        ({"y": np.zeros(7)}, "y has 7 labels for 120 samples"),
        ({"y": np.zeros((120, 2))}, "shape"),
        ({"y": np.linspace(0, 1, 120)}, "continuous"),
    ],
)
def test_bad_constraints_are_refused(estimator, given, message, blobs):
    with pytest.raises(ValueError, match=message):
        estimator().fit(blobs[0], **given)


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize(
    "given",
    [
        Constraints.from_pairs([(0, 10**7)]),
        Constraints.from_pairs(cannot_link=[(0, 10**7)]),
        Constraints.from_groups([[0, 10**7]]),
        Constraints.from_groups(apart=[[0, 10**7]]),
        Constraints.from_negative_labels([(10**7, "a")]),
        Constraints.from_triplets([(0, 1, 10**7)]),
        Constraints(label_index=[10**7], label_code=[0], classes=("a",)),
    ],
    ids=str,
)
def test_rows_that_are_not_there_cost_no_memory(estimator, given, blobs):
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="10000000.* but there are only 120 samples"):
            estimator().fit(blobs[0], constraints=given)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


def test_rows_that_are_not_there_cost_a_refit_no_memory(blobs, tmp_path):
    model = SSEPartition(n_clusters=4).fit(blobs[0])
    again = load(model.save(tmp_path / "model"))
    for one, keep in ((model, True), (model, False), (again, True)):
        tracemalloc.start()
        try:
            with pytest.raises(ValueError, match="100000000.* but there are only 120 samples"):
                one.refit(cannot_link=[(0, 10**8)], keep=keep)
            assert tracemalloc.get_traced_memory()[1] < 10**7
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("estimator", BOTH)
def test_a_failed_fit_leaves_the_model_as_it_was(estimator, error, blobs, monkeypatch):
    X = pd.DataFrame(blobs[0], columns=list("abcd"))
    model, new = estimator(n_clusters=4).fit(X), estimator(n_clusters=4)
    before, predicted = vars(model).copy(), model.predict(X)

    def fail(self, given):
        raise error

    monkeypatch.setattr(estimator, "_finish", fail)  # the last thing that a fit does
    with pytest.raises(error):
        model.fit(np.random.default_rng(0).normal(size=(30, 7)), np.arange(30) % 4)
    if estimator is SSEPartition:
        with pytest.raises(error):
            model.refit(cannot_link=[(0, 1)])
    assert vars(model) == before
    assert np.array_equal(model.predict(X), predicted)
    with pytest.raises(error):
        new.fit(X)
    assert vars(new) == new.get_params()


@pytest.mark.parametrize("estimator", BOTH)
def test_contradictions_are_refused_with_their_chain(estimator, blobs):
    with pytest.raises(ConstraintConflict) as caught:
        estimator().fit(blobs[0], must_link=[(0, 1), (1, 2)], cannot_link=[(2, 0)])
    for sentence in ("(must-link 0)", "(must-link 1)", "2 and 0 cannot link (cannot-link 0)"):
        assert sentence in str(caught.value)
    with pytest.raises(TypeError, match="must be a sentree.Constraints"):
        estimator().fit(blobs[0], constraints=[(0, 1)])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 121}, "n_clusters=121 is more than the 120 samples"),
        ({"penalty": -1.0}, "penalty"),
        ({"affinity": "manhattan"}, "affinity"),
        ({"n_neighbors": 0}, "n_neighbors"),
        ({"n_neighbors": "many"}, "n_neighbors"),
        ({"neighbors": "best"}, "neighbors"),
    ],
)
@pytest.mark.parametrize("estimator", BOTH)
def test_bad_parameters_are_refused(estimator, parameters, message, blobs):
    with pytest.raises(ValueError, match=message):
        estimator(**parameters).fit(blobs[0])


def test_height_is_checked(blobs):
    with pytest.raises(ValueError, match="height"):
        SSEHierarchy(height=0).fit(blobs[0])


@pytest.mark.parametrize("estimator", BOTH)
def test_a_graph_without_edges_is_refused(estimator):
    with pytest.raises(ValueError, match="no sample has a neighbour"):
        estimator(affinity="cosine").fit(np.zeros((5, 2)))
    with pytest.raises(ValueError, match="no sample has a neighbour"):
        estimator(affinity="precomputed").fit(Graph.from_edges([], n=3))


@pytest.mark.parametrize("factor", [1e200, 1e-290, 2.0**90, 2.0**-90])
@pytest.mark.parametrize("estimator", BOTH)
def test_a_factor_of_all_weights_changes_nothing(estimator, factor, blobs, tmp_path):
    X, y = blobs
    graph = knn_graph(X, 8)
    given = Constraints.from_triplets([(0, 1, 2), (3, 4, 5)]) if estimator is SSEHierarchy else None
    known = {"must_link": [(0, 9)], "cannot_link": [(0, 4)], "constraints": given}
    scaled = Graph.from_scipy(graph.to_scipy() * factor)
    for said in (known, {"y": np.where(np.arange(120) % 9 == 0, y, -1)}):
        model, other = (
            estimator(n_clusters=5, affinity="precomputed").fit(g, **said) for g in (graph, scaled)
        )
        assert np.array_equal(other.labels_, model.labels_)
        assert np.array_equal(other.tree_.parent, model.tree_.parent)
        assert other.objective_ == pytest.approx(model.objective_, rel=1e-9)
        assert other.membership_strength_ == pytest.approx(model.membership_strength_, abs=1e-9)
        new = graph.to_scipy()[::7].toarray()
        placed, strength = model.predict(new, return_strength=True)
        for again in (other, load(other.save(tmp_path / "model"))):
            where, how = again.predict(new * factor, return_strength=True)
            assert np.array_equal(where, placed)
            assert how == pytest.approx(strength, abs=1e-9)


@pytest.mark.parametrize("estimator", BOTH)
def test_bad_graphs_are_refused(estimator):
    model = estimator(affinity="precomputed")
    with pytest.raises(ValueError, match="not symmetric"):
        model.fit(sp.csr_array([[0, 1.0], [2, 0]]))
    with pytest.raises(ValueError, match="square"):
        model.fit(np.ones((2, 3)))
    with pytest.raises(ValueError, match="-1.0; weights must be finite"):
        model.fit(np.array([[0, -1.0], [-1, 0]]))
    with pytest.raises(ValueError, match="degree of vertex 1 is inf"):
        Graph.from_edges([(0, 1), (1, 2)], [1.5e308, 1.5e308])
    with pytest.raises(ValueError, match="n_samples = 1"):
        model.fit(Graph.from_edges(np.empty((0, 2), dtype=int), n=1))
    with pytest.raises(ValueError, match="graph of 3 vertices for 2 samples"):
        estimator(affinity=lambda X: Graph.from_edges([(0, 1), (1, 2)])).fit([[0.0], [1.0]])


@pytest.mark.parametrize("estimator", BOTH)
def test_samples_without_neighbours_are_named(estimator):
    X = np.array([[1.0, 0], [1, 0.1], [0, 0], [0.9, 0]])
    with pytest.warns(UserWarning, match=r"1 of 4 samples have no neighbour \(rows 2\)"):
        model = estimator(affinity="cosine", n_neighbors=2).fit(X)
    assert (model.labels_ == model.labels_[2]).sum() == 1


def isolated_given():
    """Three cliques of 10 samples in a chain, then 40 samples without edges, and things to say."""
    i, j = np.triu_indices(10, 1)
    edges = [np.column_stack((i, j)) + 10 * k for k in range(3)] + [[(9, 10), (19, 20)]]
    alone = np.arange(30, 70)
    known = np.where(np.arange(70) < 30, -1, np.arange(70) % 3)
    known[[0, 10, 20]] = 0, 1, 2
    said = {
        "to one": {"must_link": np.column_stack((alone, np.zeros(40, dtype=int)))},
        "to three": {"must_link": np.column_stack((alone, alone % 3 * 10))},
        "a chain": {"must_link": np.column_stack((alone[1:], alone[:-1]))},
        "groups": {"constraints": Constraints.from_groups([[0, *alone[:20]], alone[20:]])},
        "labels": {"y": known},
    }
    return Graph.from_edges(np.concatenate(edges), n=70), said


@pytest.mark.filterwarnings(
    "ignore:.*(no neighbour|do not touch|cannot keep them all|clusters break)"
)
@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize("told", ["to one", "to three", "a chain", "groups", "labels"])
def test_isolated_samples_with_constraints_leave_the_number_of_clusters(estimator, told):
    graph, said = isolated_given()
    for k in (1, 2, 3, 20, 45):  # of which the last leaves must-links unkept
        model = estimator(n_clusters=k, affinity="precomputed")
        model.fit(graph, **said[told])
        assert model.n_clusters_ == k
        if k == 3:
            assert model.constraint_report_.n_broken == 0
            if told in ("to one", "to three", "labels"):
                assert adjusted_rand_score(np.arange(30) // 10, model.labels_[:30]) == 1


@pytest.mark.parametrize("given", ["labels", "pairs", "groups"])
def test_the_entropy_is_that_of_the_clusters_on_the_graph(given):
    """Whatever extra vertices the search worked with."""
    X, y = make_blobs(200, 4, centers=4, cluster_std=3.0, random_state=0)
    known = {
        "labels": Constraints.from_labels(np.where(np.arange(200) % 5 == 0, y, -1)),
        "pairs": Constraints.from_pairs([(0, 1), (2, 3)], [(4, 5)]),
        "groups": Constraints.from_groups(together=[np.flatnonzero(y == 1)[:20]]),
    }[given]
    model = SSEPartition(4).fit(X, constraints=known)
    expected = structural_entropy(model.graph_, model.labels_)
    assert model.entropy_ == pytest.approx(expected, abs=1e-12)
    assert model.trace_[-1] == pytest.approx(model.objective_, abs=1e-9)
    tree = SSEHierarchy(n_clusters=4).fit(X, constraints=known)
    assert tree.entropy_ == pytest.approx(structural_entropy(tree.graph_, tree.tree_), abs=1e-12)
    assert tree.trace_[-1] == pytest.approx(tree.objective_, abs=1e-9)


@pytest.mark.parametrize("estimator", BOTH)
def test_the_objective_is_the_entropy_with_what_constraints_cost(estimator):
    """The two are documented for what they are, and never for one another."""
    X, _ = make_blobs(200, 4, centers=4, cluster_std=3.0, random_state=0)
    model = estimator(n_clusters=4, affinity="gaussian", penalty=1e-3)
    assert model.fit(X).objective_ == model.entropy_
    model.fit(X, must_link=[(0, k) for k in range(1, 60)])  # of which some are cut
    result = model.labels_ if estimator is SSEPartition else model.tree_
    assert model.entropy_ == pytest.approx(structural_entropy(model.graph_, result), abs=1e-12)
    assert model.objective_ > model.entropy_
    documented = " ".join(estimator.__doc__.split())
    assert "entropy_ : float The structural entropy of" in documented
    assert "objective_ : float ``entropy_`` plus" in documented


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize("said", ["pairs", "labels"])
def test_a_penalty_beyond_reason_is_a_large_one(estimator, said):
    X, y = make_blobs(200, 6, centers=4, cluster_std=4.0, random_state=0)
    i, j = np.random.default_rng(0).integers(200, size=(2, 80))
    i, j, same = i[i != j], j[i != j], (y[i] == y[j])[i != j]
    pairs = Constraints.from_pairs(np.c_[i, j][same], np.c_[i, j][~same])
    known = {
        "pairs": pairs,
        "labels": Constraints.from_labels(np.where(np.arange(200) % 9 == 0, y, -1)),
    }[said]
    large, *beyond = (
        estimator(n_clusters=4, penalty=penalty).fit(X, constraints=known)
        for penalty in (10.0, 1e6, 1e12, 1e300)
    )
    assert adjusted_rand_score(y, large.labels_) > 0.6
    for model in beyond:
        assert np.array_equal(model.labels_, large.labels_)
        assert model.objective_ == large.objective_


@pytest.mark.parametrize("estimator", BOTH)
def test_weights_beyond_reason_are_large_ones(estimator):
    X, y = make_blobs(200, 6, centers=4, cluster_std=4.0, random_state=0)
    i, j = np.random.default_rng(0).integers(200, size=(2, 80))
    i, j, same = i[i != j], j[i != j], (y[i] == y[j])[i != j]
    found = []
    for weight in (10.0, 1e3, 1e12, 1e200, 1e308):
        told = Constraints.from_pairs(
            np.c_[i, j][same],
            np.c_[i, j][~same],
            weights=(np.full(same.sum(), weight), np.full((~same).sum(), weight)),
        )
        if estimator is SSEHierarchy:
            told += Constraints.from_triplets([(0, 1, 2), (3, 4, 5)], [weight, weight])
        found.append(estimator(n_clusters=4).fit(X, constraints=told))
        assert np.array_equal(found[-1].labels_, found[0].labels_)
        assert found[-1].objective_ == found[0].objective_
        assert np.array_equal(found[-1].constraints_.must_weight, told.must_weight)
    assert adjusted_rand_score(y, found[0].labels_) > 0.6
