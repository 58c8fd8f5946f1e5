"""The tree, and how the search for the result went."""

from __future__ import annotations

from typing import Any

import numpy as np

from sentree import plots
from sentree.document.blocks import Document, Paragraph, Span, Table, prose
from sentree.selection import Recipe, Selection
from sentree.summary.pictures import Pictures
from sentree.summary.subject import Subject

__all__ = ["search_section", "tree_section"]


def tree_section(subject: Subject, pictures: Pictures) -> Document:
    """Draw the tree where it has more levels than the clusters."""
    tree = subject.model.tree_
    return [
        Paragraph(
            prose(
                f"The tree has {tree.n_nodes - tree.n_leaves:,} branching points and "
                f"{tree.height:,} levels below the top."
            )
        ),
        pictures.draw(
            "tree",
            "The tree from the top, all samples, downward. A block is as wide as it has samples "
            "and has the colour of its largest cluster, paler where it is mixed; small blocks are "
            "united.",
            (9.0, 5.0),
            lambda ax: plots.tree(tree, subject.named_labels, names=subject.sample_names, ax=ax),
        ),
    ]


def search_section(subject: Subject, pictures: Pictures) -> Document:
    """Tell the value of the result, the way there, and how the recipe was chosen."""
    model = subject.model
    penalty = model.objective_ - model.entropy_
    told = (
        f"The objective is {model.objective_:.4f} bits: {model.entropy_:.4f} to describe a walk "
        "from sample to sample along the graph"
    )
    told += (
        f", and {penalty:+.4f} for the constraints (below 0 where those kept outweigh the broken)."
        if subject.report.n_given
        else "."
    )
    told += " Lower is better; only results on the same data and constraints can be compared."
    document: list[Any] = [Paragraph(prose(told))]
    trace = np.asarray(model.trace_)
    if trace.size > 2:
        document.append(
            pictures.draw(
                "objective",
                "The objective from step to step of the search.",
                (6.0, 3.0),
                lambda ax: plots.objective(trace, ax=ax),
            )
        )
    if model.selection_ is not None:
        document += _selection(model.selection_)
    return document


def _selection(selection: Selection) -> Document:
    """Tell which recipes were compared by the constraints."""
    rows = []
    for number, candidate in enumerate(selection.candidates):
        chosen = candidate.recipe == selection.chosen
        gain = f"{candidate.gain:+.3f} ± {candidate.error:.3f}" if number else "–"
        rows.append(
            [
                [Span(_recipe(candidate.recipe, number), "strong" if chosen else "plain")],
                [Span(f"{candidate.score:.3f}")],
                [Span(gain)],
                [Span("taken" if chosen else "")],
            ]
        )
    caption = (
        f"How the settings were chosen: the constraints were hidden in {selection.n_folds} parts, "
        "one part at a time, and each way of searching was scored by how much it keeps of what it "
        "was not told (1 is best, 0 is chance). Another than the usual way is taken only where it "
        "is clearly better."
    )
    names = ("way of searching", "score", "against the usual", "")
    return [Table(prose(caption), [("", name) for name in names], rows, words=(3,))]


def _recipe(recipe: Recipe, number: int) -> str:
    """Say what is special about a way of searching."""
    starts = {
        "modules": "starts from small groups of the graph",
        "labels": "starts from labels spread to all samples",
        "votes": "starts from labels spread to small groups",
    }
    parts = [starts.get(recipe.start, recipe.start)]
    if recipe.n_neighbors is not None:
        parts.append(f"{recipe.n_neighbors} neighbours")
    if recipe.strength != 1.0:
        parts.append(f"constraints weigh {recipe.strength:g} times as much")
    if recipe.cannot != 1.0:
        parts.append(
            f"cannot-links weigh {recipe.cannot:g} times as much"
            if recipe.cannot
            else "cannot-links do not count"
        )
    return ("usual: " if not number else "") + ", ".join(parts)
