"""sentree.plots.profile: what is drawn and written in each cell."""

import numpy as np
import pandas as pd
import pytest

import sentree
from sentree import plots

pytestmark = pytest.mark.usefixtures("pyplot")


def table(k, rows=60):
    rng = np.random.default_rng(k)
    labels = np.repeat(np.arange(k), rows)
    frame = pd.DataFrame(
        {
            "a feature with a name that is far too long for a picture": 10.0 * labels,
            "city": np.array(["Berlin", "Rome"])[labels % 2],
            "flag": rng.random(k * rows) < 0.5,
        }
    )
    frame.iloc[:, 0] += rng.normal(size=k * rows)
    return frame, labels


def cells(ax):
    """What is written in each cell, by (row, column)."""
    return {(int(t.get_position()[1]), int(t.get_position()[0])): t for t in ax.texts}


def test_cells_hold_typical_values_coloured_by_direction():
    frame, labels = table(3)
    found = sentree.profile(frame, labels, names=["first", "second", None])
    ax = plots.profile(found)
    rows = [text.get_text() for text in ax.get_yticklabels()]
    assert rows[1] == "city"
    assert rows[0].startswith("a feature with a")
    assert len(rows[0]) <= 35
    columns = [text.get_text() for text in ax.get_xticklabels()]
    assert columns == ["0: first\n(60)", "1: second\n(60)", "2\n(60)"]
    written = {place: text.get_text() for place, text in cells(ax).items()}
    assert written[1, 0] == "Berlin\n100 %"
    medians = frame.iloc[:, 0].groupby(labels).median()
    typical = [f"{median:.1f}".replace("-", "−") for median in medians]
    assert [written[0, c] for c in range(3)] == typical
    red, green, blue = np.moveaxis(ax.images[0].get_array()[0], -1, 0)
    assert blue[0] > red[0]  # low is blue
    assert green[1] > max(red[1], blue[1])  # the middle is green
    assert red[2] > blue[2]  # high is orange


def test_what_sets_nothing_apart_is_pale():
    frame, labels = table(2)
    frame["half"] = np.where(labels == 0, np.arange(120) % 2, np.arange(120) % 3 == 0)
    ax = plots.profile(sentree.profile(frame, labels))
    assert "flag" not in [text.get_text() for text in ax.get_yticklabels()]
    nothing = plots.profile(sentree.profile(frame[["flag"]], labels))
    assert {text.get_color() for text in cells(nothing).values()} == {"#9A9A9A"}


def test_of_many_clusters_the_largest():
    frame, labels = table(25, 8)
    labels = np.append(labels, [24] * 8)
    frame = pd.concat([frame, frame[-8:]])
    ax = plots.profile(sentree.profile(frame, labels))
    assert len(ax.get_xticklabels()) == 20
    assert ax.get_xticklabels()[-1].get_text() == "24\n(16)"
    assert "the 20 largest of 25 clusters" in ax.get_legend().get_title().get_text()
    with pytest.raises(ValueError, match="must be 1 or more"):
        plots.profile(sentree.profile(frame, labels), max_features=0)


def test_most_features_are_shared_out_among_the_clusters():
    labels = np.repeat(np.arange(4), 50)
    frame = pd.DataFrame(
        {f"x{k}": np.random.default_rng(k).normal(6.0 * (labels == k % 4)) for k in range(12)}
    )
    ax = plots.profile(sentree.profile(frame, labels), max_features=4)
    assert {int(t.get_text()[1:]) % 4 for t in ax.get_yticklabels()} == {0, 1, 2, 3}


def test_without_features_there_is_nothing_to_draw():
    with pytest.raises(ValueError, match="no feature to draw"):
        plots.profile(sentree.profile({"x": [1, 1, 1, 1]}, [0, 0, 1, 1]))
