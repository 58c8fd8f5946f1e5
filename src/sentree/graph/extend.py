"""New samples for a graph: joined to its samples by the same rule as these to one another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph import FloatArray
from sentree.graph.copies import Copies, row_keys
from sentree.graph.kernels import Weigher
from sentree.graph.neighbors import NeighborSearch
from sentree.graph.queries import Neighbors, neighbors_from_distances
from sentree.graph.scaling import Layout, check_samples
from sentree.graph.spaces import Space, is_sparse

__all__ = [
    "DistanceExtension",
    "Extension",
    "GraphExtension",
    "Reach",
    "SampleExtension",
    "TransformerExtension",
]


class Reach(NamedTuple):
    """How new samples are joined to those of a graph."""

    weights: Any  # CSR array (new samples x samples), > 0
    nearest: NDArray[np.int64]  # the nearest sample of each; -1 where it is not known
    own: FloatArray  # weight of their own, which counts in their degree
    equal: NDArray[np.bool_] | None = None  # whether the nearest has the same row
    copies: NDArray[np.int64] | None = None  # distinct row of each sample; these are then joined


class Extension(Protocol):
    """How new samples are joined to a graph."""

    def reach(self, X: Any) -> Reach:
        """Return the weights of new samples to those of the graph."""
        ...


@dataclass(frozen=True)
class GraphExtension:
    """New samples for a graph that was given: their weights are given too."""

    factor: float = 1.0  # that the weights of the graph were multiplied by

    def reach(self, X: Any) -> Reach:
        """Take a matrix of similarities to the samples of the graph; 0 is no edge."""
        weights = sp.csr_array(X, dtype=np.float64) * self.factor
        weights.eliminate_zeros()
        if (weights.data < 0).any():
            entry = weights.tocoo()
            k = int(np.flatnonzero(entry.data < 0)[0])
            raise ValueError(
                f"the similarity of row {entry.row[k]} to sample {entry.col[k]} is "
                f"{entry.data[k]}; similarities must be >= 0"
            )
        m = weights.shape[0]
        return Reach(weights, np.full(m, -1, dtype=np.int64), np.zeros(m))


@dataclass(frozen=True, eq=False)
class DistanceExtension:
    """New samples for a graph of distances: theirs to its samples are weighed in the same way."""

    weigher: Weigher
    p: int | None
    local_rank: int
    self_loops: bool

    def reach(self, X: Any) -> Reach:
        """Take a sparse matrix of distances to the samples; every stored one is a neighbour."""
        return self.joined(neighbors_from_distances(X, self.p, new=True))

    def joined(self, found: Neighbors) -> Reach:
        """Weigh the neighbours of new samples."""
        m = found.indptr.size - 1
        weights = self.weigher.edges(found, self.weigher.from_new(found, self.local_rank))
        some = np.flatnonzero(np.diff(found.indptr) > 0)
        nearest = np.full(m, -1, dtype=np.int64)
        nearest[some] = found.indices[found.indptr[some]]
        return Reach(weights, nearest, np.full(m, float(self.self_loops)))


class SampleExtension:
    """New samples for a graph of samples: scaled, searched and weighed as those were.

    Keeps a reference to the samples, and a bandwidth of each. The search is prepared at the first
    call and kept, but not pickled.

    Parameters
    ----------
    X : array or CSR array
        The samples of the graph.
    layout : Layout
        How they were scaled and compared.
    find : partial of NeighborSearch
        Prepares the search in a space of samples.
    join : DistanceExtension
        How neighbours are weighed.
    copies : int array, optional
        The distinct row of each sample, where rows repeat: neighbours are then distinct rows.
    """

    def __init__(
        self,
        X: Any,
        layout: Layout,
        find: partial[NeighborSearch],
        join: DistanceExtension,
        copies: NDArray[np.int64] | None = None,
    ) -> None:
        self.samples = X
        self.layout = layout
        self.find = find
        self.join = join
        self.copies = copies
        self._search: NeighborSearch | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_search": None}

    @property
    def widths(self) -> FloatArray | None:
        """The bandwidths of the samples; None where the kernel has none."""
        weigher = self.join.weigher
        return (weigher if self.copies is None else weigher.at(self.copies)).gaussian_widths

    def reach(self, X: Any) -> Reach:
        """Take new samples with the same features, dense or sparse."""
        if is_sparse(X) != is_sparse(self.samples):
            X = X.toarray() if is_sparse(X) else sp.csr_array(X)
        if self._search is None:
            self._search = self._prepared()
        space, keys = self._laid_out(X)
        found = self._search.of(space, keys)
        reach = self.join.joined(found)
        if self.find.keywords["ties"]:
            return reach
        equal = np.zeros(reach.nearest.size, dtype=bool)
        some = np.flatnonzero(reach.nearest >= 0)
        equal[some] = found.distances[found.indptr[some]] == 0
        return reach._replace(equal=equal, copies=self.copies)

    def _prepared(self) -> NeighborSearch:
        """Return the search among the samples, of which each row is there once."""
        samples = self.samples
        if self.copies is not None:
            samples = samples[Copies.of(self.copies).first]
        space, keys = self._laid_out(samples)
        return self.find(space, keys=keys)

    def _laid_out(self, X: Any) -> tuple[Space, NDArray[np.uint64] | None]:
        """Return samples as the search takes them, with their keys where ties need these."""
        space = self.layout.space(X)
        ties = self.find.keywords["ties"]
        return space, None if ties else row_keys(check_samples(X, fewest=1))


@dataclass(frozen=True, eq=False)
class TransformerExtension:
    """New samples for a graph whose neighbours a transformer found: it finds theirs too."""

    transformer: Any
    layout: Layout
    join: DistanceExtension

    @property
    def widths(self) -> FloatArray | None:
        """The bandwidths of the samples; None where the kernel has none."""
        return self.join.weigher.gaussian_widths

    def reach(self, X: Any) -> Reach:
        """Take new samples with the same features."""
        samples = self.layout.scaled(check_samples(X, fewest=1))
        return self.join.reach(self.transformer.transform(samples))
