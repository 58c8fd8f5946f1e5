"""A document as Markdown with pipe tables; pictures are links to files beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sentree.document.blocks import (
    Bullets,
    Document,
    Heading,
    Paragraph,
    Picture,
    Span,
    Table,
    Text,
)

__all__ = ["as_markdown"]


def as_markdown(document: Document) -> str:
    """Write a document as Markdown."""
    return "\n\n".join(map(_block, document)) + "\n"


def _block(block: Heading | Paragraph | Bullets | Table | Picture) -> str:
    match block:
        case Heading(level, text):
            return f"{'#' * level} {_escape(text)}"
        case Paragraph(text):
            return _text(text)
        case Bullets(items):
            return "\n".join(f"- {_text(item)}" for item in items)
        case Table(caption, columns, rows):
            return f"{_text(caption)}\n\n{_table(columns, rows)}"
        case Picture(name, caption):
            return f"![{_escape(block.alternative)}]({name}.png)\n\n{_text(caption)}"


def _table(columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Text]]) -> str:
    names = [_escape(" ".join(filter(None, column))) for column in columns]
    lines = [names, ["---"] + ["--:"] * (len(names) - 1)]
    lines += [[_text(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(text: Text) -> str:
    return "".join(map(_span, text))


def _span(span: Span) -> str:
    if not span.text:
        return ""
    if span.style == "code":
        return f"`{' '.join(span.text.replace('`', '').split())}`"
    escaped = _escape(span.text)
    wrap = {"strong": "**{}**", "sup": "<sup>{}</sup>"}
    return wrap.get(span.style, "{}").format(escaped)


def _escape(text: str) -> str:
    flat = re.sub(r"\s+", " ", text).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_|\[\]])", r"\\\1", flat)
