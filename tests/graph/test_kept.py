"""Unfinished work on disk: found again by what it was made from, and by nothing else."""

import numpy as np
import pytest

from sentree import SSEPartition
from sentree.graph import build
from sentree.graph.kept import forget_work, keep_work


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(120, 3)) + np.repeat([[0], [9], [30]], 40, axis=0)


@pytest.fixture
def searches(monkeypatch):
    """Count the searches for neighbours."""
    made = []
    usual = build.NeighborSearch.others
    monkeypatch.setattr(build.NeighborSearch, "others", lambda s: made.append(1) or usual(s))
    return made


def fit(X, folder, y=None, **options):
    with keep_work(folder):
        return SSEPartition(**options).fit(X, y)


@pytest.mark.parametrize("repeated", [False, True])
def test_a_second_fit_goes_on_from_the_graph(X, tmp_path, searches, repeated):
    X = np.concatenate((X, X[:20])) if repeated else X
    plain = SSEPartition(3).fit(X)
    first, again = fit(X, tmp_path, n_clusters=3), fit(X, tmp_path, n_clusters=3)
    assert len(searches) == 2  # of the plain one and of the first
    for model in (first, again):
        np.testing.assert_array_equal(model.labels_, plain.labels_)
        np.testing.assert_array_equal(model.graph_.weights, plain.graph_.weights)
        np.testing.assert_array_equal(model.predict(X[:9] + 0.1), plain.predict(X[:9] + 0.1))
        np.testing.assert_array_equal(model.membership_strength_, plain.membership_strength_)


def test_other_data_and_settings_are_not_mixed_up(X, tmp_path, searches):
    fit(X, tmp_path)
    other = X.copy()
    other[7, 1] += 1e-9
    y = np.full(120, -1)
    y[::3] = np.repeat([0, 1, 2], 40)[::3]
    ways = [
        {"X": other},
        {"n_neighbors": 4},
        {"affinity": "gaussian"},
        {"random_state": 3},
        {"y": y},  # labels weigh features
    ]
    for k, way in enumerate(ways):
        given = {"X": X} | way
        found = fit(folder=tmp_path, **given)
        assert len(searches) == 2 * k + 2
        plain = SSEPartition(**{n: v for n, v in way.items() if n not in "Xy"})
        plain.fit(given["X"], given.get("y"))
        np.testing.assert_array_equal(found.graph_.weights, plain.graph_.weights)


def test_a_graph_that_was_not_written_to_the_end_is_not_used(X, tmp_path, searches):
    fit(X, tmp_path)
    (tmp_path / "graph" / "manifest.json").unlink()
    fit(X, tmp_path)
    assert len(searches) == 2


def test_only_what_was_kept_is_removed(X, tmp_path):
    folder = tmp_path / "work"
    fit(X, folder)
    (folder / "notes.txt").write_text("mine")
    forget_work(folder)
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    (folder / "notes.txt").unlink()
    forget_work(folder)
    assert not folder.exists()


def test_nothing_is_kept_without_a_folder(X, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fit(X, None)
    assert not list(tmp_path.iterdir())
