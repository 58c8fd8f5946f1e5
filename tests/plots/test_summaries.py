"""sentree.plots: objective, constraint_satisfaction, cluster_sizes."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from sentree import Constraints, Graph, SSEPartition, plots
from sentree.plots.style import BLUE, BROKEN

pytestmark = pytest.mark.usefixtures("pyplot")


@pytest.fixture(scope="module")
def model():
    graph = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)])
    fitted = SSEPartition(affinity="precomputed", penalty=0.0)
    return fitted.fit(graph, must_link=[(0, 1), (0, 5)], cannot_link=[(0, 4)])


def test_the_objective_is_the_trace(model):
    ax = plots.objective(model, title="t")
    x, y = ax.lines[0].get_data()
    np.testing.assert_array_equal(y, model.trace_)
    np.testing.assert_array_equal(x, np.arange(len(y)))
    assert "bits" in ax.get_ylabel()
    assert ax.get_title() == "t"
    assert ax.texts[-1].get_text() == f"{model.trace_[-1]:.4g}"


@pytest.mark.parametrize("trace", [[3.0], np.linspace(9, 5, 1000)])
def test_traces_of_any_length_are_drawn(pyplot, trace):
    _, ax = pyplot.subplots()
    assert plots.objective(trace, ax=ax) is ax
    assert len(ax.lines[0].get_ydata()) == len(trace)
    assert ax.texts[0].get_text() == f"{trace[0]:.4g}"


@pytest.mark.parametrize("wrong", [SSEPartition(), [], [[1.0, 2.0]], "trace"])
def test_what_has_no_trace_is_refused(wrong):
    with pytest.raises(ValueError, match="fitted model with trace_"):
        plots.objective(wrong)


def test_satisfaction_shows_the_report():
    given = Constraints.from_pairs(must_link=[(0, 1), (0, 5)], cannot_link=[(0, 4)])
    ax = plots.constraint_satisfaction(given.satisfaction([0, 0, 0, 1, 1, 1]))
    kept, broken = ax.containers
    np.testing.assert_allclose([bar.get_width() for bar in kept], [0.5, 1.0])
    np.testing.assert_allclose([bar.get_width() for bar in broken], [0.5, 0.0])
    np.testing.assert_allclose([bar.get_x() for bar in broken], [0.5, 1.0])
    assert to_hex(kept[0].get_facecolor()).upper() == BLUE
    assert to_hex(broken[0].get_facecolor()).upper() == BROKEN
    assert broken[0].get_hatch()
    assert [text.get_text() for text in ax.texts] == ["1 of 2", "1 of 1"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["must-link", "cannot-link"]


def test_satisfaction_of_a_model_is_that_of_its_report(model):
    report = model.constraint_report_
    ax = plots.constraint_satisfaction(model)
    expected = [f"{report.kept[kind]} of {report.given[kind]}" for kind in list(report.given)[:2]]
    assert [text.get_text() for text in ax.texts] == expected


def test_satisfaction_of_no_constraints_says_so(pyplot):
    _, ax = pyplot.subplots()
    report = Constraints.empty().satisfaction([0, 1])
    assert plots.constraint_satisfaction(report, ax=ax) is ax
    assert [text.get_text() for text in ax.texts] == ["no constraints"]


def test_satisfaction_of_something_else_is_refused():
    with pytest.raises(TypeError, match="ConstraintReport or a fitted model"):
        plots.constraint_satisfaction(Constraints.empty())


def test_sizes_are_sorted_and_named(pyplot):
    _, ax = pyplot.subplots()
    assert plots.cluster_sizes(["b"] * 2 + ["a"] * 5 + ["c"], ax=ax) is ax
    assert [bar.get_height() for bar in ax.patches] == [5, 2, 1]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "b", "c"]
    assert ax.get_xlabel() == "3 clusters"


def test_small_sizes_have_whole_ticks():
    ticks = plots.cluster_sizes([0, 0, 1]).get_yticks()
    assert (ticks == np.round(ticks)).all()


def test_strengths_divide_the_bars():
    labels = [0, 0, 0, 0, 1, 1]
    strength = [1.0, 0.9, 0.3, 0.0, 0.5, 0.75]
    ax = plots.cluster_sizes(labels, strength)
    heights = [[bar.get_height() for bar in part] for part in ax.containers]
    assert heights == [[2, 1], [0, 1], [1, 0], [1, 0]]  # the firmest first, at the bottom
    assert [part[0].get_y() for part in ax.containers] == [0, 2, 2, 3]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["0 to 0.25", "0.25 to 0.5", "0.5 to 0.75", "0.75 to 1"]
    assert ax.get_ylim()[1] > 4


def test_many_clusters_are_capped_and_the_axis_says_so():
    labels = np.concatenate((np.arange(1000), np.zeros(1000, dtype=int)))
    ax = plots.cluster_sizes(labels)
    assert len(ax.patches) == 200
    assert ax.patches[0].get_height() == 1001
    assert ax.get_xlabel() == "1,000 clusters; the 200 largest, 60.0% of the samples"
    assert len(ax.get_xticks()) == 0


@pytest.mark.parametrize(
    ("strength", "message"),
    [([0.5], "shape"), ([0.5, 2.0, 0.1], "between 0 and 1"), ([0.5, np.nan, 0], "between 0 and 1")],
)
def test_wrong_strengths_are_refused(pyplot, strength, message):
    with pytest.raises(ValueError, match=message):
        plots.cluster_sizes([0, 0, 1], strength)
    assert pyplot.get_fignums() == []


def test_wrong_cluster_sizes_are_refused():
    with pytest.raises(ValueError, match="one label per sample"):
        plots.cluster_sizes([[0, 1]])
    with pytest.raises(ValueError, match="max_clusters"):
        plots.cluster_sizes([0, 1], max_clusters=0)
