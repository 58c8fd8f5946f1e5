import numpy as np
from hypothesis import given as examples
from hypothesis import strategies as st

from sentree import Constraints, audit_constraints

N = 7
INDEX = st.integers(0, N - 1)
PAIR = st.tuples(INDEX, INDEX).filter(lambda pair: pair[0] != pair[1])
PAIRS = st.lists(PAIR, max_size=6)
LABELS = st.lists(st.sampled_from([None, None, "a", "b", "c"]), min_size=N, max_size=N)
GROUPS = st.lists(st.sets(INDEX, min_size=2, max_size=3).map(sorted), max_size=2)
NEGATIVES = st.lists(st.tuples(INDEX, st.sampled_from("abc")), max_size=3)


def entailed(constraints, n):
    """All that follows, spelt out: pairs together, pairs apart, samples not of a class."""
    closure = constraints.closure(n)
    component = closure.component
    together = component[:, None] == component
    apart = np.zeros((n, n), dtype=bool)
    for u, v in closure.cannot:
        apart |= (component[:, None] == u) & (component == v)
    apart |= apart.T
    known = {c: closure.class_component[k] for k, c in enumerate(constraints.classes)}
    labels = {(i, c) for c, u in known.items() for i in range(n) if u >= 0 and component[i] == u}
    return together, apart, labels


@examples(PAIRS, PAIRS, LABELS, GROUPS, GROUPS, NEGATIVES)
def test_what_is_called_redundant_changes_nothing_and_the_rest_does(
    must, cannot, labels, together, apart, negative
):
    given = (
        Constraints.from_labels(labels)
        + Constraints.from_groups(together, apart)
        + Constraints.from_pairs(must, cannot)
        + Constraints.from_negative_labels(negative)
    )
    audit = audit_constraints(given, N)
    if audit.conflicts:
        assert audit.n_redundant == 0
        return

    def without(kind, dropped):
        def kept(pairs):
            return [pair for k, pair in enumerate(pairs) if k not in dropped]

        return (
            Constraints.from_labels(labels)
            + Constraints.from_groups(together, apart)
            + Constraints.from_pairs(
                kept(must) if kind == "must" else must,
                kept(cannot) if kind == "cannot" else cannot,
            )
            + Constraints.from_negative_labels(negative)
        )

    def same(other):
        return all(
            np.array_equal(a, b) if not isinstance(a, set) else a == b
            for a, b in zip(entailed(given, N), entailed(other, N), strict=True)
        )

    assert same(without("must", set(audit.redundant["must_link"].tolist())))
    needed = set(range(len(must))) - set(audit.redundant["must_link"].tolist())
    for k in needed:  # the later ones that say the same go as well
        dropped = {k} | set(audit.redundant["must_link"].tolist())
        assert not same(without("must", dropped))
    redundant = set(audit.redundant["cannot_link"].tolist())
    assert same(without("cannot", redundant))


def test_coverage_and_components():
    given = Constraints.from_pairs([(0, 1), (2, 3), (3, 4)], [(0, 2)])
    audit = audit_constraints(given, 20)
    assert (audit.n_named, audit.coverage) == (5, 0.25)
    assert audit.components.tolist() == [3, 2]
    assert audit.n_redundant == 0
    assert audit.given["must_link"] == 3
    triplets = audit_constraints(Constraints.from_triplets([(7, 8, 9)]), 20)
    assert triplets.n_named == 3
    paths = audit_constraints(Constraints.from_paths(["T/x", "T/y", "B"]), 20)
    assert paths.n_named == 3


def test_negative_labels_of_samples_with_a_known_class_add_nothing():
    given = Constraints.from_labels(["a", None, "b"]) + Constraints.from_negative_labels(
        [(0, "b"), (1, "a"), (1, "a")]
    )
    assert audit_constraints(given, 3).redundant["negative_labels"].tolist() == [0, 2]


def test_contradictions_are_proved_with_names():
    given = Constraints.from_pairs([(0, 1)], [(0, 1)])
    audit = audit_constraints(given, 2, names=["anna", "bert"])
    assert len(audit.conflicts) == 1
    assert "anna and bert must link" in str(audit.conflicts[0])
    assert audit.components.size == audit.n_redundant == 0


def test_many_statements_are_no_trouble():
    rng = np.random.default_rng(0)
    chain = np.column_stack((np.arange(99_999), np.arange(1, 100_000)))
    given = Constraints.from_pairs(np.concatenate((chain, rng.permutation(chain)[:1000])))
    audit = audit_constraints(given, 200_000)
    assert len(audit.redundant["must_link"]) == 1000
    assert audit.components.tolist() == [100_000]
