import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sentree import ConstraintConflict, Constraints, EncodingTree
from sentree.metrics import level_purity

steps = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=4).map(tuple)


def levels(constraints):
    """The class of each labelled sample, level by level."""
    found = []
    for level in constraints.levels:
        classes = [level.classes[code] for code in level.label_code]
        found.append(dict(zip(level.label_index.tolist(), classes, strict=True)))
    return found


@given(st.lists(st.one_of(st.none(), steps), max_size=12))
def test_levels_say_what_the_paths_say(paths):
    told = levels(Constraints.from_paths(paths))
    rows = [row for row, path in enumerate(paths) if path is not None]
    deepest = max((len(paths[row]) for row in rows), default=0)
    for i in rows:
        for j in rows:
            for depth in range(deepest):
                both = min(len(paths[i]), len(paths[j])) > depth
                same = both and paths[i][: depth + 1] == paths[j][: depth + 1]
                # Levels that all share are left out, so count them from the finest.
                level = len(told) - deepest + depth
                if level < 0:
                    assert same or not both
                    continue
                assert (i in told[level] and j in told[level]) == both
                if both:
                    assert (told[level][i] == told[level][j]) == same


def test_text_tuples_and_an_ontology_are_one():
    text = Constraints.from_paths(["T / CD4", "T", None, "B", -1, "T/CD8", float("nan")])
    table = {"CD4": "T", "CD8": "T", "T": "cell", "B": "cell", "cell": None}
    labels = ["CD4", "T", None, "B", -1, "CD8", "cell"]
    frame = pd.DataFrame({"child": table.keys(), "parent": table.values()})
    others = [
        Constraints.from_paths([("T", "CD4"), ["T"], None, ("B",), None, ("T", "CD8")]),
        Constraints.from_paths(
            pd.Series(["T|CD4", "T", None, "B", "?", "T|CD8"]), sep="|", unknown="?"
        ),
        Constraints.from_ontology(labels, table),
        Constraints.from_ontology(np.array(labels, dtype=object), list(table.items())),
        Constraints.from_ontology(labels, frame),
    ]
    assert levels(text) == [
        {0: "T", 1: "T", 3: "B", 5: "T"},
        {0: ("T", "CD4"), 5: ("T", "CD8")},
    ]
    for other in others:
        assert levels(other) == levels(text)
    assert repr(text) == "Constraints(labels=4, classes=2, levels=2)"


def test_one_name_below_two_parents_is_two_classes():
    told = Constraints.from_paths(["T/naive", "B/naive"])
    assert len(told.finer.classes) == 2


def test_paths_of_one_step_are_labels():
    told = Constraints.from_paths(["a", "b", None, 7])
    assert told.finer is None
    assert levels(told) == levels(Constraints.from_labels(["a", "b", None, 7]))
    assert levels(Constraints.from_paths(["x", "x"])) == [{0: "x", 1: "x"}]
    assert len(Constraints.from_paths([None, -1])) == 0


def test_finer_labels_go_along():
    told = Constraints.from_paths(["a/x", "b", "a/y"]) + Constraints.from_pairs([(3, 4)])
    more = told + Constraints.from_paths([None, None, None, "a/x/1", "b"])
    assert len(told.levels) == 2
    assert told.n_min == 5
    assert len(more.levels) == 3
    assert levels(more)[1] == {0: ("a", "x"), 2: ("a", "y"), 3: ("a", "x")}
    assert levels(pickle.loads(pickle.dumps(more))) == levels(more)
    assert told.hardened().hard.finer is None
    assert levels(told.hardened()) == levels(told)
    with pytest.raises(ValueError, match="only 2 samples"):
        told.finer.check(2)


def test_two_paths_of_one_sample_contradict():
    told = Constraints.from_paths(["a/x", "b"]) + Constraints.from_paths(["a/y", "b"])
    told.closure(2)
    with pytest.raises(ConstraintConflict):
        told.finer.closure(2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Constraints.from_paths("a/b"), "one path per sample"),
        (lambda: Constraints.from_paths(["a", "a//b"]), "row 1 has path .*: a step of it is empty"),
        (lambda: Constraints.from_paths([("a", None)]), "row 0 has path"),
        (lambda: Constraints.from_paths([()]), "row 0 has path"),
        (
            lambda: Constraints.from_ontology(["CD5"], {"CD4": "T"}),
            "label of row 0, 'CD5', is not in.*without a parent.*did you mean 'CD4'",
        ),
        (lambda: Constraints.from_ontology(["a"], {"a": "b", "b": "a"}), "form a cycle"),
        (lambda: Constraints.from_ontology(["a"], [("a", "b"), ("a", "c")]), "'a' has two parents"),
        (lambda: Constraints.from_ontology(["a"], ["ab"]), "expected \\(child, parent\\)"),
        (
            lambda: Constraints(finer=Constraints.from_pairs([(0, 1)])),
            "finer constraints may be labels only",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_purity_by_level():
    told = Constraints.from_paths(["a/x", "a/x", "a/y", "a", "b", None])
    good = EncodingTree.from_newick("((((0,1),2),3),(4,5));")
    bad = EncodingTree.from_newick("((((0,2),1),4),(3,5));")
    assert level_purity(told, good) == [1.0, 1.0]
    coarse, fine = level_purity(told, bad)
    assert coarse == pytest.approx((3 * 1 + 3 * 4 / 5) / 6)
    assert fine == pytest.approx(2 / 3)
    alone = level_purity(Constraints.from_paths(["a/x", "a/y", "b", None, None, None]), good)
    assert alone[0] == 1
    assert np.isnan(alone[1])
