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
        made = super().__new__(cls, _joined(parts))
        made.pieces = parts
        return made

    def said(self, word: Callable[[Reference], str | None]) -> str:
        """Return the message in other words; ``word`` gives None for what cannot be said."""
        return _joined(_replaced(self.pieces, word))

    def renamed(self, names: Mapping[str, str]) -> Text:
        """Return the message with other names of parameters, without those that have none."""

        def rename(one: Reference) -> Reference | None:
            if isinstance(one, Elsewhere) or one.of:
                return one
            return replace(one, name=names[one.name]) if one.name in names else None

        return Text(*_replaced(self.pieces, rename))

    @property
    def references(self) -> list[Reference]:
        """What the message names."""
        return [one for one in _leaves(self.pieces) if isinstance(one, Reference)]


def _leaves(pieces: Iterable[Piece]) -> Iterator[str | Reference]:
    """Yield words and references, those inside of clauses included."""
    for piece in pieces:
        if isinstance(piece, (str, Reference)):
            yield piece
        else:
            yield from _leaves(piece.clause if isinstance(piece, Either) else piece)


def _joined(pieces: Iterable[Piece]) -> str:
    return "".join(map(str, _leaves(pieces)))


def _replaced(
    pieces: Iterable[Piece], change: Callable[[Reference], str | Reference | None]
) -> Iterator[Piece]:
    """Change what is named; a clause with something that becomes None gives way as a whole."""
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
        elif isinstance(piece, Reference):
            yield change(piece) or piece
        else:
            inner = piece if isinstance(piece, Either) else Either(piece)
            own = (one for one in inner.clause if isinstance(one, Reference))
            sayable = all(change(one) is not None for one in own)
            clause = tuple(_replaced(inner.clause, change))
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
