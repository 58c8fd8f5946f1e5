"""Messages that name parameters and functions as data, so that each face says them in its words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

__all__ = ["Either", "Elsewhere", "Param", "Text", "own_remedies", "remedies", "text_of"]

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Param:
    """A parameter, with a value to set it to; ``...`` stands for a value that the user knows.

    ``of`` says whose it is, where it is not one of the function that was called.
    """

    name: str
    value: Any = None
    of: str = ""

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        return f"{self.name}={'...' if self.value is ... else repr(self.value)}"


@dataclass(frozen=True)
class Elsewhere:
    """Something else to turn to, by its full name; ``words`` are what Python says of it."""

    name: str
    words: str = ""

    def __str__(self) -> str:
        return self.words or self.name


Reference = Param | Elsewhere


@dataclass(frozen=True)
class Either:
    """A clause, and what to say instead where something in it cannot be said."""

    clause: tuple[Any, ...]
    instead: str = ""


#: A tuple is a clause that is left out where something in it cannot be said.
Piece = str | Reference | Either | tuple[Any, ...]


class Text(str):
    """A message in the words of Python, which knows the pieces that it is made of.

    Examples
    --------
    >>> text = Text("column 'x' is empty: leave it out", (" with ", Param("drop", ["x"])))
    >>> print(text)
    column 'x' is empty: leave it out with drop=['x']
    >>> text.said(lambda reference: "--drop x")
    "column 'x' is empty: leave it out with --drop x"
    >>> text.said(lambda reference: None)
    "column 'x' is empty: leave it out"
    """

    pieces: tuple[Piece, ...]

    def __new__(cls, *pieces: Piece) -> Text:
        parts = tuple(part for piece in pieces for part in getattr(piece, "pieces", (piece,)))
        made = super().__new__(cls, _joined(parts, str))
        made.pieces = parts
        return made

    def said(self, word: Callable[[Reference], str | None]) -> str:
        """Return the message in other words; ``word`` gives None for what cannot be said."""
        return _joined(self.pieces, word)

    def renamed(self, names: Mapping[str, str]) -> Text:
        """Return the message with other names of parameters, without those that have none."""
        return Text(*_renamed(self.pieces, names))

    @property
    def references(self) -> list[Reference]:
        """What the message names."""
        return list(_references(self.pieces))


def _references(pieces: Iterable[Piece], deep: bool = True) -> Iterator[Reference]:
    for piece in pieces:
        if isinstance(piece, Reference):
            yield piece
        elif deep and not isinstance(piece, str):
            yield from _references(_clause(piece).clause)


def _clause(piece: Either | tuple[Any, ...]) -> Either:
    return piece if isinstance(piece, Either) else Either(piece)


def _joined(pieces: Iterable[Piece], word: Callable[[Reference], str | None]) -> str:
    said = []
    for piece in pieces:
        if isinstance(piece, str):
            said.append(str(piece))
        elif isinstance(piece, Reference):
            said.append(word(piece) or str(piece))
        else:
            inner = _clause(piece)
            sayable = all(map(word, _references(inner.clause, deep=False)))
            said.append(_joined(inner.clause, word) if sayable else inner.instead)
    return "".join(said)


def _renamed(pieces: Iterable[Piece], names: Mapping[str, str]) -> Iterator[Piece]:
    def known(piece: Reference) -> bool:
        return isinstance(piece, Elsewhere) or bool(piece.of) or piece.name in names

    for piece in pieces:
        if isinstance(piece, (str, Elsewhere)):
            yield piece
        elif isinstance(piece, Param):
            yield piece if piece.of else replace(piece, name=names.get(piece.name, piece.name))
        else:
            inner = _clause(piece)
            sayable = all(map(known, _references(inner.clause, deep=False)))
            clause = tuple(_renamed(inner.clause, names))
            yield Either(clause, inner.instead) if sayable else inner.instead


def text_of(error: BaseException) -> Text:
    """Return the message of an error or a warning with its pieces, one if it knows none."""
    said = error.args[0] if len(error.args) == 1 else None
    return said if isinstance(said, Text) else Text(str(error))


@contextmanager
def remedies(names: Mapping[str, str]) -> Iterator[None]:
    """Let errors from inside name parameters as they are called here, and no others."""
    try:
        yield
    except ValueError as error:
        if len(error.args) == 1 and isinstance(error.args[0], Text):
            error.args = (error.args[0].renamed(names),)
        raise


def own_remedies(function: Callable[P, T]) -> Callable[P, T]:
    """Let errors of a function name its own parameters alone, not those of what it calls."""
    names = {name: name for name in signature(function).parameters}

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> T:
        with remedies(names):
            return function(*args, **options)

    return call
