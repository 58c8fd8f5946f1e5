"""sentree.plots.membership_strength: strengths of samples, cluster by cluster."""

from itertools import pairwise

import numpy as np
import pytest
from matplotlib.colors import to_hex

from sentree import plots
from sentree.plots.style import COLOURS

pytestmark = pytest.mark.usefixtures("pyplot")


def bands(ax):
    """The corners of each cluster's outline."""
    return [part.get_paths()[0].vertices for part in ax.collections]


def names(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_each_cluster_is_its_strengths_sorted():
    labels = [1, 0, 0, 1, 0]
    strengths = [0.4, 0.2, 1.0, 0.6, 0.7]
    ax = plots.membership_strength(labels, strengths, title="five")
    assert names(ax) == ["0 (3)", "1 (2)"]
    first, second = bands(ax)
    assert sorted(set(first[:, 0].round(6))) == [0, 0.2, 0.7, 1]
    assert sorted(set(second[:, 0].round(6))) == [0, 0.4, 0.6]
    top = {x: first[first[:, 0] == x, 1].min() for x in (1.0, 0.7, 0.2)}
    assert top[1.0] < top[0.7] < top[0.2]  # the axis points downward: the firmest on top
    means = [line.get_xdata()[0] for line in ax.lines[:2]]
    assert means == pytest.approx([1.9 / 3, 0.5])
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert ax.get_title() == "five"


def test_heights_follow_sizes_and_bands_do_not_overlap():
    labels = np.repeat([0, 1, 2], [60, 30, 1])
    ax = plots.membership_strength(labels, np.linspace(0, 1, 91))
    spans = [(v[:, 1].min(), v[:, 1].max()) for v in bands(ax)]
    heights = [high - low for low, high in spans]
    assert heights[0] == pytest.approx(2 * heights[1])
    assert heights[2] == pytest.approx(1.0)  # room for its name
    assert all(a[1] < b[0] for a, b in pairwise(spans))


def test_colours_are_those_of_the_map():
    labels = np.repeat([0, 1, 2], [2, 5, 3])
    ax = plots.membership_strength(labels, np.ones(10))
    drawn = [to_hex(part.get_facecolor()[0]).upper() for part in ax.collections]
    assert drawn == list(COLOURS[:3])
    assert names(ax) == ["1 (5)", "2 (3)", "0 (2)"]


@pytest.mark.parametrize("given", [["a", None, "c"], {0: "a", 2: "c"}])
def test_names_by_cluster(given):
    ax = plots.membership_strength([0, 1, 2, 2], np.ones(4), given)
    assert names(ax) == ["c (2)", "a (1)", "1 (1)"]


def test_many_clusters_and_samples_are_capped():
    labels = np.arange(60_000) % 300
    ax = plots.membership_strength(labels, np.random.default_rng(0).random(60_000))
    assert names(ax)[-1] == "280 others (56,000)"
    assert len(ax.collections) == 21
    assert sum(map(len, bands(ax))) < 21 * 500
    assert len(plots.membership_strength(labels, np.ones(60_000), max_clusters=3).collections) == 4


def test_axes_in_and_out(pyplot):
    _, ax = pyplot.subplots()
    assert plots.membership_strength([0, 0], [1, 0.5], ax=ax) is ax
    assert len(pyplot.get_fignums()) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0.5]), "shape"),
        (([0, 1], [0.5, 1.5]), "between 0 and 1"),
        (([0, 1], [0.5, np.nan]), "between 0 and 1"),
        (([0, 2], [0.5, 0.5], ["a", "b"]), "2 names for the clusters 0 to 2"),
        ((["x", "y"], [0.5, 0.5], ["a", "b"]), "or a mapping"),
        (([[0]], [0.5]), "one label per sample"),
    ],
)
def test_wrong_input_is_refused_before_a_figure_is_made(pyplot, arguments, message):
    with pytest.raises(ValueError, match=message):
        plots.membership_strength(*arguments)
    with pytest.raises(ValueError, match="max_clusters"):
        plots.membership_strength([0], [1], max_clusters=0)
    assert pyplot.get_fignums() == []
