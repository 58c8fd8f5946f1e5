"""How many constraints a clustering keeps."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sentree.constraints import ConstraintReport, Constraints
from statement_cases import cases, full_example


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
