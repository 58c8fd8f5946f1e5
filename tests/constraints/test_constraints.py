from __future__ import annotations

import copy
import json
import pickle
import re
import tracemalloc
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentree.constraints import Closure, Conflict, ConstraintConflict, ConstraintReport, Constraints
from sentree.paper.relation import relation_by_similarity

ORACLES = Path(__file__).parents[3] / "shared/design/oracles"


class MatrixSimilarity:
    """A dense similarity that counts how often its extremes are asked for."""

    def __init__(self, matrix):
        self.matrix = np.array(matrix, dtype=float)
        np.fill_diagonal(self.matrix, 0.0)
        self.calls = 0

    def pairs(self, i, j):
        return self.matrix[i, j]

    def extremes(self):
        self.calls += 1
        return float(self.matrix.min()), float(self.matrix.max())


def random_similarity(n, seed=0):
    half = np.random.default_rng(seed).random((n, n))
    return MatrixSimilarity((half + half.T) / 2)


# ---------------------------------------------------------------- the slow obvious oracle


@dataclass(frozen=True)
class Case:
    """Statements as plain tuples; classes are the letters of `classes`."""

    n: int
    must: tuple = ()
    cannot: tuple = ()
    together: tuple = ()
    apart: tuple = ()
    labels: tuple = ()
    negatives: tuple = ()
    classes: str = ""
    complete: bool = False

    def constraints(self):
        code = {name: k for k, name in enumerate(self.classes)}
        return Constraints(
            must_link=self.must,
            cannot_link=self.cannot,
            together=self.together,
            apart=self.apart,
            label_index=[i for i, _ in self.labels],
            label_code=[code[c] for _, c in self.labels],
            negative_index=[i for i, _ in self.negatives],
            negative_code=[code[c] for _, c in self.negatives],
            classes=tuple(self.classes),
            declared=self.complete,
        )


def naive_closure(case):
    """Apply every rule to facts about points until nothing is new."""
    points = range(case.n)
    must = {(i, i) for i in points}
    cannot, positive, negative = set(), set(case.labels), set(case.negatives)
    for i, j in (*case.must, *(p for g in case.together for p in combinations(g, 2))):
        must |= {(i, j), (j, i)}
    for i, j in (*case.cannot, *(p for g in case.apart for p in combinations(g, 2))):
        cannot |= {(i, j), (j, i)}
    while True:
        before = len(must), len(cannot), len(positive), len(negative)
        for i, j, k in product(points, repeat=3):
            if (i, j) in must and (j, k) in must:
                must |= {(i, k), (k, i)}
            if (i, j) in must and (j, k) in cannot:
                cannot |= {(i, k), (k, i)}
        for i, j in product(points, repeat=2):
            for c in case.classes:
                if (i, j) in must and (i, c) in positive:
                    positive.add((j, c))
                if (i, j) in must and (i, c) in negative:
                    negative.add((j, c))
                if (i, j) in cannot and (i, c) in positive:
                    negative.add((j, c))
                if (i, c) in positive and (j, c) in positive:
                    must.add((i, j))
                if (i, c) in positive and (j, c) in negative:
                    cannot |= {(i, j), (j, i)}
        for i, c in list(positive):
            negative |= {(i, d) for d in case.classes if d != c}
        if case.complete:
            for i in points:
                left = [c for c in case.classes if (i, c) not in negative]
                if len(left) == 1 < len(case.classes):
                    positive.add((i, left[0]))
        if before == (len(must), len(cannot), len(positive), len(negative)):
            break
    none_left = case.complete and any(
        case.classes and all((i, c) in negative for c in case.classes) for i in points
    )
    contradiction = bool(must & cannot or positive & negative or none_left)
    return must, cannot, contradiction


def unordered(i, j):
    return list(zip(i.tolist(), j.tolist(), strict=True))


SENTENCES = {
    "must": re.compile(r"(\d+) and (\d+) must link \(must-link (\d+)\)"),
    "cannot": re.compile(r"(\d+) and (\d+) cannot link \(cannot-link (\d+)\)"),
    "together": re.compile(r"(\d+) and (\d+) belong together \(together group (\d+)\)"),
    "apart": re.compile(r"(\d+) and (\d+) are apart \(apart group (\d+)\)"),
    "labels": re.compile(r"(\d+) is '(\w)' \(label\)"),
    "negatives": re.compile(r"(\d+) is not '(\w)' \(negative label (\d+)\)"),
}


def statements_of(chain, case):
    """Read a chain back as a case of its statements alone, each of which must have been given."""
    found = {kind: [] for kind in SENTENCES}
    complete = False
    for sentence in chain:
        if sentence == "there is no class but " + ", ".join(map(repr, case.classes)):
            complete = True
            continue
        kind, match = next((k, m) for k, p in SENTENCES.items() if (m := p.fullmatch(sentence)))
        if kind == "labels":
            statement = int(match[1]), match[2]
            assert statement in case.labels
        elif kind == "negatives":
            statement = int(match[1]), match[2]
            assert case.negatives[int(match[3])] == statement
        else:
            statement = int(match[1]), int(match[2])
            members = getattr(case, kind)[int(match[3])]
            assert set(statement) <= set(members)
            assert statement[0] != statement[1]
        found[kind].append(statement)
    return replace(case, **{k: tuple(v) for k, v in found.items()}, complete=complete)


@st.composite
def cases(draw, max_points=12):
    n = draw(st.integers(2, max_points))
    point = st.integers(0, n - 1)
    pair = st.tuples(point, point).filter(lambda p: p[0] != p[1])
    group = st.sets(point, min_size=2, max_size=min(n, 4)).map(lambda s: tuple(sorted(s)))
    classes = draw(st.sampled_from(["", "A", "AB", "ABC", "ABCD"]))
    label = st.tuples(point, st.sampled_from(classes)) if classes else st.nothing()

    def some(strategy, size):
        size = 0 if strategy.is_empty else size
        return tuple(draw(st.lists(strategy, max_size=size)))

    return Case(
        n,
        must=some(pair, 4),
        cannot=some(pair, 5),
        together=some(group, 1),
        apart=some(group, 2),
        labels=some(label, 4),
        negatives=some(label, 6),
        classes=classes,
        complete=draw(st.booleans()),
    )


@settings(max_examples=600)
@given(cases())
def test_closure_and_conflicts_agree_with_the_oracle(case):
    must, cannot, contradiction = naive_closure(case)
    constraints = case.constraints()
    conflicts = constraints.conflicts(case.n)
    assert bool(conflicts) == contradiction
    for conflict in conflicts:
        assert naive_closure(statements_of(conflict.chain, case))[2], str(conflict)
    if contradiction:
        with pytest.raises(ConstraintConflict) as error:
            constraints.closure(case.n)
        assert error.value.n_conflicts == len(conflicts)
        return
    closure = constraints.closure(case.n)
    i, j, weight = closure.must_pairs()
    assert unordered(i, j) == sorted((a, b) for a, b in must if a < b)
    assert np.all(weight == 1)
    i, j, weight = closure.cannot_pairs()
    assert unordered(i, j) == sorted((a, b) for a, b in cannot if a < b)
    assert np.all(weight == 1)


@settings(max_examples=150)
@given(cases(), st.randoms(use_true_random=False))
def test_order_of_statements_does_not_matter(case, random):
    kinds = ("must", "cannot", "together", "apart", "labels", "negatives")
    shuffled = {}
    for kind in kinds:
        statements = list(getattr(case, kind))
        random.shuffle(statements)
        shuffled[kind] = tuple(statements)
    other = replace(case, **shuffled).constraints()
    constraints = case.constraints()
    first, second = constraints.conflicts(case.n), other.conflicts(case.n)
    assert sorted(c.kind for c in first) == sorted(c.kind for c in second)
    cluster = np.array([random.randrange(3) for _ in range(case.n)])
    a, b = constraints.satisfaction(cluster), other.satisfaction(cluster)
    assert a.kept == b.kept
    if not first:
        a, b = constraints.closure(case.n), other.closure(case.n)
        np.testing.assert_array_equal(a.component, b.component)
        np.testing.assert_array_equal(a.cannot, b.cannot)


def naive_weights(case, must_weight, cannot_weight):
    """Bottlenecks by Floyd-Warshall over points, groups and classes; cannot as max over proofs."""
    n, groups = case.n, len(case.together)
    node = {c: n + groups + k for k, c in enumerate(case.classes)}
    size = n + groups + len(case.classes)
    width = np.zeros((size, size))
    edges = [(i, j, w) for (i, j), w in zip(case.must, must_weight, strict=True)]
    edges += [(i, n + g, 1.0) for g, group in enumerate(case.together) for i in group]
    edges += [(i, node[c], 1.0) for i, c in case.labels]
    for i, j, w in edges:
        width[i, j] = width[j, i] = max(width[i, j], w)
    np.fill_diagonal(width, np.inf)
    for k in range(size):
        width = np.maximum(width, np.minimum(width[:, k : k + 1], width[k : k + 1]))
    apart = [(i, j, w) for (i, j), w in zip(case.cannot, cannot_weight, strict=True)]
    apart += [(i, node[c], 1.0) for i, c in case.negatives]
    apart += [(i, j, 1.0) for i, j in combinations(node.values(), 2)]
    apart += [(i, j, 1.0) for group in case.apart for i, j in combinations(group, 2)]
    cannot = np.zeros((n, n))
    for i, j, w in apart:
        proof = np.minimum(w, np.minimum(width[:n, i][:, None], width[j, :n][None]))
        cannot = np.maximum(cannot, np.maximum(proof, proof.T))
    return width[:n, :n], cannot


@settings(max_examples=200)
@given(cases(), st.data())
def test_closure_weights_agree_with_the_oracle(case, data):
    case = replace(case, complete=False)
    weights = st.sampled_from([0.25, 0.5, 1.0, 2.0, 4.0])
    must_weight, cannot_weight = (
        data.draw(st.lists(weights, min_size=len(pairs), max_size=len(pairs)))
        for pairs in (case.must, case.cannot)
    )
    constraints = replace(case.constraints(), must_weight=must_weight, cannot_weight=cannot_weight)
    if constraints.conflicts(case.n):
        return
    must, cannot = naive_weights(case, must_weight, cannot_weight)
    closure = constraints.closure(case.n)
    for expected, (i, j, weight) in (
        (must, closure.must_pairs()),
        (cannot, closure.cannot_pairs()),
    ):
        assert unordered(i, j) == [tuple(p) for p in np.argwhere(np.triu(expected, 1)).tolist()]
        np.testing.assert_array_equal(weight, expected[i, j])


def test_weighted_expansion_is_the_same_in_small_chunks(monkeypatch):
    rng = np.random.default_rng(0)
    labels = Constraints.from_labels(np.arange(40) % 4)
    cannot = [(i, j) for i, j in rng.integers(40, size=(60, 2)).tolist() if i % 4 != j % 4]
    pairs = Constraints.from_pairs(cannot_link=cannot, weights=rng.random(len(cannot)) + 0.5)
    whole = (labels + pairs).closure(40).cannot_pairs()
    monkeypatch.setattr("sentree.constraints.closure._CHUNK", 150)
    parts = (labels + pairs).closure(40).cannot_pairs()
    assert np.unique(whole[2]).size > 2
    for a, b in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(a, b)


# ---------------------------------------------------------------- pairs


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


# ---------------------------------------------------------------- labels


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


def test_constraints_add_up_with_sum_and_survive_pickling_read_only():
    parts = [Constraints.from_pairs([(0, 1)]), Constraints.from_labels([0, -1, 1])]
    total = pickle.loads(pickle.dumps(sum(parts)))
    assert len(total) == 3
    with pytest.raises(ValueError, match="read-only"):
        total.must_link[0, 0] = 5


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


# ---------------------------------------------------------------- groups


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


# ---------------------------------------------------------------- the type


def test_empty_constraints_are_legal():
    for empty in (Constraints(), Constraints.empty(), Constraints.from_pairs([], None)):
        assert not empty
        assert len(empty) == 0
        assert empty.n_min == 0
        assert repr(empty) == "Constraints(empty)"
        assert empty.conflicts() == []
        assert empty.satisfaction([0, 1]).share == 1.0
        closure = empty.closure(3)
        assert closure.component.tolist() == [0, 1, 2]
        assert closure.cannot.shape == (0, 2)
        assert closure.must_pairs()[0].size == closure.cannot_pairs()[0].size == 0
    assert Constraints().closure(0).n_components == 0


def full_example():
    return (
        Constraints.from_pairs([(0, 1)], [(1, 2)], weights=([2.0], [3.0]))
        + Constraints.from_groups([[4, 5]], [[0, 5, 6]])
        + Constraints.from_labels(["a", None, "b"])
        + Constraints.from_negative_labels([(9, "c")])
    )


def test_counts_and_repr():
    constraints = full_example()
    assert bool(constraints)
    assert len(constraints) == 7
    assert constraints.n_min == 10
    assert repr(constraints) == (
        "Constraints(must_link=1, cannot_link=1, together=1, apart=1, labels=2, "
        "negative_labels=1, classes=3)"
    )
    declared = Constraints.from_labels([0], classes=[0, 1])
    assert repr(declared) == "Constraints(labels=1, classes=2 declared)"


def test_triplets_are_statements_like_others():
    some = Constraints.from_triplets([(0, 1, 2), (3, 4, 11)], weights=[2.0, 0.5])
    both = some + full_example() + Constraints.from_triplets(np.array([[5, 6, 7]]))
    assert both.triplets.tolist() == [[0, 1, 2], [3, 4, 11], [5, 6, 7]]
    assert both.triplet_weight.tolist() == [2.0, 0.5, 1.0]
    assert len(both) == len(full_example()) + 3
    assert both.n_min == 12
    assert repr(some) == "Constraints(triplets=2)"
    assert pickle.loads(pickle.dumps(both)).triplets.tolist() == both.triplets.tolist()
    assert both.closure(12).n_components == full_example().closure(12).n_components
    with pytest.raises(ValueError, match=r"triplet 1 is \(3, 4, 11\), but there are only 10"):
        both.check(10)


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


def test_arrays_are_read_only_and_copied():
    pairs = np.array([[0, 1]])
    constraints = full_example() + Constraints.from_pairs(pairs)
    pairs[0, 0] = 7
    assert constraints.must_link[-1].tolist() == [0, 1]
    arrays = [v for v in vars(constraints).values() if isinstance(v, np.ndarray)]
    assert len(arrays) == 10
    for array in (*arrays, *constraints.together, *constraints.apart):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        constraints.declared = True


def test_everything_can_be_pickled_and_copied():
    constraints = full_example()
    closure = constraints.closure(10)
    report = constraints.satisfaction(np.arange(10))
    for twin in (pickle.loads(pickle.dumps(constraints)), copy.deepcopy(constraints)):
        assert repr(twin) == repr(constraints)
        assert twin.closure(10).cannot.tolist() == closure.cannot.tolist()
    assert pickle.loads(pickle.dumps(report)).to_dict() == report.to_dict()
    twin = pickle.loads(pickle.dumps(closure))
    assert twin.cannot_pairs()[2].tolist() == closure.cannot_pairs()[2].tolist()
    conflict = Constraints.from_pairs([(0, 1)], [(0, 1)]).conflicts()
    error = pickle.loads(pickle.dumps(ConstraintConflict(conflict, 4)))
    assert error.conflicts == conflict
    assert error.n_conflicts == 4


def test_addition_unifies_classes_by_value():
    left = Constraints.from_labels([1, 2])
    right = Constraints.from_labels(np.array([2, 3], dtype=np.int16))
    both = left + right + Constraints.from_labels(["1", None])
    assert both.classes == (1, 2, 3, "1")
    assert both.label_index.tolist() == [0, 1, 0, 1, 0]
    assert both.label_code.tolist() == [0, 1, 1, 2, 3]
    assert (left + Constraints.from_negative_labels([(5, 2.0)])).negative_code.tolist() == [1]
    with pytest.raises(TypeError):
        left + 3


def test_addition_of_declared_classes():
    ab = Constraints.from_labels(["a"], classes=["a", "b"])
    bc = Constraints.from_labels(["c"], classes=["b", "c"])
    assert (ab + bc).classes == ("a", "b", "c")
    assert (ab + bc).declared
    assert (Constraints.from_labels(["b"]) + ab).declared
    assert not (Constraints.from_labels(["b"]) + Constraints.from_labels(["a"])).declared
    for wrong in (
        lambda: ab + Constraints.from_labels(["c"]),
        lambda: Constraints.from_negative_labels([(0, "c")]) + ab,
    ):
        with pytest.raises(ValueError, match=r"'c', not among the declared classes \('a', 'b'\)"):
            wrong()


def test_the_constructor_checks_codes():
    with pytest.raises(ValueError, match="class code 2, but there are 1 classes"):
        Constraints(label_index=[0], label_code=[2], classes=("a",))
    with pytest.raises(ValueError, match="2 negative labels but 1 class codes"):
        Constraints(negative_index=[0, 1], negative_code=[0], classes=("a",))


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (
            Constraints.from_pairs([(0, 1), (3, 170)]),
            r"must-link 1 is \(3, 170\), but there are only 165 samples",
        ),
        (
            Constraints.from_pairs(cannot_link=[(165, 3)]),
            r"cannot-link 0 is \(165, 3\), but there are only 165 samples",
        ),
        (Constraints.from_groups([[0, 1], [2, 165]]), "together group 1 has member 165, but"),
        (Constraints.from_groups(None, [[2, 200]]), "apart group 0 has member 200, but"),
        (Constraints.from_labels([-1] * 165 + ["x"]), "sample 165 is 'x', but there are only 165"),
        (Constraints.from_negative_labels([(0, 1), (165, 1)]), r"negative label 1 is \(165, 1\), "),
    ],
)
def test_check_names_the_first_statement_beyond_the_samples(constraints, message):
    constraints.check(1000)
    for call in (
        lambda: constraints.check(165),
        lambda: constraints.closure(165),
        lambda: constraints.conflicts(165),
        lambda: constraints.satisfaction(np.zeros(165, dtype=int)),
    ):
        with pytest.raises(ValueError, match=message):
            call()


# ---------------------------------------------------------------- closure


def test_components_are_numbered_by_first_appearance():
    closure = Constraints.from_pairs([(4, 1), (5, 2)], [(4, 5), (0, 1)]).closure(7)
    assert isinstance(closure, Closure)
    assert closure.component.tolist() == [0, 1, 2, 3, 1, 2, 4]
    assert closure.n_components == 5
    assert closure.cannot.tolist() == [[0, 1], [1, 2]]
    assert repr(closure) == "Closure(n=7, n_components=5, direct=2, exclusive=0)"
    for array in (closure.component, closure.cannot, closure.direct, closure.class_component):
        assert not array.flags.writeable


def test_classes_and_groups_stay_sets_of_components():
    closure = (
        Constraints.from_labels([0, 0, 1, 2, -1, -1]) + Constraints.from_groups(None, [[3, 4, 5]])
    ).closure(6)
    assert closure.class_component.tolist() == [0, 1, 2]
    assert [group.tolist() for group in closure.exclusive] == [[0, 1, 2], [2, 3, 4]]
    assert len(closure.direct) == 0
    assert closure.cannot.tolist() == [[0, 1], [0, 2], [1, 2], [2, 3], [2, 4], [3, 4]]


def test_weights_are_bottlenecks():
    closure = Constraints.from_pairs(
        [(0, 1), (1, 2), (0, 2)], [(2, 3)], weights=([1.0, 0.5, 0.2], [0.8])
    ).closure(4)
    i, j, weight = closure.must_pairs()
    assert unordered(i, j) == [(0, 1), (0, 2), (1, 2)]
    assert weight.tolist() == [1.0, 0.5, 0.5]
    i, j, weight = closure.cannot_pairs()
    assert unordered(i, j) == [(0, 3), (1, 3), (2, 3)]
    assert weight.tolist() == [0.5, 0.5, 0.8]


def test_elimination_needs_a_complete_list_of_classes():
    labels = Constraints.from_labels(["a", "b", "c", None])
    negatives = [(3, "a"), (3, "b")]
    guess = labels + Constraints.from_negative_labels(negatives)
    assert guess.closure(4).component.tolist() == [0, 1, 2, 3]
    assert guess.closure(4, n_classes=4).component.tolist() == [0, 1, 2, 3]
    known = labels + Constraints.from_negative_labels(negatives, classes=["a", "b", "c"])
    assert known.closure(4).component.tolist() == [0, 1, 2, 2]
    assert guess.closure(4, n_classes=3).component.tolist() == [0, 1, 2, 2]


def test_elimination_joins_points_of_a_class_without_labels():
    negatives = [(0, "a"), (0, "b"), (4, "b"), (4, "a"), (2, "c")]
    closure = Constraints.from_negative_labels(negatives, classes=["a", "b", "c"]).closure(5)
    assert closure.component.tolist() == [0, 1, 2, 3, 0]
    assert closure.class_component.tolist() == [-1, -1, 0]
    assert closure.cannot.tolist() == [[0, 2]]


def test_elimination_passes_along_chains_of_cannot_links():
    n = 3000
    chain = np.column_stack((np.arange(n - 1), np.arange(1, n)))
    labels = Constraints.from_labels([0], classes=[0, 1])
    closure = (labels + Constraints.from_pairs(cannot_link=chain)).closure(n)
    assert closure.component.tolist() == [0, 1] * (n // 2)


def test_a_single_class_is_never_deduced():
    constraints = Constraints.from_labels(["a", None, None], classes=["a"])
    assert constraints.closure(3).n_components == 3
    negative = constraints + Constraints.from_negative_labels([(1, "a")])
    assert [c.kind for c in negative.conflicts()] == ["classes"]


def test_the_number_of_classes_must_fit():
    named = Constraints.from_labels([0, 1, 2])
    with pytest.raises(ValueError, match="n_classes=2, but the constraints name 3 classes"):
        named.closure(3, n_classes=2)
    declared = Constraints.from_labels([0, 1], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="n_classes=4, but the constraints declare 3 classes"):
        declared.conflicts(n_classes=4)


def test_plain_pairs_expand_quickly_enough_to_be_used():
    closure = Constraints.from_labels(np.repeat([0, 1], [300, 400])).closure(700)
    i, j, _ = closure.must_pairs()
    assert i.size == 300 * 299 // 2 + 400 * 399 // 2
    assert np.all(i < j)
    i, j, _ = closure.cannot_pairs()
    assert np.array_equal(i * 700 + j, np.unique(i * 700 + j))
    assert i.size == 300 * 400


@pytest.mark.golden
def test_closure_sizes_of_the_stored_oracle():
    path = ORACLES / "se_partition.json"
    if not path.exists():
        pytest.skip(f"needs the stored oracle {path}")
    runs = json.loads(path.read_text())["sets"]
    assert len(runs) > 10
    for run in runs:
        constraints = Constraints.from_pairs(run["must_link"], run["cannot_link"])
        closure = constraints.closure(run["n"])
        assert 2 * closure.must_pairs()[0].size == run["closure_must_ordered"]
        assert 2 * closure.cannot_pairs()[0].size == run["closure_cannot_ordered"]


# ---------------------------------------------------------------- conflicts


@pytest.mark.parametrize(
    ("constraints", "kind", "points", "chain"),
    [
        (
            Constraints.from_pairs([(3, 7)], [(7, 3)]),
            "cannot_link",
            (7, 3),
            ["7 and 3 must link (must-link 0)", "7 and 3 cannot link (cannot-link 0)"],
        ),
        (
            Constraints.from_pairs([(0, 1), (1, 2), (2, 3), (0, 4), (4, 3)], [(0, 3)]),
            "cannot_link",
            (0, 3),
            [
                "0 and 4 must link (must-link 3)",
                "4 and 3 must link (must-link 4)",
                "0 and 3 cannot link (cannot-link 0)",
            ],
        ),
        (
            Constraints.from_labels(["A", "A"]) + Constraints.from_pairs(None, [(0, 1)]),
            "cannot_link",
            (0, 1),
            ["0 is 'A' (label)", "1 is 'A' (label)", "0 and 1 cannot link (cannot-link 0)"],
        ),
        (
            Constraints.from_labels(["A"]) + Constraints.from_labels(["B"]),
            "labels",
            (0, 0),
            ["0 is 'A' (label)", "0 is 'B' (label)"],
        ),
        (
            Constraints.from_labels(["A", None, "B"]) + Constraints.from_pairs([(0, 1), (2, 1)]),
            "labels",
            (0, 2),
            [
                "0 is 'A' (label)",
                "0 and 1 must link (must-link 0)",
                "1 and 2 must link (must-link 1)",
                "2 is 'B' (label)",
            ],
        ),
        (
            Constraints.from_labels(["A"]) + Constraints.from_negative_labels([(0, "A")]),
            "negative_labels",
            (0, 0),
            ["0 is 'A' (label)", "0 is not 'A' (negative label 0)"],
        ),
        (
            Constraints.from_groups([[0, 1, 5]], [[3, 4], [1, 2, 5]]),
            "apart",
            (1, 5),
            [
                "1 and 5 belong together (together group 0)",
                "1 and 5 are apart (apart group 1)",
            ],
        ),
        (
            Constraints.from_labels(["A"], classes=["A", "B"])
            + Constraints.from_pairs([(1, 2)], [(0, 1)])
            + Constraints.from_negative_labels([(2, "B")]),
            "classes",
            (1, 1),
            [
                "0 is 'A' (label)",
                "1 and 0 cannot link (cannot-link 0)",
                "1 and 2 must link (must-link 0)",
                "2 is not 'B' (negative label 0)",
                "there is no class but 'A', 'B'",
            ],
        ),
    ],
)
def test_conflicts_come_with_a_proof(constraints, kind, points, chain):
    assert constraints.conflicts() == [Conflict(kind, points, tuple(chain))]


def test_all_conflicts_are_listed():
    constraints = Constraints.from_pairs(
        [(0, 1), (2, 3)], [(0, 1), (4, 5), (3, 2)]
    ) + Constraints.from_groups(None, [[0, 1, 2, 3]])
    found = [(c.kind, c.points) for c in constraints.conflicts()]
    assert found == [
        ("cannot_link", (0, 1)),
        ("cannot_link", (3, 2)),
        ("apart", (0, 1)),
        ("apart", (2, 3)),
    ]


def test_one_point_with_two_labels_does_not_taint_its_classes():
    y = np.array(["A"] * 50 + ["B"] * 50)
    other = np.full(100, None, dtype=object)
    other[0] = "B"
    constraints = (
        Constraints.from_labels(y)
        + Constraints.from_labels(other)
        + Constraints.from_pairs(cannot_link=[(i, i + 50) for i in range(1, 50)])
    )
    assert [c.points for c in constraints.conflicts()] == [(0, 0)]


def test_the_error_shows_the_first_proof_and_counts_the_rest():
    pairs = [(2 * i, 2 * i + 1) for i in range(25)]
    with pytest.raises(ConstraintConflict) as caught:
        Constraints.from_pairs(pairs, pairs).closure(50)
    error = caught.value
    assert isinstance(error, ValueError)
    assert error.n_conflicts == 25
    assert [c.points for c in error.conflicts] == pairs[: len(error.conflicts)]
    assert str(error) == (
        "the constraints contradict one another: points 0 and 1 cannot satisfy all of:\n"
        "  0 and 1 must link (must-link 0)\n"
        "  0 and 1 cannot link (cannot-link 0)\n"
        "(24 more: see the attribute conflicts of this error)"
    )


def test_long_proofs_are_printed_by_their_ends():
    chain = [(i, i + 1) for i in range(100)]
    (conflict,) = Constraints.from_pairs(chain, [(0, 100)]).conflicts()
    assert len(conflict.chain) == 101
    lines = str(conflict).splitlines()
    assert len(lines) == 22
    assert lines[11] == "  ... 81 more ..."
    assert lines[-1] == "  0 and 100 cannot link (cannot-link 0)"


def test_thousands_of_conflicts_are_proved():
    n = 4000
    y = np.arange(n) % 4
    constraints = Constraints.from_labels(y) + Constraints.from_pairs(
        cannot_link=np.column_stack((np.arange(n - 4), np.arange(4, n)))
    )
    conflicts = constraints.conflicts()
    assert len(conflicts) == n - 4
    assert {len(c.chain) for c in conflicts} == {3}


# ---------------------------------------------------------------- satisfaction


def test_satisfaction_of_pairs():
    constraints = Constraints.from_pairs([(0, 1), (0, 2)], [(1, 2), (0, 1), (3, 0)])
    report = constraints.satisfaction([5, 5, 7, -1])
    assert isinstance(report, ConstraintReport)
    assert report.broken["must_link"].tolist() == [1]
    assert report.broken["cannot_link"].tolist() == [1]
    assert report.broken_pairs("must_link").tolist() == [[0, 2]]
    assert report.broken_pairs("cannot_link").tolist() == [[0, 1]]
    assert (report.n_given, report.n_broken, report.share) == (5, 2, 0.6)
    assert report.kept["must_link"] == 1
    assert not report.broken["must_link"].flags.writeable


def test_satisfaction_of_groups():
    constraints = Constraints.from_groups(
        together=[[0, 1, 2], [3, 4]], apart=[[0, 3], [0, 1, 3, 5, 6]]
    )
    report = constraints.satisfaction(["a", "a", "b", "b", "a", "b", "c"])
    assert report.given["together"] == 5
    assert report.broken["together"].tolist() == [2, 4]
    assert report.broken_pairs("together").tolist() == [[0, 2], [3, 4]]
    assert report.given["apart"] == 2
    assert report.broken["apart"].tolist() == [1]
    assert [members.tolist() for members in report.apart_members] == [[0, 1, 3, 5]]
    assert report.broken_pairs("apart").tolist() == [[0, 1], [3, 5]]


def test_satisfaction_of_labels():
    constraints = Constraints.from_labels(["a", "a", "a", "b", "b", "c", None])
    # 2 has left its class; c sits where b has more labelled points; cluster 3 belongs to nobody
    report = constraints.satisfaction([0, 0, 1, 1, 1, 1, 3])
    assert report.broken["labels"].tolist() == [2, 5]
    assert report.kept["labels"] == 4
    with pytest.raises(ValueError, match=r"kind must be one of must_link, .*; got 'labels'"):
        report.broken_pairs("labels")


def test_label_ties_go_to_the_lowest_point():
    labels = Constraints.from_labels(["b", "a", "b", "a"])
    assert labels.satisfaction([0, 0, 0, 0]).broken["labels"].tolist() == [1, 3]
    assert labels.satisfaction([1, 0, 0, 1]).broken["labels"].tolist() == [2, 3]
    assert labels.satisfaction([0, 1, 1, 0]).broken["labels"].tolist() == [2, 3]


def test_satisfaction_of_negative_labels():
    constraints = Constraints.from_labels(["a", "b", None, None]) + (
        Constraints.from_negative_labels([(2, "a"), (2, "b"), (3, "a"), (3, "c")])
    )
    report = constraints.satisfaction([0, 1, 0, 1])
    assert report.broken["negative_labels"].tolist() == [0]
    assert report.kept["negative_labels"] == 3


def naive_satisfaction(case, cluster):
    """Broken statements by definition, one at a time."""

    def best(counts):
        return min(counts, key=lambda c: (-len(counts[c]), min(counts[c]), c))

    def tally(entries):
        counts = {}
        for key, point in entries:
            counts.setdefault(key, []).append(point)
        return counts

    broken = {
        "must_link": [k for k, (i, j) in enumerate(case.must) if cluster[i] != cluster[j]],
        "cannot_link": [k for k, (i, j) in enumerate(case.cannot) if cluster[i] == cluster[j]],
        "together": [],
        "apart": [k for k, g in enumerate(case.apart) if len({cluster[i] for i in g}) < len(g)],
        "labels": [],
        "negative_labels": [],
    }
    for group in case.together:
        main = best(tally((cluster[i], i) for i in group))
        broken["together"] += [i for i in group if cluster[i] != main]
    for i, c in case.labels:
        home = best(tally((cluster[j], j) for j, d in case.labels if d == c))
        ruler = best(tally((d, j) for j, d in case.labels if cluster[j] == cluster[i]))
        if home != cluster[i] or ruler != c:
            broken["labels"].append(i)
    for k, (i, c) in enumerate(case.negatives):
        if any(d == c and cluster[j] == cluster[i] for j, d in case.labels):
            broken["negative_labels"].append(k)
    return broken


@settings(max_examples=200)
@given(cases(), st.data())
def test_satisfaction_agrees_with_the_oracle(case, data):
    cluster = data.draw(st.lists(st.integers(0, 3), min_size=case.n, max_size=case.n))
    report = case.constraints().satisfaction(cluster)
    expected = naive_satisfaction(case, cluster)
    assert {kind: array.tolist() for kind, array in report.broken.items()} == expected
    assert all(
        report.kept[kind] + len(broken) == report.given[kind] for kind, broken in expected.items()
    )
    assert 0.0 <= report.share <= 1.0


def test_a_labelling_that_keeps_the_closure_breaks_nothing():
    constraints = full_example()
    report = constraints.satisfaction(constraints.closure(10).component)
    assert report.n_broken == 0
    assert report.share == 1.0


def test_reports_are_readable():
    report = Constraints.from_pairs([(0, 1), (1, 2)], [(0, 2)]).satisfaction([0, 0, 1])
    assert repr(report) == str(report)
    assert str(report).splitlines() == [
        "constraints         given     kept   broken    share",
        "must_link               2        1        1    0.500",
        "cannot_link             1        1        0    1.000",
        "total                   3        2        1    0.667",
    ]
    summary = json.loads(json.dumps(report.to_dict()))
    assert summary["share"] == pytest.approx(2 / 3)
    assert summary["kinds"]["must_link"] == {"given": 2, "kept": 1, "broken": [1]}
    assert summary["kinds"]["labels"] == {"given": 0, "kept": 0, "broken": []}


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([[0], [1]], r"one cluster per sample, shape \(n,\), got shape \(2, 1\)"),
        (3, r"got shape \(\)"),
        ([0.0, 1.0], "clusters must be integers or strings, got dtype float64"),
        ([0], r"must-link 0 is \(0, 1\), but there are only 1 samples"),
    ],
)
def test_satisfaction_refuses_wrong_clusters(labels, message):
    with pytest.raises(ValueError, match=message):
        Constraints.from_pairs([(0, 1)]).satisfaction(labels)


# ---------------------------------------------------------------- relation graph


def test_relation_has_the_weights_of_the_paper():
    similarity = random_similarity(6)
    low, high = similarity.extremes()
    relation = relation_by_similarity(
        Constraints.from_pairs([(0, 1), (1, 2)], [(2, 3), (4, 5)]), 6, similarity
    )
    s, expected = similarity.matrix, np.zeros((6, 6))
    for i, j in [(0, 1), (0, 2), (1, 2)]:
        expected[i, j] = expected[j, i] = 2.0 * (high - s[i, j])
    for i, j in [(0, 3), (1, 3), (2, 3), (4, 5)]:
        expected[i, j] = expected[j, i] = 2.0 * (3 / 4) * (low - s[i, j])
    np.testing.assert_allclose(relation.toarray(), expected, rtol=1e-14)


@settings(max_examples=50)
@given(cases())
def test_relation_is_symmetric_and_signed(case):
    constraints = case.constraints()
    if constraints.conflicts(case.n):
        return
    relation = relation_by_similarity(constraints, case.n, random_similarity(case.n), penalty=1.5)
    assert (relation != relation.T).nnz == 0
    assert relation.has_sorted_indices
    assert not relation.diagonal().any()
    assert np.all(relation.data != 0)
    closure = constraints.closure(case.n)
    same = closure.component[:, None] == closure.component[None, :]
    row, column = relation.nonzero()
    assert np.array_equal(relation.data > 0, same[row, column])


def test_relation_without_must_links_keeps_cannot_links():
    similarity = random_similarity(4)
    relation = relation_by_similarity(
        Constraints.from_pairs(None, [(0, 1)]), 4, similarity, penalty=1.0
    )
    assert relation[0, 1] == pytest.approx(similarity.extremes()[0] - similarity.matrix[0, 1])


def test_relation_multiplies_weights_and_penalty():
    similarity = random_similarity(5)
    plain = Constraints.from_pairs([(0, 1)], [(2, 3)])
    heavy = Constraints.from_pairs([(0, 1)], [(2, 3)], weights=([3.0], [0.5]))
    a, b = (
        relation_by_similarity(plain, 5, similarity, penalty=1.0),
        relation_by_similarity(heavy, 5, similarity, penalty=4.0),
    )
    assert b[0, 1] == pytest.approx(12 * a[0, 1])
    assert b[2, 3] == pytest.approx(2 * a[2, 3])
    assert relation_by_similarity(heavy, 5, similarity, penalty=0.0).nnz == 0


def test_relation_drops_zeros_and_survives_rounding():
    similarity = MatrixSimilarity([[0, 1, 0.2], [1, 0, 0.3], [0.2, 0.3, 0]])
    assert relation_by_similarity(Constraints.from_pairs([(0, 1)]), 3, similarity).nnz == 0
    similarity.extremes = lambda: (0.0, 1.0 - 1e-9)
    assert relation_by_similarity(Constraints.from_pairs([(0, 1)]), 3, similarity).nnz == 0


def test_extremes_are_asked_for_only_when_needed():
    similarity = random_similarity(4)
    relation = relation_by_similarity(Constraints.from_negative_labels([(0, "a")]), 4, similarity)
    assert relation.shape == (4, 4)
    assert relation.nnz == 0
    assert similarity.calls == 0
    relation_by_similarity(Constraints.from_pairs([(0, 1)]), 4, similarity)
    assert similarity.calls == 1


@pytest.mark.parametrize("penalty", [-1.0, np.nan, np.inf])
def test_relation_refuses_a_bad_penalty(penalty):
    with pytest.raises(ValueError, match="penalty must be finite and >= 0"):
        relation_by_similarity(Constraints(), 3, random_similarity(3), penalty=penalty)


def test_relation_refuses_bad_similarities():
    similarity = random_similarity(4)
    similarity.matrix[0, 2] = np.nan
    similarity.extremes = lambda: (0.0, 1.0)
    with pytest.raises(ValueError, match="similarity of 0 and 2 is nan"):
        relation_by_similarity(Constraints.from_pairs([(1, 2), (0, 2)]), 4, similarity)
    similarity.pairs = lambda i, j: np.zeros((i.size, 1))
    with pytest.raises(ValueError, match=r"gave shape \(1, 1\) for 1 pairs"):
        relation_by_similarity(Constraints.from_pairs([(1, 2)]), 4, similarity)


def test_relation_passes_the_number_of_classes():
    similarity = MatrixSimilarity(np.arange(16).reshape(4, 4) + np.arange(16).reshape(4, 4).T)
    labels = Constraints.from_labels([0, 1, -1, -1])
    constraints = labels + Constraints.from_negative_labels([(2, 0)])
    assert relation_by_similarity(constraints, 4, similarity)[1, 2] == 0
    assert relation_by_similarity(constraints, 4, similarity, n_classes=2)[1, 2] > 0


# ---------------------------------------------------------------- scale


def peak_megabytes(task):
    tracemalloc.start()
    try:
        result = task()
        return result, tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["labels", "together", "apart", "complete"])
def test_a_hundred_thousand_points_take_linear_memory(kind):
    n = 100_000
    y = np.arange(n) % 10
    constraints, n_components, clusters = {
        "labels": (Constraints.from_labels(y), 10, y),
        "together": (Constraints.from_groups([range(n)]), 1, np.zeros(n, dtype=int)),
        "apart": (Constraints.from_groups(None, [range(n)]), n, np.arange(n)),
        "complete": (
            Constraints.from_labels(np.where(np.arange(n) < 9, y, -1), classes=range(10))
            + Constraints.from_negative_labels([(i, c) for i in range(10, 2000) for c in range(9)]),
            n - 1989,
            np.arange(n),
        ),
    }[kind]
    closure, peak = peak_megabytes(lambda: constraints.closure(n))
    assert closure.n_components == n_components
    assert peak < 200
    report, peak = peak_megabytes(lambda: constraints.satisfaction(clusters))
    assert report.share == 1.0
    assert peak < 200


def test_a_proof_calls_samples_by_their_names():
    given = (
        Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(0, 2)])
        + Constraints.from_groups(together=[[1, 2]], apart=[[0, 1]])
        + Constraints.from_labels(["A", None, None])
        + Constraints.from_negative_labels([(2, "A")])
    )
    proofs = given.conflicts(names=["anna", "bert", "carl"])
    assert str(proofs[0]).splitlines() == [
        "points anna and carl cannot satisfy all of:",
        "  anna and bert must link (must-link 0)",
        "  bert and carl belong together (together group 0)",
        "  anna and carl cannot link (cannot-link 0)",
    ]
    text = "\n".join(map(str, proofs))
    assert "anna and bert are apart (apart group 0)" in text
    assert "anna is 'A' (label)" in text
    assert "carl is not 'A' (negative label 0)" in text


def test_a_contradiction_is_raised_with_names():
    given = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(0, 1)])
    with pytest.raises(ConstraintConflict, match="anna and bert must link"):
        given.closure(2, names=["anna", "bert"])


def test_contradictions_of_high_rows_are_found_without_memory_for_all_below():
    high = 2**31 - 3
    given = Constraints.from_pairs([(0, high), (high, 7)], [(7, 0)])
    given += Constraints(label_index=[high, 7], label_code=[0, 1], classes=("a", "b"))
    tracemalloc.start()
    try:
        found = given.conflicts()
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()
    low = Constraints.from_pairs([(0, 9), (9, 7)], [(7, 0)])
    low += Constraints(label_index=[9, 7], label_code=[0, 1], classes=("a", "b"))
    assert [c.kind for c in found] == [c.kind for c in low.conflicts(10)]
    assert [c.points for c in found] == [
        tuple(high if point == 9 else point for point in c.points) for c in low.conflicts(10)
    ]
    assert str(high) in str(found[0])


@settings(max_examples=200)
@given(cases())
def test_contradictions_need_no_number_of_samples(case):
    constraints, names = case.constraints(), [f"sample {k}" for k in range(case.n)]
    assert constraints.conflicts() == constraints.conflicts(case.n)
    assert constraints.conflicts(names=names) == constraints.conflicts(case.n, names=names)


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
    Constraints.from_labels([f"cell {k}" for k in numbers])
    Constraints.from_labels(numbers, classes=numbers.tolist())  # they were declared
