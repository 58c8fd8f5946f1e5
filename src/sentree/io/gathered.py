"""Statements of all kinds out of a file, which become constraints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sentree.constraints import Constraints
from sentree.io.errors import Elsewhere, InputError, did_you_mean
from sentree.io.labels import clean_labels
from sentree.io.lines import Lines, Statement, listed, listed_rows
from sentree.io.names import By, Named

__all__ = ["KEYS", "Gathered", "from_json", "from_lines"]

#: How many samples a statement of each kind names, and what it says of them, in JSON and in lines.
_KINDS = {
    "must-link": (2, None),
    "cannot-link": (2, None),
    "triplet": (3, None),
    "label": (1, "class"),
    "not-label": (1, "class"),
    "together": (1, "group"),
    "apart": (1, "group"),
    "path": (1, "path"),
}
#: The names of the kinds in JSON.
KEYS = {
    "must_link": "must-link",
    "cannot_link": "cannot-link",
    "labels": "label",
    "not_labels": "not-label",
    "together": "together",
    "apart": "apart",
    "triplets": "triplet",
    "paths": "path",
}


class _Said(NamedTuple):
    """One statement: samples by name, and what is said of them."""

    kind: str
    samples: tuple[Any, ...]
    value: Any  # class, group or path
    weight: float
    hard: bool
    place: Lines | Statement
    k: int

    def where(self) -> str:
        return self.place.where(self.k)


class Gathered:
    """Statements as they are read, which become constraints once all are there."""

    def __init__(self, names: Named, by: By, source: str) -> None:
        self.names, self.by, self.source = names, by, source
        self.said: list[_Said] = []
        self.classes: list[Any] | None = None

    def add(
        self,
        kind: str,
        cells: Sequence[Any],
        weight: Any,
        place: Lines | Statement,
        k: int,
        hard: bool = False,
    ) -> None:
        """Add a statement; ``cells`` are samples, then class, group or path."""
        count, says = _KINDS[kind]
        samples = tuple(cells[:count])
        if any(x is None or x == "" or isinstance(x, (list, dict)) for x in samples):
            raise InputError(
                f"{place.where(k)}: a {kind} names {count} sample{'s' * (count > 1)}, "
                f"got {', '.join(map(repr, samples))}"
            )
        value = cells[count] if says else None
        if says in ("group", "path") and value in (None, ""):
            raise InputError(f"{place.where(k)}: the {says} is missing")
        number = 1.0 if weight is None or weight == "" else _weight(weight, place, k)
        self.said.append(_Said(kind, samples, value, number, hard, place, k))

    def constraints(self, what: str) -> Constraints:
        """Return what was said as constraints."""
        flat = [(name, said) for said in self.said for name in said.samples]
        rows = iter(
            self.names.rows(
                [name for name, _ in flat], what, by=self.by, where=lambda k: flat[k][1].where()
            ).tolist()
        )
        members = [tuple(next(rows) for _ in said.samples) for said in self.said]
        for said, found in zip(self.said, members, strict=True):
            if len(set(found)) < len(found):
                raise InputError(
                    f"{said.where()}: a {said.kind} is about different samples, got "
                    f"{', '.join(map(repr, said.samples))}"
                )
        values = self._classes()
        complete = None if self.classes is None else values[len(self.said) :]
        made = self._build(members, values, complete, hard=False)
        if any(said.hard for said in self.said):
            hard = self._build(members, values, complete, hard=True)
            made = replace(made, hard=hard)
        return made

    def _classes(self) -> list[Any]:
        """Return the class that each statement names, then the complete list; all read alike."""
        named = [said.value if _KINDS[said.kind][1] == "class" else None for said in self.said]
        values: list[Any] = clean_labels([*named, *(self.classes or ())]).tolist()
        for said, value in zip(self.said, values, strict=False):
            if said.kind == "not-label" and value is None:
                raise InputError(f"{said.where()}: the class {said.value!r} means unknown")
        if None in values[len(self.said) :]:
            raise InputError(f"{self.source}: a class of the complete list means unknown")
        return values

    def _build(
        self,
        members: list[tuple[int, ...]],
        values: list[Any],
        complete: list[Any] | None,
        hard: bool,
    ) -> Constraints:
        chosen = [k for k, said in enumerate(self.said) if said.hard or not hard]

        def of(kind: str) -> list[int]:
            return [k for k in chosen if self.said[k].kind == kind]

        def pairs(kind: str) -> tuple[list[tuple[int, ...]], list[float]]:
            found = of(kind)
            return [members[k] for k in found], [self.said[k].weight for k in found]

        must, cannot, triplets = pairs("must-link"), pairs("cannot-link"), pairs("triplet")
        labels = [(members[k][0], values[k]) for k in of("label") if values[k] is not None]
        negative = [(members[k][0], values[k]) for k in of("not-label")]
        classes = complete or list(dict.fromkeys(value for _, value in (*labels, *negative)))
        code = {value: k for k, value in enumerate(classes)}
        for _, value in (*labels, *negative):
            if value not in code:
                hint = did_you_mean(str(value), map(str, classes))
                raise InputError(f"{self.source}: {value!r} is not among its classes{hint}")
        made = Constraints(
            must_link=must[0],  # type: ignore[arg-type]
            must_weight=must[1],  # type: ignore[arg-type]
            cannot_link=cannot[0],  # type: ignore[arg-type]
            cannot_weight=cannot[1],  # type: ignore[arg-type]
            triplets=triplets[0],  # type: ignore[arg-type]
            triplet_weight=triplets[1],  # type: ignore[arg-type]
            together=self._groups("together", of("together"), members),
            apart=self._groups("apart", of("apart"), members),
            label_index=[row for row, _ in labels],  # type: ignore[arg-type]
            label_code=[code[value] for _, value in labels],  # type: ignore[arg-type]
            negative_index=[row for row, _ in negative],  # type: ignore[arg-type]
            negative_code=[code[value] for _, value in negative],  # type: ignore[arg-type]
            classes=tuple(classes),
            declared=complete is not None,
        )
        paths = of("path")
        return made + self._paths(paths, members) if paths else made

    def _groups(self, kind: str, chosen: list[int], members: list[tuple[int, ...]]) -> Any:
        """Return the members of each group, in order of appearance."""
        groups: dict[Any, dict[int, None]] = {}
        for k in chosen:
            group = groups.setdefault(self.said[k].value, {})
            if members[k][0] in group and kind == "apart":
                name = self.said[k].samples[0]
                raise InputError(f"{self.said[k].where()}: {name!r} is in this group already")
            group[members[k][0]] = None
        return tuple(list(group) for group in groups.values())

    def _paths(self, chosen: list[int], members: list[tuple[int, ...]]) -> Constraints:
        paths: list[Any] = [None] * self.names.n
        for k in chosen:
            row, value = members[k][0], self.said[k].value
            if paths[row] is not None and paths[row] != value:
                raise InputError(f"{self.said[k].where()}: {self.said[k].samples[0]!r} has a path")
            paths[row] = value
        try:
            return Constraints.from_paths(paths)
        except ValueError as error:
            raise InputError(f"{self.source}: {error}") from None


def from_json(data: Any, names: Named, by: By, source: str) -> Constraints:
    """Return constraints from an object of lists."""
    made = Gathered(names, by, source)
    _add_object(made, data, source, hard=False)
    return made.constraints(source)


def _add_object(made: Gathered, data: Any, source: str, hard: bool) -> None:
    if not isinstance(data, Mapping):
        raise InputError(f"{source} holds a {type(data).__name__}, expected an object of lists")
    known = (*KEYS, *(() if hard else ("classes", "hard")))
    for key in data:
        if key not in known:
            raise InputError(
                f"{source} has {key!r}{did_you_mean(key, known)} (known are {', '.join(known)})"
            )
    all_hard = hard or data.get("hard") is True
    for key, kind in KEYS.items():
        entries = data.get(key)
        place = Statement(f"{source}, {key}")
        if entries is not None:
            holds = all_hard and kind not in ("triplet", "path")
            for k, (cells, weight) in _entries(kind, entries, place.what, made.names):
                made.add(kind, cells, weight, place, k, holds)
    if "classes" in data and not hard:
        made.classes = list(listed(data["classes"], f"{source}, classes"))
    nested = data.get("hard")
    if isinstance(nested, Mapping):
        _add_object(made, nested, f"{source}, hard", hard=True)
    elif nested not in (None, True, False):
        raise InputError(f"{source}: hard is {nested!r}, expected true or an object of lists")


def _entries(
    kind: str, entries: Any, what: str, names: Named
) -> Iterable[tuple[int, tuple[Sequence[Any], Any]]]:
    """Yield the cells and the weight of each statement of a list or an object."""
    count, says = _KINDS[kind]
    if says is None:
        for k, row in enumerate(listed_rows(entries, what, (count, count + 1))):
            yield k, (row[:count], row[count] if len(row) > count else None)
    elif says == "group":
        groups = entries.values() if isinstance(entries, Mapping) else listed(entries, what)
        for k, group in enumerate(groups):
            for member in listed(group, f"{what}, entry {k}"):
                yield k, ((member, k), None)
    elif isinstance(entries, Mapping):
        for k, pair in enumerate(entries.items()):
            yield k, (pair, None)
    elif kind != "not-label" and not all(isinstance(row, list) for row in listed(entries, what)):
        if len(entries) != names.n:
            raise InputError(
                f"{what} holds {len(entries)} values, but {names.source} has {names.n} samples: "
                "give one for each (null where unknown), or an object of samples and values"
            )
        for k, (name, value) in enumerate(zip(names.key().tolist(), entries, strict=True)):
            if value is not None:
                yield k, ((name, value), None)
    else:
        for k, row in enumerate(listed_rows(entries, what, (2,))):
            yield k, (row, None)


def from_lines(cells: Lines, names: Named, by: By) -> Constraints:
    """Return constraints from lines with the columns kind, a, b, c, weight and hard."""
    place = {name: cells.column(name) for name in ("kind", "a", "b", "c", "weight", "hard")}
    if cells.names is None or place["a"] is None or place["b"] is None:
        first = cells.names or [str(column[0]) for column in cells.columns]
        raise InputError(
            f"{cells.source}: a file of constraints of all kinds needs the columns kind, a, b and, "
            f"if need be, c, weight and hard, but its first line is {','.join(first)!r}",
            (
                ". A file of pairs goes to ",
                Elsewhere("sentree.io.read_pairs"),
                ", one of samples and classes to ",
                Elsewhere("sentree.io.read_labels"),
                " or ",
                Elsewhere("sentree.io.read_not_labels"),
            ),
        )
    columns = {name: cells.columns[k] for name, k in place.items() if k is not None}
    made = Gathered(names, by, cells.source)
    none = [""] * len(cells)
    rows = zip(*(columns.get(name, none) for name in place), strict=True)
    for k, (kind, a, b, c, weight, hard) in enumerate(rows):
        word = kind.strip().lower().replace("_", "-").removesuffix("s")
        if word == "clas":
            made.classes = [*(made.classes or ()), a or b]
        elif word not in _KINDS:
            raise InputError(
                f"{cells.where(k)}: the kind is {kind!r}{did_you_mean(word, _KINDS)} (known are "
                f"{', '.join(_KINDS)})"
            )
        else:
            given = (a, b, c)[: 3 if word == "triplet" else 2]
            made.add(word, given, weight, cells, k, _truth(hard, cells, k))
    return made.constraints(cells.source)


def _truth(cell: str, cells: Lines, k: int) -> bool:
    word = cell.strip().lower()
    if word not in ("", "0", "1", "no", "yes", "false", "true"):
        raise InputError(f"{cells.where(k)}: hard is {cell!r}, expected yes or no")
    return word in ("1", "yes", "true")


def _weight(value: Any, place: Lines | Statement, k: int) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < math.inf:
        raise InputError(f"{place.where(k)}: the weight is {value!r}, expected a number above 0")
    return number
