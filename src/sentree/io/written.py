"""Constraints as the statements of a file."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.constraints import Constraints
from sentree.io.errors import InputError
from sentree.io.gathered import KEYS
from sentree.io.labels import clean_labels
from sentree.io.names import Named

__all__ = ["to_columns", "to_json"]

#: A statement: its kind, its samples, class or path, and weight.
_Said = tuple[str, tuple[int, ...], Any, float]


def to_json(given: Constraints, names: Named) -> str:
    """Return constraints as JSON, a statement per line."""
    _check_classes(given)
    key = names.key().tolist()
    soft, hard = _split(given)
    parts = [f'"{kind}": {content}' for kind, content in _lists(soft, key)]
    if given.declared:
        parts.append(f'"classes": {_dump(list(given.classes))}')
    if hard:
        inner = ",\n".join(f'"{kind}": {content}' for kind, content in _lists(hard, key))
        parts.append(f'"hard": {{\n{inner}\n}}')
    return "{\n" + ",\n".join(parts) + "\n}\n" if parts else "{}\n"


def _lists(said: list[_Said], key: list[Any]) -> list[tuple[str, str]]:
    """Return the JSON of each kind of statement."""
    found = []
    for kind in KEYS:
        rows = []
        for _, samples, value, weight in (one for one in said if one[0] == kind):
            row = [key[i] for i in samples]
            if kind in ("labels", "not_labels", "paths"):
                row.append(value)
            rows.append(_dump(row if weight == 1 else [*row, weight]))
        if rows:
            found.append((kind, "[\n" + ",\n".join(rows) + "\n]"))
    return found


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def to_columns(given: Constraints, names: Named) -> dict[str, NDArray[Any]]:
    """Return constraints as columns kind, a, b and, if need be, c, weight and hard."""
    _check_classes(given)
    key = names.key().tolist()
    soft, hard = _split(given)
    rows: list[tuple[Any, ...]] = []
    for said, firm in ((soft, ""), (hard, "yes")):
        for k, (kind, samples, value, weight) in enumerate(said):
            word, called = KEYS[kind], [key[i] for i in samples]
            weighed = "" if weight == 1 else repr(weight)
            if kind in ("together", "apart"):
                group = f"{firm and 'hard-'}{kind}-{k}"
                rows += [(word, name, group, "", "", firm) for name in called]
            elif kind in ("labels", "not_labels"):
                rows.append((word, called[0], value, "", "", firm))
            elif kind == "paths":
                rows.append((word, called[0], _joined(value), "", "", firm))
            else:
                rows.append((word, *called, *[""] * (3 - len(called)), weighed, firm))
    if given.declared:
        rows += [("class", value, "", "", "", "") for value in given.classes]
    columns = dict(
        zip(("kind", "a", "b", "c", "weight", "hard"), zip(*rows, strict=True), strict=False)
    )
    for name in ("kind", "a", "b"):
        columns.setdefault(name, ())
    kept = ("kind", "a", "b", *(n for n in ("c", "weight", "hard") if any(columns.get(n, ()))))
    return {name: np.array(columns[name], dtype=object) for name in kept}


def _joined(path: list[Any]) -> str:
    for step in path:
        if "/" in str(step):
            raise InputError(f"a step of a path is {step!r}, with '/' in it: write JSON instead")
    return "/".join(map(str, path))


def _check_classes(given: Constraints) -> None:
    """Refuse classes that would be read as something else."""
    for value in given.classes:
        if not isinstance(value, (str, int)) or clean_labels([value])[0] is None:
            raise InputError(
                f"class {value!r} would be read as unknown, or is no text or whole number: give "
                "it another name"
            )


def _split(given: Constraints) -> tuple[list[_Said], list[_Said]]:
    """Return the statements that are weighed, and those that must hold."""
    said = _statements(given)
    if given.hard is None:
        return said, []
    hard = _statements(given.hard)
    count = Counter(map(_hashable, hard))
    soft = []
    for one in said:
        if count[_hashable(one)] > 0:
            count[_hashable(one)] -= 1
        else:
            soft.append(one)
    return soft, hard


def _hashable(said: _Said) -> tuple[Any, ...]:
    return said[0], said[1], repr(said[2]), said[3]


def _statements(given: Constraints) -> list[_Said]:
    """Return all statements, those of finer levels as paths."""
    said: list[_Said] = []
    for kind, rows, weights in (
        ("must_link", given.must_link, given.must_weight),
        ("cannot_link", given.cannot_link, given.cannot_weight),
        ("triplets", given.triplets, given.triplet_weight),
    ):
        pairs = zip(rows.tolist(), weights.tolist(), strict=True)
        said += [(kind, tuple(row), None, weight) for row, weight in pairs]
    for kind, groups in (("together", given.together), ("apart", given.apart)):
        said += [(kind, tuple(group.tolist()), None, 1.0) for group in groups]
    paths = _paths(given)
    for kind, index, codes in (
        ("labels", given.label_index, given.label_code),
        ("not_labels", given.negative_index, given.negative_code),
    ):
        for row, code in zip(index.tolist(), codes.tolist(), strict=True):
            if kind == "not_labels" or row not in paths:
                said.append((kind, (row,), given.classes[code], 1.0))
    return [*said, *(("paths", (row,), list(path), 1.0) for row, path in paths.items())]


def _paths(given: Constraints) -> dict[int, tuple[Any, ...]]:
    """Return the whole path of each sample with a finer label."""
    found: dict[int, tuple[Any, ...]] = {}
    for depth, level in enumerate(given.levels):
        seen = set()
        for row, code in zip(level.label_index.tolist(), level.label_code.tolist(), strict=True):
            value = level.classes[code] if depth else (level.classes[code],)
            if row in seen or (depth and value[:-1] != found.get(row)):
                if given.finer is None:
                    return {}
                raise InputError(f"the labels of row {row} are no path and cannot be written")
            seen.add(row)
            found[row] = value
    return {row: path for row, path in found.items() if given.finer is not None}
