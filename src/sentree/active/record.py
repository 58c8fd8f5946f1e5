"""The file of a session: a line of JSON for each answer, added at its end and on the disk at once.

The first line tells what the answers are about. Every other line is an answer, or takes one back::

    {"format": "sentree answers", "version": 1, "data": {"samples": 150, ...}, ...}
    {"answer": 1, "point": 17, "options": [42, 101], "reply": 1, ...}
    {"undo": 1}

A reply is the position of an option, "new", "unsure" or {"class": name}. Lines are only ever added.
A last line that a crash has cut off was not acknowledged; it is left out, and overwritten by the
next one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
import scipy.sparse as sp

from sentree._util.files import write
from sentree.active.answers import Answer, State
from sentree.active.questions import IsClass, Question
from sentree.constraints import Constraints

try:
    import fcntl
except ImportError:  # Windows has no such locks; a file that grew is still noticed
    fcntl = None  # type: ignore[assignment]

__all__ = ["Record", "data_digest", "entry_of", "known_digest", "read_answers", "read_header"]

_FORMAT = "sentree answers"
#: Version of the format that is written, and the newest that is read.
_VERSION = 1
_TUPLES = ("options", "group", "probabilities")
_WORDS = {
    "must_link": "must-links",
    "cannot_link": "cannot-links",
    "together": "groups together",
    "apart": "groups apart",
    "negative_labels": "negative labels",
}


class Record:
    """A file of answers that a session adds to.

    Parameters
    ----------
    path : Path
        The file. It is begun if it does not exist, or is empty.
    header : mapping
        What the answers are about. An existing file must have the same ``data`` and ``known``.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        if not path.exists() or path.stat().st_size == 0:
            if not path.parent.is_dir():
                raise FileNotFoundError(f"there is no folder {path.parent} to write {path.name} to")
            first = {"format": _FORMAT, "version": _VERSION, **header}
            write(path, _line(first).decode())
            _on_disk(path.parent)
        self._text = path.read_bytes()
        self.header, self.lines, self._end = _parsed(path, self._text)
        for part, what in (("data", "data"), ("known", "labels or constraints")):
            if self.header.get(part) != header[part]:
                how = _difference(self.header.get(part) or {}, header[part])
                raise ValueError(
                    f"{path} has answers about other {what}: {how}. Give what it was begun with, "
                    "or another file"
                )

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add a line; when this returns, it is on the disk."""
        with _locked(self.path) as file:
            file.seek(0)
            if file.read() != self._text:
                raise ValueError(
                    f"{self.path} was changed by somebody else since this session read it: "
                    "nothing was written. Open a session with the file again to go on"
                )
            file.truncate(self._end)
            file.seek(self._end)
            line = _line(entry)
            if self._end and self._text[self._end - 1 : self._end] != b"\n":
                line = b"\n" + line
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self._text = self._text[: self._end] + line
        self._end = len(self._text)


@contextmanager
def _locked(path: Path) -> Iterator[BinaryIO]:
    """Open a file that nobody else writes to meanwhile."""
    with open(path, "r+b") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def _on_disk(folder: Path) -> None:
    """See to it that the entries of a folder are on the disk, where that can be asked for."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _difference(begun: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """Say how what a file was begun with differs from what is here."""
    was, is_ = (
        " and ".join(f"{n} {_WORDS.get(what, what)}" for what, n in one.items() if what != "hash")
        for one in (begun, here)
    )
    if was == is_:
        return f"both are {is_}, but the values differ, or their order"
    return f"it was begun with {was or 'none'}, and here are {is_ or 'none'}"


def _parsed(path: Path, text: bytes) -> tuple[dict[str, Any], list[dict[str, Any]], int]:
    """Return the header, the further lines, and where the last whole line ends."""
    found: list[dict[str, Any]] = []
    end = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        try:
            entry = json.loads(line)
            if not isinstance(entry, dict):
                raise ValueError("it is no JSON object")
        except ValueError as error:
            if not line.endswith(b"\n") and found:
                break  # cut off by a crash
            what = "no file of a session" if number == 1 else f"damaged in line {number}"
            raise ValueError(f"{path} is {what}: {error}") from None
        found.append(entry)
        end += len(line)
    header = found[0]
    if header.get("format") != _FORMAT:
        raise ValueError(f"{path} is no file of a session: its first line does not say so")
    if header.get("version") != _VERSION:
        raise ValueError(
            f"{path} has format version {header.get('version')!r}, and this sentree reads "
            f"{_VERSION}: install sentree {header.get('sentree', '')} or newer".replace("  ", " ")
        )
    return header, found[1:], end


def read_header(path: Path) -> dict[str, Any]:
    """Return what the answers of a file are about."""
    return _parsed(path, path.read_bytes())[0]


def entry_of(answer: Answer) -> dict[str, Any]:
    """Return an answer as a line; what has its usual value is left out."""
    usual = {one.name: one.default for one in fields(Question)}
    asked = {key: value for key, value in asdict(answer.question).items() if value != usual[key]}
    reply: Any = answer.reply
    if isinstance(reply, IsClass):
        name = reply.name.item() if isinstance(reply.name, np.generic) else reply.name
        if not isinstance(name, str | int | float):
            raise ValueError(f"a class in a file has text or a number as its name, got {name!r}")
        reply = {"class": name}
    entry = {"answer": answer.number, **asked, "reply": reply}
    if answer.about is not None:
        entry["about"] = answer.about
    return entry | ({} if answer.state is None else {"state": asdict(answer.state)})


def read_answers(path: Path, lines: list[dict[str, Any]]) -> tuple[list[Answer], int]:
    """Return the answers that were not taken back, and the number of the last one."""
    found: dict[int, Answer] = {}
    last = 0
    for at, line in enumerate(lines, 2):
        try:
            if "undo" in line:
                del found[line["undo"]]
            else:
                last = line["answer"]
                found[last] = _answer(line)
        except (KeyError, TypeError, ValueError) as error:
            _damaged(path, at, error)
    return list(found.values()), last


def _damaged(path: Path, at: int, error: Exception) -> NoReturn:
    raise ValueError(f"{path} is damaged in line {at}: {error!r}") from error


def _answer(line: dict[str, Any]) -> Answer:
    asked = {one.name: line[one.name] for one in fields(Question) if one.name in line}
    asked |= {name: tuple(asked[name]) for name in _TUPLES if name in asked}
    if "groups" in asked:
        asked["groups"] = tuple(map(tuple, asked["groups"]))
    question = Question(**asked)
    reply = line["reply"]
    reply = IsClass(reply["class"]) if isinstance(reply, dict) else question.read(reply)
    state = line.get("state")
    return Answer(
        line["answer"],
        question,
        reply,
        line.get("about"),
        None if state is None else State(**state),
    )


def data_digest(model: Any) -> dict[str, Any]:
    """Tell the samples of a model from others: by their number and all their values."""
    samples = getattr(model._extension, "samples", None)
    if samples is None:
        graph = model.graph_
        arrays = [graph.indptr, graph.indices, graph.weights]
    elif sp.issparse(samples):
        samples = samples.tocsr()
        arrays = [samples.indptr, samples.indices, samples.data]
    else:
        arrays = [np.asarray(samples)]
    found = {"samples": int(model.graph_.n)}
    if samples is not None:
        found["features"] = int(samples.shape[1])
    return found | {"hash": _hash(arrays)}


def known_digest(known: Constraints) -> dict[str, Any]:
    """Tell what was known before the first answer."""
    counts = {name: count for name, count in known.counts.items() if count}
    if not counts:
        return {}
    arrays = [
        *(known.must_link, known.cannot_link, known.label_index, known.label_code),
        *(known.negative_index, known.negative_code, *known.together, *known.apart),
    ]
    return counts | {"hash": _hash([*arrays, np.array(list(map(repr, known.classes)))])}


def _hash(arrays: list[Any]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
