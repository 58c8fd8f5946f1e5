"""The weights of features, where they are not all equal."""

from __future__ import annotations

import numpy as np

from sentree.relation.feature_weights import Features
from sentree.report.blocks import Document, Folded, Paragraph, Table, counted, prose
from sentree.report.subject import Subject, clean


def feature_section(subject: Subject) -> Document:
    """Tell which features were weighed by labels, and which had long tails."""
    features: Features = subject.model.features_
    told = []
    if features.weights is not None:
        told.append(
            "The labels show which features separate the classes: such features were given more "
            "weight when samples were compared, and others less. Labels that were hidden in turn "
            "confirm that this helps."
        )
    if features.n_directions:
        told.append(
            f"{counted(features.n_directions, 'combination')} of features that separate the "
            "classes were added to the features themselves."
        )
    if features.tamed.size:
        told.append(
            f"{counted(features.tamed.size, 'feature')} with a long tail (many small values, few "
            "very large ones) were replaced by logarithms, so that the few do not dominate."
        )
    told.append("Fit with `affinity='gaussian'` to take the features as they are.")
    said = str(features)
    return [
        Paragraph(prose(" ".join(told))),
        Paragraph(clean(f"{said[:1].upper()}{said[1:]}.")),
        Folded("All features", [_table(features)]),
    ]


def _table(features: Features) -> Table:
    """List the features, those of most weight first."""
    weights = np.ones(features.n_features) if features.weights is None else features.weights
    tamed = set(features.tamed.tolist())
    rows = [
        [clean(features.name(k)), f"{weights[k]:.2f}", "logarithm" if k in tamed else ""]
        for k in np.argsort(-weights, kind="stable").tolist()
    ]
    caption = "Weights of the features in distances, 1 on average."
    return Table(caption, ["feature", "weight", "tail"], rows, words=(2,))
