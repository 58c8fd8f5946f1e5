"""How notebooks show a fitted model."""

import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.datasets import load_iris, make_blobs

from page import Page
from sentree import SSEHierarchy, SSEPartition, report

X, Y = load_iris(return_X_y=True)


@pytest.mark.parametrize("estimator", [SSEPartition, SSEHierarchy])
def test_clusters_and_a_map_above_the_diagram(estimator):
    model = estimator(n_clusters=3).fit(X, np.where(np.arange(150) % 9, -1, Y))
    shown = report.as_notebook(model)
    assert model._repr_html_().startswith(shown)
    assert model._repr_mimebundle_()["text/html"].startswith(shown)
    assert "sk-top-container" in model._repr_html_()[len(shown) :]
    assert repr(model) == f"{estimator.__name__}(n_clusters=3)"
    page = Page(shown)
    assert "3 clusters of 150 rows; 17 of 17 constraints kept" in page.text
    rows = {row["cluster"]: row for row in page.table("cluster")}
    for k, name in enumerate(model.cluster_names_):
        row = rows[f"{k}: class {name}"]
        assert int(row["rows"]) == (model.labels_ == k).sum()
        strength = model.membership_strength_[model.labels_ == k].mean()
        assert float(row["strength"]) == pytest.approx(strength, abs=0.006)
    drawn = [re.findall("M", path["d"]) for path in page.paths if "data-cluster" in path]
    assert sum(map(len, drawn)) == 150


def test_before_a_fit_and_as_text_it_is_as_scikit_learn_has_it():
    model = SSEPartition(n_clusters=3)
    plain = re.sub("sk-[a-z]+-id-[0-9]+", "", BaseEstimator._repr_html_.fget(model)())
    assert re.sub("sk-[a-z]+-id-[0-9]+", "", model._repr_html_()) == plain
    model.fit(X)
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert "text/html" not in model._repr_mimebundle_()


def test_many_samples_and_clusters_are_few_letters():
    many = make_blobs(5000, 3, centers=40, cluster_std=0.2, random_state=0)[0]
    shown = report.as_notebook(SSEPartition(n_clusters=40).fit(many))
    assert len(shown) < 50_000
    page = Page(shown)
    assert "and 28 more, none of them larger" in page.text
    drawn = [re.findall("M", path["d"]) for path in page.paths if "data-cluster" in path]
    assert sum(map(len, drawn)) == 2000


def test_names_are_escaped_and_two_features_are_the_map():
    flat, y = make_blobs(60, 2, centers=2, random_state=0)
    model = SSEPartition(n_clusters=2).fit(flat, np.array(["<b>one</b>", "two"])[y])
    page = Page(report.as_notebook(model))
    assert "b" not in page.tags
    assert "<b>one</b>" in page.text
    path = next(path for path in page.paths if path.get("data-cluster") == "0")
    at = np.array(re.findall(r"M(\d+) ", path["d"]), dtype=float)
    assert np.corrcoef(at, flat[model.labels_ == 0, 0])[0, 1] > 0.9999
