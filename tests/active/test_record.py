"""Files of sessions: nothing acknowledged is lost, and nothing is mixed up."""

import json
import os
import signal
import warnings
from itertools import count

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from sentree import SSEPartition
from sentree.active import ActiveSession, IsClass, Question, Truth
from sentree.active import session as sessions

X, Y = make_blobs(90, centers=[(0, 0), (2.5, 0), (9, 0)], random_state=0)


@pytest.fixture(scope="module")
def model():
    return SSEPartition().fit(X)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "answers.jsonl"


def begun(model, file, n=6):
    return ActiveSession(model, strategy="random", oracle=Truth(Y), file=file).run(n)


def test_a_file_gives_the_session_back(model, file):
    killed = begun(model, file)
    killed.undo(3)
    killed.answer(IsClass("left"), Question(1, (2,)))
    for again in (
        ActiveSession.load(file, model, strategy="random"),
        ActiveSession.load(file, X, strategy="random"),
        ActiveSession(model, file=file, strategy="random"),
    ):
        assert again.answers == killed.answers
        assert np.array_equal(again.labels_, killed.labels_)
        assert again.history.equals(killed.history)
    assert again.answer("new", Question(3, (4,))).number == 8


def test_lines_can_be_read(model, file):
    begun(model, file, 2).undo()
    header, first, _, last = map(json.loads, file.read_text().splitlines())
    assert header["format"] == "sentree answers"
    assert header["data"]["samples"] == 90
    assert first["answer"] == 1
    assert first["reply"] in (0, "new")
    assert last == {"undo": 2}


def test_a_line_that_was_cut_off_is_overwritten(model, file):
    session = begun(model, file)
    whole = file.read_bytes()
    for cut in (1, 20, len(whole.splitlines()[-1])):
        file.write_bytes(whole[: -1 - cut])
        healed = ActiveSession.load(file, model, strategy="random", oracle=Truth(Y))
        assert healed.answers == session.answers[:5]
        healed.run(1)
        assert len(file.read_bytes().splitlines()) == 7
        assert ActiveSession.load(file, model, strategy="random").n_answers == 6
    file.write_bytes(whole[:-1])  # an editor may leave the last line without its end
    ActiveSession.load(file, model, strategy="random", oracle=Truth(Y)).run(1)
    assert ActiveSession.load(file, model, strategy="random").n_answers == 7


def test_files_that_are_refused(model, file):
    begun(model, file, 2)
    for other, known, told in (
        (X + 1, None, "data: both are 90 samples and 2 features, but the values differ"),
        (X[:80], None, "data: it was begun with 90 samples and 2 features, and here are 80 "),
        (X, Y, "labels or constraints: it was begun with none, and here are 90 labels. Give"),
    ):
        with pytest.raises(ValueError, match=f"has answers about other {told}"):
            ActiveSession(SSEPartition(), other, known, strategy="random", file=file)
    good = file.read_text()
    for old, new, match in (
        ('"version": 1', '"version": 2', "format version 2"),
        ("sentree answers", "others", "no file of a session"),
        ('{"answer": 1', '{"answer": ', "damaged in line 2"),
        ('"reply": ', '"reply": 1', "damaged in line 2"),
        ('"point": ', '"point": 9', "of the 90"),
    ):
        file.write_text(good.replace(old, new, 1))
        with pytest.raises(ValueError, match=match):
            ActiveSession.load(file, model, strategy="random")
    with pytest.raises(ValueError, match="y is for samples in X: fit the model with it"):
        ActiveSession.load(file, model, Y)
    with pytest.raises(FileNotFoundError, match="no file of a session"):
        ActiveSession.load(file.with_name("none"), model)
    with pytest.raises(FileNotFoundError, match="no folder"):
        ActiveSession(model, strategy="random", file=file.parent / "none" / "x")


def test_of_two_sessions_one_writes(model, file):
    first, second = begun(model, file, 1), begun(model, file, 1)
    with pytest.raises(ValueError, match="changed by somebody else"):
        first.run(1)
    assert first.n_answers == 1
    assert second.run(1).n_answers == 3


def test_answers_are_saved_to_a_new_file_only(model, file):
    session = ActiveSession(model, strategy="random", oracle=Truth(Y)).run(3)
    session.save(file)
    with pytest.raises(FileExistsError, match="not overwritten"):
        session.save(file)
    session.run(1)
    assert ActiveSession.load(file, model, strategy="random").answers == session.answers


def test_class_names_that_no_file_holds(model, file):
    session = ActiveSession(model, strategy="random", file=file)
    with pytest.raises(ValueError, match="text or a number"):
        session.answer(IsClass(("a", "b")), Question(0, (1,)))
    assert session.n_answers == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes that it forks")
def test_no_acknowledged_answer_is_lost_by_a_kill(model, tmp_path, monkeypatch):
    """Fifty processes are killed, each at another moment between two answers or within one."""
    monkeypatch.setattr(sessions, "refit", lambda model, known: model)  # only the file counts here
    random = np.random.default_rng(0)
    for run in range(50):
        file = tmp_path / f"{run}.jsonl"
        reading, writing = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
            child = os.fork()
        if child == 0:
            try:
                session = ActiveSession(model, strategy="random", file=file)
                for number in count():
                    os.write(writing, b".")  # all before this one are acknowledged
                    session.answer("same", Question(number % 80, (80 + number % 7,)))
            finally:
                os._exit(1)
        os.close(writing)
        told = sum(len(os.read(reading, 1)) for _ in range(int(random.integers(1, 6))))
        sum(range(int(random.integers(200_000))))  # some work, so that the moment differs
        os.kill(child, signal.SIGKILL)
        while more := os.read(reading, 1000):
            told += len(more)
        os.close(reading)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == signal.SIGKILL
        again = ActiveSession(model, strategy="random", file=file)
        assert again.n_answers in (told - 1, told)
        assert [one.number for one in again.answers] == list(range(1, again.n_answers + 1))
