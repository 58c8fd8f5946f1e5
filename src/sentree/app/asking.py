"""The next question, as the page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sentree.active.questions import UNSURE, Question
from sentree.active.structural import Structural
from sentree.app.snapshot import Snapshot
from sentree.app.statements import Statement

__all__ = ["Asked", "answers_of", "ask", "no_progress", "shown"]

#: Columns in which a row differs from the likeliest group that are told.
_DIFFERS = 5


@dataclass(frozen=True)
class Asked:
    """A question, None if nothing is left to ask, and how far we are."""

    version: int
    question: Question | None
    progress: Mapping[str, Any]

    @property
    def id(self) -> str:
        """What answers call the question."""
        return "" if self.question is None else f"{self.version}-{self.question.point}"


def answers_of(said: Sequence[Statement]) -> list[Statement]:
    """Return the answers among statements that tell something: "not sure" is none."""
    return [one for one in said if one.kind == "answer" and one.payload["reply"] != UNSURE]


def no_progress(answers: int) -> dict[str, Any]:
    """Return how far we are before a question was sought."""
    return {"answers": answers, "certainty": 0.0, "left": None, "text": ""}


def ask(now: Snapshot) -> Asked:
    """Find the next question; rows that somebody was unsure of are not asked about again."""
    allowed = np.ones(now.data.n, dtype=bool)
    said = [one.statement for one in now.step if one.statement]
    for one in said:
        if one.kind == "answer" and one.payload["reply"] == UNSURE:
            asked = one.payload["question"]
            allowed[[asked["point"], *asked["group"]]] = False
    strategy, known = Structural(), now.step.said
    found = strategy.query(now.model, constraints=known, candidates=allowed)
    left = strategy.estimate(now.model, known)
    progress = {
        "answers": len(answers_of(said)),
        "certainty": round(left.certainty, 4),
        "left": left.answers,
        "text": str(left),
    }
    return Asked(now.version, found[0] if found else None, progress)


def shown(now: Snapshot, asked: Asked) -> dict[str, Any]:
    """Return a question as plain values."""
    one = asked.question
    if one is None:
        return {"question": None, "progress": dict(asked.progress)}
    groups = one.groups or tuple((option,) for option in one.options)
    chances = one.probabilities or (0.0,) * len(groups)
    options = [
        {
            "rows": list(rows),
            "cluster": int(now.labels[rows[0]]),
            "name": now.names[int(now.labels[rows[0]])],
            "probability": chance,
        }
        for rows, chance in zip(groups, chances, strict=False)
    ]
    called = now.data.called(one.point)
    text = f"Does {called} belong to this group?" if one.is_pair else f"Where does {called} belong?"
    return {
        "question": {
            "id": asked.id,
            "kind": one.kind,
            "point": one.point,
            "group": list(one.group),
            "options": options,
            "n_settled": one.n_settled,
            "differs": _differs(now, one.point, one.options[0]),
            "text": text,
        },
        "progress": dict(asked.progress),
    }


def _differs(now: Snapshot, here: int, there: int) -> list[dict[str, str]]:
    """Tell in which columns two rows differ most."""
    if now.data.image is not None:
        return []
    rows = now.data.rows
    found = []
    for at, field in enumerate(rows.fields([here, there])):
        a, b = rows.cells([here, there], field)
        gap = field.difference(a, b)
        if gap and not field.prose:
            said = {"feature": field.name, "here": field.text(a), "there": field.text(b)}
            found.append((-gap, at, said))
    return [said for *_, said in sorted(found, key=lambda one: one[:2])[:_DIFFERS]]
