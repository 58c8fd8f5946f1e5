"""sentree.plots.map: the map of the report."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from sklearn.datasets import load_iris, make_blobs

from sentree import SSEHierarchy, SSEPartition, plots
from sentree.plots.scatter import cluster_colours

pytestmark = pytest.mark.usefixtures("pyplot")

X, Y = load_iris(return_X_y=True)


def offsets(ax):
    """By colour, the places drawn."""
    found = {}
    for points in ax.collections[:3]:
        found[to_hex(points.get_facecolor()[0])] = np.asarray(points.get_offsets())
    return found


@pytest.mark.parametrize("estimator", [SSEPartition, SSEHierarchy])
def test_clusters_at_their_places_in_their_colours(estimator):
    model = estimator(n_clusters=3).fit(X, must_link=[(0, 1)], cannot_link=[(0, 60)])
    ax = plots.map(model, title="irises")
    places = plots.places(model)
    drawn = offsets(ax)
    for k, colour in enumerate(cluster_colours(places, model.labels_)):
        np.testing.assert_array_equal(drawn[colour], places[model.labels_ == k])
    assert ax.get_title() == "irises"
    told = [text.get_text() for legend in ax.artists for text in legend.get_texts()]
    assert told == ["must-link kept (1)", "cannot-link kept (1)"]


def test_places_names_and_colours_of_your_own():
    model = SSEPartition(n_clusters=3).fit(X, np.where(np.arange(150) % 5, -1, Y))
    own = X[:, [2, 0]]
    name = f"0: class {model.cluster_names_[0]}"
    ax = plots.map(model, own, constraints=False, colors={name: "#123456"})
    np.testing.assert_array_equal(offsets(ax)["#123456"], own[model.labels_ == 0])
    names = {text.get_text().partition(" (")[0] for text in ax.get_legend().get_texts()}
    assert names == {f"{k}: class {c}" for k, c in enumerate(model.cluster_names_)}
    assert ax.artists == () or list(ax.artists) == []


def test_two_features_are_the_map():
    flat = make_blobs(60, 2, centers=3, random_state=0)[0]
    ax = plots.map(SSEPartition(n_clusters=3).fit(flat))
    drawn = np.concatenate(list(offsets(ax).values()))
    np.testing.assert_array_equal(np.sort(drawn, axis=0), np.sort(flat, axis=0))


def test_wrong_input_is_refused():
    with pytest.raises(TypeError, match="expected a fitted model, got SSEPartition"):
        plots.map(SSEPartition())
    with pytest.raises(ValueError, match=r"embedding has shape \(3, 2\), expected \(150, 2\)"):
        plots.map(SSEPartition(n_clusters=2).fit(X), np.zeros((3, 2)))
