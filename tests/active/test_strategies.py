"""Random questions, and questions about uncertain samples."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from sentree import Constraints, SSEPartition
from sentree.active import ActiveSession, Random, Truth, Uncertainty

X, Y = make_blobs(120, centers=[(0, 0), (3, 0), (9, 0)], random_state=0)
STRATEGIES = [made(form=form) for made in (Random, Uncertainty) for form in ("choice", "pair")]


@pytest.fixture(scope="module")
def model():
    return SSEPartition().fit(X)


def entailed(known, question, n=120):
    """Whether earlier answers place the sample among the options already."""
    closure = known.closure(n)
    component = closure.component
    apart = {frozenset(pair) for pair in closure.cannot.tolist()}
    own, others = component[question.point], component[list(question.options)]
    return [own == other or frozenset((own, other)) in apart for other in others.tolist()]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_is_asked_that_is_known(model, strategy):
    session = ActiveSession(model, strategy=strategy, oracle=Truth(Y))
    for _ in range(12):
        (question,) = strategy.query(session.result())
        assert not any(entailed(session.constraints, question))
        assert question.is_pair or strategy.form == "choice"
        assert sum(question.probabilities) == pytest.approx(1, abs=0.01)
        session.answer(session.oracle(question), question)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_end_is_found(strategy):
    few = SSEPartition(n_clusters=2).fit(X[:8])
    session = ActiveSession(few, strategy=strategy, oracle=Truth(Y[:8])).run()
    component = session.constraints.closure(8).component
    assert len(set(zip(component.tolist(), Y[:8].tolist(), strict=True))) == len(set(Y[:8]))
    assert strategy.query(session.result()) == []


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_candidates_and_utilities(model, strategy):
    rows = [3, 50, 70, 99]
    questions, utilities = strategy.query(
        model, candidates=rows, batch_size=2, return_utilities=True
    )
    assert {question.point for question in questions} <= set(rows)
    assert utilities.shape == (2, 120)
    assert np.flatnonzero(~np.isnan(utilities[0])).tolist() == rows
    assert np.isnan(utilities[1][questions[0].point])
    mask = np.isin(np.arange(120), rows)
    assert strategy.query(model, candidates=mask, batch_size=2) == questions


def test_samples_and_labels_do_for_a_model():
    y = np.full(120, -1)
    y[:20] = Y[:20]
    question = Uncertainty().query(X, y)[0]
    assert sorted(Y[list(question.options)]) == [0, 1, 2]
    known = Constraints.from_labels(y)
    assert Uncertainty().query(X, constraints=known) == [question]


def test_random_questions_repeat_by_seed(model):
    first = Random(random_state=1).query(model, batch_size=5)
    assert Random(random_state=1).query(model, batch_size=5) == first
    assert Random(random_state=2).query(model, batch_size=5) != first


def test_uncertain_samples_come_first_and_not_with_their_neighbours(model):
    membership = model.membership_.toarray()
    bits = -np.sum(membership * np.log2(np.where(membership > 0, membership, 1)), axis=1)
    questions = Uncertainty().query(model, batch_size=3)
    points = [question.point for question in questions]
    assert points[0] == np.argmax(bits)
    edges = model.graph_.to_scipy().toarray()
    assert not edges[np.ix_(points, points)].any()


def test_no_more_classes_are_shown_than_wanted(model):
    known = Constraints.from_labels([*range(12), *[-1] * 108])
    question = Random(max_options=5).query(model, constraints=known)[0]
    assert len(question.options) == 5
    assert question.probabilities[0] == max(question.probabilities[:-1])


def test_forms_are_checked(model):
    with pytest.raises(ValueError, match='"choice" or "pair"'):
        Random(form="triple").query(model)
