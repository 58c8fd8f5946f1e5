"""Soft threshold of the eigenvalues of a matrix that changes a little from call to call."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

Matrix = NDArray[Any]

#: A larger share of all eigenvectors is found faster by finding all of them.
_SHARE = 0.7
#: Columns of the subspace for each eigenvalue beyond the threshold, and besides.
_SLACK, _SPARE = 1.1, 20
#: Up to this many rows all eigenvectors are found.
_FEW = 300
#: Columns that look for what the subspace misses.
_PROBES = 6


class SoftThreshold:
    """Move the eigenvalues of symmetric matrices towards 0 by a threshold.

    Only eigenvalues beyond the threshold count. Where matrices change little from one call to the
    next, the eigenvectors of the last one, multiplied by the new one, span nearly the space of its
    own; the eigenvalues within that space are exact up to the square of what is missing, and those
    close to the threshold, which are found least well, matter least. The space is kept wider than
    needed, and probed for eigenvalues it misses; all eigenvectors are found where it is too small.
    ``trace_norm`` is the sum of the magnitudes of the last result's eigenvalues.
    """

    def __init__(self, vectors: Matrix, random: np.random.RandomState) -> None:
        self._unused = vectors  # columns to widen the space with, most wanted first
        self._random = random
        self._basis = vectors[:, :0]  # eigenvectors of the last matrix, by falling magnitude
        self._value = np.empty(0, dtype=vectors.dtype)
        self._probe = self._noise(_PROBES)
        self._n_beyond = 0
        self.trace_norm = 0.0

    def __call__(self, M: Matrix, threshold: float) -> Matrix:
        """Return M with the threshold taken off the magnitude of every eigenvalue, 0 at least."""
        n = len(M)
        width = _width(self._n_beyond)
        while n > _FEW and width < _SHARE * n:
            self._resize(width)
            self._turn(M, threshold)
            beyond = int(np.count_nonzero(np.abs(self._value) > threshold))
            if beyond <= width - _SPARE // 2:
                if self._missed(M) > threshold:
                    break
                return self._result(threshold)
            width = max(_width(beyond), width + width // 5)
        self._value, self._basis = _by_magnitude(*scipy.linalg.eigh(M, driver="evd"))
        result = self._result(threshold)
        self._resize(min(_width(self._n_beyond), n))
        return result

    def _resize(self, width: int) -> None:
        """Drop the last columns of the basis, or add columns."""
        have = self._basis.shape[1]
        if have >= width:
            self._basis, self._value = self._basis[:, :width], self._value[:width]
            return
        new = self._unused[:, : width - have]
        self._unused = self._unused[:, width - have :]
        noise = self._noise(width - have - new.shape[1])
        self._basis = np.hstack((self._basis, new, noise))
        self._value = np.append(self._value, np.zeros(width - have, dtype=new.dtype))

    def _turn(self, M: Matrix, threshold: float) -> None:
        """Turn the basis towards the leading eigenvectors of M, and take the eigenvalues in it."""
        turned = M @ self._basis
        # Columns of eigenvalues close to 0 would hold little but rounding.
        small = np.abs(self._value) < threshold / 2
        shift = np.where(small, np.sign(self._value) * (threshold / 2), 0).astype(M.dtype)
        turned += self._basis * shift
        basis = _orthonormal(turned)
        inner = basis.T @ (M @ basis)
        inner += inner.T.copy()
        inner /= 2
        self._value, vectors = _by_magnitude(*scipy.linalg.eigh(inner, driver="evd"))
        self._basis = basis @ vectors

    def _missed(self, M: Matrix) -> float:
        """Estimate the largest magnitude of an eigenvalue of M outside the basis."""
        # Each column is multiplied in several calls, after which a new one takes its place.
        probe = M @ np.hstack((self._probe[:, 1:], self._noise(1)))
        probe -= self._basis @ (self._basis.T @ probe)
        size = np.sqrt(np.einsum("ij,ij->j", probe, probe))
        self._probe = probe / np.where(size > 0, size, 1)
        return float(size.max())

    def _result(self, threshold: float) -> Matrix:
        value = self._value.astype(np.float64)
        left = np.maximum(np.abs(value) - threshold, 0)
        self._n_beyond = int(np.count_nonzero(left))
        self.trace_norm = float(left.sum())
        part = self._basis * np.sqrt(left).astype(self._basis.dtype)
        above, below = part[:, (value > 0) & (left > 0)], part[:, (value < 0) & (left > 0)]
        result: Matrix = above @ above.T
        result -= below @ below.T
        return result

    def _noise(self, columns: int) -> Matrix:
        """Return random columns of length about 1."""
        n = len(self._unused)
        noise: Matrix = self._random.standard_normal((n, columns)) / np.sqrt(n)
        return noise.astype(self._unused.dtype)


def _width(beyond: int) -> int:
    """Return how wide a space should be for so many eigenvalues beyond the threshold."""
    return int(_SLACK * beyond) + _SPARE


def _by_magnitude(value: Matrix, vector: Matrix) -> tuple[Matrix, Matrix]:
    """Sort eigenvalues by falling magnitude."""
    order = np.argsort(-np.abs(value), kind="stable")
    return value[order], vector[:, order]


def _orthonormal(columns: Matrix) -> Matrix:
    """Return an orthonormal basis of the span of columns that are nearly orthogonal already."""
    length = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    columns = columns / np.where(length > 0, length, 1)
    try:
        root = scipy.linalg.cholesky(columns.T @ columns)
    except np.linalg.LinAlgError:
        root = None
    basis: Matrix
    if root is None or root.diagonal().min() < 1e-2:  # not orthogonal enough to divide by the root
        basis = scipy.linalg.qr(columns, mode="economic")[0]
    else:
        basis = scipy.linalg.solve_triangular(root, columns.T, trans="T", overwrite_b=True).T
    return basis
