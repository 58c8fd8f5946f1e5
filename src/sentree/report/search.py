"""The tree, and how the result was found."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree import plots
from sentree.plots.lettering import clean
from sentree.report.blocks import Document, Folded, Paragraph, Span, Table, Text, counted
from sentree.report.features import feature_section
from sentree.report.pictures import Pictures
from sentree.report.subject import Subject
from sentree.search.natural_number import NaturalScale
from sentree.search.recipes import Recipe, Selection

#: What the constraints add to the objective of clusters, and of a tree.
_COST = "Broken must-links add to it and kept cannot-links take from it; labels do both."
_TREE_COST = (
    "Must-links add to it, the more the higher up the tree parts their samples; a little even "
    "where they are kept, since at the bottom all samples are parted. Cannot-links take from it; "
    "labels do both."
)


def tree_section(subject: Subject, pictures: Pictures) -> Document:
    """Draw the tree, where it has any branches."""
    tree = subject.model.tree_
    if tree.height < 2:
        told = "The tree has no branches: all are right below the top, so none is drawn."
        return [Paragraph(told)]
    return [
        Paragraph(
            f"The tree has {counted(tree.n_nodes - tree.n_leaves, 'branching point')} and "
            f"{tree.height:,} levels below the top, the lowest of which are the {subject.noun}s."
        ),
        pictures.draw(
            "tree",
            f"The tree from the top, all {subject.noun}s, downward. A block is as wide as it has "
            f"{subject.noun}s and has the colour of its largest cluster, paler where several are "
            "mixed; a name stands on the block that is the cluster, numbers count them. Of many "
            "blocks, the small ones are united.",
            (9.0, 5.0),
            lambda ax: plots.tree(
                tree,
                subject.named_labels,
                names=subject.sample_names,
                colors=subject.named_colours,
                ax=ax,
            ),
        ),
    ]


def method_section(subject: Subject, pictures: Pictures) -> Document:
    """Tell how the clusters were found: the graph, the number of clusters, and the search."""
    model = subject.model
    noun = subject.noun
    document: list[Any] = [
        Paragraph(
            f"Each {noun} was joined to the {noun}s most like it. The clusters are the groups in "
            "which a walk from neighbour to neighbour stays for long (structural entropy)."
        )
    ]
    if getattr(model, "graph_settings_", None) is not None:
        document.append(Paragraph(clean(f"Kind of data: {model.graph_settings_}.")))
    if getattr(model, "features_", None):
        document += feature_section(subject)
    if model.scale_ is not None:
        document += _scale(model.scale_)
    document.append(Folded("How the search went", _search(subject, pictures)))
    if model.selection_ is not None:
        document.append(Folded("How the settings were chosen", [_selection(model.selection_)]))
    return document


def _search(subject: Subject, pictures: Pictures) -> list[Any]:
    """Tell the value of the objective, and the steps of the search."""
    model = subject.model
    penalty = model.objective_ - model.entropy_
    is_tree = subject.is_tree
    told = (
        "The search makes one number as small as it can, the objective. It is "
        f"{model.objective_:.4f} bits: {model.entropy_:.4f} to describe each step of a walk from "
        f"neighbour to neighbour (few where the walk stays within "
        f"{'branches of the tree' if is_tree else 'clusters'} for long)"
    )
    told += f", and {penalty:+.4f} for the constraints. " if subject.report.n_given else ". "
    if subject.report.n_given:
        told += _TREE_COST if is_tree else _COST
    told += (
        " Lower is better, but only among results of the same data, constraints and number of "
        "clusters."
    )
    document: list[Any] = [Paragraph(told)]
    trace = np.asarray(model.trace_)
    if trace.size > 2:
        document.append(
            pictures.draw(
                "objective",
                f"The objective from step to step of the search.{_rise(trace, is_tree)}",
                (6.0, 3.0),
                lambda ax: plots.objective(trace, ax=ax),
            )
        )
    return document


def _scale(scale: NaturalScale) -> Document:
    """List the numbers of clusters that were considered."""
    rows: list[list[Text]] = [
        [[Span(f"{number:,}", "plain" if at else "strong")], f"{share:.0%}"]
        for at, (number, share) in enumerate(zip(scale.candidates, scale.support, strict=True))
    ]
    caption = (
        "The number of clusters was determined several times, by stricter and less strict rules "
        "and from different starts. The table has the share of the estimates for each number; "
        "numbers within a tenth of it are counted with it."
    )
    return [
        Paragraph(f"The data chose the number of clusters: {scale}."),
        Table(caption, ("clusters", "share of the estimates"), rows),
    ]


def _rise(trace: NDArray[Any], is_tree: bool) -> str:
    """Say why the objective rises on the way, where it does."""
    if (np.diff(trace) < 1e-9 * abs(trace[0])).all():
        return ""
    if is_tree:
        return " It rises where a first, higher tree is brought down to the height asked for."
    return (
        " It rises where the small groups found first are brought to the number of clusters of the "
        "result, usually by uniting them: the fewer clusters there are, the more bits each step "
        "takes."
    )


def _selection(selection: Selection) -> Table:
    """Tell which recipes were compared by the constraints."""
    rows: list[list[Text]] = []
    for number, candidate in enumerate(selection.candidates):
        chosen = candidate.recipe == selection.chosen
        gain = f"{candidate.gain:+.3f} ± {candidate.error:.3f}" if number else "–"
        rows.append(
            [
                [Span(_recipe(candidate.recipe), "strong" if chosen else "plain")],
                f"{candidate.score:.3f}",
                gain,
                "taken" if chosen else "",
            ]
        )
    caption = (
        f"The constraints were hidden in {selection.n_folds} parts, "
        "one part at a time, and each way of searching was scored by how many of the hidden ones "
        "it keeps (1 is best). Another way than the usual one is taken only where it is clearly "
        "better."
    )
    columns = ("way of searching", "score", "against the usual", "")
    return Table(caption, columns, rows, words=(3,))


def _recipe(recipe: Recipe) -> str:
    """Say what is special about a way of searching."""
    parts = []
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
    if recipe.linear:
        parts.append("a linear discriminant of the features predicts classes as well")
    if recipe.even:
        parts.append("small and large clusters become more even")
    return ", ".join(parts) or "the usual one"
