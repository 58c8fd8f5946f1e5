"""Known relations of some pairs of samples spread to all pairs: one propagation of OneStepPCP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from sentree.paper.baselines.pair_relation import Relation
from sentree.paper.baselines.soft_threshold import Matrix, SoftThreshold

#: With more samples than these, numbers of single precision: the tolerance is far above rounding.
_SINGLE = 500


@dataclass(frozen=True)
class Schedule:
    """How the alternating directions proceed: the penalty ``tau`` grows by ``rho`` a step."""

    tau: float = 1e-4
    rho: float = 1.1
    max_iter: int = 500
    tol: float = 1e-3

    def next(self, tau: float) -> float:
        """Return the penalty of the next step."""
        return min(self.rho * tau, 1e8)


@dataclass(frozen=True)
class Propagation:
    """The relation of all pairs; the relation and its copies are None while all is still 0."""

    relation: Matrix | None
    smooth: Matrix | None
    bounded: Matrix | None
    n_iter: int
    objective: float = 0.0
    converged: bool = False


class KnownPairs:
    """The given relation, 1 for together and -1 for apart, to be propagated again and again."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.n = relation.shape[0]
        self.dtype = np.dtype(np.float32 if self.n > _SINGLE else np.float64)
        self._spectrum: tuple[float, Matrix] | None = None

    def spectrum(self) -> tuple[float, Matrix]:
        """Return the largest magnitude of an eigenvalue, and all eigenvectors, leading first."""
        if self._spectrum is None:
            named = np.flatnonzero(np.diff(self.relation.indptr))
            block = self.relation[named][:, named].toarray().astype(self.dtype)
            value, inner = scipy.linalg.eigh(block, driver="evd")
            order = np.argsort(-np.abs(value), kind="stable")
            vectors = np.zeros((self.n, named.size), dtype=self.dtype)
            vectors[named] = inner[:, order]
            self._spectrum = float(np.abs(value).max(initial=0.0)), vectors
        return self._spectrum

    def at_rest(self, schedule: Schedule) -> tuple[int, float, float]:
        """Skip the steps in which every eigenvalue stays below the threshold.

        As long as the result is 0, the step's matrix is a multiple of the given relation, so that a
        recursion of two numbers says when that ends. Returns the number of steps skipped, ``tau``
        after them, and the multiplier of the given relation in the dual of the bounded copy.
        """
        # No eigenvalue exceeds the largest row sum, which is enough to decide short runs.
        bound = float(abs(self.relation).sum(axis=1).max(initial=0.0))
        if _rest(schedule, bound)[0] == schedule.max_iter:
            return _rest(schedule, bound)
        return _rest(schedule, self.spectrum()[0])


def _rest(schedule: Schedule, largest: float) -> tuple[int, float, float]:
    step, tau, dual, factor = 0, schedule.tau, 0.0, 1.0
    while step < schedule.max_iter and largest * factor <= 0.5 / tau:
        dual += tau
        tau = schedule.next(tau)
        factor = (1 + dual / tau) / 2
        step += 1
    return step, tau, dual


def propagate(
    W: Any, known: KnownPairs, beta: float, schedule: Schedule, random: np.random.RandomState
) -> Propagation:
    """Spread a relation F of some pairs to all pairs along the similarities W.

    Minimises ``trace_norm(F) + beta * trace(F L F.T)``, L the Laplacian of W, over symmetric F
    between -1 and 1 that agree with what is known, by alternating directions with two copies of F:
    a smooth one for the second term and a bounded one for the conditions.
    """
    step, tau, multiplier = known.at_rest(schedule)
    if step == schedule.max_iter:
        return Propagation(None, None, None, step)
    given = known.relation.toarray().astype(known.dtype)
    where = np.flatnonzero(given)
    fixed = given.ravel()[where]
    laplacian = _laplacian(W).astype(known.dtype)
    frequency, waves = scipy.linalg.eigh(laplacian, driver="evd")
    stiffness = 2 * beta * np.maximum(frequency, 0).astype(np.float64)
    soft = SoftThreshold(known.spectrum()[1], random)

    smooth = np.zeros_like(given) if step else given.copy()
    bounded = given.copy()
    smooth_dual = np.zeros_like(given)  # the duals are those of the papers over tau
    bounded_dual = (multiplier / tau) * given
    while step < schedule.max_iter:
        step += 1
        middle = smooth + bounded
        middle += smooth_dual
        middle += bounded_dual
        middle += middle.T.copy()
        middle /= 4
        relation = soft(middle, 0.5 / tau)

        wanted = relation - smooth_dual
        filtered = waves * np.sqrt(tau / (stiffness + tau)).astype(known.dtype)
        smooth = wanted @ (filtered @ filtered.T)
        np.subtract(smooth, wanted, out=smooth_dual)
        smooth_dual *= tau / schedule.next(tau)

        wanted = np.subtract(relation, bounded_dual, out=wanted)
        np.clip(wanted, -1, 1, out=bounded)
        bounded.ravel()[where] = fixed
        np.subtract(bounded, wanted, out=bounded_dual)
        bounded_dual *= tau / schedule.next(tau)

        tau = schedule.next(tau)
        converged = all(_distance(copy, relation) < schedule.tol for copy in (bounded, smooth))
        if converged:
            break
    roughness = float(np.einsum("ij,ij->", relation @ laplacian, relation, dtype=np.float64))
    objective = soft.trace_norm + beta * roughness
    return Propagation(relation, smooth, bounded, step, objective, converged)


def _distance(first: Matrix, second: Matrix) -> float:
    """Return the largest difference of two entries."""
    difference = first - second
    return max(float(difference.max()), -float(difference.min()))


def _laplacian(W: Any) -> Matrix:
    """Return degrees minus similarities as an array."""
    laplacian: Matrix = -(W.toarray() if sp.issparse(W) else W)
    laplacian[np.diag_indices_from(laplacian)] += np.asarray(W.sum(axis=1)).ravel()
    return laplacian
