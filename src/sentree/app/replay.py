"""From statements to clusters: the model after each statement, found again where it is asked for.

Statements that say something about rows count together, whatever their order: the model after the
last edit is refitted once with all of them. So taking one back, or reopening a project, costs a
refit for each edit after it, and not one for each statement.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any

from sentree._util.wording import text_of
from sentree.active.following import follow
from sentree.app.statements import EDITS, Statement, constraints_of, in_words
from sentree.constraints import Constraints
from sentree.constraints.conflicts import Conflict, ConstraintConflict
from sentree.estimators.partition import SSEPartition

__all__ = ["Replay", "Step"]

#: Models of so many steps are kept, and labels of so many rows in them.
_KEPT, _KEPT_ROWS = 200, 4_000_000


class Step:
    """The state after a statement."""

    def __init__(self, before: Step | None, statement: Statement | None) -> None:
        self.before, self.statement = before, statement
        self.after: dict[int, Step] = {}
        #: All that was said, and what was said since the last edit.
        self.said: Constraints = Constraints() if before is None else before.said
        self.since: Constraints = Constraints() if before is None else before.since
        #: The step whose model what was said since is added to.
        self.start: Step = self if before is None else before.start
        #: The number of clusters that was asked for last.
        self.asked: int | None = None if before is None else before.asked
        #: Names that were given to the clusters of rows.
        self.names: dict[int, str] = {} if before is None else before.names
        self.proof: list[str] = []  # why it does not count
        self.model: SSEPartition | None = None

    def __iter__(self) -> Iterator[Step]:
        """Yield all steps from the first statement to this one."""
        found: list[Step] = []
        step: Step | None = self
        while step is not None and step.statement is not None:
            found.append(step)
            step = step.before
        return reversed(found)

    @property
    def counts(self) -> bool:
        """Whether the statement contradicts none before it."""
        return not self.proof


class Replay:
    """The models that follow from statements.

    Parameters
    ----------
    base : SSEPartition
        The fitted model that statements are about.
    names : sequence, optional
        What rows are called, for proofs.
    """

    def __init__(self, base: SSEPartition, names: Any = None) -> None:
        self.names = names
        self.first = Step(None, None)
        self.first.model = base
        self._held: list[Step] = []

    def after(self, statements: Sequence[Statement]) -> Step:
        """Return the state after some statements, those that count alone."""
        step = self.first
        for statement in statements:
            found = step.after.get(statement.id)
            if found is None:
                found = self._taken(step, statement)
                step.after[statement.id] = found
            step = found
        return step

    def model(self, step: Step) -> SSEPartition:
        """Return the model of a step, which is found again where it was forgotten."""
        if step.model is None:
            before, statement = step.before, step.statement
            assert before is not None
            assert statement is not None
            if step.start is step:  # an edit
                step.model = _edited(self.model(before), statement)
            elif step.since is before.since and step.start is before.start:
                return self.model(before)  # it says nothing about rows
            else:
                start = self.model(step.start)
                step.model = follow(copy(start), start.constraints_ + step.since)
            self._hold(step)
        return step.model

    def _hold(self, step: Step) -> None:
        """Keep the model of a step, and forget the oldest where they are many."""
        assert step.model is not None
        self._held.append(step)
        most = max(min(_KEPT, _KEPT_ROWS // step.model.graph_.n), 3)
        while len(self._held) > most:
            self._held.pop(0).model = None

    def _taken(self, before: Step, statement: Statement) -> Step:
        """Return the step that a statement leads to."""
        step = Step(before, statement)
        if statement.kind == "rename":
            row, name = statement.payload["row"], statement.payload["name"]
            step.names = {one: n for one, n in before.names.items() if one != row} | {row: name}
        elif statement.kind in EDITS:
            self._edit(before, step)
        elif len(new := constraints_of(statement)):
            said = before.said + new
            found = said.conflicts(names=self.names)
            if found:
                step.proof = [*_proof(found[0]), *self._said_before(found[0], before, new)]
            else:
                step.said, step.since = said, before.since + new
        return step

    def _said_before(self, conflict: Conflict, before: Step, new: Constraints) -> list[str]:
        """Name the statements that a proof rests on, where its sentences do not."""
        called = str if self.names is None else self.names.__getitem__
        known = {line.replace("'", "") for line in _proof(conflict)}
        named = [in_words(one, called) for one in _reasons(before, new)]
        return [f"said before: “{text}”" for text in named if text not in known]

    def _edit(self, before: Step, step: Step) -> None:
        """Edit the clusters, unless that contradicts what was said."""
        statement = step.statement
        assert statement is not None
        now = self.model(before)
        try:
            step.model = _edited(now, statement)
        except ConstraintConflict as error:
            step.proof = _proof(error.conflicts[0])
        except ValueError as error:
            plain = text_of(error).said(lambda reference: None)  # a page has no parameters
            step.proof = [_impossible(now, statement) or plain]
        else:
            step.start, step.since = step, Constraints()
            if statement.kind == "scale":
                step.asked = statement.payload["k"]
            self._hold(step)


def _proof(conflict: Conflict) -> list[str]:
    """Return the sentences of a proof, without the numbers that constraints have there."""
    return [re.sub(r" \((?:[a-z-]+ )*[a-z-]+(?: \d+)?\)$", "", line) for line in conflict.chain]


def _reasons(before: Step, new: Constraints) -> list[Statement]:
    """Return earlier statements, as few as suffice, that leave no room for a further one."""
    steps = [one for one in before if one.counts]
    found: list[Statement] = []
    while steps and not new.conflicts():
        # the first of them with which those up to it contradict what is new
        at = bisect_left(steps, True, key=lambda one: bool((one.said + new).conflicts()))
        statement = steps[at].statement
        assert statement is not None
        found.insert(0, statement)
        new = constraints_of(statement) + new
        steps = steps[:at]
    return found


def _impossible(model: SSEPartition, statement: Statement) -> str | None:
    """Tell why an edit cannot be made, where that is plain."""
    if statement.kind == "split":
        labels = model.labels_
        size = int((labels == labels[statement.payload["row"]]).sum())
        if size < statement.payload["into"]:
            rows = "one row" if size == 1 else f"{size:,} rows"
            return f"the cluster has {rows}: it cannot be divided into {statement.payload['into']}"
    return None


def _edited(model: SSEPartition, statement: Statement) -> SSEPartition:
    """Return a copy of a model with an edit; what was said before stays true."""
    said, new, labels = statement.payload, copy(model), model.labels_
    match statement.kind:
        case "merge":
            clusters = list(dict.fromkeys(labels[said["rows"]].tolist()))
            if len(clusters) > 1:
                new.merge(*clusters)
        case "split":
            new.split(int(labels[said["row"]]), said["into"])
        case "move":
            to_row = said["to_row"]
            new.move(said["rows"], None if to_row is None else int(labels[to_row]))
        case "scale":
            new.set_params(n_clusters=said["k"]).refit().set_params(n_clusters=None)
    return follow(new, new.constraints_)
