"""What is said about some of the samples alone."""

import numpy as np

from sentree import Constraints
from sentree.constraints.parts import about


def test_statements_about_some_samples_are_renumbered_and_others_left_out():
    given = (
        Constraints.from_pairs([(0, 1), (3, 4)], [(1, 4), (4, 5)], weights=([1, 2], [3, 4]))
        + Constraints.from_labels(["a", None, None, "b", "a", "c"])
        + Constraints.from_groups(together=[[0, 3, 5], [1, 2, 3]], apart=[[0, 3], [3, 4, 5]])
        + Constraints.from_triplets([(3, 4, 5), (0, 3, 4)])
        + Constraints.from_pairs([(4, 5), (0, 4)], hard=True)
    )
    found = about(given, np.array([3, 4, 5]), 6)
    assert found.must_link.tolist() == [[0, 1], [1, 2]]
    assert found.must_weight.tolist() == [2, 1]
    assert found.cannot_link.tolist() == [[1, 2]]
    assert [given.classes[code] for code in found.label_code] == ["b", "a", "c"]
    assert found.label_index.tolist() == [0, 1, 2]
    assert [group.tolist() for group in found.together] == [[0, 2]]
    assert [group.tolist() for group in found.apart] == [[0, 1, 2]]
    assert found.triplets.tolist() == [[0, 1, 2]]
    assert found.hard.must_link.tolist() == [[1, 2]]
