"""The section on ranks: how the methods stand over all data sets of a group."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sentree.paper.reproduce.accuracy import method_name, number
from sentree.paper.reproduce.figures import rank_diagrams, save
from sentree.paper.reproduce.prose import TESTS
from sentree.paper.reproduce.ranks import Ranking, p_value, ranking
from sentree.paper.reproduce.tables import GROUPS, Block, Place, Score, our_values, printed_values
from sentree.report.blocks import Document, Heading, Paragraph, Picture, Span, Table, Text, counted


def rank_section(parts: Sequence[Block], scores: Mapping[Place, Score], folder: Path) -> Document:
    """Write mean ranks by group, and draw the diagrams of those that can be tested."""
    groups = {group.title: group.blocks(parts) for group in GROUPS if group.blocks(parts)}
    if not groups:
        return []
    draws = counted(max(score.n for score in scores.values()), "draw")
    document: list[Any] = [
        Heading(2, "Ranks"),
        Paragraph(f"{TESTS} Scores are means of at most {draws} here."),
    ]
    rankings = {
        title: ranking(our_values(mine, scores, "ARI"), _methods(mine))
        for title, mine in groups.items()
    }
    tested = {title: rank for title, rank in rankings.items() if not math.isnan(rank.critical)}
    untested = [title for title in rankings if title not in tested]
    if untested:
        text = "no diagram, for which three methods and two data sets are needed."
        document.append(Paragraph(f"{', '.join(untested)}: {text}"))
    if tested:
        save(rank_diagrams(tested), folder, "ranks")
        document.append(Picture("ranks", _caption(tested)))
    return [*document, *(_rank_table(title, mine, scores) for title, mine in groups.items())]


def _methods(parts: Sequence[Block]) -> list[str]:
    return list(dict.fromkeys(method for block in parts for _, method in block.methods))


def _caption(tested: Mapping[str, Ranking]) -> str:
    facts = []
    for title, rank in tested.items():
        sets = counted(rank.n_datasets, "data set")
        doubt = "" if rank.p < 0.05 else " (not significant: no difference may be claimed)"
        facts.append(
            f"{title}: {sets}, Friedman {p_value(rank.p)}, CD = {rank.critical:.2f}{doubt}"
        )
    return (
        "Mean ranks by ARI. Methods joined by a bar do not differ significantly (Nemenyi, 0.05). "
        f"{'; '.join(facts)}."
    )


def _rank_table(title: str, mine: Sequence[Block], scores: Mapping[Place, Score]) -> Table:
    methods = _methods(mine)
    columns: list[str | tuple[str, str]] = ["method"]
    sides: list[Ranking] = []
    for metric in mine[0].metrics:
        ours, printed = our_values(mine, scores, metric), printed_values(mine, metric)
        known = [method for method in methods if any(method in row for row in printed.values())]
        for name, values, ranked in (
            ("all", ours, methods),
            ("paper's methods", ours, known),
            ("published", printed, known),
        ):
            rank = ranking(values, ranked)
            columns.append((metric, f"{name} ({rank.n_datasets})"))
            sides.append(rank)
    rows: list[list[Text]] = []
    for method in methods:
        ranks = (number(side.mean.get(method, math.nan)) for side in sides)
        rows.append([method_name(method), *ranks])
    caption = (
        ": mean ranks of all methods run here, of those among them that the paper has, and of the "
        "printed figures; in brackets the number of data sets with a score for all"
    )
    return Table([Span(title, "strong"), Span(caption)], columns, rows)
