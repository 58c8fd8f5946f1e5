"""Replies from known classes."""

import numpy as np
import pytest

from sentree.active import Question, Truth

Y = ["a", "b", "a", "c", None, -1, np.nan]


def test_right_replies():
    oracle = Truth(Y)
    assert oracle(Question(0, (1, 2))) == 1
    assert oracle(Question(3, (0, 1))) == "new"
    assert oracle(Question(0, (4, 2))) == 1
    assert oracle(Question(0, (4, 1))) == "new"


@pytest.mark.parametrize("question", [Question(k, (0, 1)) for k in (4, 5, 6)] + [Question(0, (4,))])
def test_gaps_are_unsure(question):
    assert Truth(Y)(question) == "unsure"


def test_all_replies_can_be_wrong():
    oracle = Truth(Y, noise=1)
    assert {oracle(Question(0, (2,))) for _ in range(9)} == {"new"}
    assert {oracle(Question(0, (1,))) for _ in range(9)} == {0}
    assert {oracle(Question(0, (1, 2, 3))) for _ in range(50)} == {0, 2, "new"}


def test_wrong_replies_are_independent_and_repeat_by_seed():
    question = Question(0, (1, 2, 3))
    replies = [[Truth(Y, 0.3, random_state=seed)] * 2000 for seed in (1, 1, 2)]
    first, same, other = ([oracle(question) for oracle in some] for some in replies)
    assert first == same != other
    assert np.mean(np.array(first, dtype=object) != 1) == pytest.approx(0.3, abs=0.03)


def test_unsure_replies():
    oracle = Truth(Y, unsure=0.5, random_state=0)
    replies = [oracle(Question(0, (1, 2))) for _ in range(1000)]
    assert replies.count("unsure") == pytest.approx(500, abs=50)
    assert set(replies) == {1, "unsure"}


@pytest.mark.parametrize("share", [-0.1, 1.1])
def test_shares_are_checked(share):
    with pytest.raises(ValueError, match="noise must be a share"):
        Truth(Y, noise=share)


def test_classes_of_too_few_samples_are_told():
    with pytest.raises(ValueError, match="sample 7, but y has 2 classes only"):
        Truth(["a", "b"])(Question(0, (1, 7)))
