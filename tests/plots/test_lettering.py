"""sentree.plots.lettering: text of users in pictures."""

import warnings

import numpy as np
import pytest

from sentree import Constraints, EncodingTree, Graph, plots
from sentree.plots import lettering as module
from sentree.plots.lettering import class_title, lettering, literal, with_class

FORMULA = r"$\frac{$"
JAPANESE = "日本"


def everything(text):
    """One picture of each kind, with the text wherever a user may give one."""
    labels = np.array([text, text, "other", "other"])
    path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    tree = EncodingTree.from_labels([0, 0, 1, 1], path)
    places = np.random.default_rng(0).normal(size=(30, 2))
    given = Constraints.from_pairs(must_link=[(0, 1)])
    yield plots.agreement(labels, labels, row_title=text, column_title=text, title=text)
    yield plots.cluster_sizes(labels, title=text)
    yield plots.constraint_satisfaction(given.satisfaction([0, 0]), title=text)
    yield plots.membership_strength(labels, np.full(4, 0.5), title=text)
    yield plots.membership_strength([0, 1], [1, 1], [text, "other"], title=text)
    yield plots.objective([2.0, 1.0], title=text)
    yield plots.partition(places[:4], labels, title=text)
    yield plots.partition(places, [f"{text}{k}" for k in range(30)], title=text)
    yield plots.tree(tree, labels, names=[text] * 4, title=text)
    yield plots.tree(tree, labels, names=[text] * 4, title=text, style="dendrogram")


def shown(ax):
    """What is written, after matplotlib has read it."""
    from matplotlib.text import Text

    return [x._preprocess_math(x.get_text()) for x in ax.findobj(Text) if x.get_text()]


def test_dollars_are_shown_and_begin_no_formula(pyplot):
    for ax in everything(FORMULA):
        ax.figure.canvas.draw()
        assert not any(is_math for _, is_math in shown(ax))
        assert sum(FORMULA in text for text, _ in shown(ax)) >= 1
        ax.set_title("$x^2$")  # formulas of users in what they write themselves stay formulas
        assert ("$x^2$", True) in shown(ax)
    assert literal(None) == ""
    with pyplot.rc_context({"text.parse_math": False}):
        assert literal(FORMULA) == FORMULA


def test_missing_letters_are_no_reason_to_warn(pyplot):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn = list(everything("\U000f0000"))  # in no font
        with lettering():
            for ax in drawn:
                ax.figure.canvas.draw()
        drawn[0].set_title("\U000f0001")
        with pytest.raises(UserWarning, match="Glyph"):
            drawn[0].figure.canvas.draw()


def test_further_fonts_are_used_where_they_are_installed(pyplot, monkeypatch):
    usual = pyplot.rcParams["font.family"]
    monkeypatch.setattr(module, "_FURTHER", ("no such font", "STIXGeneral"))
    module._further_fonts.cache_clear()
    try:
        ax = plots.partition(np.eye(2), [JAPANESE, "b"], title=JAPANESE)
    finally:
        module._further_fonts.cache_clear()
    texts = [ax.title, *ax.get_legend().get_texts()]
    assert all(text.get_fontfamily() == [*usual, "STIXGeneral"] for text in texts)
    assert pyplot.rcParams["font.family"] == usual


def test_the_class_of_a_cluster_is_told_from_its_number():
    names = ["T cell", "4", "-1", "2.5", "1e3b"]
    assert [with_class(6, name) for name in names] == [
        "6: T cell",
        "6: class 4",
        "6: class -1",
        "6: class 2.5",
        "6: 1e3b",
    ]
    assert class_title("B") == "B"
