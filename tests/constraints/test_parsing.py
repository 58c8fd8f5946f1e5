"""Constraints read from pairs, labels, negative labels, groups and triplets."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sentree.constraints import Constraints, parsing


@pytest.mark.parametrize(
    "pairs",
    [
        [(0, 1), (3, 2)],
        ((0, 1), (3, 2)),
        np.array([[0, 1], [3, 2]], dtype=np.uint8),
        pd.DataFrame({"a": [0, 3], "b": [1, 2]}),
        pd.DataFrame({"a": [0, 3], "b": [1, 2]}, dtype="Int64"),
        pl.DataFrame({"a": [0, 3], "b": [1, 2]}),
        zip([0, 3], [1, 2], strict=True),
    ],
)
def test_from_pairs_takes_all_sorts_of_pairs(pairs):
    constraints = Constraints.from_pairs(cannot_link=pairs)
    assert constraints.cannot_link.tolist() == [[0, 1], [3, 2]]
    assert constraints.cannot_link.dtype == np.int64
    assert constraints.cannot_weight.tolist() == [1.0, 1.0]
    assert len(constraints.must_link) == 0


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 1), (2, 2)], r"must-link 1 is \(2, 2\): a sample is not paired with itself"),
        ([(0, 1), (2, -3)], r"must-link 1 is \(2, -3\): samples are numbered from 0"),
        ([(0, 2**40)], r"must-link 0 is \(0, 1099511627776\): samples are numbered from 0 to"),
        ([(0, 1), (0, 2**70)], "must-link 1 is .*: samples are numbered from 0 to 2147483645"),
        ([(0, 1), (2, 0.5)], r"must-link 1 is \(2.0, 0.5\): samples are integers"),
        ([(0.0, 1.0)], r"must-link 0 is \(0.0, 1.0\): samples are integers"),
        ([(0, 1), (2, None)], r"must-link 1 is \(2, None\): samples are integers"),
        ([(True, False)], r"must-link 0 is \(True, False\): samples are integers"),
        ([("a", "b")], r"must-link 0 is \('a', 'b'\): samples are integers"),
        ([(0, 1), (2,)], r"must-link 1 is \(2,\): a pair has two members"),
        ([0, 1], r"shape \(m, 2\); got shape \(2,\)"),
        ([(0, 1, 2)], r"shape \(m, 2\); got shape \(1, 3\)"),
    ],
)
def test_from_pairs_names_the_bad_pair(pairs, message):
    with pytest.raises(ValueError, match=message):
        Constraints.from_pairs(must_link=pairs)


@pytest.mark.parametrize(
    ("weights", "must", "cannot"),
    [
        (None, [1, 1], [1]),
        ({"must_link": [2, 3]}, [2, 3], [1]),
        ({"must_link": [2, 3], "cannot_link": [4]}, [2, 3], [4]),
        (([2, 3], [4]), [2, 3], [4]),
        ((None, np.array([4])), [1, 1], [4]),
    ],
)
def test_from_pairs_takes_weights_of_both_kinds(weights, must, cannot):
    constraints = Constraints.from_pairs([(0, 1), (1, 2)], [(0, 3)], weights=weights)
    assert constraints.must_weight.tolist() == must
    assert constraints.cannot_weight.tolist() == cannot


@pytest.mark.parametrize("weights", [[2.0, 3.0], (2.0, 3.0), np.array([2.0, 3.0])])
def test_from_pairs_takes_plain_weights_for_one_kind(weights):
    pairs = [(0, 1), (1, 2)]
    assert Constraints.from_pairs(pairs, weights=weights).must_weight.tolist() == [2, 3]
    cannot = Constraints.from_pairs(cannot_link=pairs, weights=weights)
    assert cannot.cannot_weight.tolist() == [2, 3]


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_from_pairs_names_the_pair_with_a_bad_weight(bad):
    message = rf"must-link 1, \(1, 2\), has weight {bad}; weights must be finite and > 0"
    with pytest.raises(ValueError, match=message):
        Constraints.from_pairs([(0, 1), (1, 2)], weights=[1.0, bad])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "give weights as"),
        ({"must_link": [1.0]}, r"2 must-links but weights of shape \(1,\)"),
        (([1.0, 1.0], [1.0, 2.0]), r"1 cannot-links but weights of shape \(2,\)"),
        (([1.0, 1.0], [1.0], [1.0]), "holds two arrays, got 3"),
        ({"must": [1.0]}, "weights has key 'must'"),
    ],
)
def test_from_pairs_refuses_unclear_weights(weights, message):
    with pytest.raises(ValueError, match=message):
        Constraints.from_pairs([(0, 1), (1, 2)], [(0, 3)], weights=weights)


@pytest.mark.parametrize(
    "y",
    [
        [1, -1, 0, 1],
        (1, -1, 0, 1),
        np.array([1, -1, 0, 1], dtype=np.int8),
        np.array([1.0, np.nan, 0.0, 1.0]),
        np.array([1.0, -1.0, 0.0, 1.0], dtype=np.float32),
        [1, None, 0, 1],
        [1.0, float("nan"), 0, 1],
        [np.int64(1), -1, np.float64(0), 1],
        pd.Series([1, None, 0, 1]),
        pd.Series([1, pd.NA, 0, 1], dtype="Int64", index=[9, 8, 7, 6]),
        pd.Categorical([1, None, 0, 1]),
        pd.Series([1, None, 0, 1], dtype="category"),
        pl.Series([1, None, 0, 1]),
    ],
)
def test_from_labels_reads_numbers(y):
    constraints = Constraints.from_labels(y)
    assert constraints.label_index.tolist() == [0, 2, 3]
    assert constraints.label_code.tolist() == [1, 0, 1]
    assert constraints.classes == (0, 1)
    assert all(type(value) is int for value in constraints.classes)
    assert not constraints.declared


@pytest.mark.parametrize(
    "y",
    [
        ["b", None, "a", "b"],
        ["b", -1, "a", "b"],
        ["b", float("nan"), "a", "b"],
        np.array(["b", None, "a", "b"], dtype=object),
        pd.Series(["b", None, "a", "b"]),
        pd.Series(["b", pd.NA, "a", "b"], dtype="string"),
        pd.Series(["b", pd.NaT, "a", "b"], dtype=object),
        pd.Categorical(["b", None, "a", "b"], categories=["a", "b", "c"]),
        pl.Series(["b", None, "a", "b"]),
        pl.Series(["b", None, "a", "b"], dtype=pl.Categorical),
    ],
)
def test_from_labels_reads_strings(y):
    constraints = Constraints.from_labels(y)
    assert constraints.label_index.tolist() == [0, 2, 3]
    assert [constraints.classes[k] for k in constraints.label_code] == ["b", "a", "b"]
    assert constraints.classes == ("a", "b")
    assert all(type(value) is str for value in constraints.classes)


@pytest.mark.parametrize("text", ["-1", "nan", "None", "", "Unassigned", "?"])
def test_text_that_looks_like_unknown_is_a_label_with_a_warning(text):
    with pytest.warns(UserWarning, match="counts as a class"):
        assert set(Constraints.from_labels([text, "a"]).classes) == {text, "a"}
    with pytest.warns(UserWarning, match="counts as a class"):
        assert set(Constraints.from_labels(np.array([text, "a"])).classes) == {text, "a"}
    assert Constraints.from_labels([text, "a"], unknown=text).classes == ("a",)


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pl.Series])
def test_unknown_can_be_a_string(make):
    constraints = Constraints.from_labels(make(["Unknown", "a", "b"]), unknown="Unknown")
    assert constraints.label_index.tolist() == [1, 2]


def test_unknown_can_be_missing_only():
    for unknown in (None, float("nan"), pd.NA):
        constraints = Constraints.from_labels([-1, None, 3], unknown=unknown)
        assert constraints.label_index.tolist() == [0, 2]
        assert Constraints.from_labels(np.array([-1, 3]), unknown=unknown).classes == (-1, 3)


def test_other_hashable_labels_are_kept_in_order_of_appearance():
    constraints = Constraints.from_labels(np.array([True, False, True]))
    assert constraints.classes == (False, True)
    mixed = Constraints.from_labels(["x", 3, "x", None])
    assert mixed.classes == ("x", 3)
    assert mixed.label_code.tolist() == [0, 1, 0]


@pytest.mark.parametrize("dtype", [float, object])
def test_continuous_labels_are_refused(dtype):
    with pytest.raises(ValueError, match=r"row 2 is 0\.5: .*continuous"):
        Constraints.from_labels(np.array([1.0, np.nan, 0.5, 0.25], dtype=dtype))
    with pytest.raises(ValueError, match=r"row 0 is inf: .*continuous"):
        Constraints.from_labels(np.array([np.inf], dtype=dtype))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.array([[0], [1]]), r"shape \(n,\); got shape \(2, 1\); use y.ravel\(\)"),
        ([[0, 1], [1, 0], [1, 1]], r"shape \(n,\); got shape \(3, 2\)"),
        (pd.DataFrame({"y": [0, 1]}), r"got shape \(2, 1\)"),
        ("abc", "expected one label per sample, got 'abc'"),
        (3, "expected one label per sample, got 3"),
        ([{"a"}, "b"], "labels must be hashable values"),
    ],
)
def test_from_labels_refuses_what_is_not_a_column(y, message):
    with pytest.raises(ValueError, match=message):
        Constraints.from_labels(y)


def test_declared_classes_give_the_codes():
    constraints = Constraints.from_labels(["a", None, "c"], classes=["c", "b", "a"])
    assert constraints.classes == ("c", "b", "a")
    assert constraints.label_code.tolist() == [2, 0]
    assert constraints.declared
    assert Constraints.from_labels([-1], classes=[0.0, np.int64(1)]).classes == (0, 1)


def test_labels_outside_the_declared_classes_are_named():
    message = r"row 2 is 'B-cel', not among the declared classes \('B-cell', 'T-cell'\); did you "
    with pytest.raises(ValueError, match=message + r"mean 'B-cell'\?"):
        Constraints.from_labels(["T-cell", None, "B-cel"], classes=["B-cell", "T-cell"])
    with pytest.raises(ValueError, match=r"row 1 is 7, not among the declared classes \(0, 1\)$"):
        Constraints.from_labels([0, 7], classes=[0, 1])
    with pytest.raises(ValueError, match=r"class of negative label 1 is 'x', not among"):
        Constraints.from_negative_labels([(0, "a"), (5, "x")], classes=["a", "b"])


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["a", "b", "a"], "class 'a' is listed more than once"),
        (["a", None], r"class 1 is missing \(None\)"),
        ("ab", "collection of classes, got the string 'ab'"),
    ],
)
def test_declared_classes_are_checked(classes, message):
    with pytest.raises(ValueError, match=message):
        Constraints.from_labels(["a"], classes=classes)


@pytest.mark.parametrize(
    "pairs",
    [
        [(3, "b"), (1, "a"), (3, "a")],
        [[3, "b"], [1, "a"], [3, "a"]],
        pd.DataFrame({"sample": [3, 1, 3], "class": ["b", "a", "a"]}),
        ((i, c) for i, c in [(3, "b"), (1, "a"), (3, "a")]),
    ],
)
def test_from_negative_labels(pairs):
    constraints = Constraints.from_negative_labels(pairs)
    assert constraints.negative_index.tolist() == [3, 1, 3]
    assert constraints.negative_code.tolist() == [1, 0, 0]
    assert constraints.classes == ("a", "b")


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, "a"), (1,)], r"negative label 1 is \(1,\), expected \(sample, class\)"),
        ([3], r"negative label 0 is 3, expected \(sample, class\)"),
        (["3a"], r"negative label 0 is '3a', expected"),
        ([(0, "a"), (-1, "a")], "negative label 1 is -1: samples are numbered from 0"),
        ([(0, "a"), (0.5, "a")], "negative label 1 is 0.5: samples are integers"),
        ([(0, "a"), (2, None)], r"negative label 1 is \(2, None\): the class is missing"),
        ([(0, 0.5)], "class of negative label 0 is 0.5: .*continuous"),
    ],
)
def test_from_negative_labels_names_what_is_wrong(pairs, message):
    with pytest.raises(ValueError, match=message):
        Constraints.from_negative_labels(pairs)


def test_from_groups_keeps_groups():
    constraints = Constraints.from_groups(
        together=[{4, 2, 3}, (7, 7, 6), [5], []], apart=np.array([[1, 0], [8, 9]])
    )
    assert [g.tolist() for g in constraints.together] == [[2, 3, 4], [6, 7]]
    assert [g.tolist() for g in constraints.apart] == [[0, 1], [8, 9]]
    assert len(constraints) == 4
    assert repr(constraints) == "Constraints(together=2, apart=2)"


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({"apart": [[0, 1], [4, 2, 4]]}, "apart group 1 has member 4 more than once"),
        ({"apart": [[3, 3]]}, "apart group 0 has member 3 more than once"),
        ({"together": [[0, -1]]}, "together group 0 has member -1: samples are numbered from 0"),
        ({"together": [[0, 1], [0.5, 1]]}, "together group 1 has member 0.5: samples are integers"),
        ({"together": [1, 2]}, "together group 0 is 1, expected a collection of samples"),
        ({"apart": ["ab"]}, "apart group 0 is 'ab', expected a collection of samples"),
        ({"apart": [[[0, 1]]]}, r"apart group 0 must be a flat collection .* shape \(1, 2\)"),
    ],
)
def test_from_groups_names_what_is_wrong(groups, message):
    with pytest.raises(ValueError, match=message):
        Constraints.from_groups(**groups)


@pytest.mark.parametrize(
    ("rows", "weights", "message"),
    [
        ([(0, 1)], None, r"triplets must be triplets, shape \(m, 3\); got shape \(1, 2\)"),
        ([(0, 1, 2), (0, 1)], None, r"triplet 1 is \(0, 1\): a triplet has three members"),
        ([(0, 1, 2), (3, 1, 3)], None, r"triplet 1 is \(3, 1, 3\): its samples must differ"),
        ([(0, 1, -2)], None, "samples are numbered from 0"),
        ([(0, 1, 2)], [0.0], "triplet 0, .* has weight 0.0"),
        (5, None, "triplets must be a list of triplets"),
    ],
)
def test_from_triplets_names_what_is_wrong(rows, weights, message):
    with pytest.raises(ValueError, match=message):
        Constraints.from_triplets(rows, weights)


@pytest.mark.parametrize("kind", [int, float, str, object])
def test_labels_that_look_like_a_measurement_are_doubted(kind):
    numbers = np.random.default_rng(0).permutation(200) + 1000
    with pytest.warns(UserWarning, match="200 different numbers for 200 samples, which looks like"):
        Constraints.from_labels(numbers.astype(kind))
    known = np.where(np.arange(200) < 60, numbers, -1)
    with pytest.warns(UserWarning, match="60 different numbers for 60 samples"):
        Constraints.from_labels(known)
    for fine in (numbers % 90, numbers[:50]):
        Constraints.from_labels(fine.astype(kind))
    Constraints.from_labels(numbers, classes=numbers.tolist())  # they were declared


def test_labels_that_look_like_ids_or_like_a_wrong_column_are_doubted():
    names = [f"cell {k}" for k in range(400)]
    with pytest.warns(UserWarning, match="400 classes for 400 samples, which looks like ids"):
        Constraints.from_labels(names)
    Constraints.from_labels(names[:150] + [None] * 250)  # one label each for some samples
    with pytest.warns(UserWarning, match="210 classes .* give a coarser column"):
        Constraints.from_labels([names[k % 210] for k in range(2000)])
    Constraints.from_labels([names[k % 199] for k in range(2000)])
    Constraints.from_labels(names, classes=names)


@pytest.mark.parametrize(
    "values",
    [
        ["b", None, "a", "b", np.nan],
        [2, None, True, 1.0, pd.NA, np.int64(2)],
        [("x", 1), None, ("x", 2), ("x", 1)],
    ],
)
def test_many_labels_are_read_like_few(values, monkeypatch):
    column = np.empty(len(values), dtype=object)
    column[:] = values
    few = Constraints.from_labels(column)
    monkeypatch.setattr(parsing, "_MANY_VALUES", 2)
    many = Constraints.from_labels(column)
    assert many.classes == few.classes
    np.testing.assert_array_equal(many.label_index, few.label_index)
    np.testing.assert_array_equal(many.label_code, few.label_code)


def test_a_fraction_among_many_labels_is_refused_by_row(monkeypatch):
    monkeypatch.setattr(parsing, "_MANY_VALUES", 2)
    with pytest.raises(ValueError, match=r"row 3 is 2.5"):
        Constraints.from_labels(np.array([1, None, 2.0, 2.5], dtype=object))
