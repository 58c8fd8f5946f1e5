"""Warnings point at the line of whoever called the library."""

import inspect
import warnings

import numpy as np
import pytest

from sentree import Constraints, SSEHierarchy, SSEPartition

LONELY = np.kron(np.eye(2), np.ones((3, 3)))
LONELY = np.pad(LONELY, (0, 1))


@pytest.mark.parametrize("estimator", [SSEPartition, SSEHierarchy])
@pytest.mark.parametrize("call", ["fit", "fit_predict"])
def test_a_warning_names_the_line_of_the_user(estimator, call):
    model = estimator(affinity="precomputed")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = inspect.currentframe().f_lineno + 1
        getattr(model, call)(LONELY, [0, 0, 0, 1, 1, 1, -1])
    (found,) = caught
    assert "no neighbour" in str(found.message)
    assert (found.filename, found.lineno) == (__file__, line)


def test_statements_too():
    with pytest.warns(UserWarning, match="counts as a class") as caught:
        Constraints.from_labels(["a", "nan"])
    assert caught[0].filename == __file__
