"""The input of an estimator: constraints are gathered, samples and graphs are checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data

from sentree._util.warnings import warn
from sentree._util.wording import Param, Piece, Text
from sentree.constraints import Constraints
from sentree.graph import Graph
from sentree.graph.blocks import BLOCKS, Block
from sentree.graph.large import is_finite

__all__ = [
    "capped_weights",
    "check_edges",
    "check_length",
    "gather_constraints",
    "is_plain",
    "prepared_blocks",
    "stored_distances",
    "validated",
]

#: Weights are capped as if the penalty were at least this, so that their products stay finite.
_LEAST_PENALTY = 1e-50
#: Most columns that a message names.
_NAMED = 12


def gather_constraints(
    y: ArrayLike | None,
    must_link: ArrayLike | None,
    cannot_link: ArrayLike | None,
    constraints: Constraints | None,
) -> Constraints:
    """Add up the constraints that were given in four ways."""
    if constraints is not None and not isinstance(constraints, Constraints):
        raise TypeError(
            f"constraints must be a sentree.Constraints, got {type(constraints).__name__}; "
            "pairs go to must_link= and cannot_link=, classes to y"
        )
    if y is not None and not hasattr(y, "__len__"):
        raise TypeError(f"y must hold one label per sample, got {type(y).__name__}")
    given = Constraints() if constraints is None else constraints
    if must_link is not None or cannot_link is not None:
        given = given + Constraints.from_pairs(must_link=must_link, cannot_link=cannot_link)
    if y is not None:
        given = given + Constraints.from_labels(y)
    return given


def capped_weights(given: Constraints, penalty: float, most_penalty: float) -> Constraints:
    """Cap the weights of statements so that none times the penalty exceeds ``most_penalty``."""
    most = most_penalty / max(penalty, _LEAST_PENALTY)
    names = ("must_weight", "cannot_weight", "triplet_weight")
    weights = {name: getattr(given, name) for name in names}
    if all(weight.max(initial=0.0) <= most for weight in weights.values()):
        return given
    return replace(given, **{name: np.minimum(weight, most) for name, weight in weights.items()})


def check_length(y: Any, n: int) -> None:
    """Refuse labels that are not one per sample."""
    if y is not None and len(y) != n:
        raise ValueError(f"y has {len(y)} labels for {n} samples")


def check_edges(graph: Graph) -> None:
    """Refuse a graph without edges; warn about samples without neighbours."""
    lonely = graph.isolated
    if lonely.size == graph.n:
        raise ValueError(
            "no sample has a neighbour: the graph has no edges, so there is nothing to cluster by "
            "(zero rows with a cosine affinity, or a graph without weights, do this)"
        )
    if lonely.size:
        shown = ", ".join(map(str, lonely[:5])) + (", …" if lonely.size > 5 else "")
        warn(
            f"{lonely.size} of {graph.n} samples have no neighbour (rows {shown}); each stays a "
            "cluster of its own unless a must-link joins it"
        )


def validated(estimator: Any, X: Any, *, new: bool = False, infinite: bool = False) -> Any:
    """Return X as a float array or CSR matrix, with errors that name the place.

    ``new`` samples must have the features that the estimator was fitted with. Infinite values are
    refused unless ``infinite``.
    """
    _check_columns(X)
    X = validate_data(
        estimator,
        X,
        reset=not new,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
        ensure_min_samples=1 if new else 2,
    )
    _check_finite(X, getattr(estimator, "feature_names_in_", None), infinite)
    return X


def is_plain(X: Any) -> bool:
    """Tell whether X holds finite numbers alone, so that there is nothing to prepare."""
    if sp.issparse(X):
        return True
    if hasattr(X, "dtypes"):
        if not len(X.columns) or not all(map(_is_numeric, X.dtypes)):
            return False
        return is_finite(_floats(X))
    array = np.asarray(X)
    if array.dtype.kind not in "buifc":
        return False
    return is_finite(array) if array.ndim == 2 else bool(np.isfinite(array).all())


def prepared_blocks(X: Any) -> tuple[Block, ...]:
    """Return the blocks of features that a TablePreparer in a pipeline made; () without one."""
    known = getattr(X, "attrs", {}).get(BLOCKS)
    if not isinstance(known, tuple) or known[1] != tuple(X.columns):  # other columns since then
        return ()
    blocks: tuple[Block, ...] = known[0]
    return blocks


def _check_columns(X: Any) -> None:
    """Refuse a table with columns that are not numbers; name all that are not ready."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "OU" and X.ndim == 2:
        import pandas as pd

        X = pd.DataFrame(X).infer_objects()
        if not X.map(lambda cell: isinstance(cell, str)).any(axis=None):
            return  # scikit-learn tells what is wrong with other objects
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return
    kinds = list(zip(map(str, X.columns), X.dtypes, strict=True))
    dates = [name for name, kind in kinds if _is_date(kind)]
    texts = [name for name, kind in kinds if not (_is_numeric(kind) or _is_date(kind))]
    if not dates and not texts:
        return
    empty = X.isna().any() if hasattr(X, "isna") else [column.null_count() > 0 for column in X]
    gaps = [name for (name, _), has_gaps in zip(kinds, empty, strict=True) if has_gaps]
    found = {"text": texts, "dates": dates, "gaps": gaps}
    said = (f"{what} in {_listed(names)}" for what, names in found.items() if names)
    raise ValueError(
        Text(
            f"some columns are not numbers: {'; '.join(said)}. Let ",
            Param("prepare", "auto"),
            " make numbers of them and fill gaps, or leave them out (pass known classes as y)",
        )
    )


def _listed(names: Sequence[str]) -> str:
    """Return names in quotes; of many, the first and the number."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(map(repr, names[:_NAMED])) + more


def _floats(X: Any) -> NDArray[Any]:
    """Return a data frame of numbers as an array, NaN where a value is missing."""
    kinds = set(X.dtypes)
    if len(kinds) == 1 and kinds <= {np.dtype(np.float32), np.dtype(np.float64)}:
        return np.asarray(X)  # of pandas, without a copy
    missing = {"dtype": np.float64, "na_value": np.nan} if hasattr(X, "isna") else {}
    return np.asarray(X.to_numpy(**missing), dtype=np.float64)


def _is_date(kind: Any) -> bool:
    """Tell whether a pandas or polars dtype holds dates or times."""
    if hasattr(kind, "is_temporal"):  # polars
        return bool(kind.is_temporal())
    return getattr(kind, "kind", "O") in "mM"


def _is_numeric(kind: Any) -> bool:
    """Tell whether a pandas or polars dtype holds numbers."""
    if hasattr(kind, "is_numeric"):  # polars
        return bool(kind.is_numeric()) or str(kind) == "Boolean"
    return getattr(kind, "kind", "O") in "buif"


def stored_distances(X: NDArray[Any], new: bool = False) -> Any:
    """Return dense distances as CSR with every finite one stored, 0 included.

    The diagonal (distances of samples to themselves) is left out, unless rows are ``new`` samples.
    """
    stored = np.isfinite(X)
    if not new:
        np.fill_diagonal(stored, False)
    rows, columns = np.nonzero(stored)
    indptr = np.concatenate(([0], np.cumsum(stored.sum(axis=1))))
    return sp.csr_array((X[rows, columns], columns, indptr), shape=X.shape)


def _check_finite(X: Any, names: NDArray[Any] | None, infinite: bool) -> None:
    """Refuse NaN and (unless ``infinite``) infinite values, and name the first and all columns."""
    if not sp.issparse(X) and not infinite and is_finite(X):
        return
    data = X.data if sp.issparse(X) else X
    good = ~np.isnan(data) if infinite else np.isfinite(data)
    if good.all():
        return
    if sp.issparse(X):
        entry = X.tocoo()
        rows, columns = entry.row[~good], entry.col[~good]
    else:
        rows, columns = np.nonzero(~good)
    value = "NaN" if np.isnan(data[~good].flat[0]) else "infinity"
    called = [str(k) if names is None else repr(names[k]) for k in np.unique(columns).tolist()]
    first = columns[0] if names is None else repr(names[columns[0]])
    others = f"; such columns: {', '.join(called[:_NAMED])}" if len(called) > 1 else ""
    others += f" and {len(called) - _NAMED} more" if len(called) > _NAMED else ""
    remedy: tuple[Piece, ...] = ("drop or impute such values",)
    if not sp.issparse(X) and not infinite:
        remedy = (*remedy, ", or let ", Param("prepare", "auto"), " do so")
    raise ValueError(
        Text(
            f"Input X contains {value} (first at row {rows[0]}, column {first}{others}): ", *remedy
        )
    )
