"""The public tables and shapes of ``general/`` in the data folder: numeric, complete, standardised.

Sets of at most 4,000 rows are the usual ones, the others the large ones. In each list, sorted by
name, the first, third, ... set belongs to the half that defaults may be chosen on, the second,
fourth, ... to the half that confirms.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype
from sklearn.preprocessing import scale

from sentree.datasets import _data_folders

LARGEST = 4_000
#: Sets of so few features are shapes, the others tables.
SHAPE_FEATURES = 3
HALVES = ("choosing", "confirming")


def folder(name, data_dir=None):
    """Find a folder of the data folder."""
    places = [place / name for place in _data_folders(data_dir)]
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(f"no folder {name!r}; looked at {', '.join(map(str, places))}")


def read(path):
    """Read features and classes 0..k-1; None where a feature is text or a cell is empty."""
    table = pd.read_csv(path)
    features = table.drop(columns="class")
    numeric = all(is_numeric_dtype(column) for _, column in features.items())
    if not numeric or features.isna().any(axis=None):
        return None
    y = np.unique(table["class"].astype(str), return_inverse=True)[1]
    return features.to_numpy(dtype=float), y


@cache
def _all(data_dir):
    paths = sorted(folder("general", data_dir).glob("*.csv.gz"))
    tables = {path.name.removesuffix(".csv.gz"): read(path) for path in paths}
    return {name: tables[name] for name in sorted(tables) if tables[name] is not None}


def names(data_dir=None, large=False):
    """Names of the usual sets, or of the large ones, sorted."""
    return [name for name, (X, _) in _all(data_dir).items() if (len(X) > LARGEST) == large]


def load(name, data_dir=None):
    X, y = _all(data_dir)[name]
    return scale(X), y


def kind(name, data_dir=None):
    return "shape" if _all(data_dir)[name][0].shape[1] <= SHAPE_FEATURES else "table"


def halves(sorted_names):
    """Tell the half of every set of a sorted list."""
    return {name: HALVES[place % 2] for place, name in enumerate(sorted_names)}
