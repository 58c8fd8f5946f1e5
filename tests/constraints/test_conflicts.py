"""Contradictions and their proofs."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings

from sentree.constraints import Conflict, ConstraintConflict, Constraints
from statement_cases import cases


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
