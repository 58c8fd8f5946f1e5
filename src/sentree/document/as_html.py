"""A document as one HTML file that needs no other: style and pictures are inside."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Callable, Sequence
from importlib.resources import files
from itertools import groupby

from sentree.document.blocks import (
    Block,
    Bullets,
    Document,
    Facts,
    Folded,
    Heading,
    Paragraph,
    Picture,
    Span,
    Table,
    Text,
)

__all__ = ["as_html"]

#: Pixels for a point of a picture, so that all have letters of one size, as large as the text's.
_ENLARGED = 1.6
_TAG = {"strong": "strong", "code": "code", "sup": "sup", "small": "small"}


def as_html(document: Document, drawing: Callable[[str], bytes]) -> str:
    """Write a document as HTML; ``drawing`` gives the picture of a name, as SVG."""
    title = next((block.text for block in document if isinstance(block, Heading)), "Report")
    style = files("sentree.document").joinpath("report.css").read_text(encoding="utf-8")
    body = "\n".join(_block(block, drawing) for block in document)
    first_section = body.find("<h2")
    body = body[:first_section] + _contents(document) + "\n" + body[first_section:]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _contents(document: Document) -> str:
    """Link the sections."""
    links = [
        f'<a href="#{_anchor(block.text)}">{html.escape(block.text)}</a>'
        for block in document
        if isinstance(block, Heading) and block.level == 2
    ]
    return f'<nav aria-label="Contents">{" ".join(links)}</nav>'


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _block(block: Block, drawing: Callable[[str], bytes]) -> str:
    match block:
        case Heading(level, text):
            anchor = f' id="{_anchor(text)}"' if level == 2 else ""
            return f"<h{level}{anchor}>{html.escape(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{_text(text)}</p>"
        case Bullets(items):
            return "<ul>\n" + "\n".join(f"<li>{_text(item)}</li>" for item in items) + "\n</ul>"
        case Facts(items):
            return _facts(items)
        case Table():
            return _table(block)
        case Picture():
            return _picture(block, drawing(block.name))
        case Folded(title, inside):
            within = "\n".join(_block(part, drawing) for part in inside)
            return f"<details>\n<summary>{html.escape(title)}</summary>\n{within}\n</details>"


def _facts(items: Sequence[tuple[str, str]]) -> str:
    """Write the name after the figure, which looks the larger of the two."""
    pairs = (
        f"<div><dt>{html.escape(name)}</dt><dd>{html.escape(figure)}</dd></div>"
        for figure, name in items
    )
    return '<dl class="facts">\n' + "\n".join(pairs) + "\n</dl>"


def _picture(picture: Picture, drawing: bytes) -> str:
    data = base64.b64encode(drawing).decode("ascii")
    return (
        f'<figure>\n<div class="scroll picture"><img alt="{html.escape(picture.alternative)}" '
        f'width="{_ENLARGED * _points(drawing):.0f}" '
        f'src="data:image/svg+xml;base64,{data}"></div>\n'
        f"<figcaption>{_text(picture.caption)}</figcaption>\n</figure>"
    )


def _points(drawing: bytes) -> float:
    """Read the width of an SVG file."""
    width = re.search(rb'<svg[^>]* width="([0-9.]+)pt"', drawing)
    return float(width[1]) if width else 480.0


def _table(table: Table) -> str:
    classes = [_classes(table, number) for number in range(len(table.columns))]
    body = "\n".join(
        "<tr>"
        + "".join(
            f"<td{classes[number]}>{_text(cell)}</td>"
            if number
            else f'<th scope="row">{_text(cell)}</th>'
            for number, cell in enumerate(row)
        )
        + "</tr>"
        for row in table.rows
    )
    return (
        f'<div class="scroll"><table>\n<caption>{_text(table.caption)}</caption>\n'
        f"<thead>\n{_header(table, classes)}\n</thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _classes(table: Table, number: int) -> str:
    """Say of a column whether it is the first of a group, and whether it holds words."""
    columns = table.columns
    names = []
    if number and columns[number][0] != columns[number - 1][0]:
        names.append("edge")
    if number in table.words:
        names.append("words")
    return f' class="{" ".join(names)}"' if names else ""


def _header(table: Table, classes: Sequence[str]) -> str:
    """One line of headings, or two where columns have groups."""
    single = [
        f'<th scope="col"{kind}>{html.escape(name)}</th>'
        for (_, name), kind in zip(table.columns, classes, strict=True)
    ]
    if not any(group for group, _ in table.columns):
        return f"<tr>{''.join(single)}</tr>"
    above, below = [], []
    numbered = enumerate(table.columns)
    for group, members in groupby(numbered, key=lambda column: column[1][0]):
        numbers = [number for number, _ in members]
        if group:
            above.append(
                f'<th scope="colgroup" class="edge" colspan="{len(numbers)}">'
                f"{html.escape(group)}</th>"
            )
            below += [single[number] for number in numbers]
        else:
            above += [single[number].replace("<th ", '<th rowspan="2" ', 1) for number in numbers]
    return f"<tr>{''.join(above)}</tr>\n<tr>{''.join(below)}</tr>"


def _text(text: Text) -> str:
    return "".join(map(_span, text))


def _span(span: Span) -> str:
    tag = _TAG.get(span.style)
    escaped = html.escape(span.text)
    return f"<{tag}>{escaped}</{tag}>" if tag else escaped
