"""How the columns of the table were prepared and weighed."""

from __future__ import annotations

import numpy as np

from sentree.plots.lettering import clean
from sentree.plots.style import shortened
from sentree.relation.feature_weights import Features
from sentree.report.blocks import Document, Folded, Paragraph, Table, counted, prose
from sentree.report.subject import Subject, brief

#: Most letters of a cell.
_LONGEST = 80


def preparation_section(subject: Subject) -> Document:
    """Tell what became of each column, where the table was prepared."""
    preparation = getattr(subject.model, "preparation_", None)
    if preparation is None:
        return []
    lines = [Paragraph(brief(line)) for line in preparation.summary().splitlines()]
    done = preparation.report()
    rows = [[_cell(value) for value in row] for row in done.itertuples(index=False)]
    words = [number for number, kind in enumerate(done.dtypes) if kind.kind not in "iuf"]
    columns = [clean(name) for name in done.columns]
    return [*lines, Table("", columns, rows, words=words, tall=True)]


def _cell(value: object) -> str:
    """Write a cell of the table of columns."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return shortened([clean(value)], _LONGEST)[0]


def feature_section(subject: Subject) -> Document:
    """Tell which features were weighed by labels, and which had long tails."""
    features: Features = subject.model.features_
    words = []
    if features.weights is not None:
        words.append(
            "The labels show which features separate the classes: such features were given more "
            "weight when samples were compared, and others less. Labels that were hidden in turn "
            "confirm that this helps."
        )
    if features.n_directions:
        words.append(
            f"{counted(features.n_directions, 'combination')} of features that separate the "
            "classes were added to the features themselves."
        )
    if features.tamed.size:
        words.append(
            f"{counted(features.tamed.size, 'feature')} with a long tail (many small values, few "
            "very large ones) were replaced by logarithms, so that the few do not dominate."
        )
    words.append("Fit with `affinity='gaussian'` to take the features as they are.")
    said = str(features)
    return [
        Paragraph(prose(" ".join(words))),
        Paragraph(brief(f"{said[:1].upper()}{said[1:]}.")),
        Folded("The weights of all features", [_table(features)]),
    ]


def _table(features: Features) -> Table:
    """List the features, those of most weight first."""
    weights = np.ones(features.n_features) if features.weights is None else features.weights
    tamed = set(features.tamed.tolist())
    rows = [
        [_cell(features.name(k)), f"{weights[k]:.2f}", "logarithm" if k in tamed else ""]
        for k in np.argsort(-weights, kind="stable").tolist()
    ]
    caption = "Weights of the features in distances, 1 on average."
    return Table(caption, ["feature", "weight", "tail"], rows, words=(2,), tall=True)
