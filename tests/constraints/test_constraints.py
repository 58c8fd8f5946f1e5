"""The type: counts, sums, copies and checks."""

import copy
import pickle

import numpy as np
import pytest

from sentree.constraints import ConstraintConflict, Constraints
from statement_cases import full_example


def test_constraints_add_up_with_sum_and_survive_pickling_read_only():
    parts = [Constraints.from_pairs([(0, 1)]), Constraints.from_labels([0, -1, 1])]
    total = pickle.loads(pickle.dumps(sum(parts)))
    assert len(total) == 3
    with pytest.raises(ValueError, match="read-only"):
        total.must_link[0, 0] = 5


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
