"""A session with a person: question, answer, and what the answer changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from sentree._util.suggestions import did_you_mean
from sentree.active.questions import NEW, UNSURE, IsClass, Question, Reply
from sentree.cli.ask_keys import Keys, understood
from sentree.cli.ask_view import HELP, View
from sentree.cli.wording import in_options
from sentree.constraints import Constraints
from sentree.profiles.words import percent
from sentree.search.starts import keep_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sentree.active import ActiveSession
    from sentree.cli.console import Console

__all__ = ["Dialogue", "change", "how_sure", "what_answers_say"]

_STILL = "no row moved"
#: A bar is shown where the step before took longer, in seconds.
_LONG = 0.5


class Dialogue:
    """Asks until nothing is left to ask, enough is answered, or the person leaves."""

    def __init__(self, session: ActiveSession, view: View, keys: Keys, talk: Console) -> None:
        self._session, self._view, self._keys, self._talk = session, view, keys, talk
        self._seconds = 0.0  # that the last step took

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        """Show what is done, where it takes so long that one wonders."""
        start = perf_counter()
        shown = self._talk.step(name, "answering")
        with shown if self._seconds > _LONG else self._talk.progress.without_bar():
            yield
        self._seconds = perf_counter() - start

    def run(self, most: int | None) -> None:
        """Ask; ``most`` is the number of answers to stop after."""
        while most is None or self._session.n_answers < most:
            with self._step("choosing a question"):
                question = self._session.ask()
            if question is None:
                self._view.say("Nothing is left to ask.")
                return
            self._view.rule(self._progress())
            self._view.question(question, self._session.labels_, self._names())
            if not self._answered(question):
                return

    def _progress(self) -> str:
        """Say how far we are."""
        n, k = self._session.n_answers, int(self._session.labels_.max()) + 1
        so_far = f"{n} answer{'s' * (n != 1)} so far"
        return f"{so_far} · {k} cluster{'s' * (k > 1)} · {how_sure(self._session.remaining)}"

    def _names(self) -> Any:
        return self._session.result().cluster_names_

    def _answered(self, question: Question) -> bool:
        """Read until there is an answer, or one is taken back; False to leave."""
        known = self._session.constraints.classes
        while True:
            try:
                said = understood(self._keys.read(), question, known)
            except EOFError:
                return False
            except ValueError as error:
                self._view.say(str(error), "bold")
                continue
            if said == "quit":
                return False
            if said == "help":
                self._view.say(HELP)
            elif said == "undo":
                if self._undone():
                    return True
            elif self._taken_in(said, question, known):
                return True

    def _undone(self) -> bool:
        if not self._session.n_answers:
            self._view.say("There is no answer to take back.", "bold")
            return False
        with self._step("taking it back"):
            gone = self._session.undo()
        self._view.say(f"→ took back: {_in_words(gone.reply, gone.question)}")
        return True

    def _taken_in(self, reply: Reply, question: Question, known: Any) -> bool:
        """Cluster again with an answer; False where that is refused, as against hard pairs."""
        before = self._session.labels_
        try:
            with self._step("clustering again"):
                self._session.answer(reply, question)
        except ValueError as error:
            self._view.say(f"That is not possible: {in_options(error)}", "bold")
            return False
        after = self._session.labels_
        told = change(before, after)
        if told == _STILL:
            kept = not question.constraints(reply).satisfaction(after).n_broken
            told = "the clusters have it so" if kept else _STILL
        self._view.say(f"→ {_in_words(reply, question)}" + f": {told}" * (reply != UNSURE))
        if isinstance(reply, IsClass) and reply.name not in known:
            meant = did_you_mean(reply.name, known)
            self._view.say(f"  a class of that name is new{meant} (z takes it back)")
        if not self._session.history["believed"].iloc[-1]:
            self._view.say("  it contradicts other answers, and does not count for now", "bold")
        return True


def _in_words(reply: Reply, question: Question) -> str:
    """Say a reply."""
    if isinstance(reply, IsClass):
        return f"class {reply.name}"
    if reply == UNSURE:
        return "unsure"
    if question.is_pair:
        return "different" if reply == NEW else "same"
    return "a new group" if reply == NEW else f"group {int(reply) + 1}"


def change(before: NDArray[Any], after: NDArray[Any]) -> str:
    """Say what an answer changed."""
    k, now = int(before.max()) + 1, int(after.max()) + 1
    moved = keep_numbers(after, before, np.empty(0, dtype=np.int64)) != before
    count = int(moved.sum())
    if not count:
        return _STILL
    to, sizes = np.unique(after[moved], return_counts=True)
    first = np.argsort(-sizes, kind="stable")[:3]
    places = [(int(sizes[at]), int(to[at])) for at in first]
    told = f"{count:,} row{'s' * (count > 1)} moved"
    if len(to) == 1:
        told += f" to cluster {places[0][1]}"
    else:
        told += ": " + ", ".join(f"{many:,} to cluster {c}" for many, c in places)
        told += ", …" * (len(to) > len(places))
    return told if k == now else f"{told}; {now} clusters instead of {k}"


def how_sure(remaining: Any) -> str:
    """Say how sure the clusters are, and how many more answers are about needed."""
    sure, more = f"{percent(remaining.certainty)} sure", remaining.answers
    if more is None:
        return sure
    return f"{sure}, about {more} more answer{'s' * (more > 1)}" if more else f"done: {sure}"


def what_answers_say(session: ActiveSession) -> Constraints:
    """Return the constraints that the answers gave which are believed."""
    believed = session.history["believed"]
    found = Constraints()
    for answer in session.answers:
        if believed[answer.number]:
            found += answer.question.constraints(answer.reply)
    return found
