"""sentree.plots.agreement: two clusterings against each other."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sentree import plots

pytestmark = pytest.mark.usefixtures("pyplot")


def ticks(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def counts(ax):
    """What is written in each cell, by (row, column)."""
    return {
        (round(t.get_position()[1]), round(t.get_position()[0])): t.get_text() for t in ax.texts
    }


def test_cells_hold_counts_and_shares_of_their_row():
    rows = ["x"] * 6 + ["y"] * 4
    columns = ["p"] * 5 + ["q"] + ["q"] * 4
    ax = plots.agreement(rows, columns, row_title="mine", column_title="theirs")
    assert ticks(ax.yaxis) == ["x", "y"]
    assert ticks(ax.xaxis) == ["p", "q"]
    np.testing.assert_allclose(ax.images[0].get_array(), [[5 / 6, 1 / 6], [0, 1]])
    assert counts(ax) == {(0, 0): "5", (0, 1): "1", (1, 1): "4"}
    assert ax.get_title().startswith(f"ARI {adjusted_rand_score(rows, columns):.2f}, NMI ")
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("mine", "theirs")


def test_the_same_clusters_under_other_names_are_a_diagonal():
    code = np.random.default_rng(0).integers(0, 12, 600)
    names = np.random.default_rng(1).permutation(12)
    ax = plots.agreement(code, names[code])
    np.testing.assert_array_equal(ax.images[0].get_array(), np.eye(12))


def test_parts_of_one_cluster_stand_side_by_side_whichever_is_finer():
    coarse = np.repeat([0, 1, 2], [60, 50, 40])
    fine = np.concatenate([rank * 2 + np.arange(n) % 2 for rank, n in ((2, 60), (0, 50), (1, 40))])
    for first, second in ((coarse, fine), (fine, coarse)):
        share = plots.agreement(first, second).images[0].get_array()
        filled = share > 0
        for lines in (filled, filled.T):
            for line in lines:
                inside = np.flatnonzero(line)
                assert inside[-1] - inside[0] == inside.size - 1


def test_large_tables_stay_readable(pyplot):
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 50, 3000), rng.integers(0, 50, 3000)
    ax = plots.agreement(first, second)
    assert len(ticks(ax.yaxis)) == 50
    boxes = [text.get_window_extent() for text in ax.get_yticklabels()]
    assert not any(a.overlaps(b) for a, b in pairwise(boxes))
    ax = plots.agreement(np.arange(3000) % 500, second)
    assert not ax.texts  # no room for counts
    assert len(ticks(ax.yaxis)) <= 60


def test_axes_in_and_out(pyplot):
    _, ax = pyplot.subplots()
    assert plots.agreement([0, 1], ["a", "b"], title="two", ax=ax) is ax
    assert ax.get_title() == "two"


def test_lengths_must_agree():
    with pytest.raises(ValueError, match="3 labels for 2 samples"):
        plots.agreement([0, 1], [0, 1, 2])
