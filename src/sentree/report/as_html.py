"""A document as one HTML file that needs no other: style, script and pictures are inside."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from html import escape
from importlib.resources import files
from itertools import groupby

from sentree.report import blocks
from sentree.report.blocks import Block, Document, Heading, Span, Text, spans

#: Pixels for a point of a picture, so that all have letters of one size, as large as the text's.
_ENLARGED = 1.6
#: Browsers fetch nothing for such a page, whatever is in it.
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def as_html(document: Document, drawing: Callable[[str], bytes], wide: bool = False) -> str:
    """Write a document as HTML; ``drawing`` gives the picture of a name, as SVG.

    A ``wide`` one is printed across the page, for large tables.
    """
    title = next((block.text for block in document if isinstance(block, Heading)), "Report")
    style, script = (
        files("sentree.report").joinpath(name).read_text(encoding="utf-8")
        for name in ("report.css", "report.js")
    )
    parts = [_block(block, drawing) for block in document]
    first = next((at for at, block in enumerate(document) if isinstance(block, Heading)), -1) + 1
    body = "\n".join([*parts[:first], _contents(document), *parts[first:]])
    look = ' class="wide"' if wide else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n"
        f"<body{look}>\n<main>\n{body}\n</main>\n<script>\n{script}</script>\n</body>\n</html>\n"
    )


def _contents(document: Document) -> str:
    """Link the sections."""
    links = [
        f'<a href="#{_anchor(block.text)}">{escape(block.text)}</a>'
        for block in document
        if isinstance(block, Heading) and block.level == 2
    ]
    return f'<nav aria-label="Contents">{" ".join(links)}</nav>'


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _block(block: Block, drawing: Callable[[str], bytes]) -> str:
    match block:
        case blocks.Heading(level, text):
            anchor = f' id="{_anchor(text)}"' if level == 2 else ""
            return f"<h{level}{anchor}>{escape(text)}</h{level}>"
        case blocks.Paragraph(text):
            return f"<p>{_text(text)}</p>"
        case blocks.Bullets(items):
            return "<ul>\n" + "\n".join(f"<li>{_text(item)}</li>" for item in items) + "\n</ul>"
        case blocks.Facts(items):  # the style shows the figure above its name
            pairs = (
                f"<div><dt>{escape(name)}</dt><dd>{escape(figure)}</dd></div>"
                for figure, name in items
            )
            return '<dl class="facts">\n' + "\n".join(pairs) + "\n</dl>"
        case blocks.Table():
            return _table(block)
        case blocks.Picture():
            return _picture(block, drawing(block.name))
        case blocks.Graphic(markup, caption):
            told = f"<figcaption>{_text(caption)}</figcaption>"
            return f'<figure class="graphic">\n{markup}\n{told}\n</figure>'
        case blocks.Folded(title, inside):
            within = "\n".join(_block(part, drawing) for part in inside)
            return f"<details>\n<summary>{escape(title)}</summary>\n{within}\n</details>"
        case blocks.Cards(items):
            cards = "\n".join(_card(card, drawing) for card in items)
            return f'<div class="cards">\n{cards}\n</div>'


def _card(card: blocks.Card, drawing: Callable[[str], bytes]) -> str:
    edge = f' style="--e: {escape(card.colour)}"' if card.colour else ""
    within = "\n".join(_block(part, drawing) for part in card.inside)
    return f'<article class="card"{edge}>\n<h3>{_text(card.title)}</h3>\n{within}\n</article>'


def _picture(picture: blocks.Picture, drawing: bytes) -> str:
    data = base64.b64encode(drawing).decode("ascii")
    points = re.search(rb'<svg[^>]* width="([0-9.]+)pt"', drawing)
    width = _ENLARGED * (float(points[1]) if points else 480.0)
    return (
        f'<figure>\n<div class="scroll picture"><img alt="{escape(picture.alternative)}" '
        f'width="{width:.0f}" src="data:image/svg+xml;base64,{data}"></div>\n'
        f"<figcaption>{_text(picture.caption)}</figcaption>\n</figure>"
    )


def _table(table: blocks.Table) -> str:
    classes = _classes(table)
    rows = []
    for first, *rest in table.rows:
        cells = (f"<td{c}>{_text(cell)}</td>" for c, cell in zip(classes[1:], rest, strict=True))
        rows.append(f'<tr><th scope="row">{_text(first)}</th>{"".join(cells)}</tr>')
    body = "\n".join(rows)
    caption = f"<caption>{_text(table.caption)}</caption>\n" if table.caption else ""
    return (
        f'<div class="scroll{" tall" if table.tall else ""}"><table>\n{caption}'
        f"<thead>\n{_header(table, classes)}\n</thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _classes(table: blocks.Table) -> list[str]:
    """Mark columns that are the first of a group, and columns of words."""
    groups = [group for group, _ in table.headings]
    found = []
    for number, group in enumerate(groups):
        names = ["edge"] if number and group != groups[number - 1] else []
        names += ["words"] if number in table.words else []
        found.append(f' class="{" ".join(names)}"' if names else "")
    return found


def _header(table: blocks.Table, classes: Sequence[str]) -> str:
    """One line of headings, or two where columns have groups."""
    columns = list(zip(table.headings, classes, strict=True))
    single = [f'<th scope="col"{kind}>{_breakable(name)}</th>' for (_, name), kind in columns]
    if not any(group for group, _ in table.headings):
        return f"<tr>{''.join(single)}</tr>"
    above, below = [], []
    for group, members in groupby(range(len(single)), key=lambda k: table.headings[k][0]):
        cells = [single[number] for number in members]
        if group:
            start = f'<th scope="colgroup" class="edge" colspan="{len(cells)}">'
            above.append(f"{start}{escape(group)}</th>")
            below += cells
        else:
            above += [cell.replace("<th ", '<th rowspan="2" ', 1) for cell in cells]
    return f"<tr>{''.join(above)}</tr>\n<tr>{''.join(below)}</tr>"


def _breakable(name: str) -> str:
    """Let a name of a column break after the signs that join its words."""
    return re.sub(r"([_/.])(?=\w)", r"\1<wbr>", escape(name))


def _text(text: Text) -> str:
    return "".join(map(_span, spans(text)))


def _span(span: Span) -> str:
    text = escape(span.text)
    match span.style:
        case "plain":
            return text
        case "dot":
            return f'<span class="dot" style="--c: {escape(span.colour)}">{text}</span>'
        case "bar" | "heat":
            look = f"--c: {escape(span.colour)}; --w: {100 * span.share:.1f}%"
            return f'<span class="{span.style}" style="{look}">{text}</span>'
    return f"<{span.style}>{text}</{span.style}>"
