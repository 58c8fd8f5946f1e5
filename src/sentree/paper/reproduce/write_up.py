"""The report of a rerun: what came out beside what was published, as Markdown and HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentree._util.files import write
from sentree.paper.reproduce.accuracy import MISSING, block_section
from sentree.paper.reproduce.costs import cost_section
from sentree.paper.reproduce.figures import curves, save
from sentree.paper.reproduce.grid import DETERMINISTIC, EXPERIMENTS
from sentree.paper.reproduce.prose import INTRODUCTION, NOISE, PROTOCOL
from sentree.paper.reproduce.standing import rank_section
from sentree.paper.reproduce.summary import overview
from sentree.paper.reproduce.tables import Block, Place, Score, blocks, in_order, scores
from sentree.report.as_html import as_html
from sentree.report.as_markdown import as_markdown
from sentree.report.blocks import (
    Bullets,
    Document,
    Heading,
    Paragraph,
    Picture,
    Span,
    counted,
    prose,
)

if TYPE_CHECKING:
    import pandas as pd

#: Pictures of the figures: file, experiment, the table whose data sets it shows.
_PICTURES = (
    ("fig2_clustering", "fig2", "table1"),
    ("fig2_rna", "fig2", "table2"),
    ("fig3", "fig3", "table3"),
)
_LONGEST = 300


def write_report(results: pd.DataFrame, manifest: Mapping[str, Any], folder: str | Path) -> Path:
    """Write ``report.md``, ``report.html`` and the pictures (PNG and SVG) into a folder.

    Parameters
    ----------
    results : DataFrame
        One row per metric and finished cell, with the columns table, dataset, constraint, amount,
        method, draw, seed, metric, value (per cent; NaN where the cell failed), seconds,
        peak_memory (MB) and note. May be a part of the grid.
    manifest : mapping
        How it was run: protocol, draws, seed, versions and so on; everything is optional.
    folder : path
        Where to write; made where it is not there.

    Returns
    -------
    Path
        The HTML file, which needs no other file.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    found = scores(results)
    parts = blocks(found)
    protocol = str(manifest.get("protocol", ""))
    document = [
        Heading(1, "Semi-supervised clustering by structural entropy: the experiments again"),
        Paragraph(prose(INTRODUCTION)),
        Heading(2, "Summary"),
        *overview(found, parts, protocol),
        Heading(2, "How it was run"),
        *_protocol(found, protocol),
        *_table_section(parts, found, protocol),
        *_figure_section(found, folder),
        *rank_section(parts, found, folder),
        *cost_section(parts, found, results, folder),
        Heading(2, "Environment"),
        *_environment(manifest),
    ]
    write(folder / "report.md", as_markdown(document))
    drawn = as_html(document, lambda name: (folder / f"{name}.svg").read_bytes(), wide=True)
    return write(folder / "report.html", drawn)


def _protocol(found: Mapping[Place, Score], protocol: str) -> Document:
    told = PROTOCOL.get(protocol, ("The protocol of this run was not recorded.",))
    drawn = f"Draws of constraints per figure: {_draws(found)}."
    return [
        Paragraph(prose(told[0])),
        Bullets([prose(text) for text in (*told[1:], drawn)]),
        Paragraph(prose(NOISE)),
    ]


def _draws(found: Mapping[Place, Score]) -> str:
    """Tell how many draws there are in each table and figure."""
    counts: dict[str, set[int]] = {}
    for place, score in found.items():
        if place.method not in DETERMINISTIC:
            counts.setdefault(place.table, set()).add(score.n + score.failed)
    said = [
        f"{min(number)}{f' to {max(number)}' if len(number) > 1 else ''} in {name}"
        for name, number in counts.items()
    ]
    return ", ".join(said) or "one"


def _table_section(parts: Sequence[Block], found: Mapping[Place, Score], protocol: str) -> Document:
    document: list[Any] = []
    for table, members in groupby(parts, key=lambda block: block.table):
        document.append(Heading(2, EXPERIMENTS[table].title))
        for block in members:
            document += block_section(block, found, protocol)
    return document


def _figure_section(found: Mapping[Place, Score], folder: Path) -> Document:
    """Draw the figures that there are results for."""
    document: list[Any] = []
    for name, figure, table in _PICTURES:
        shown = EXPERIMENTS[figure]
        mine = [
            place
            for place, score in found.items()
            if place.table == figure and place.dataset in EXPERIMENTS[table].datasets and score.n
        ]
        if not any(place.constraint == "pairs" for place in mine):
            continue
        methods = {
            kind: in_order(known, (place.method for place in mine if place.constraint == kind))
            for kind, known in shown.methods.items()
        }
        datasets = in_order(shown.datasets, (place.dataset for place in mine))
        metrics = in_order(shown.metrics, (place.metric for place in mine))
        save(curves(found, figure, datasets, metrics, methods), folder, name)
        draws = max(found[place].n for place in mine)
        document.append(Picture(name, _figure_caption(figure, table, draws)))
    return [Heading(2, "Figures"), *document] if document else []


def _figure_caption(figure: str, table: str, draws: int) -> str:
    number, title = figure.removeprefix("fig"), EXPERIMENTS[figure].title
    return (
        f"Figure {number}: {title.lower()}. {EXPERIMENTS[table].title}; mean of the draws and one "
        f"standard deviation to either side ({counted(draws, 'draw')}). Dashed and "
        "dotted lines are methods without constraints, hollow marks the printed figures at 0.4."
    )


def _environment(manifest: Mapping[str, Any]) -> Document:
    if not manifest:
        return [Paragraph("Nothing was recorded about this run.")]
    facts = {**manifest}
    if earlier := facts.pop("earlier_runs", None):
        facts["earlier runs"] = f"{len(earlier)}, in manifest.json"
    lines = [[Span(f"{key}: ", "strong"), Span(_plain(value))] for key, value in facts.items()]
    return [Bullets(lines)]


def _plain(value: Any) -> str:
    """Write a value of the manifest in one line."""
    if isinstance(value, Mapping):
        text = ", ".join(f"{key} {item}" for key, item in value.items())
    elif isinstance(value, (list, tuple)):
        text = ", ".join(map(str, value))
    else:
        text = str(value)
    return (text if len(text) <= _LONGEST else text[:_LONGEST] + " …") or MISSING
