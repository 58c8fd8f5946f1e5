"""Blobs with the names and shapes of the paper's data sets: work for the runner anywhere."""

import numpy as np
from scipy.io import savemat

from sentree.datasets import PAPER_SETS


def write_sets(folder, *names):
    """Write blobs under the names of the paper's sets of vectors and of trees."""
    for name in names:
        record = PAPER_SETS[name]
        random = np.random.default_rng(record.n)
        y = np.arange(record.n) % record.k
        centres = random.normal(size=(record.k, record.d))
        X = 5 + centres[y] + random.normal(size=(record.n, record.d))
        path = folder / record.kind / f"{name}.mat"
        path.parent.mkdir(parents=True, exist_ok=True)
        savemat(path, {"fea": X, "gnd": y[:, None] + 1})
    return folder
