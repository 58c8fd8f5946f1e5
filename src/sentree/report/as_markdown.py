"""A document as Markdown with pipe tables; pictures are links to files beside it."""

from __future__ import annotations

import re

from sentree.report import blocks
from sentree.report.blocks import Block, Document, Span, Text, spans


def as_markdown(document: Document) -> str:
    """Write a document as Markdown."""
    return "\n\n".join(map(_block, document)) + "\n"


def _block(block: Block) -> str:
    match block:
        case blocks.Heading(level, text):
            return f"{'#' * level} {_escape(text)}"
        case blocks.Paragraph(text):
            return _text(text)
        case blocks.Bullets(items):
            return "\n".join(f"- {_text(item)}" for item in items)
        case blocks.Facts(items):
            return "\n".join(f"- {_escape(name)}: {_escape(figure)}" for figure, name in items)
        case blocks.Table():
            return f"{_text(block.caption)}\n\n{_table(block)}"
        case blocks.Picture(name, caption):
            return f"![{_escape(block.alternative)}]({name}.png)\n\n{_text(caption)}"
        case blocks.Graphic(_, caption):
            return _text(caption)
        case blocks.Cards(items):
            return "\n\n".join(
                "\n\n".join([f"#### {_text(card.title)}", *map(_block, card.inside)])
                for card in items
            )
        case blocks.Folded(title, inside):
            return "\n\n".join([f"**{_escape(title)}**", *map(_block, inside)])


def _table(table: blocks.Table) -> str:
    names = [_escape(" ".join(filter(None, column))) for column in table.headings]
    words = {0, *table.words}
    lines = [names, ["---" if number in words else "--:" for number in range(len(names))]]
    lines += [[_text(cell) for cell in row] for row in table.rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _text(text: Text) -> str:
    return "".join(map(_span, spans(text)))


def _span(span: Span) -> str:
    if not span.text:
        return ""
    if span.style == "code":
        return f"`{' '.join(span.text.replace('`', '').split())}`"
    wrap = {"strong": "**{}**", "sup": "<sup>{}</sup>"}
    return wrap.get(span.style, "{}").format(_escape(span.text))


def _escape(text: str) -> str:
    flat = re.sub(r"\s+", " ", text).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_|\[\]])", r"\\\1", flat)
