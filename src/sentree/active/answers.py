"""Answers: which of them are believed, what those say together, and which are worth a doubt.

An answer that the clusters did not expect is wrong, or the clusters are. How often each happens is
learnt from what is asked for again: the same reply speaks against the clusters, another one against
the first. What the clusters expect and these two rates give the probability that a reply is right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from sentree.active.questions import NEW, UNSURE, IsClass, Question, Reply
from sentree.constraints import Constraints

__all__ = ["Answer", "Standing", "State", "doubtful", "weigh"]

#: Before anything is known: one of so many answers is wrong, and one of as many expectations.
_ONE_WRONG_IN = 20


@dataclass(frozen=True)
class State:
    """Where a session stands after an answer."""

    n_clusters: int  #: Number of clusters.
    changed: float  #: Share of the samples that changed their cluster.
    certainty: float  #: How sure the clusters are, from 0 to 1.
    seconds: float  #: What taking the answer in took.


@dataclass(frozen=True)
class Answer:
    """A reply to a question, and what it led to."""

    number: int  #: 1 for the first answer of a session.
    question: Question
    reply: Reply
    about: int | None = None  #: The number of the earlier answer that was asked for again.
    state: State | None = None


class Standing(NamedTuple):
    """What answers are worth together."""

    believed: frozenset[int]  #: Numbers of the answers that count.
    said: Constraints  #: What is known with them; never contradictory.
    noise: float = 1 / _ONE_WRONG_IN  #: Share of wrong answers.
    surprise: float = 1 / _ONE_WRONG_IN  #: Share of wrong expectations.
    #: Numbers of those that were overruled and not asked for again.
    overruled: frozenset[int] = frozenset()


@dataclass
class _Matter:
    """A question that was asked once or more, and the votes on it."""

    last: Answer
    n_asked: int = 0
    votes: dict[Reply, list[int]] = field(default_factory=dict)

    def take(self, answer: Answer) -> None:
        """Count a vote."""
        self.last = answer
        self.n_asked += 1
        if answer.reply != UNSURE:
            self.votes.setdefault(answer.reply, []).append(answer.number)

    def chances(
        self, expected: Sequence[float], noise: float, surprise: float
    ) -> dict[Reply, float]:
        """Return the probability that each reply is right, of those that were given."""
        n = len(self.last.question.options) + 1
        replies = (*range(n - 1), NEW, *(one for one in self.votes if isinstance(one, IsClass)))
        prior = np.full(len(replies), 1 / n)
        prior[:n] = (1 - surprise) * np.asarray(expected or prior[:n]) + surprise / n
        slip = noise / (n - 1)
        votes = np.array([len(self.votes.get(reply, ())) for reply in replies])
        score = np.log(prior) + votes * np.log((1 - noise) / slip)
        chance = np.exp(score - score.max())
        chance /= chance.sum()
        return {one: float(p) for one, p in zip(replies, chance, strict=True) if one in self.votes}


def _matters(answers: Sequence[Answer]) -> dict[int, _Matter]:
    """Gather the answers to the same question, by the number of the first."""
    found: dict[int, _Matter] = {}
    for answer in answers:
        first = answer.about if answer.about in found else answer.number
        found.setdefault(first, _Matter(answer)).take(answer)
    return found


def weigh(answers: Sequence[Answer], known: Constraints) -> Standing:
    """Decide which answers are believed.

    Of several replies to one question the likeliest is. Of questions whose answers contradict one
    another, those that are surer are believed.

    Parameters
    ----------
    answers : sequence of Answer
        In the order of their numbers.
    known : Constraints
        What was known before, and is not doubted.
    """
    matters = _matters(answers)
    refuted = sum(len(matter.votes) > 1 for matter in matters.values())
    again = [sum(map(len, matter.votes.values())) > 1 for matter in matters.values()]
    noise, surprise = (
        (1 + count) / (_ONE_WRONG_IN + len(answers)) for count in (refuted, sum(again) - refuted)
    )
    winners: list[tuple[float, int, list[int]]] = []
    for number, matter in matters.items():
        if matter.votes:
            chance = matter.chances(matter.last.question.probabilities, noise, surprise)
            best = max(chance, key=chance.__getitem__)
            winners.append((1 - chance[best], number, matter.votes[best]))
    by_number = {answer.number: answer for answer in answers}
    accepted = [by_number[one] for *_, numbers in winners for one in numbers]
    said = known + _statements(accepted)
    overruled = set()
    if said.conflicts():
        accepted = []
        for _, number, numbers in sorted(winners):
            more = [*accepted, *(by_number[one] for one in numbers)]
            if (known + _statements(more)).conflicts():
                overruled.add(number)
            else:
                accepted = more
        said = known + _statements(accepted)
    believed = frozenset(one.number for one in accepted)
    return Standing(believed, said, noise, surprise, frozenset(overruled))


def doubtful(
    answers: Sequence[Answer],
    standing: Standing,
    expected: Callable[[Question], Sequence[float]],
    at_least: float,
) -> list[Answer]:
    """Return the answers that are probably wrong and were not asked for again, worst first.

    Parameters
    ----------
    answers : sequence of Answer
        All answers.
    standing : Standing
        What they are worth together.
    expected : callable
        Gives the probability of each option of a question, and of "new", by what is known now.
    at_least : float
        The least probability of being wrong.
    """
    found: list[tuple[float, int, Answer]] = []
    for number, matter in _matters(answers).items():
        if matter.n_asked == 1 and matter.votes:
            usual = expected(matter.last.question)
            (right,) = matter.chances(usual, standing.noise, standing.surprise).values()
            wrong = 1.0 if number in standing.overruled else 1 - right
            if wrong >= at_least:
                found.append((-wrong, number, matter.last))
    return [answer for *_, answer in sorted(found, key=lambda one: one[:2])]


def _statements(answers: Sequence[Answer]) -> Constraints:
    """Return what answers say, in the order of their numbers."""
    pairs: tuple[list[Any], list[Any]] = [], []
    labels: list[tuple[int, Any]] = []
    for answer in sorted(answers, key=lambda one: one.number):
        if isinstance(answer.reply, IsClass):
            labels.append((answer.question.point, answer.reply.name))
        else:
            for all_, some in zip(pairs, _pairs(answer.question, answer.reply), strict=True):
                all_.extend(some)
    codes: dict[Any, int] = {}
    return Constraints.from_pairs(*pairs) + Constraints(
        label_index=np.array([point for point, _ in labels], dtype=np.int64),
        label_code=np.array([codes.setdefault(c, len(codes)) for _, c in labels], dtype=np.int64),
        classes=tuple(codes),
    )


@lru_cache(maxsize=10_000)
def _pairs(question: Question, reply: Reply) -> tuple[list[Any], list[Any]]:
    """Return the pairs that a reply keeps together, and those that it keeps apart."""
    said = question.constraints(reply)
    return said.must_link.tolist(), said.cannot_link.tolist()
