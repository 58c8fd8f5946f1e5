import matplotlib
import numpy as np
import pytest

from sentree import Constraints, plots

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def places():
    return np.random.default_rng(0).normal(size=(40, 2))


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_partition_draws_every_cluster(places):
    labels = np.repeat(["a", "b", "c", "d"], [20, 10, 7, 3])
    ax = plots.partition(places, labels, title="four")
    assert [c.get_offsets().shape[0] for c in ax.collections] == [20, 10, 7, 3]
    assert ax.get_title() == "four"
    assert ax.get_legend().get_title().get_text() == "4 clusters"


def test_partition_draws_on_the_given_axes(places):
    _, ax = plt.subplots()
    assert plots.partition(places, np.zeros(40), ax=ax) is ax


def test_constraints_are_drawn_kept_and_broken(places):
    labels = np.arange(40) // 20
    constraints = Constraints.from_pairs(
        must_link=[(0, 1), (0, 39)], cannot_link=[(2, 3), (2, 38), (4, 37)]
    ) + Constraints.from_labels([0] + [-1] * 38 + [1])
    ax = plots.partition(places, labels, constraints=constraints)
    lines = [len(c.get_segments()) for c in ax.collections if hasattr(c, "get_segments")]
    assert lines == [1, 1, 2, 1]  # must kept, must broken, cannot kept, cannot broken
    assert ax.collections[-1].get_offsets().shape[0] == 2


def test_many_clusters_keep_the_legend_short(places):
    ax = plots.partition(places, np.arange(40))
    assert len(ax.get_legend().get_texts()) == 12
    assert "12 largest" in ax.get_legend().get_title().get_text()


def test_wrong_embedding_is_refused(places):
    with pytest.raises(ValueError, match=r"shape \(40, 2\), expected \(39, 2\)"):
        plots.partition(places, np.zeros(39))
