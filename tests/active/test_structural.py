"""Questions about groups along the tree of the data."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

import sentree
from sentree import Constraints, SSEHierarchy, SSEPartition
from sentree.active import (
    ActiveSession,
    IsClass,
    Random,
    Remaining,
    Structural,
    Truth,
    Uncertainty,
)
from sentree.search import units as units_module

X, Y = make_blobs(120, centers=[(0, 0), (5, 0), (12, 0)], random_state=0)
FORMS = ["choice", "pair"]


@pytest.fixture(scope="module")
def model():
    return SSEPartition().fit(X)


def saved(path, **settings):
    return sentree.load(sentree.save(SSEPartition().fit(X), path / "model.npz", **settings))


def table():
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.where(Y == 2, "yes", "no")})


MODELS = {
    "samples": lambda path: SSEPartition().fit(X),
    "sparse": lambda path: SSEPartition().fit(sp.csr_array(X)),
    "graph": lambda path: SSEPartition(affinity="precomputed").fit(SSEPartition().fit(X).graph_),
    "file": saved,
    "file without samples": lambda path: saved(path, with_samples=False),
    "merged": lambda path: SSEPartition(4).fit(X).merge(0, 1),
    "split": lambda path: SSEPartition(2).fit(X).split(0),
    "number": lambda path: SSEPartition(3).fit(X),
    "resolution": lambda path: SSEPartition(resolution=2.0).fit(X),
    "table": lambda path: SSEPartition(prepare="auto").fit(table()),
    "labels": lambda path: SSEPartition().fit(X, np.where(np.arange(120) % 30 == 0, Y, -1)),
    "hard": lambda path: SSEPartition(hard=True).fit(X),
    "copies": lambda path: SSEPartition().fit(np.repeat(X[:40], 3, axis=0)),
    "sizes": lambda path: SSEPartition(max_size=60).fit(X),
}


def entailed(known, question):
    """Whether answers place the sample with, or apart from, each of the options already."""
    closure = known.closure(120)
    apart = {frozenset(pair) for pair in closure.cannot.tolist()}
    own, *others = closure.component[[question.point, *question.options]].tolist()
    return [own == other or frozenset((own, other)) in apart for other in others]


@pytest.mark.filterwarnings("ignore:.*labels name")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", MODELS)
def test_models_of_all_kinds_are_asked_about(kind, form, tmp_path):
    model = MODELS[kind](tmp_path)
    truth = np.repeat(Y[:40], 3) if kind == "copies" else Y
    if kind == "merged":  # what an edit says is true
        pairs = model.constraints_.must_link
        truth = np.where(np.isin(Y, np.unique(Y[pairs])), 0, Y) if pairs.size else Y
    session = ActiveSession(model, oracle=Truth(truth), form=form)
    for _ in range(8):
        question = session.ask()
        if question is None:
            break
        assert question.again or not any(entailed(session.constraints, question))
        assert question.is_pair or form == "choice"
        assert len(question.probabilities) == len(question.options) + 1
        assert sum(question.probabilities) == pytest.approx(1, abs=0.01)
        assert question.utility > 0
        assert question.again or question.group[0] == question.point
        assert question.again or [one[0] for one in question.groups] == list(question.options)
        session.answer(session.oracle(question), question)
        result = session.result()
        assert np.unique(result.labels_).size == result.n_clusters_
    remaining = session.remaining
    assert 0 < remaining.certainty <= 1
    assert (question is None) <= (remaining.answers == 0)


@pytest.mark.parametrize("form", FORMS)
def test_questions_end_with_the_right_clusters(model, form):
    session = ActiveSession(model, oracle=Truth(Y), form=form)
    started = session.remaining
    session.run()
    assert session.n_answers < 60
    assert adjusted_rand_score(Y, session.labels_) > 0.95
    assert session.remaining.answers == 0 < started.answers
    assert str(session.remaining).startswith("done: ")
    assert Structural(form=form).query(session.result()) == []
    questions, utilities = Structural().query(session.result(), return_utilities=True)
    assert (questions, utilities.shape) == ([], (0, 120))


@pytest.mark.parametrize("form", FORMS)
def test_candidates_and_utilities(model, form):
    strategy, rows = Structural(form=form), [3, 50, 70, 99]
    questions, utilities = strategy.query(
        model, candidates=rows, batch_size=3, return_utilities=True
    )
    assert {question.point for question in questions} <= set(rows)
    assert len({question.point for question in questions}) == len(questions) > 1
    assert utilities.shape == (len(questions), 120)
    assert np.flatnonzero(~np.isnan(utilities[0])).tolist() == rows
    assert utilities[0][questions[0].point] == np.nanmax(utilities[0]) == questions[0].utility
    assert np.isnan(utilities[1][questions[0].point])
    assert strategy.query(model, candidates=np.isin(np.arange(120), rows), batch_size=3) == (
        questions
    )
    assert strategy.query(model, candidates=np.zeros(120, dtype=bool)) == []


def test_groups_of_samples_are_asked_about_where_samples_are_many(monkeypatch):
    monkeypatch.setattr(units_module, "_MOST_SINGLE", 50)
    model = SSEPartition().fit(X)
    _, utilities = Structural().query(model, return_utilities=True)
    assert np.isnan(utilities).sum() == 1  # all but the one that stands for a class
    rows = [3, 50]
    (question,) = Structural().query(model, candidates=rows)
    assert question.point in rows
    session = ActiveSession(model, oracle=Truth(Y)).run(12)
    assert session.result().constraint_report_.n_broken == 0
    assert adjusted_rand_score(Y, session.labels_) > 0.95


def test_options_are_limited_and_likeliest_first(model):
    y = np.full(120, -1)
    y[:12] = Y[:12]
    known = Constraints.from_labels(y)
    (question,) = Structural().query(model, constraints=known)
    assert sorted(Y[list(question.options)]) == [0, 1, 2]
    assert list(question.probabilities[:-1]) == sorted(question.probabilities[:-1], reverse=True)
    (few,) = Structural(max_options=2).query(model, constraints=known)
    assert few.options == question.options[:2] or few.point != question.point
    assert Structural().query(model, y) == [question]
    assert Structural().query(X, y)[0].is_pair is False


def test_names_of_classes_are_kept(model):
    session = ActiveSession(model)
    for _ in range(6):
        if (question := session.ask()) is None:
            break
        session.answer(IsClass("abc"[Y[question.point]]), question)
    result = session.result()
    for number, name in enumerate(result.cluster_names_):
        inside = Y[result.labels_ == number]
        assert name is None or "abc"[np.bincount(inside).argmax()] == name


def test_the_first_question_places_many(model):
    (question,) = Structural().query(model)
    assert question.n_settled > 10
    assert isinstance(Structural().estimate(model), Remaining)


def test_what_cannot_be_asked_about_is_refused():
    with pytest.raises(ValueError, match="form must be"):
        Structural(form="list").query(X)
    with pytest.raises(TypeError, match="got SSEHierarchy"):
        Structural().query(SSEHierarchy().fit(X))


def test_one_row_repeated_leaves_nothing_to_ask():
    assert Structural().query(SSEPartition().fit(np.ones((6, 2)))) == []


def test_more_classes_than_options_are_found():
    session = ActiveSession(SSEPartition().fit(X[:25]), oracle=Truth(np.arange(25))).run()
    assert session.result().n_clusters_ >= 24  # the last may be left out when all is sure


@pytest.mark.parametrize("form", FORMS)
def test_no_sample_is_shown_on_both_sides_of_a_question(form):
    """Three rows, repeated: few samples stand for the groups."""
    rows, classes = np.repeat([(1.0, 3.0), (5.0, 9.0), (9.0, 1.0)], 10, axis=0), [0, 1, 2]
    session = ActiveSession(SSEPartition(), rows, form=form, oracle=Truth(np.repeat(classes, 10)))
    shown = 0
    while (question := session.ask()) is not None:
        if not question.again:
            assert question.group[0] == question.point
            assert tuple(group[0] for group in question.groups) == question.options
            samples = [*question.group, *(one for group in question.groups for one in group)]
            assert len(set(samples)) == len(samples)
            shown += 1
        session.answer(session.oracle(question))
    assert shown >= 2


def test_a_model_that_is_not_fitted_is_refused():
    with pytest.raises(NotFittedError, match="not fitted yet"):
        Structural().query(SSEPartition())


@pytest.mark.parametrize("strategy", [Structural, Random, Uncertainty])
def test_no_options_and_no_questions_are_refused(strategy):
    model = SSEPartition().fit(X[:20])
    with pytest.raises(ValueError, match="max_options must be at least 1, got 0"):
        strategy(max_options=0).query(model)
    with pytest.raises(ValueError, match="batch_size must be at least 1, got -1"):
        strategy().query(model, batch_size=-1)
