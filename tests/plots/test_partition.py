"""sentree.plots.partition: clusters and constraints on a map."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from sentree import Constraints, plots
from sentree.plots.style import BROKEN, COLOURS, ranked, shortened

pytestmark = pytest.mark.usefixtures("pyplot")


@pytest.fixture
def places():
    return np.random.default_rng(0).normal(size=(40, 2))


def lines(ax):
    """By legend text, the segments drawn."""
    found = (c for c in ax.collections if isinstance(c, LineCollection))
    return {c.get_label(): np.array(c.get_segments()) for c in found}


def texts(legend):
    return [text.get_text() for text in legend.get_texts()]


def legends(ax):
    return [a for a in ax.get_children() if type(a).__name__ == "Legend"]


def test_importing_the_plots_loads_no_drawing_library():
    code = (
        "import sys; from sentree import plots; "
        "print([m for m in ('matplotlib', 'plotly') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_cluster_is_drawn_the_largest_first(places):
    labels = np.repeat(["d", "c", "b", "a"], [3, 7, 10, 20])
    ax = plots.partition(places, labels, title="four")
    assert [len(c.get_offsets()) for c in ax.collections] == [20, 10, 7, 3]
    np.testing.assert_array_equal(ax.collections[3].get_offsets(), places[:3])
    drawn = [to_hex(c.get_facecolor()[0]).upper() for c in ax.collections]
    assert drawn == list(COLOURS[:4])
    assert ax.get_title() == "four"
    assert ax.get_legend().get_title().get_text() == "4 clusters"
    assert texts(ax.get_legend()) == ["a (20)", "b (10)", "c (7)", "d (3)"]


def test_axes_in_and_out(pyplot, places):
    _, ax = pyplot.subplots()
    assert plots.partition(places, np.zeros(40), ax=ax) is ax
    assert len(pyplot.get_fignums()) == 1
    assert plots.partition(places, np.zeros(40)).figure.number in pyplot.get_fignums()


def test_kept_and_broken_pairs_are_the_right_ones(places):
    labels = np.arange(40) // 20
    given = Constraints.from_pairs(
        must_link=[(0, 1), (0, 39)], cannot_link=[(2, 3), (2, 38), (4, 37)]
    )
    ax = plots.partition(places, labels, given)
    drawn = lines(ax)
    np.testing.assert_array_equal(drawn["must-link kept (1)"], places[[[0, 1]]])
    np.testing.assert_array_equal(drawn["must-link broken (1)"], places[[[0, 39]]])
    np.testing.assert_array_equal(drawn["cannot-link kept (2)"], places[[[2, 38], [4, 37]]])
    np.testing.assert_array_equal(drawn["cannot-link broken (1)"], places[[[2, 3]]])
    assert len(drawn) == 4
    collections = [c for c in ax.collections if isinstance(c, LineCollection)]
    red = {c.get_label() for c in collections if to_hex(c.get_color()[0]).upper() == BROKEN}
    assert red == {"must-link broken (1)", "cannot-link broken (1)"}
    thin = [c.get_linewidth()[0] for c in collections if "kept" in c.get_label()]
    thick = [c.get_linewidth()[0] for c in collections if "broken" in c.get_label()]
    assert max(thin) < min(thick)  # told apart without colour
    dashed = {c.get_label() for c in collections if c.get_linestyle()[0][1] is not None}
    assert dashed == {"cannot-link kept (2)", "cannot-link broken (1)"}
    clusters, below = sorted(legends(ax), key=lambda x: "cluster" not in x.get_title().get_text())
    assert len(texts(clusters)) == 2
    assert set(texts(below)) == set(drawn)


def test_groups_are_drawn_with_one_line_for_each_member(places):
    labels = np.arange(40) // 20
    given = Constraints.from_groups(together=[[1, 5, 7, 30]], apart=[[2, 3, 33]])
    drawn = lines(plots.partition(places, labels, given))
    np.testing.assert_array_equal(drawn["must-link kept (2)"], places[[[1, 5], [1, 7]]])
    np.testing.assert_array_equal(drawn["must-link broken (1)"], places[[[1, 30]]])
    np.testing.assert_array_equal(drawn["cannot-link kept (1)"], places[[[3, 33]]])
    np.testing.assert_array_equal(drawn["cannot-link broken (1)"], places[[[2, 3]]])


def test_labels_are_marked_kept_and_broken(places):
    labels = np.arange(40) // 20
    known = np.full(40, -1)
    known[[0, 1, 2, 39]] = [0, 0, 1, 1]
    known[38] = 1
    given = Constraints.from_labels(known) + Constraints.from_negative_labels([(5, 0), (6, 1)])
    ax = plots.partition(places, labels, given)
    marks = {c.get_label(): np.asarray(c.get_offsets()) for c in ax.collections[2:]}
    np.testing.assert_array_equal(marks["label kept (4)"], places[[0, 1, 38, 39]])
    np.testing.assert_array_equal(marks["label broken (1)"], places[[2]])
    report = given.satisfaction(labels)
    assert report.broken["negative_labels"].tolist() == [0, 1]
    np.testing.assert_array_equal(marks["negative label broken (2)"], places[[5, 6]])


def test_many_constraints_are_capped_and_the_legend_says_so(places):
    labels = np.arange(40) // 20
    i, j = np.triu_indices(40, 1)
    pairs = np.column_stack((i, j))  # 380 within clusters, 400 across
    given = Constraints.from_pairs(must_link=pairs)
    drawn = lines(plots.partition(places, labels, given, max_constraints=50))
    assert {name: len(x) for name, x in drawn.items()} == {
        "must-link kept (25 of 380)": 25,
        "must-link broken (25 of 400)": 25,
    }
    again = lines(plots.partition(places, labels, given, max_constraints=50))
    other = lines(plots.partition(places, labels, given, max_constraints=50, seed=1))
    name = "must-link broken (25 of 400)"
    np.testing.assert_array_equal(drawn[name], again[name])
    assert not np.array_equal(drawn[name], other[name])


def test_few_broken_ones_are_all_drawn(places):
    labels = np.arange(40) // 20
    i, j = np.triu_indices(20, 1)
    given = Constraints.from_pairs(must_link=[*zip(i, j, strict=True), (0, 20), (1, 20)])
    drawn = lines(plots.partition(places, labels, given, max_constraints=50))
    assert set(drawn) == {"must-link kept (48 of 190)", "must-link broken (2)"}


def test_no_constraints_no_second_legend(places):
    assert len(legends(plots.partition(places, np.zeros(40), Constraints.empty()))) == 1
    assert len(legends(plots.partition(places, np.zeros(40)))) == 1


def test_legends_stand_clear_of_the_samples_and_of_each_other(places):
    labels = np.array([f"a name of some length, number {i % 20}" for i in range(40)])
    given = Constraints.from_pairs(must_link=[(0, 1), (0, 20)], cannot_link=[(0, 2), (1, 21)])
    ax = plots.partition(places, labels, given, title="names")
    ax.figure.draw_without_rendering()
    boxes = [legend.get_window_extent() for legend in legends(ax)]
    boxes.append(ax.get_window_extent())
    assert len(boxes) == 3
    page = ax.figure.bbox
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[k + 1 :])
        assert page.x0 <= box.x0
        assert box.x1 <= page.x1
        assert page.y0 <= box.y0


def test_twenty_clusters_differ_in_colour_or_marker(places):
    ax = plots.partition(places, np.arange(40) % 20)
    looks = {
        (to_hex(c.get_facecolor()[0]), c.get_paths()[0].vertices.tobytes()) for c in ax.collections
    }
    assert len(looks) == 20


def test_many_clusters_are_named_at_their_centres():
    side = np.arange(6.0)
    centres = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    labels = np.repeat(np.arange(36), 5)
    spread = np.tile([[0, 0], [0.1, 0], [-0.1, 0], [0, 0.1], [0, -0.1]], (36, 1))
    ax = plots.partition(centres[labels] + spread, labels)
    assert {text.get_text(): text.get_position() for text in ax.texts} == {
        str(k): tuple(centre) for k, centre in enumerate(centres.tolist())
    }
    assert texts(ax.get_legend()) == []
    assert ax.get_legend().get_title().get_text().startswith("36 clusters")
    colour = np.empty(36, dtype=object)
    for c in ax.collections:
        owner = np.rint(np.asarray(c.get_offsets())).astype(int)
        colour[owner[:, 1] * 6 + owner[:, 0]] = to_hex(c.get_facecolor()[0])
    grid = colour.reshape(6, 6)
    assert (grid[:, 1:] != grid[:, :-1]).all()  # neighbours differ
    assert (grid[1:] != grid[:-1]).all()


def test_names_that_would_overlap_are_left_out():
    labels = np.arange(30)
    places = np.column_stack((labels * 1e-3, labels * 1e-3))
    places[29] = 5.0
    ax = plots.partition(places, labels)
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert 2 <= len(boxes) < 10
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[k + 1 :])


def test_wrong_input_is_refused(places):
    with pytest.raises(ValueError, match=r"shape \(40, 2\), expected \(39, 2\)"):
        plots.partition(places, np.zeros(39))
    with pytest.raises(ValueError, match=r"shape \(40, 3\), expected \(40, 2\)"):
        plots.partition(np.zeros((40, 3)), np.zeros(40))
    with pytest.raises(ValueError, match="one label per sample"):
        plots.partition(places, np.zeros((40, 1)))
    with pytest.raises(ValueError, match="one label per sample"):
        plots.partition(np.zeros((0, 2)), [])
    places[7, 1] = np.nan
    with pytest.raises(ValueError, match="in row 7"):
        plots.partition(places, np.zeros(40))
    with pytest.raises(ValueError, match="only 40 samples"):
        plots.partition(np.zeros((40, 2)), np.zeros(40), Constraints.from_pairs([(0, 40)]))
    with pytest.raises(ValueError, match="max_constraints"):
        plots.partition(np.zeros((40, 2)), np.zeros(40), max_constraints=-1)


def test_a_refused_picture_leaves_no_figure_behind(pyplot, places):
    with pytest.raises(ValueError, match="only 40 samples"):
        plots.partition(places, np.zeros(40), Constraints.from_pairs([(0, 40)]))
    assert pyplot.get_fignums() == []


def test_clusters_are_ranked_by_size_whatever_their_names():
    names, code, size = ranked(np.array(["x", None, "y", "y"], dtype=object))
    assert names == ["y", "None", "x"]
    assert code.tolist() == [2, 1, 0, 0]
    assert size.tolist() == [2, 1, 1]


def test_long_names_are_cut_but_stay_different():
    assert shortened(["short"]) == ["short"]
    cut = shortened(["x" * 60 + "1", "x" * 60 + "2"])
    assert len(set(cut)) == 2
    assert max(map(len, cut)) <= 24
    cut = shortened([f"{'x' * 15}{k}{'x' * 20}" for k in range(3)])
    assert len(set(cut)) == 3
