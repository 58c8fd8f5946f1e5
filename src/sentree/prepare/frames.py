"""Tables of other kinds as data frames of pandas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

__all__ = ["as_frame"]


def as_frame(X: Any, names: Sequence[Any] | None = None, fewest: int = 2) -> pd.DataFrame:
    """Return a table as a data frame of pandas whose columns are named by text.

    ``names`` are those of the columns of an array; ``fewest`` is the least number of rows.
    """
    if isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "columns") and hasattr(X, "get_column"):  # polars
        frame = pd.DataFrame({name: _series(X.get_column(name)) for name in X.columns})
    else:
        frame = pd.DataFrame(_array(X, names))
        if names is not None:
            frame.columns = pd.Index(names)
    called = [str(name) for name in frame.columns]
    twice = [name for name, count in Counter(called).items() if count > 1]
    if twice:
        raise ValueError(
            f"several columns are called {', '.join(map(repr, twice[:5]))}: give each column a "
            "name of its own"
        )
    n, width = frame.shape
    if not width:
        raise ValueError(
            f"the table has no columns: 0 feature(s) (shape={frame.shape}) while a minimum of 1 is "
            "required."
        )
    if n < fewest:
        rows = "no rows" if not n else f"{n} row{'s' * (n > 1)}"
        raise ValueError(f"the table has {rows}, expected at least {fewest}: n_samples={n}")
    return frame if called == list(frame.columns) else frame.set_axis(called, axis=1)


def _array(X: Any, names: Sequence[Any] | None) -> Any:
    """Return X as an array of rows and columns."""
    if sp.issparse(X):
        raise TypeError("a sparse matrix holds numbers alone: there is nothing to prepare")
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"expected a table of rows and columns, got an array of {array.ndim} dimensions. "
            "Reshape your data with array.reshape(-1, 1) if it is one column"
        )
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: a table holds real numbers")
    if names is not None and array.shape[1] != len(names):
        raise ValueError(
            f"X has {array.shape[1]} features, but TablePreparer is expecting {len(names)} "
            "features as input"
        )
    return array


def _series(column: Any) -> pd.Series:
    """Return a column of polars."""
    kind = str(column.dtype)
    if kind.startswith("Enum"):
        levels = column.dtype.categories.to_list()
        return pd.Series(pd.Categorical(column.to_list(), levels, ordered=True))
    if column.dtype.is_numeric() and not column.null_count():
        return pd.Series(column.to_numpy())
    return pd.Series(column.to_list(), dtype=np.float64 if column.dtype.is_numeric() else object)
