"""``verbose`` of the estimators."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import sentree

X = load_iris().data


@pytest.mark.parametrize("kind", [sentree.SSEPartition, sentree.SSEHierarchy])
def test_one_line_for_each_stage_and_the_same_result(kind, capsys, tmp_path):
    silent = kind(3).fit(X)
    assert capsys.readouterr().err == ""
    model = clone(kind(3, verbose=1)).fit(X)
    told = [line.split(" s  ")[1] for line in capsys.readouterr().err.splitlines()]
    stages = ["finding the neighbours of 150 samples", "searching for clusters"]
    grown = ["growing a tree over 150 samples"] * (kind is sentree.SSEHierarchy)
    assert told == [*stages, *grown, "found 3 clusters"]
    assert np.array_equal(model.labels_, silent.labels_)
    again = sentree.load(model.save(tmp_path / "m.npz"))
    assert again.verbose == 1
    again.predict(X[:5])
    assert "placing 5 samples" in capsys.readouterr().err


def test_details_and_refits(capsys):
    model = sentree.SSEPartition(3, verbose=2).fit(X)
    told = capsys.readouterr().err
    assert "the samples are taken for table" in told
    assert "a graph of 150 samples" in told
    model.set_params(verbose=1).refit(must_link=[(0, 1)])
    assert "searching for clusters" in capsys.readouterr().err
    with pytest.raises(ValueError, match="verbose"):
        sentree.SSEPartition(verbose=-1).fit(X)
