"""From statements to clusters."""

from copy import copy

import numpy as np
import pytest

from sentree import Constraints, SSEPartition
from sentree.active import follow
from sentree.app.replay import Replay
from sentree.app.statements import Refused, Statement, checked, in_words
from sentree.datasets import load_embedded


@pytest.fixture(scope="module")
def base():
    X, _ = load_embedded("digits")
    return SSEPartition(random_state=0, selection="off").fit(X[:600])


def said(*statements):
    return [Statement(k + 1, kind, payload) for k, (kind, payload) in enumerate(statements)]


def labels(base, *statements):
    replay = Replay(base)
    step = replay.after(said(*statements))
    return replay.model(step).labels_, step


def pair_apart(base):
    """Return rows of two different clusters of 20 rows or more."""
    large = np.flatnonzero(np.bincount(base.labels_) >= 20)[:2]
    return [int(np.flatnonzero(base.labels_ == c)[5]) for c in large]


def test_every_statement_is_kept(base):
    a, b = pair_apart(base)
    found, _ = labels(base, ("same", {"rows": [a, b]}))
    assert found[a] == found[b]
    inside = np.flatnonzero(base.labels_ == base.labels_[a])[:3].tolist()
    found, _ = labels(base, ("different", {"rows": inside}))
    assert len(set(found[inside])) == 3
    found, _ = labels(base, ("different", {"rows": inside[:1], "others": inside[1:]}))
    assert found[inside[0]] not in found[inside[1:]]
    named = ("is", {"rows": [a, b], "class": "x"})
    found, _ = labels(base, named, ("is_not", {"rows": inside[:1], "class": "x"}))
    assert found[a] == found[b] != found[inside[0]]
    found, _ = labels(base, ("stays", {"rows": [a], "anchors": [[a, b]]}))
    assert found[a] == found[b]
    asked = {"point": a, "options": [b], "kind": "point", "group": []}
    found, _ = labels(base, ("answer", {"question": asked, "reply": 0}))
    assert found[a] == found[b]
    found, step = labels(base, ("answer", {"question": asked, "reply": "unsure"}))
    assert (found == base.labels_).all()
    assert step.counts


def test_edits_of_clusters(base):
    a, b = pair_apart(base)
    found, _ = labels(base, ("merge", {"rows": [a, b]}))
    union = np.isin(base.labels_, base.labels_[[a, b]])
    assert (union == (found == found[a])).all()
    found, _ = labels(base, ("split", {"row": a, "into": 3}))
    own = base.labels_ == base.labels_[a]
    assert len(set(found[own])) == 3
    assert (found[~own] == base.labels_[~own]).all()
    found, _ = labels(base, ("move", {"rows": [a], "to_row": b}))
    assert found[a] == found[b]
    found, _ = labels(base, ("move", {"rows": [a, b], "to_row": None}))
    assert np.flatnonzero(found == found[a]).tolist() == sorted([a, b])
    found, step = labels(base, ("scale", {"k": 4}))
    assert found.max() == 3
    assert step.asked == 4


def test_a_later_statement_elsewhere_keeps_the_union(base):
    a, b = pair_apart(base)
    others = np.flatnonzero(~np.isin(base.labels_, base.labels_[[a, b]]))
    rows = others[:: len(others) // 6].tolist()
    merged, _ = labels(base, ("merge", {"rows": [a, b]}))
    found, _ = labels(base, ("merge", {"rows": [a, b]}), ("same", {"rows": rows}))
    assert len(set(found[rows])) == 1
    union = merged == merged[a]
    assert len(set(found[union])) == 1


def test_clusters_that_nothing_is_said_of_stay(base):
    """Rows from all over a few clusters are said to be one; the others keep their rows."""
    _, y = load_embedded("digits")
    rows = np.flatnonzero(y[:600] == 1)[:10].tolist()
    spoken = np.isin(base.labels_, base.labels_[rows])
    found, _ = labels(base, ("same", {"rows": rows}))
    assert len(set(found[rows])) == 1
    pairs = {*zip(base.labels_[~spoken].tolist(), found[~spoken].tolist(), strict=True)}
    assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs})


def test_a_number_of_clusters_after_an_edit_is_that_number(base):
    a, b = pair_apart(base)
    merged, _ = labels(base, ("merge", {"rows": [a, b]}))
    for k in range(2, merged.max() + 4):
        found, _ = labels(base, ("merge", {"rows": [a, b]}), ("scale", {"k": k}))
        assert found.max() + 1 == k
        assert found[a] == found[b]


def test_a_contradiction_has_a_proof_and_does_not_count(base):
    first, second = ("same", {"rows": [3, 5, 8]}), ("different", {"rows": [3, 8]})
    replay = Replay(base)
    step = replay.after(said(first, second))
    assert not step.counts
    assert step.proof == [
        "3 and 8 belong together",
        "3 and 8 are apart",
        "said before: “3, 5 and 8 belong together”",
    ]
    alone = replay.after(said(first))
    assert replay.model(step) is replay.model(alone)
    assert replay.after(said(first, second)[1:]).counts


def test_a_proof_names_the_statements_it_rests_on_and_no_others(base):
    chain = [
        ("same", {"rows": [1, 2]}),  # it has nothing to do with it
        ("same", {"rows": [3, 5, 8, 13]}),
        ("is", {"rows": [21], "class": "x"}),
        ("same", {"rows": [8, 21, 34, 55]}),
        ("same", {"rows": [60, 61]}),
        ("different", {"rows": [3, 55]}),
    ]
    steps = said(*chain)
    proof = Replay(base).after(steps).proof
    assert proof[-2:] == ["said before: “4 rows belong together”"] * 2
    assert not any("1 and 2" in line or "60" in line for line in proof)


def test_a_cluster_cannot_be_split_into_more_than_its_rows(base):
    n = int((base.labels_ == base.labels_[0]).sum())
    step = Replay(base).after(said(("split", {"row": 0, "into": n + 1})))
    assert step.proof == [f"the cluster has {n} rows: it cannot be divided into {n + 1}"]


def test_order_does_not_matter_between_edits(base):
    a, b = pair_apart(base)
    one, two = ("same", {"rows": [a, b]}), ("is", {"rows": [a + 1], "class": "x"})
    assert (labels(base, one, two)[0] == labels(base, two, one)[0]).all()


def test_a_copy_is_safe_to_change(base):
    """Arrays of a model are replaced by edits and refits, and never written to."""
    a, b = pair_apart(base)
    before = {name: np.copy(value) for name, value in vars(base).items() if name == "labels_"}
    graph = base.graph_.weights.copy()
    new = copy(base).merge(*sorted(base.labels_[[a, b]].tolist()))
    new = copy(new).split(0)
    new = copy(new).move([a, b])
    follow(copy(new), new.constraints_ + Constraints.from_groups(together=[[1, 2, a]]))
    copy(base).set_params(n_clusters=3).refit()
    assert (base.labels_ == before["labels_"]).all()
    assert (base.graph_.weights == graph).all()
    assert len(base.constraints_) == 0
    assert base.n_clusters is None


def test_forgotten_models_are_found_again(base, monkeypatch):
    monkeypatch.setattr("sentree.app.replay._KEPT", 3)
    a, b = pair_apart(base)
    replay = Replay(base)
    given = said(
        *[("merge", {"rows": [a, b]})], *[("same", {"rows": [k, k + 1]}) for k in range(6)]
    )
    steps = [replay.after(given[: k + 1]) for k in range(len(given))]
    found = [replay.model(step).labels_.copy() for step in steps]
    assert steps[0].model is None
    assert all(
        (replay.model(step).labels_ == one).all() for step, one in zip(steps, found, strict=True)
    )


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"kind": "love", "rows": [1]}, "there is no statement 'love'"),
        ({"kind": "same", "rows": [1]}, "choose 2 rows or more: 1 is chosen"),
        ({"kind": "same", "rows": [1, 9]}, "there is no row 9: rows are numbered 0 to 8"),
        ({"kind": "same", "rows": "12"}, "must be a list"),
        ({"kind": "same", "rows": [True, 2]}, "there is no row True"),
        ({"kind": "is", "rows": [1], "class": " "}, "give a name"),
        ({"kind": "different", "rows": [1, 2], "others": [2]}, "row 2 is in both groups"),
        ({"kind": "split", "row": 1, "into": 1}, "there can be 2 to 9 parts, not 1"),
        ({"kind": "scale", "k": 10}, "there can be 1 to 9 clusters, not 10"),
        ({"kind": "rename", "row": 1, "name": 5}, "give a name"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(given, why):
    with pytest.raises(Refused, match=why):
        checked(given, 9)


def test_statements_in_words():
    def words(kind, **payload):
        return in_words(Statement(1, kind, payload), lambda row: f"row {row}")

    assert words("same", rows=[1, 2, 3, 4]) == "4 rows belong together"
    assert words("different", rows=[1, 2]) == "row 1 and row 2 are different"
    assert words("different", rows=[1], others=[2]) == "row 1 and row 2 are different"
    assert words("is", rows=[1], **{"class": "oak"}) == "row 1 is oak"
    assert words("is_not", rows=[1, 2], **{"class": "oak"}) == "row 1 and row 2 are not oak"
    assert words("stays", rows=[1], anchors=[[1, 2]]) == "row 1 stays in its cluster"
    assert words("scale", k=None) == "as many clusters as the data show"
    asked = {"point": 1, "options": [2, 3], "kind": "point", "group": []}
    assert words("answer", question=asked, reply=1) == "row 1 belongs with row 3"
    assert (
        words("answer", question=asked, reply="new") == "row 1 belongs to none of row 2 and row 3"
    )
