"""Tables of other kinds as data frames of pandas."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["as_frame"]


def as_frame(X: Any) -> pd.DataFrame:
    """Return a table as a data frame of pandas whose columns are named by text."""
    if isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "columns") and hasattr(X, "to_dict"):  # polars
        frame = pd.DataFrame({name: pd.Series(X[name].to_list()) for name in X.columns})
    else:
        array = np.asarray(X)
        if array.ndim != 2:
            raise ValueError(f"expected a table of rows and columns, got shape {array.shape}")
        frame = pd.DataFrame(array)
    names = [str(name) for name in frame.columns]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(
            f"several columns are called {', '.join(map(repr, twice[:5]))}: give each column a "
            "name of its own"
        )
    return frame.set_axis(names, axis=1) if names != list(frame.columns) else frame
