"""Answers: which of them are believed, what those say together, and which are worth a doubt.

An answer is wrong now and then. How often is learnt from answers that were asked for again. What
the clusters expected, the replies, and that rate give the probability that an answer is right: one
that was likely anyway needs no proof, one that nobody expected does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sentree.active.questions import NEW, UNSURE, IsClass, Question, Reply
from sentree.constraints import Constraints

__all__ = ["Answer", "Standing", "State", "weigh"]

#: Before anything is known: one of so many answers is wrong.
_ONE_WRONG_IN = 20
#: The least probability of a reply.
_LEAST = 1e-3


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
    wrong: dict[int, float]  #: Probability that an answer is wrong, by the number of the first.


@dataclass
class _Matter:
    """A question that was asked once or more, and the votes on it."""

    first: Answer
    votes: dict[Reply, list[int]] = field(default_factory=dict)

    def chances(self, noise: float, expected: Sequence[float]) -> dict[Reply, float]:
        """Return the probability of every reply that was given."""
        replies = (*range(len(self.first.question.options)), NEW)
        replies += tuple(one for one in self.votes if isinstance(one, IsClass))
        prior = np.maximum((*expected, *[_LEAST] * len(replies))[: len(replies)], _LEAST)
        slip = noise / max(len(replies) - 1, 1)
        given = [len(self.votes.get(reply, ())) for reply in replies]
        score = np.log(prior) + np.array(given) * np.log((1 - noise) / slip)
        chance = np.exp(score - score.max())
        chance /= chance.sum()
        return {one: float(p) for one, p in zip(replies, chance, strict=True) if one in self.votes}


def weigh(
    answers: Sequence[Answer], known: Constraints, expected: Mapping[int, Sequence[float]]
) -> Standing:
    """Decide which answers are believed.

    Of several replies to one question the likeliest is. Of questions whose answers contradict one
    another, those that are surer are believed.

    Parameters
    ----------
    answers : sequence of Answer
        In the order of their numbers.
    known : Constraints
        What was known before, and is not doubted.
    expected : mapping of numbers to probabilities
        What is expected of a question now, in place of what was expected when it was asked.
    """
    matters: dict[int, _Matter] = {}
    for answer in answers:
        first = answer.number if answer.about not in matters else answer.about
        matter = matters.setdefault(first, _Matter(answer))
        if answer.reply != UNSURE:
            matter.votes.setdefault(answer.reply, []).append(answer.number)
    split = sum(len(matter.votes) > 1 for matter in matters.values())
    noise = (1 + split) / (_ONE_WRONG_IN + len(answers))
    winners: list[tuple[float, int, list[int]]] = []
    for number, matter in matters.items():
        if matter.votes:
            usual = expected.get(number) or _usual(matter.first.question)
            chance = matter.chances(noise, usual)
            best = max(chance, key=chance.__getitem__)
            winners.append((1 - chance[best], number, matter.votes[best]))
    winners.sort(key=lambda one: one[:2])
    by_number = {answer.number: answer for answer in answers}
    everything = [by_number[one] for *_, numbers in winners for one in numbers]
    said = known + _statements(everything)
    wrong = {number: chance for chance, number, _ in winners}
    if not said.conflicts():
        return Standing(frozenset(one.number for one in everything), said, wrong)
    accepted: list[Answer] = []
    for _, number, numbers in winners:
        more = [*accepted, *(by_number[one] for one in numbers)]
        if (known + _statements(more)).conflicts():
            wrong[number] = 1.0
        else:
            accepted = more
    believed = frozenset(one.number for one in accepted)
    return Standing(believed, known + _statements(accepted), wrong)


def _usual(question: Question) -> Sequence[float]:
    """Return what was expected when a question was asked."""
    n = len(question.options) + 1
    return question.probabilities or [1 / n] * n


def _statements(answers: Sequence[Answer]) -> Constraints:
    """Return what answers say, in the order of their numbers."""
    together: list[Any] = []
    apart: list[Any] = []
    labels: list[tuple[int, Any]] = []
    for answer in sorted(answers, key=lambda one: one.number):
        if isinstance(answer.reply, IsClass):
            labels.append((answer.question.point, answer.reply.name))
        elif answer.reply != UNSURE:
            said = answer.question.constraints(answer.reply)
            together.extend(said.must_link.tolist())
            apart.extend(said.cannot_link.tolist())
    codes: dict[Any, int] = {}
    code = [codes.setdefault(name, len(codes)) for _, name in labels]
    points = [point for point, _ in labels]
    pairs = Constraints.from_pairs(together, apart)
    return pairs + Constraints(
        label_index=np.array(points, dtype=np.int64),
        label_code=np.array(code, dtype=np.int64),
        classes=tuple(codes),
    )
