"""ActiveSession: questions one after another, and clusters that follow the answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from sentree import __version__
from sentree.active.answers import Answer, Standing, State, doubtful, weigh
from sentree.active.beliefs import Beliefs
from sentree.active.doubts import Doubts
from sentree.active.knowledge import prepare, refit
from sentree.active.questions import UNSURE, Oracle, Question
from sentree.active.record import (
    Record,
    data_digest,
    entry_of,
    known_digest,
    read_answers,
    read_header,
)
from sentree.active.situation import Remaining, Situation
from sentree.constraints import ConstraintConflict, Constraints
from sentree.estimators.partition import SSEPartition
from sentree.search.hard import check_room
from sentree.search.starts import keep_numbers

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ActiveSession"]

_STRATEGIES = {"structural": "Structural", "uncertainty": "Uncertainty", "random": "Random"}
#: An answer is asked for again if it is wrong with this probability.
_DOUBTED = 0.15
#: Somebody who was unsure about a sample this many times is not asked about it any more.
_UNSURE_TWICE = 2


class ActiveSession:
    """Ask questions about samples, and cluster them by the answers.

    Parameters
    ----------
    model : SSEPartition
        A fitted model, or an unfitted one with the samples in ``X``. It is not changed.
    X : array-like, data frame, sparse matrix or Graph, optional
        Samples, to which a clone of the model is fitted.
    y : array-like of shape (n_samples,), optional
        Known classes of samples, as in :meth:`SSEPartition.fit`. They are not doubted.
    strategy : {"structural", "uncertainty", "random"} or object, default="structural"
        Which questions are asked: a name, or an object with a method ``query`` such as
        :class:`~sentree.active.Random`.
    form : {"choice", "pair"}, default="choice"
        Whether questions are choices among groups or about pairs. Objects have their own form.
    oracle : callable, optional
        Whoever replies to questions in :meth:`run`: a function from a
        :class:`~sentree.active.Question` to a reply, such as :class:`~sentree.active.Truth`.
    file : path-like, optional
        A file to which every answer is written at once. If it exists, the session goes on where
        its answers end.
    random_state : int, optional
        Seed of the strategy "random".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sentree import SSEPartition
    >>> from sentree.active import ActiveSession, Truth
    >>> X, y = load_iris(return_X_y=True)
    >>> session = ActiveSession(SSEPartition(), X, oracle=Truth(y))
    >>> session.run(5).n_answers
    5
    >>> session.undo().number
    5
    """

    def __init__(
        self,
        model: SSEPartition,
        X: Any = None,
        y: ArrayLike | None = None,
        *,
        strategy: Any = "structural",
        form: str = "choice",
        oracle: Oracle | None = None,
        file: str | os.PathLike[str] | None = None,
        random_state: int | None = None,
    ) -> None:
        self._base = _fitted(model, X, y)
        self.strategy = _strategy(strategy, form, random_state)
        self.oracle = oracle
        self._n = self._base.graph_.n
        self._answers: list[Answer] = []
        self._last = 0
        self._pending: list[Question] = []
        self._again: dict[Question, int] = {}  # the answer that a question doubts
        self._record: Record | None = None
        prepare(self._base)  # once, for all questions and refits
        self._set(Standing(frozenset(), self._base.constraints_), self._base)
        if file is not None:
            self._open(Path(file))

    def _open(self, path: Path) -> None:
        """Begin a file, or take in the answers of one."""
        self._record = Record(path, self._header())
        self._answers, self._last = read_answers(path, self._record.lines)
        for answer in self._answers:
            self._check(answer.question)
        if self._answers:
            self._take_in(self._answers)

    def _header(self) -> dict[str, Any]:
        """Tell what the answers of this session are about."""
        plain = {k: v for k, v in self._base.get_params(deep=False).items() if _is_plain(v)}
        return {
            "sentree": __version__,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "data": data_digest(self._base),
            "known": known_digest(self._base.constraints_),
            "model": plain,
            "strategy": type(self.strategy).__name__,
        }

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], data: Any, y: ArrayLike | None = None, **options: Any
    ) -> Self:
        """Go on with the session of a file.

        Parameters
        ----------
        path : path-like
            The file; further answers are added to it.
        data : fitted model or samples
            What the session was about. A model for samples is made with the parameters in the file.
        y : array-like, optional
            What was known when the session began. Only with samples: a fitted model knows it.
        **options
            Further parameters of the session, such as ``strategy`` and ``oracle``.
        """
        source = Path(path)
        if not source.exists() or not source.stat().st_size:
            raise FileNotFoundError(f"there is no file of a session at {source}")
        if isinstance(data, SSEPartition):
            return cls(data, None, y, file=source, **options)
        return cls(SSEPartition(**read_header(source)["model"]), data, y, file=source, **options)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the answers to a new file, where this session goes on writing them."""
        target = Path(path)
        if target.exists():
            raise FileExistsError(
                f"{target} exists and is not overwritten: to go on with the answers in it, open a "
                "session with it"
            )
        record = Record(target, self._header())
        for answer in self._answers:
            record.add(entry_of(answer))
        self._record = record
        return target

    def ask(self, n: int = 1) -> Any:
        """Return the next question, or None if there is none; a list of questions if n > 1.

        Questions that are not answered yet come first.
        """
        while len(self._pending) < n:
            more = self._doubted() or self._query(n - len(self._pending))
            if not more:
                break
            self._pending.extend(more)
        if n > 1:
            return self._pending[:n]
        return self._pending[0] if self._pending else None

    def _query(self, n: int) -> list[Question]:
        """Ask the strategy, last of all about samples that somebody was unsure of."""
        unsure = np.zeros(self._n, dtype=np.int64)
        for answer in self._answers:
            if answer.reply == UNSURE:
                unsure[[answer.question.point, *answer.question.group]] += 1
        free = np.ones(self._n, dtype=bool)
        free[[question.point for question in self._pending]] = False
        for allowed in (free & (unsure == 0), free & (unsure < _UNSURE_TWICE)):
            found: list[Question] = self.strategy.query(
                self._model, constraints=self.constraints, candidates=allowed, batch_size=n
            )
            if found or not unsure.any():
                break
        return found

    def _doubted(self) -> list[Question]:
        """Return the question of the most doubtful answer, to be asked again, if there is one."""
        if not self._answers:
            return []
        asked = {self._again.get(question) for question in self._pending}
        doubts = Doubts(self._model, self.constraints)
        for answer in doubtful(self._answers, self._standing, doubts.expected, _DOUBTED):
            if answer.number not in asked:
                question = self._once_more(answer, doubts.expected(answer.question))
                self._again[question] = answer.number
                return [question]
        return []

    def _once_more(self, answer: Answer, expected: Sequence[float]) -> Question:
        """Ask a question again, about other samples that are known to be alike where there are any.

        The answer itself is no reason to call samples alike.
        """
        others = [one for one in self._answers if one.number != answer.number]
        known = weigh(others, self._base.constraints_).said
        now = Situation.of(self._model, None, known, None)
        question = answer.question
        asked = [question.point, *question.options]
        rows = [now.alike(row) for row in asked]
        if len(set(rows)) < len(rows):  # other answers say that two of them are alike
            rows = asked
        return replace(
            question,
            point=rows[0],
            options=tuple(rows[1:]),
            group=(),
            groups=(),
            probabilities=tuple(round(p, 4) for p in expected),
            again=True,
        )

    def answer(self, reply: Any, question: Question | None = None) -> Answer:
        """Take in a reply: write it to the file, and cluster again.

        Parameters
        ----------
        reply : int, str or IsClass
            The position of the group that the sample belongs to, "new", "unsure", for pairs also
            "same" and "different", or :class:`~sentree.active.IsClass`.
        question : Question, optional
            The question; by default the first one that was asked and is not answered. Questions of
            your own are as welcome.

        Returns
        -------
        Answer
            With the state after it. If taking it in fails, nothing changes.
        """
        if question is None:
            if not self._pending:
                raise ValueError("there is no open question to answer: call ask() first")
            question = self._pending[0]
        self._check(question)
        start = perf_counter()
        number = self._last + 1
        new = Answer(number, question, question.read(reply), self._again.get(question))
        before = self._model.labels_
        standing, model = self._taken([*self._answers, new])
        remaining = self._estimate(standing, model)
        moved = keep_numbers(model.labels_, before, np.empty(0, dtype=np.int64)) != before
        new = replace(
            new,
            state=State(
                n_clusters=int(model.n_clusters_),
                changed=round(float(moved.mean()), 4),
                certainty=round(remaining.certainty, 4),
                seconds=round(perf_counter() - start, 3),
            ),
        )
        if self._record is not None:
            self._record.add(entry_of(new))
        self._answers, self._last = [*self._answers, new], number
        self._pending = [one for one in self._pending if one != question]
        self._set(standing, model)
        return new

    def undo(self, number: int | None = None) -> Answer:
        """Take back an answer, by default the last one; its question is then asked next."""
        numbers = [answer.number for answer in self._answers]
        if not numbers:
            raise ValueError("there is no answer to take back")
        if number is None:
            number = numbers[-1]
        if number not in numbers:
            raise ValueError(f"there is no answer number {number}, or it was taken back")
        rest = [answer for answer in self._answers if answer.number != number]
        standing, model = self._taken(rest)
        if self._record is not None:
            self._record.add({"undo": number})
        gone = self._answers[numbers.index(number)]
        self._answers = rest
        self._pending = [gone.question]
        self._set(standing, model)
        return gone

    def run(self, n: int | None = None) -> Self:
        """Put questions to the oracle until nothing is left to ask, or it has replied n times."""
        if self.oracle is None:
            raise ValueError("run needs somebody who replies: give the session an oracle")
        count = 0
        while (n is None or count < n) and (question := self.ask()) is not None:
            self.answer(self.oracle(question), question)
            count += 1
        return self

    def _check(self, question: Question) -> None:
        """Raise for a question about samples that are not there."""
        rows = [question.point, *question.options]
        distinct = len(rows) == len(set(rows)) > 1
        if not distinct or min(rows) < 0 or max(rows) >= self._n:
            raise ValueError(
                f"a question is about different samples, of the {self._n} that there are; got "
                f"point {question.point} and options {question.options}"
            )

    def _taken(self, answers: list[Answer]) -> tuple[Standing, SSEPartition]:
        """Return what answers say together, and the model that follows them."""
        standing = weigh(answers, self._base.constraints_)
        if standing.believed == self._standing.believed:
            return standing, self._model
        # Always from the model that the session began with, so that only the answers count, not
        # the way that led to them: taking one back, and reading a file, give the same clusters.
        return standing, refit(self._with_room(standing.said), standing.said)

    def _with_room(self, said: Constraints) -> SSEPartition:
        """Return the first model, with more clusters if hard answers need more than it asks for."""
        model, asked_for = copy(self._base), self._base.n_clusters
        if not model.hard or asked_for is None:
            return model
        closure = said.closure(self._n)
        for number in range(asked_for, closure.n_components + 1):
            model.n_clusters = number
            try:
                check_room(closure, number + model._more_clusters)
                break
            except ConstraintConflict:
                continue
        return model

    def _take_in(self, answers: list[Answer]) -> None:
        self._set(*self._taken(answers))

    def _set(self, standing: Standing, model: SSEPartition) -> None:
        """Store what is known and the model that follows it."""
        self._standing, self._model = standing, model

    def _estimate(self, standing: Standing, model: SSEPartition) -> Remaining:
        """Ask the strategy what is still unsure; without its word, beliefs tell how sure all is."""
        estimate: Callable[..., Any] | None = getattr(self.strategy, "estimate", None)
        if estimate is not None:
            found = estimate(model, standing.said)
            return Remaining(found.answers, float(found.certainty))
        believed = Beliefs.of(Situation.of(model, None, standing.said, None))
        return Remaining(None, believed.certainty)

    @property
    def remaining(self) -> Remaining:
        """What is still unsure; as text "about 3 more answers, 91 % sure"."""
        return self._estimate(self._standing, self._model)

    @property
    def constraints(self) -> Constraints:
        """What is known with the answers that are believed; never contradictory."""
        return self._standing.said

    @property
    def labels_(self) -> NDArray[np.int32]:
        """The cluster of each sample after the last answer."""
        found: NDArray[np.int32] = self._model.labels_
        return found

    @property
    def n_answers(self) -> int:
        """Number of answers that were not taken back."""
        return len(self._answers)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers that were not taken back."""
        return tuple(self._answers)

    @property
    def asked(self) -> NDArray[np.int64]:
        """The samples that the answered questions were about, options included, in order."""
        rows = [(one.question.point, *one.question.options) for one in self._answers]
        return np.unique(np.array([row for some in rows for row in some], dtype=np.int64))

    @property
    def history(self) -> pd.DataFrame:
        """The answers, one a row, with the state after each of them."""
        import pandas as pd

        columns = ["point", "options", "kind", "reply", "about", "believed"]
        columns += list(State.__dataclass_fields__)
        rows = [
            [
                *(one.question.point, one.question.options, one.question.kind, one.reply),
                *(one.about, one.reply == UNSURE or one.number in self._standing.believed),
                *(getattr(one.state, name, None) for name in State.__dataclass_fields__),
            ]
            for one in self._answers
        ]
        index = pd.Index([one.number for one in self._answers], name="answer")
        return pd.DataFrame(rows, columns=columns, index=index)

    def result(self) -> SSEPartition:
        """Return the fitted model that follows the answers; it stays as it is."""
        return copy(self._model)

    def __repr__(self) -> str:
        name = type(self.strategy).__name__
        return f"ActiveSession({self._n} samples, {name}, {self.n_answers} answers)"


def _strategy(strategy: Any, form: str, random_state: int | None) -> Any:
    """Return the strategy of a name, or an object that is one."""
    if isinstance(strategy, str):
        if strategy not in _STRATEGIES:
            known = ", ".join(map(repr, _STRATEGIES))
            raise ValueError(f"strategy must be one of {known}, or an object, got {strategy!r}")
        made = getattr(import_module(f"sentree.active.{strategy}"), _STRATEGIES[strategy])
        seed = {"random_state": random_state or 0} if strategy == "random" else {}
        return made(form=form, **seed)
    if not callable(getattr(strategy, "query", None)):
        raise TypeError(f"a strategy has a method query(X, ...), got {strategy!r}")
    return strategy


def _fitted(model: Any, X: Any, y: Any) -> SSEPartition:
    """Return a fitted model that is the session's own."""
    if not isinstance(model, SSEPartition):
        raise TypeError(
            f"a session needs an SSEPartition, got {type(model).__name__}. For a tree, fit "
            "SSEHierarchy with the answers: fit(X, constraints=session.constraints)"
        )
    if X is not None:
        return clone(model).fit(X, y)  # type: ignore[no-any-return]
    if not hasattr(model, "labels_"):
        raise ValueError("the model is not fitted: fit it, or give samples as X")
    if y is not None:
        raise ValueError("y is for samples in X: fit the model with it instead")
    return copy(model)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
