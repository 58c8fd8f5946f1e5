"""Sessions: what answers do, and how they are taken back."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs

from sentree import Constraints, SSEHierarchy, SSEPartition
from sentree.active import ActiveSession, IsClass, Question, Random, Truth


@pytest.fixture(scope="module")
def blobs():
    """Four blobs, two of which overlap."""
    return make_blobs(160, centers=[(0, 0), (2.5, 0), (9, 0), (0, 9)], random_state=0)


@pytest.fixture(scope="module")
def model(blobs):
    return SSEPartition().fit(blobs[0])


@pytest.fixture
def session(model, blobs):
    return ActiveSession(model, strategy="random", oracle=Truth(blobs[1]))


def test_a_question_stays_until_it_is_answered(session):
    first = session.ask()
    assert session.ask() == first
    assert session.ask(3)[0] == first
    session.answer("new")
    assert session.ask() != first


def test_answers_are_kept_by_the_result(session):
    session.run(12)
    assert session.n_answers == 12
    said = sum((a.question.constraints(a.reply) for a in session.answers), Constraints())
    assert np.array_equal(session.constraints.must_link, said.must_link)
    result = session.result()
    assert result.constraints_ is session.constraints
    assert np.array_equal(result.labels_, session.labels_)
    result.refit(constraints=Constraints(), keep=False)
    assert session.constraints is session.result().constraints_


def test_the_model_is_not_changed(model, session):
    before = model.labels_.copy()
    session.run(5)
    assert np.array_equal(model.labels_, before)
    assert len(model.constraints_) == 0


def test_an_answer_taken_back_leaves_no_trace(session):
    session.run(4)
    labels, asked = session.labels_, session.asked
    fifth = session.run(1).answers[-1]
    assert session.undo() == fifth
    assert np.array_equal(session.labels_, labels)
    assert np.array_equal(session.asked, asked)
    assert session.ask() == fifth.question
    session.undo(2)
    assert session.history.index.tolist() == [1, 3, 4]
    with pytest.raises(ValueError, match="no answer number 2"):
        session.undo(2)


def test_unsure_samples_come_last_and_only_once_more(model):
    few = np.zeros(160, dtype=bool)
    few[:4] = True

    class Few(Random):
        def query(self, X, y=None, *, candidates, **options):
            return Random.query(self, X, candidates=candidates & few, **options)

    session = ActiveSession(model, strategy=Few(), oracle=lambda question: "unsure")
    session.run()
    points = [answer.question.point for answer in session.answers]
    assert sorted(points[:4]) == sorted(points[4:]) == [0, 1, 2, 3]
    assert len(session.constraints) == 0
    assert session.ask() is None


def test_own_questions_and_names_of_classes(session):
    session.answer("same", Question(0, (1,)))
    session.answer(IsClass("left"), Question(0, (1,)))
    assert session.constraints.classes == ("left",)
    assert session.result().cluster_names_.count("left") == 1
    with pytest.raises(ValueError, match="of the 160 that there are"):
        session.answer(0, Question(0, (160,)))
    with pytest.raises(ValueError, match="none of"):
        session.answer("perhaps", Question(0, (1,)))


def test_history_has_the_state_after_every_answer(session):
    history = session.run(3).history
    assert list(history.columns[-4:]) == ["n_clusters", "changed", "certainty", "seconds"]
    assert history.n_clusters.iloc[-1] == session.result().n_clusters_
    assert history.certainty.between(0, 1).all()
    assert history.believed.all()


@pytest.mark.parametrize("strategy", ["structural", "uncertainty", "random"])
def test_two_samples_are_sure_after_one_answer(strategy):
    session = ActiveSession(SSEPartition(2), [[0.0], [1.0]], strategy=strategy)
    assert 0.5 < session.remaining.certainty < 0.99
    session.answer("different", Question(0, (1,)))
    assert session.remaining.certainty > 0.99
    assert session.ask() is None


def test_samples_are_clustered_by_a_clone(blobs):
    model = SSEPartition(n_clusters=4)
    labels = np.full(160, -1)
    labels[:20] = blobs[1][:20]
    session = ActiveSession(model, blobs[0], labels, strategy="random")
    assert not hasattr(model, "labels_")
    assert session.constraints.counts["labels"] == 20
    assert len(session.ask().options) == 4


@pytest.mark.parametrize("hard", [False, True])
def test_more_classes_than_clusters_get_clusters_of_their_own(hard):
    X, y = load_iris(return_X_y=True)
    session = ActiveSession(SSEPartition(2, hard=hard), X, strategy="random")
    first = [int(np.flatnonzero(y == c)[0]) for c in range(3)]
    for c in (1, 2):
        session.answer("new", Question(first[c], tuple(first[:c])))
    assert np.unique(session.labels_[first]).size == 3
    session.undo()
    assert session.result().n_clusters_ == session.result().n_clusters == 2


def test_answers_that_two_clusters_cannot_keep_apart_though_no_three_are_apart():
    circle = [0, 1, 2, 3, 4]
    session = ActiveSession(SSEPartition(2, hard=True), load_iris().data, strategy="random")
    for a, b in zip(circle, np.roll(circle, 1).tolist(), strict=True):
        session.answer("different", Question(a, (b,)))
    found = session.labels_[circle]
    assert session.result().n_clusters_ == 3
    assert (found != np.roll(found, 1)).all()


def test_hard_answers_without_room_are_refused_with_the_reason():
    model = SSEPartition(2, hard=True, min_size=60)
    session = ActiveSession(model, load_iris().data, strategy="random")
    session.answer("new", Question(0, (1,)))
    with pytest.raises(ValueError, match="3 clusters of at least 60 samples need 180 samples"):
        session.answer("new", Question(2, (0, 1)))
    assert session.n_answers == 1


def test_what_a_session_cannot_take(model, session):
    with pytest.raises(TypeError, match="SSEHierarchy with the answers"):
        ActiveSession(SSEHierarchy())
    with pytest.raises(ValueError, match="not fitted"):
        ActiveSession(SSEPartition())
    with pytest.raises(ValueError, match="y is for samples in X"):
        ActiveSession(model, y=[0])
    with pytest.raises(ValueError, match="strategy must be one of"):
        ActiveSession(model, strategy="best")
    with pytest.raises(TypeError, match="method query"):
        ActiveSession(model, strategy=3)
    with pytest.raises(ValueError, match="no open question"):
        session.answer("new")
    with pytest.raises(ValueError, match="no answer to take back"):
        session.undo()
    with pytest.raises(ValueError, match="an oracle"):
        ActiveSession(model, strategy="random").run()


def test_a_wrong_answer_is_asked_for_again_and_outvoted(model, blobs):
    """Of a blob that is known well, a sample in its middle is said to be of another one."""
    X, y = blobs
    far = np.flatnonzero(y == 2)
    middle = far[np.argsort(((X[far] - X[far].mean(axis=0)) ** 2).sum(axis=1))]
    session = ActiveSession(model, oracle=Truth(y))
    other = int(np.flatnonzero(y == 3)[0])
    for sample in middle[1:12].tolist():
        session.answer(0, Question(sample, (int(middle[20]), other)))
    wrong = session.answer(1, Question(int(middle[0]), (int(middle[20]), other)))
    labels = session.labels_
    question = session.ask()
    assert question.again
    assert question.point == wrong.question.point
    assert question.options != wrong.question.options  # others that are known to be alike
    right = session.answer(0)
    assert right.about == wrong.number
    assert session.history.believed.sum() == 12
    assert not session.history.believed[wrong.number]
    assert session.labels_[middle[0]] == session.labels_[middle[1]] != labels[middle[0]]


def test_samples_that_others_say_are_alike_are_asked_about_again_as_they_are():
    """Nothing stands for either of two samples but the other one."""
    X, y = make_blobs(60, centers=3, cluster_std=2, random_state=1)
    session = ActiveSession(SSEPartition(), X, oracle=Truth(y, noise=0.3))
    again = 0
    for _ in range(25):
        question = session.ask()
        rows = (question.point, *question.options)
        assert len(set(rows)) == len(rows)
        again += question.again
        session.answer(session.oracle(question))
    assert again
