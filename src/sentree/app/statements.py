"""What a person says about rows: what statements are, whether they make sense, and in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sentree.active.questions import NEW, UNSURE, IsClass, Question
from sentree.constraints import Constraints

__all__ = [
    "EDITS",
    "KINDS",
    "Refused",
    "Statement",
    "checked",
    "checked_reply",
    "constraints_of",
    "in_words",
]

#: Statements that say something about rows, those that edit clusters, and others.
_SAYING = ("same", "different", "is", "is_not", "stays", "answer")
EDITS = ("merge", "split", "move", "scale")
KINDS = (*_SAYING, *EDITS, "rename")
#: Most rows that are all apart from one another.
_MOST_APART = 50
#: Most letters of a name.
_LONGEST = 200


class Refused(ValueError):
    """A request that cannot be fulfilled; the text tells a person why, and what to do."""


@dataclass(frozen=True)
class Statement:
    """Something that was said.

    Parameters
    ----------
    id : int
        Its number, in the order in which things were said.
    kind : str
        One of ``KINDS``.
    payload : dict
        What it is about, as JSON has it: ``rows``, ``others``, ``class`` and so on.
    origin : str
        How the rows were chosen: "lasso", "click", "filter: age > 30", …
    who, when : str
        Who said it, and when (ISO 8601, in UTC).
    state : str
        "active", "undone", or "deleted".
    """

    id: int
    kind: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""
    who: str = ""
    when: str = ""
    state: str = "active"

    @property
    def rows(self) -> list[int]:
        """All rows that it names."""
        said = self.payload
        if self.kind == "answer":
            asked = said["question"]
            return [asked["point"], *asked["options"]]
        single = [said[key] for key in ("row", "to_row") if said.get(key) is not None]
        return [*said.get("rows", ()), *said.get("others", ()), *single]


def checked(said: Mapping[str, Any], n: int) -> tuple[str, dict[str, Any]]:
    """Return kind and payload of what a page sends about n rows; raise where it makes no sense."""
    kind = said.get("kind")
    if kind not in KINDS or kind == "answer":
        raise Refused(f"there is no statement {kind!r}: there are {', '.join(KINDS)}")
    return str(kind), _CHECKS[str(kind)](said, n)


def checked_reply(question: Question, reply: Any) -> Any:
    """Return a reply as it is stored; raise where it is none to this question."""
    if isinstance(reply, Mapping):
        return {"class": _name(reply, "class")}
    try:
        return question.read(reply)
    except ValueError as error:
        raise Refused(str(error)) from None


def _rows(said: Mapping[str, Any], n: int, key: str = "rows", least: int = 1) -> list[int]:
    """Return different row numbers in the order given."""
    given = said.get(key)
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise Refused(f"{key} must be a list of row numbers, got {given!r}")
    rows = list(dict.fromkeys(_row(row, n) for row in given))
    if len(rows) < least:
        raise Refused(f"choose {least} rows or more: {len(rows)} {_are(len(rows))} chosen")
    return rows


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _row(row: Any, n: int) -> int:
    if isinstance(row, bool) or not isinstance(row, int | np.integer) or not 0 <= row < n:
        raise Refused(f"there is no row {row!r}: rows are numbered 0 to {n - 1}")
    return int(row)


def _name(said: Mapping[str, Any], key: str) -> str:
    name = said.get(key)
    if not isinstance(name, str) or not name.strip():
        raise Refused(f"give a name ({key})")
    if len(name.strip()) > _LONGEST:
        raise Refused(f"a name has at most {_LONGEST} letters, this one has {len(name.strip())}")
    return name.strip()


def _count(said: Mapping[str, Any], key: str, least: int, most: int, what: str) -> int:
    count = said.get(key)
    if isinstance(count, bool) or not isinstance(count, int) or not least <= count <= most:
        raise Refused(f"there can be {least} to {most:,} {what}, not {count!r}")
    return count


def _different(said: Mapping[str, Any], n: int) -> dict[str, Any]:
    if not said.get("others"):
        rows = _rows(said, n, least=2)
        if len(rows) > _MOST_APART:
            raise Refused(
                f"{len(rows)} rows cannot all differ from one another: choose {_MOST_APART} or "
                "fewer, or two groups that differ"
            )
        return {"rows": rows}
    rows, others = _rows(said, n), _rows(said, n, "others")
    if both := set(rows) & set(others):
        raise Refused(f"row {min(both)} is in both groups: it cannot differ from itself")
    return {"rows": rows, "others": others}


def _move(said: Mapping[str, Any], n: int) -> dict[str, Any]:
    to_row = said.get("to_row")
    return {"rows": _rows(said, n), "to_row": None if to_row is None else _row(to_row, n)}


_CHECKS: dict[str, Callable[[Mapping[str, Any], int], dict[str, Any]]] = {
    "same": lambda said, n: {"rows": _rows(said, n, least=2)},
    "different": _different,
    "is": lambda said, n: {"rows": _rows(said, n), "class": _name(said, "class")},
    "is_not": lambda said, n: {"rows": _rows(said, n), "class": _name(said, "class")},
    "stays": lambda said, n: {"rows": _rows(said, n)},
    "merge": lambda said, n: {"rows": _rows(said, n, least=2)},
    "split": lambda said, n: {
        "row": _row(said.get("row"), n),
        "into": _count({"into": 2, **said}, "into", 2, min(n, 50), "parts"),
    },
    "move": _move,
    "rename": lambda said, n: {"row": _row(said.get("row"), n), "name": _name(said, "name")},
    "scale": lambda said, n: {
        "k": None if said.get("k") is None else _count(said, "k", 1, min(n, 1000), "clusters")
    },
}


def constraints_of(statement: Statement) -> Constraints:
    """Return what a statement says about rows; edits of clusters say nothing."""
    said = statement.payload
    rows = said.get("rows", ())
    match statement.kind:
        case "same":
            return Constraints.from_groups(together=[rows])
        case "different" if "others" in said:
            m = max(len(rows), len(said["others"]))
            pairs = np.column_stack((np.resize(rows, m), np.resize(said["others"], m)))
            return Constraints.from_pairs(cannot_link=pairs)
        case "different":
            return Constraints.from_groups(apart=[rows])
        case "is":
            code = np.zeros(len(rows), dtype=np.int64)
            return Constraints(label_index=rows, label_code=code, classes=(said["class"],))
        case "is_not":
            return Constraints.from_negative_labels([(row, said["class"]) for row in rows])
        case "stays":
            return Constraints.from_pairs(must_link=said["anchors"], hard=True)
        case "answer":
            asked = said["question"]
            question = Question(asked["point"], tuple(asked["options"]))
            return question.constraints(_reply(said["reply"]))
    return Constraints()


def _reply(reply: Any) -> Any:
    """Return a reply as questions take it."""
    return IsClass(reply["class"]) if isinstance(reply, Mapping) else reply


def in_words(statement: Statement, called: Callable[[int], str]) -> str:
    """Say a statement in a sentence; ``called`` names rows."""
    said = statement.payload
    rows, one = said.get("rows", []), len(said.get("rows", [])) == 1
    these = _listed(rows, called)
    match statement.kind:
        case "same":
            return f"{these} belong together"
        case "different" if "others" in said:
            return f"{these} and {_listed(said['others'], called)} are different"
        case "different":
            return f"{these} are {'all ' * (len(rows) > 2)}different"
        case "is":
            return f"{these} {_are(len(rows))} {said['class']}"
        case "is_not":
            return f"{these} {_are(len(rows))} not {said['class']}"
        case "stays":
            return f"{these} {'stays' if one else 'stay'} in {'its' if one else 'their'} cluster"
        case "merge":
            return f"the clusters of {these} are one"
        case "split":
            return f"the cluster of {called(said['row'])} is divided into {said['into']}"
        case "move" if said["to_row"] is None:
            return (
                f"{these} {'makes' if one else 'make'} a cluster of {'its' if one else 'their'} own"
            )
        case "move":
            return (
                f"{these} {'moves' if one else 'move'} to the cluster of {called(said['to_row'])}"
            )
        case "rename":
            return f"the cluster of {called(said['row'])} is called {said['name']}"
        case "scale":
            k = said["k"]
            if k is None:
                return "as many clusters as the data show"
            return "1 cluster" if k == 1 else f"{k} clusters"
    return _answer_in_words(said, called)


def _answer_in_words(said: Mapping[str, Any], called: Callable[[int], str]) -> str:
    point, options = said["question"]["point"], said["question"]["options"]
    reply = said["reply"]
    if isinstance(reply, Mapping):
        return f"{called(point)} is {reply['class']}"
    if reply == UNSURE:
        return f"unsure about {called(point)}"
    if reply == NEW:
        return f"{called(point)} belongs to none of {_listed(options, called)}"
    return f"{called(point)} belongs with {called(options[int(reply)])}"


def _listed(rows: Sequence[int], called: Callable[[int], str]) -> str:
    """Name a few rows, and count many."""
    if len(rows) > 3:
        return f"{len(rows):,} rows"
    names = [called(row) for row in rows]
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"
