"""The summary at the top: how much came out as printed, what did not and why, who was best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sentree.paper.reproduce.accuracy import KINDS, explained, signed_list
from sentree.paper.reproduce.grid import EXPERIMENTS
from sentree.paper.reproduce.published import PRINTED
from sentree.paper.reproduce.tables import Block, Comparison, Place, Score, compare, our_values
from sentree.report.blocks import Bullets, Document, Heading, Paragraph, Span, Text, counted, prose


def overview(scores: Mapping[Place, Score], parts: Sequence[Block], protocol: str) -> Document:
    """Write the summary."""
    compared = [found for place in scores if (found := compare(place, scores[place])) is not None]
    failed = sum(place.printed is not None and not score.n for place, score in scores.items())
    judged = [one for one in compared if one.judged]
    beyond = [one for one in judged if one.beyond]
    if not compared and not failed:
        return [Paragraph("No printed figure is among these results.")]
    counts = [
        f"Of {len(PRINTED)} printed figures {len(compared)} were run again: "
        f"{len(judged) - len(beyond)} are within noise, {len(beyond)} are not"
    ]
    if len(judged) < len(compared):
        counts.append(f"{len(compared) - len(judged)} cannot be judged (one draw has no spread)")
    if failed:
        counts.append(f"{failed} more failed in every draw")
    document: list[Heading | Paragraph | Bullets] = [Paragraph("; ".join(counts) + ".")]
    lines = [line for block in parts if (line := _wins_sentence(block, scores)) is not None]
    if lines:
        lead = "How often `sentree` comes first, counted over data sets and metrics:"
        document += [Paragraph(prose(lead)), Bullets(lines)]
    if beyond:
        document.append(Heading(3, "Beyond noise, by reason"))
        document.append(Bullets(_by_reason(beyond, protocol)))
    return document


def _by_reason(beyond: Sequence[Comparison], protocol: str) -> list[Text]:
    """Write one item per method and reason, the most frequent first."""
    found: dict[tuple[str, str], dict[str, list[Comparison]]] = {}
    for one in beyond:
        key = one.place.method, explained(one.place, protocol)
        found.setdefault(key, {}).setdefault(one.place.constraint, []).append(one)
    items: list[tuple[int, Text]] = []
    for (method, text), kinds in found.items():
        count = sum(map(len, kinds.values()))
        places = ". ".join(f"{KINDS[kind]}: {signed_list(ones)}" for kind, ones in kinds.items())
        lead = [Span(method, "strong"), Span(f", {counted(count, 'figure')}: {text} ")]
        items.append((count, [*lead, Span(f"{places}.", "small")]))
    return [item for _, item in sorted(items, key=lambda item: -item[0])]


class Wins(NamedTuple):
    """How often a method comes first in a block, out of how many data sets times metrics."""

    rerun: int
    of_rerun: int
    """Against the other methods run here."""
    printed: int
    of_printed: int
    """Against the best printed figure of any method."""


def wins(block: Block, scores: Mapping[Place, Score], method: str = "sentree") -> Wins:
    """Count how often a method is above the others; where it failed or is alone is left out."""
    rerun, printed = [], []
    for metric in block.metrics:
        for dataset, row in our_values([block], scores, metric).items():
            mine = row.pop(method, math.nan)
            others = [value for value in row.values() if not math.isnan(value)]
            print_ = _all_printed(block, dataset, metric)
            if not math.isnan(mine):
                rerun += [mine > max(others)] if others else []
                printed += [mine > max(print_)] if print_ else []
    return Wins(sum(rerun), len(rerun), sum(printed), len(printed))


def _all_printed(block: Block, dataset: str, metric: str) -> list[float]:
    """Collect the printed figures of a column, of methods that were not run here too."""
    return [
        float(text)
        for place, text in PRINTED.items()
        if (place.table, place.dataset, place.metric) == (block.table, dataset, metric)
        and place.constraint in ("none", block.constraint)
    ]


def _wins_sentence(block: Block, scores: Mapping[Place, Score]) -> Text | None:
    won = wins(block, scores)
    said = []
    if won.of_rerun:
        said.append(f"best of all methods run here in {won.rerun} of {won.of_rerun}")
    if won.of_printed:
        said.append(f"above every printed figure in {won.printed} of {won.of_printed}")
    if not said:
        return None
    title = f"{EXPERIMENTS[block.table].title}, {KINDS[block.constraint].lower()}"
    return f"{title}: {', '.join(said)}."
