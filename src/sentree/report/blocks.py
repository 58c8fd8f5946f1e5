"""A small document: headings, facts, paragraphs, lists, tables and pictures, without a format."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple


class Span(NamedTuple):
    """A piece of text in one style."""

    text: str
    style: Literal["plain", "strong", "code", "sup", "small", "dot", "bar", "heat"] = "plain"
    colour: str = ""
    """Of the dot before the text, of the bar under it, or of what is behind it."""
    share: float = 0.0
    """Length of the bar, or how strong the colour behind the text is, from 0 to 1."""


#: Plain text, or pieces of it in several styles.
Text = str | Sequence[Span]


def spans(text: Text) -> Sequence[Span]:
    """Return the pieces of a text."""
    return [Span(text)] if isinstance(text, str) else text


def prose(text: str) -> Text:
    """Read text with `code` in backticks."""
    pieces = re.split(r"`([^`]+)`", text)
    return [Span(piece, "code" if odd % 2 else "plain") for odd, piece in enumerate(pieces)]


def counted(number: int, noun: str) -> str:
    """Write a number of things."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


class Heading(NamedTuple):
    """A heading of level 1 to 4."""

    level: int
    text: str


class Paragraph(NamedTuple):
    """Running text."""

    text: Text


class Bullets(NamedTuple):
    """A list."""

    items: Sequence[Text]


class Facts(NamedTuple):
    """What matters most, at a glance."""

    items: Sequence[tuple[str, str]]
    """A figure, and what it counts."""


class Table(NamedTuple):
    """A table whose first column names the rows."""

    caption: Text
    columns: Sequence[str | tuple[str, str]]
    """Name, or group and name; adjacent columns of one group share a heading."""
    rows: Sequence[Sequence[Text]]
    words: Collection[int] = ()
    """Columns of words instead of numbers."""
    tall: bool = False
    """Whether it has a box of its own, in which many rows scroll."""

    @property
    def headings(self) -> list[tuple[str, str]]:
        """Group ("" for none) and name of each column."""
        return [("", column) if isinstance(column, str) else column for column in self.columns]


class Picture(NamedTuple):
    """A picture, stored beside the document as PNG and SVG."""

    name: str
    caption: Text

    @property
    def alternative(self) -> str:
        """The first sentence of the caption, for those who do not see the picture."""
        return "".join(span.text for span in spans(self.caption)).partition(". ")[0]


class Graphic(NamedTuple):
    """A drawing that is written into the page itself: markup that was made here, never text."""

    markup: str
    caption: Text


class Card(NamedTuple):
    """A few blocks in a frame."""

    title: Text
    inside: Sequence[Heading | Paragraph | Bullets | Facts | Table | Picture | Graphic]
    colour: str = ""
    """Of the edge."""


class Cards(NamedTuple):
    """Cards side by side, as many as there is room for."""

    items: Sequence[Card]


class Folded(NamedTuple):
    """What few will read, under a line that opens it."""

    title: str
    inside: Sequence[Heading | Paragraph | Bullets | Facts | Table | Picture | Graphic | Cards]


Block = Heading | Paragraph | Bullets | Facts | Table | Picture | Graphic | Folded | Cards
Document = Sequence[Block]
