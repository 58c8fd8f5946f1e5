"""The graphs of the paper's experiments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sentree.graph import Graph
from sentree.graph.build import build_affinity
from sentree.graph.extend import SampleExtension
from sentree.paper.similarity import KernelSimilarity

__all__ = ["PRESETS", "paper_graph", "paper_neighbors"]

#: Settings of :func:`sentree.knn_graph` in the experiments on images and speech, on RNA-seq data,
#: and on trees.
PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "gaussian": MappingProxyType({"kernel": "gaussian", "bandwidth": 10.0, "scale": "minmax"}),
        "cosine": MappingProxyType({"kernel": "cosine", "scale": "minmax"}),
        "hierarchy": MappingProxyType({"kernel": "cosine", "scale": "zscore", "self_loops": True}),
    }
)


def paper_graph(X: Any, n_neighbors: int, preset: str) -> tuple[Graph, KernelSimilarity]:
    """Return the graph of an experiment, and the similarity of any two samples.

    Parameters
    ----------
    X : array-like or scipy sparse matrix of shape (n_samples, n_features)
        The samples.
    n_neighbors : int
        From :func:`paper_neighbors`; 5 in the experiment on trees.
    preset : {"gaussian", "cosine", "hierarchy"}
        Which experiment.
    """
    graph, extension, *_ = build_affinity(X, n_neighbors, **PRESETS[preset])
    assert isinstance(extension, SampleExtension)
    return graph, KernelSimilarity(graph, extension)


def paper_neighbors(n_samples: int, n_classes: int) -> int:
    """Return the paper's number of neighbours, ceil(20 (n / k) / log2(n)^2) + 1.

    Parameters
    ----------
    n_samples : int
        Number of samples, at least 2.
    n_classes : int
        Number of true classes, at least 1.
    """
    if n_samples < 2 or n_classes < 1:
        raise ValueError(
            f"paper_neighbors needs n_samples >= 2 and n_classes >= 1, got {n_samples} and "
            f"{n_classes}"
        )
    return math.ceil(20 * (n_samples / n_classes) / math.log2(n_samples) ** 2) + 1
