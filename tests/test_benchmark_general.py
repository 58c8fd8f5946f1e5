"""The benchmark on data that are not the paper's: its draws and made sets are what they say."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from sentree import SSEPartition

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

import refit
from families import CUSTOMER_SHARES, FAMILIES, make
from feature_peers import OURS, PEERS, Table, Task, answers, methods_for
from general_sets import halves
from general_summary import pairs_against_none, print_summary
from general_units import Source, tasks_of
from tasks import TASKS, draw

SMALL = [name for name, family in FAMILIES.items() if family.n <= 2_500]


@pytest.mark.parametrize("name", SMALL)
def test_a_family_is_as_large_as_it_says_and_the_same_for_the_same_seed(name):
    X, y = make(name, 3)
    again, y_again = make(name, 3)
    assert len(X) == len(y) == FAMILIES[name].n
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, y_again)
    assert np.array_equal(np.unique(y), np.arange(y.max() + 1))
    if y.max() > 0:
        assert not np.array_equal(X, make(name, 4)[0])


@pytest.mark.parametrize("d", [2, 20])
def test_ward_finds_clusters_of_very_different_sizes(d):
    X, y = make(f"sizes-2000+200+20-{d}d", 0)
    assert X.shape == (2_220, d)
    assert sorted(np.bincount(y)) == [20, 200, 2_000]
    assert adjusted_rand_score(y, AgglomerativeClustering(3).fit_predict(X)) > 0.95


def test_customers_have_twelve_columns_and_the_shares_promised():
    X, y = make("customers-6000", 0)
    assert X.shape == (6_000, 12)
    np.testing.assert_allclose(np.bincount(y) / 6_000, CUSTOMER_SHARES)


def test_embeddings_have_unit_length_and_categories_one_column_each():
    X, _ = make("sentences-1500-384d", 0)
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1)
    X, _ = make("categories-300", 0)
    np.testing.assert_array_equal(X.reshape(300, -1, 4).sum(axis=2), 1)


def test_components_are_centred_and_their_variance_falls():
    X, _ = make("components-1500", 0)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-9)
    assert (np.diff(X.var(axis=0)) <= 0).all()


@pytest.fixture
def y():
    return np.random.default_rng(0).choice(4, size=1_000, p=[0.7, 0.2, 0.09, 0.01])


@pytest.mark.parametrize("task", TASKS)
def test_draws_repeat_and_say_the_truth_but_where_errors_are_asked_for(task, y):
    given = draw(task, y, "a set", 1)
    for once, again in zip(given, draw(task, y, "a set", 1), strict=True):
        np.testing.assert_array_equal(once, again)
    if given.must_link is not None:
        assert len(given.must_link) + len(given.cannot_link) == TASKS[task].pairs > 0
        assert (np.diff(y[given.must_link]) == 0).all()
        assert (np.diff(y[given.cannot_link]) != 0).all()
    if given.labels is not None:
        labelled = given.labels >= 0
        assert np.array_equal(given.scored(y.size), ~labelled)
        wrong = {"10%-wrong": 0.1, "30%-wrong": 0.3}.get(task, 0)
        assert (given.labels != y)[labelled].sum() == round(wrong * labelled.sum())


@pytest.mark.parametrize(("task", "share"), [("5%-labels", 0.05), ("half", 0.5)])
def test_a_share_of_every_class_is_labelled(task, share, y):
    labels = draw(task, y, "a set", 0).labels
    sizes = np.bincount(y)
    found = np.bincount(labels[labels >= 0], minlength=4)
    np.testing.assert_array_equal(found, np.maximum(np.rint(share * sizes), 1))


def test_the_same_rows_are_labelled_with_and_without_errors(y):
    right, wrong = (draw(task, y, "a set", 2).labels for task in ("5%-labels", "30%-wrong"))
    np.testing.assert_array_equal(right >= 0, wrong >= 0)
    assert not np.array_equal(right, draw("5%-labels", y, "another", 2).labels)


@pytest.mark.parametrize("amount", [20, 60, 300])
def test_hard_pairs_are_the_soft_ones_and_not_for_peers(amount, y):
    soft, hard = (draw(f"{amount}-{kind}", y, "a set", 1) for kind in ("pairs", "hard"))
    for once, again in zip(soft, hard, strict=True):
        np.testing.assert_array_equal(once, again)
    assert not TASKS[f"{amount}-pairs"].hard
    assert TASKS[f"{amount}-hard"].hard
    assert methods_for(f"{amount}-hard") == [OURS]
    assert "MPCK-means" in methods_for(f"{amount}-pairs")


def test_hard_pairs_are_kept(monkeypatch):
    X, truth = make_blobs(150, 3, centers=3, cluster_std=4.0, random_state=0)
    seen = []
    monkeypatch.setattr(SSEPartition, "fit", keeping(SSEPartition.fit, seen))
    for task in ("60-pairs", "60-hard"):
        problem = Task(Table(X, truth), task, draw(task, truth, "a set", 0), 0)
        assert [row["method"] for row in answers(problem, [OURS])] == ["sentree", "sentree, k"]
    assert [model.hard for model in seen] == [False, False, True, True]
    assert [model.constraint_report_.n_broken for model in seen[2:]] == [0, 0]
    assert all(model.constraint_report_.n_broken for model in seen[:2])  # else nothing is shown


def keeping(fit, seen):
    """Wrap fit so that the fitted model is kept."""

    def wrapped(self, *given, **named):
        seen.append(self)
        return fit(self, *given, **named)

    return wrapped


def test_other_numbers_of_pairs_are_run_where_asked_for_with_none_beside_them():
    with_pairs = Source("sets", "a", "table", ["k-open", "k-given", "5%-labels", "60-pairs"])
    without = Source("text", "b", "text", ["k-open", "5%-labels"])
    every = [OURS, *PEERS]

    def tasks(source, *asked):
        return tasks_of(source, SimpleNamespace(tasks=list(asked) or None, methods=every))

    assert tasks(with_pairs) == [(task, every) for task in with_pairs.tasks]
    none = [("k-open", [OURS]), ("k-given", [OURS])]
    asked = tasks(with_pairs, "1-pairs", "20-hard")
    assert asked == [*none, ("1-pairs", every), ("20-hard", every)]
    assert tasks(with_pairs, "k-open", "60-pairs") == [
        ("k-open", every), ("k-given", [OURS]), ("60-pairs", every)
    ]  # fmt: skip
    assert tasks(with_pairs, "5%-labels") == [("5%-labels", every)]
    assert tasks(without, "1-pairs") == []


def test_pairs_are_judged_by_what_the_same_draw_gives_without_them(capsys):
    def row(name, number, task, method, ari):
        about = {"part": "sets", "set": name, "kind": "table", "half": "choosing", "seconds": 1.0}
        return about | {"draw": number, "task": task, "method": method, "ARI": ari}

    rows = pd.DataFrame(
        [
            row("a", 0, "k-open", "sentree", 0.8), row("a", 1, "k-open", "sentree", 0.4),
            row("b", 0, "k-open", "sentree", 0.05), row("b", 0, "k-given", "sentree, k", 0.6),
            row("a", 0, "k-open", "Leiden", 0.9),
            row("a", 0, "5-pairs", "sentree", 0.3), row("a", 1, "5-pairs", "sentree", 0.5),
            row("b", 0, "5-pairs", "sentree", 0.01), row("b", 0, "5-pairs", "sentree, k", 0.7),
            row("c", 0, "5-pairs", "sentree", 0.9),  # nothing to compare with
            row("a", 0, "20-hard", "sentree", 1.0), row("a", 0, "5-pairs", "MPCK-means", 0.2),
        ]
    )  # fmt: skip
    table = pairs_against_none(rows)
    assert table.index.tolist() == [
        ("sets", "sentree", "soft", 5),
        ("sets", "sentree", "hard", 20),
        ("sets", "sentree, k", "soft", 5),
    ]
    soft = table.loc[("sets", "sentree", "soft", 5)]
    assert soft["sets"] == 2
    assert soft["none"] == pytest.approx((0.6 + 0.05) / 2)
    assert soft["ARI"] == pytest.approx((0.4 + 0.01) / 2)
    assert soft["difference"] == pytest.approx(soft["ARI"] - soft["none"])
    assert (soft["draws"], soft["halved"]) == (2, 1)  # the draws of set a: 0.3 of 0.8, 0.5 of 0.4
    assert table.loc[("sets", "sentree", "hard", 20), "difference"] == pytest.approx(0.2)
    print_summary(rows)
    assert "pairs against none" in capsys.readouterr().out
    assert pairs_against_none(rows[rows["task"] == "k-open"]).empty


def test_refits_of_single_pairs_tell_all_of_them():
    X, truth = make_blobs(90, 3, centers=3, random_state=0)
    given = draw("60-pairs", truth, "blobs", 0)
    told = refit.single(given, 0)
    assert len(told) == 60
    found = {name: model for name, model, _ in refit.cases(X, 3, given, 0)}
    assert sorted(found) == sorted(refit.CASES)
    for kind, pairs in (("must_link", given.must_link), ("cannot_link", given.cannot_link)):
        single = [pair[kind][0] for pair in told if kind in pair]
        assert sorted(single) == sorted(pairs.tolist())
        for case in ("fresh", "one by one"):
            known = getattr(found[case].constraints_, kind)
            assert sorted(known.tolist()) == sorted(pairs.tolist())


def test_halves_are_every_second_set():
    half = halves(["a", "b", "c", "d", "e"])
    assert [name for name in half if half[name] == "choosing"] == ["a", "c", "e"]
    assert [name for name in half if half[name] == "confirming"] == ["b", "d"]
