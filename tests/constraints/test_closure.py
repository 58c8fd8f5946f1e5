"""What follows from constraints."""

import json
import tracemalloc
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentree.constraints import Closure, ConstraintConflict, Constraints
from statement_cases import cases, naive_closure, statements_of, unordered

ORACLES = Path(__file__).parents[3] / "shared/design/oracles"


@settings(max_examples=300)
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
