"""Which answers are believed, and which are doubted."""

import pytest

from sentree import Constraints
from sentree.active import Answer, IsClass, Question
from sentree.active.answers import doubtful, weigh

NOTHING = Constraints()


def pair(number, i, j, reply, about=None, p=(0.5, 0.5)):
    question = Question(i, (j,), probabilities=p)
    return Answer(number, question, question.read(reply), about)


def asked_again(answers, known=NOTHING):
    standing = weigh(answers, known)
    found = doubtful(answers, standing, lambda question: question.probabilities, 0.5)
    return [answer.number for answer in found]


def test_answers_that_agree_are_all_believed():
    answers = [pair(1, 0, 1, "same"), pair(2, 1, 2, "different"), pair(3, 0, 3, "unsure")]
    standing = weigh(answers, NOTHING)
    assert standing.believed == {1, 2}
    assert standing.said.must_link.tolist() == [[0, 1]]
    assert standing.said.cannot_link.tolist() == [[1, 2]]
    assert asked_again(answers) == []


def test_of_a_contradiction_the_least_likely_answer_is_not_believed():
    answers = [
        pair(1, 0, 1, "same"),
        pair(2, 1, 2, "same", p=(0.2, 0.8)),
        pair(3, 0, 2, "different"),
    ]
    standing = weigh(answers, NOTHING)
    assert standing.believed == {1, 3}
    assert standing.said.conflicts() == []
    assert asked_again(answers) == [2]


def test_an_answer_given_twice_outvotes_another():
    answers = [
        pair(1, 0, 1, "same"),
        pair(2, 1, 2, "same", p=(0.2, 0.8)),
        pair(3, 0, 2, "different"),
        pair(4, 1, 2, "same", about=2, p=(0.2, 0.8)),
    ]
    standing = weigh(answers, NOTHING)
    assert standing.believed == {1, 2, 4}
    assert asked_again(answers) == [3]


def test_what_was_known_before_is_not_doubted():
    known = Constraints.from_pairs([(0, 1)])
    standing = weigh([pair(1, 0, 1, "different", p=(0.01, 0.99))], known)
    assert standing.believed == frozenset()
    assert standing.said.conflicts() == []


def test_of_two_replies_the_expected_one_is_believed():
    answers = [pair(1, 0, 1, "same", p=(0.1, 0.9))]
    answers.append(pair(2, 0, 1, "different", about=1, p=(0.1, 0.9)))
    assert weigh(answers, NOTHING).believed == {2}
    # Without the first answer, the second stands for itself.
    assert weigh(answers[1:], NOTHING).believed == {2}


def test_only_surprising_answers_are_doubted_and_only_once():
    likely, odd = pair(1, 0, 1, "same", p=(0.3, 0.7)), pair(2, 2, 3, "same", p=(0.01, 0.99))
    assert asked_again([likely, odd]) == [2]
    assert asked_again([likely, odd, pair(3, 2, 3, "same", about=2, p=(0.01, 0.99))]) == []
    assert asked_again([likely, odd, pair(3, 2, 3, "unsure", about=2, p=(0.01, 0.99))]) == []


def test_wrong_answers_are_learnt_from():
    once = [pair(1, 0, 1, "same", p=(0.02, 0.98))]
    assert weigh(once, NOTHING).noise == pytest.approx(1 / 21)
    twice = [*once, pair(2, 0, 1, "different", about=1, p=(0.02, 0.98))]
    assert weigh(twice, NOTHING).noise == pytest.approx(2 / 22)
    assert weigh(twice, NOTHING).surprise == pytest.approx(1 / 22)


def test_confirmed_answers_speak_against_the_clusters():
    odd = {"p": (0.01, 0.99)}
    answers = [pair(k, 2 * k, 2 * k + 1, "same", **odd) for k in range(1, 4)]
    assert asked_again(answers) == [1, 2, 3]
    answers += [pair(k + 3, 2 * k, 2 * k + 1, "same", about=k, **odd) for k in range(1, 3)]
    assert weigh(answers, NOTHING).surprise == pytest.approx(3 / 25)
    assert asked_again(answers) == []


def test_names_of_classes_count_as_replies():
    a, b = (Answer(k, Question(0, (5,)), IsClass(name)) for k, name in ((1, "a"), (2, "b")))
    standing = weigh([a, b], NOTHING)
    assert standing.believed == {1}
    assert standing.said.classes == ("a",)
    assert asked_again([a, b]) == [2]
