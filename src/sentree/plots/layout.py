"""A map of the samples, on which neighbours in the graph are near each other.

Neighbours attract and random pairs repel each other, starting from the smoothest eigenvectors of
the graph (as UMAP does, but on the graph of the model). Clusters are not used, so the map cannot
make them look better separated than they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import FloatArray, Graph
from sentree.search.recipes import strongest

#: Most samples that are laid out; others are placed among their neighbours.
_LAID_OUT = 5000
#: Neighbours that attract a sample.
_NEAR = 10
#: Random samples that repel a sample in each step.
_FAR = 4
#: Steps of the layout.
_STEPS = 120
#: Rounds of subspace iteration for the smoothest eigenvectors.
_ROUNDS = 40
#: Dimension of that subspace.
_DIRECTIONS = 6
#: Attraction to the centre, which keeps disconnected parts in the picture.
_GATHER = 0.01
#: Longest step of a sample; neighbours on the map are about 1 apart.
_LONGEST = 4.0
#: Standard deviation of the noise on places of samples that are not laid out.
_STREWN = 0.15


def places(model: Any, X: Any = None) -> FloatArray:
    """Return a place on a map for each sample of a fitted model.

    Parameters
    ----------
    model : fitted SSEPartition or SSEHierarchy
        Its ``graph_`` is laid out: samples joined in it are near each other.
    X : array-like of shape (n_samples, n_features), optional
        The samples. Where there are two features, these are the map.

    Returns
    -------
    float64 array of shape (n_samples, 2)

    Notes
    -----
    Clusters are not used for the map. Distances between groups that do not touch mean little. Of
    more than 5,000 samples a random 5,000 are laid out and the others are placed among their
    neighbours, which is quick. The same model gives the same map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sentree import SSEPartition, plots
    >>> plots.places(SSEPartition(n_clusters=3).fit(load_iris().data)).shape
    (150, 2)
    """
    if is_map(X):
        given: FloatArray = np.asarray(X, dtype=np.float64)
        if given.shape[0] != model.graph_.n:
            raise ValueError(f"X has {given.shape[0]} rows, the model {model.graph_.n} samples")
        return given
    random = np.random.default_rng(0)
    chosen, among = some_places(model.graph_, _LAID_OUT, random)
    if chosen.size == model.graph_.n:
        return among
    return _put_among(model.graph_, chosen, among, random)


def some_places(
    graph: Graph, most: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], FloatArray]:
    """Lay out at most so many vertices, chosen at random; return them and their places."""
    if graph.n <= most:
        return np.arange(graph.n), _laid_out(graph, random)
    chosen = np.sort(random.choice(graph.n, most, replace=False))
    return chosen, _laid_out(_between(graph, chosen), random)


def is_map(X: Any) -> bool:
    """Tell whether samples can be drawn as they are: two features, not sparse."""
    return not sp.issparse(X) and np.ndim(X) == 2 and np.shape(X)[1] == 2


def _between(graph: Graph, chosen: NDArray[np.int64]) -> Graph:
    """Return the graph between some vertices; through one other where direct edges are few."""
    weights = graph.to_scipy()
    out = weights[chosen]
    direct = out[:, chosen]
    if direct.nnz < _NEAR * chosen.size:
        inverse = sp.dia_array(([1 / np.maximum(graph.strength, 1e-300)], [0]), weights.shape)
        direct = (out @ inverse @ out.T).tocsr()
        direct.setdiag(0)
        direct.eliminate_zeros()
        direct = (direct + direct.T) / 2  # symmetric in spite of rounding
    return Graph.from_scipy(direct)


def _laid_out(graph: Graph, random: np.random.Generator) -> FloatArray:
    """Lay a graph out."""
    if graph.n_edges == 0:
        return random.normal(size=(graph.n, 2))
    weights = strongest(graph, _NEAR).to_scipy()
    start = 10 * _smoothest(weights, random) + 0.05 * random.normal(size=(graph.n, 2))
    per_row = 1 / np.maximum(weights.sum(axis=1), 1e-300)
    pull = sp.dia_array(([per_row], [0]), weights.shape) @ weights
    pull = ((pull + pull.T) / 2).tocsr()
    row = np.repeat(np.arange(graph.n), np.diff(pull.indptr))
    weight = 2 * pull.data
    place = start[:, 0] + 1j * start[:, 1]  # complex numbers are quicker to pick than rows of two
    for step in range(_STEPS):
        pull.data = weight / (1 + _squared(place[row] - place[pull.indices]))
        force = pull @ place - pull.sum(axis=1) * place - _GATHER * (place - place.mean())
        for _ in range(_FAR):
            apart = place - place[random.integers(0, graph.n, graph.n)]
            away = _squared(apart)
            force += _clipped(apart * (2 / ((0.01 + away) * (1 + away)))) / _FAR
        place += (1 - step / _STEPS) * _clipped(force)
    return np.column_stack((place.real, place.imag))


def _squared(number: Any) -> Any:
    return number.real**2 + number.imag**2


def _clipped(force: Any) -> Any:
    """Return forces of which no coordinate moves a sample too far."""
    pairs = force.view(np.float64)
    return np.clip(pairs, -_LONGEST, _LONGEST, out=pairs).view(np.complex128)


def _smoothest(weights: Any, random: np.random.Generator) -> FloatArray:
    """Return the two directions that change least along edges, each from -1 to 1."""
    degree = np.maximum(weights.sum(axis=1), 1e-300)
    root = sp.dia_array(([degree**-0.5], [0]), weights.shape)
    step = (root @ weights @ root).tocsr()
    constant = np.sqrt(degree)[:, None] / np.sqrt(degree.sum())
    n = weights.shape[0]
    basis = random.normal(size=(n, min(_DIRECTIONS, n)))
    for k in range(_ROUNDS):
        basis = (basis + step @ basis) / 2
        basis -= constant @ (constant.T @ basis)
        if k % 5 == 4:
            basis = np.linalg.qr(basis)[0]
    _, turn = np.linalg.eigh(basis.T @ (step @ basis))
    found = (basis @ turn[:, ::-1])[:, :2] / np.sqrt(degree)[:, None]
    found *= np.sign(found[np.abs(found).argmax(axis=0), np.arange(found.shape[1])])
    return np.asarray(found / np.maximum(np.abs(found).max(axis=0), 1e-300))


def _put_among(
    graph: Graph, chosen: NDArray[np.int64], among: FloatArray, random: np.random.Generator
) -> FloatArray:
    """Put all vertices among those that have a place, from neighbour to neighbour."""
    weights = graph.to_scipy()
    place = np.zeros((graph.n, 2))
    known = np.zeros(graph.n)
    place[chosen], known[chosen] = among, 1.0
    while True:
        mass = weights @ known
        new = (known == 0) & (mass > 0)
        if not new.any():
            break
        place[new] = (weights @ place)[new] / mass[new, None]
        known[new] = 1.0
    lost = known == 0  # parts of the graph without any place go below all others
    low, high = among.min(axis=0), among.max(axis=0)
    below = [0.0, 0.05 * (high[1] - low[1]) + 1.0]
    place[lost] = random.uniform(low, [high[0], low[1]], (int(lost.sum()), 2)) - below
    strewn = np.ones(graph.n, dtype=np.bool_)
    strewn[chosen] = False
    place[strewn] += _STREWN * random.normal(size=(int(strewn.sum()), 2))
    return place
