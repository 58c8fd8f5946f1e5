"""sentree.report.write_report: what it says is what the model found."""

import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_blobs

from page import Page
from sentree import Constraints, Graph, SSEHierarchy, SSEPartition, __version__, load, plots, report
from sentree.report import assemble as report_module
from sentree.report.blocks import Picture
from sentree.report.pictures import Pictures
from sentree.tree import EncodingTree

HOSTILE = [
    "<script>alert(1)</script>",
    "\"quoted\" & 'single'",
    r"$x^2$ and $\frac{",
    "名前 العربية",
    "a" * 900,
    "\x00\x1b[31m\n\ttab",
    "\udcff lone surrogate",
    "\u202eturned",
    "`code`",
    "--><svg onload=x>",
]

GIVEN = {
    "source": "/somewhere/iris.csv",
    "warnings": ["mind the gap"],
    "command": "sentree cluster iris.csv --k 3",
}


def judged(model, given):
    """The model as if it had been fitted with these constraints and had found the same."""
    model.constraints_ = given
    model._finish(given)
    return model


@pytest.fixture(scope="module")
def iris():
    """A model with some of each kind of constraint broken, and the samples outside its first."""
    X = load_iris().data
    labels = np.full(150, None, dtype=object)
    labels[:40:4], labels[100:140:4] = "setosa", "virginica"
    model = SSEPartition(n_clusters=3).fit(X)
    found = model.labels_
    inside, outside = np.flatnonzero(found == found[0]), np.flatnonzero(found != found[0])
    labels[outside[0]] = "setosa"
    given = (
        Constraints.from_labels(labels)
        + Constraints.from_pairs(
            must_link=[(0, 1), (2, outside[1])], cannot_link=[(0, outside[2]), (3, 5)]
        )
        + Constraints.from_groups(
            together=[[6, 7, outside[3]]], apart=[[9, 10, outside[4]], [11, outside[5]]]
        )
        + Constraints.from_negative_labels([(inside[-1], "setosa"), (outside[6], "setosa")])
    )
    return judged(model, given), outside


@pytest.fixture(scope="module")
def ids():
    return [f"flower-{i:03d}" for i in range(150)]


@pytest.fixture(scope="module")
def page(iris, ids, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "iris.html"
    settings = dict(mpl.rcParams)
    assert report.write_report(path, iris[0], ids=ids, **GIVEN) == path
    assert dict(mpl.rcParams) == settings
    assert os.listdir(path.parent) == ["iris.html"]
    return path, Page(path.read_text(encoding="utf-8"))


@pytest.fixture
def words_only(monkeypatch):
    """Leave the pictures out, which take most of the time."""
    empty = b'<svg xmlns="x" width="9pt"/>'
    monkeypatch.setattr(Pictures, "draw", lambda self, name, *rest: Picture(name, []))
    monkeypatch.setattr(Pictures, "__getitem__", lambda self, name: empty)


def test_headline(iris, page):
    model, text = iris[0], page[1].text
    report = model.constraint_report_
    assert "Clusters of iris.csv" in text
    assert "150 rows of iris.csv fall into 3 clusters, the number that was asked for." in text
    kept = report.n_given - report.n_broken
    assert f"{report.n_given} constraints given: {kept} ({100 * report.share:.1f} %)" in text
    assert f"{report.n_broken} broken" in text
    table = model.membership_.toarray()
    weak = int((table.argmax(axis=1) != model.labels_).sum())
    assert weak == 1
    assert "; 1 row (0.7 %) is likelier in another cluster" in text
    firm = 100 * (model.membership_strength_ >= 0.75).mean()
    assert f": {firm:.1f} % of the rows are firmly in theirs" in text
    sizes = np.bincount(model.labels_)
    assert f"The largest is {sizes.argmax()}: setosa with {sizes.max()} rows" in text
    assert "mind the gap" in text
    assert f"sentree {__version__}" in text
    assert "SSEPartition(n_clusters=3)" in text
    assert f"{model.objective_:.4f} bits: {model.entropy_:.4f} to describe each step" in text
    assert "sentree cluster iris.csv --k 3" in text


def test_clusters(iris, page):
    model = iris[0]
    rows = [row for row in page[1].table("cluster") if "share" in row]
    assert sorted(int(row["cluster"]) for row in rows) == [0, 1, 2]
    sizes = [int(row["rows"]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    for row in rows:
        inside = model.labels_ == int(row["cluster"])
        assert int(row["rows"]) == inside.sum()
        strength = model.membership_strength_[inside]
        assert float(row["mean strength"]) == pytest.approx(strength.mean(), abs=6e-4)
        likelier = model.membership_.toarray()[inside].argmax(axis=1) != int(row["cluster"])
        assert int(row["likelier elsewhere"]) == likelier.sum()
        name = model.cluster_names_[int(row["cluster"])]
        assert row["name"] == (name or "–")
        known = np.isin(model.constraints_.label_index, np.flatnonzero(inside))
        assert int(row["labelled"]) == known.sum()


def test_least_sure_samples(iris, page, ids):
    model = iris[0]
    rows = [row for row in page[1].table("id") if "best other cluster" in row]
    lowest = np.argsort(model.membership_strength_, kind="stable")[:50]
    lowest = lowest[model.membership_strength_[lowest] < 0.95]
    assert [row["id"] for row in rows] == [ids[i] for i in lowest]
    for row, i in zip(rows, lowest, strict=True):
        assert float(row["strength"]) == pytest.approx(model.membership_strength_[i], abs=6e-4)
        assert row["cluster"].split(":")[0] == str(model.labels_[i])
        assert row["best other cluster"].split(":")[0] != str(model.labels_[i])
        assert (row["constraints on it"] != "–") == (i in model.constraints_.named)


def test_broken_constraints_of_each_kind(iris, page, ids):
    model, outside = iris
    rows = [row for row in page[1].table("id") if "was said to be" in row]
    said = {(row["id"], row["was said to be"]) for row in rows}
    given, broken = model.constraints_, model.constraint_report_.broken
    assert all(map(len, broken.values()))
    of_class = {
        int(i): given.classes[c] for i, c in zip(given.label_index, given.label_code, strict=True)
    }
    assert said == {
        (ids[2], f"together with {ids[outside[1]]}"),
        (ids[3], f"apart from {ids[5]}"),
        (ids[outside[3]], f"like the others of its group, such as {ids[6]}"),
        (ids[9], f"apart from {ids[10]}"),
        *((ids[i], of_class[i]) for i in broken["labels"].tolist()),
        *((ids[given.negative_index[k]], "not setosa") for k in broken["negative_labels"]),
    }
    for row in rows:
        cluster = model.labels_[ids.index(row["id"])]
        assert row["is in"].startswith(f"cluster {cluster}")
    assert "Broken: 1 must-link." in page[1].text


def test_sections_stand_in_order(page):
    assert page[1].ids == [
        *("summary", "clusters", "map", "uncertain-rows", "constraints", "method", "to-repeat-it")
    ]
    assert page[1].links[: len(page[1].ids)] == [f"#{name}" for name in page[1].ids]
    assert page[1].text.index("Clusters of iris.csv") < page[1].text.index("Summary")


def test_constraints_are_counted_by_kind(iris, page):
    found = iris[0].constraint_report_
    rows = {row["kind"]: row for row in page[1].table("kind")}
    assert len(rows) == sum(count > 0 for count in found.given.values())
    for name, kind in (
        ("labels", "labels"),
        ("must-links", "must_link"),
        ("groups apart", "apart"),
    ):
        counts = [int(rows[name][column]) for column in ("given", "kept", "broken")]
        assert counts == [found.given[kind], found.kept[kind], found.given[kind] - found.kept[kind]]


def test_pictures_are_whole(page):
    drawings = page[1].drawings()
    for drawing in drawings:
        ElementTree.fromstring(drawing)  # a picture that is not whole is not shown
    everything = "\n".join(drawings)
    assert "objective (bits)" in everything
    assert "strength of each sample" in everything
    assert len(drawings) == 2


def points(page):
    """By cluster, the places of the samples on the map, their ids and strengths."""
    found = {}
    for path in page.paths:
        if "data-cluster" in path:
            at = np.array(re.findall(r"M(\d+) (\d+)", path["d"]), dtype=int)
            held = [int(path["data-strength"][i : i + 2], 36) for i in range(0, 2 * len(at), 2)]
            found[int(path["data-cluster"])] = at, path["data-ids"].split("\n"), held
    return found


def test_the_map_has_every_sample(iris, page, ids):
    model = iris[0]
    drawn = points(page[1])
    assert sorted(drawn) == [0, 1, 2]
    at = np.zeros((150, 2))
    for k, (places, names, held) in drawn.items():
        rows = [ids.index(name) for name in names]
        assert rows == np.flatnonzero(model.labels_ == k).tolist()
        np.testing.assert_allclose(
            np.array(held) / 100, model.membership_strength_[rows], atol=0.006
        )
        at[rows] = places
    where = plots.places(model)
    for axis, sign in ((0, 1), (1, -1)):
        assert np.corrcoef(at[:, axis], where[:, axis])[0, 1] * sign > 0.9999
    assert "must-link broken (2)" in page[1].text  # a pair, and a member of a group


def test_colours_are_the_same_everywhere(iris, page):
    text = page[0].read_text()
    on_map = {path["data-cluster"]: path["stroke"] for path in page[1].paths if "stroke" in path}
    assert len(set(on_map.values())) == 3
    for cluster, colour in on_map.items():
        assert re.search(f'<span class="dot" style="--c: {colour}">{cluster}</span>', text)


def test_the_page_needs_nothing_else(page):
    path, parsed = page
    text = path.read_text(encoding="utf-8")
    assert all(re.match("data:image/svg[+]xml;base64,|#", link) for link in parsed.links)
    anchors = {link[1:] for link in parsed.links if link.startswith("#")}
    assert anchors <= set(parsed.ids)
    assert parsed.tags.count("script") == 1
    assert "link" not in parsed.tags
    assert not re.search(r"https?:|url\(|@import|fetch|import\(", text)
    assert "default-src 'none'" in text
    assert len(text) < 200_000


def test_the_same_model_gives_the_same_bytes(iris, page, ids, tmp_path):
    path = tmp_path / "again.html"
    with mpl.rc_context({"axes.facecolor": "black", "font.size": 20, "svg.fonttype": "path"}):
        report.write_report(path, iris[0], ids=ids, **GIVEN)
    assert path.read_bytes() == page[0].read_bytes()


def test_text_of_unknown_origin_stays_text(tmp_path):
    X, y = make_blobs(120, 4, centers=3, random_state=0)
    ids = [f"{HOSTILE[i % len(HOSTILE)]}{i}" for i in range(120)]
    names = [r"$\frac{ <b>T & B</b>", "<img src=http://x/y.png onerror=alert(1)>", "\x07" * 500]
    labels = [names[c] if i % 3 == 0 else None for i, c in enumerate(y)]
    labels[0] = names[(y[0] + 1) % 3]
    given = Constraints.from_labels(labels) + Constraints.from_pairs([(1, 2), (4, 5)])
    path = tmp_path / "hostile.html"
    for model in (SSEPartition(n_clusters=3), SSEHierarchy(n_clusters=3)):
        model.fit(X, constraints=given)
        report.write_report(
            path, model, ids=ids, source='<i>"&.csv', warnings=["<script>x</script> `a`"]
        )
        page = Page(path.read_text(encoding="utf-8"))
        assert {"i", "b"}.isdisjoint(page.tags)
        assert page.tags.count("script") == 1
        assert page.tags.count("img") == len(page.drawings())
        assert "<script>x</script> `a`" in page.text
        assert '<i>"&.csv' in page.text
        assert r"$\frac{ <b>T & B</b>" in page.text
        assert "<script>alert(1)</script>" in page.text
        assert not any(len(word) > 60 for word in re.findall("a+", page.text))
        assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", page.text)
        for drawing in page.drawings():
            ElementTree.fromstring(drawing)


@pytest.mark.usefixtures("words_only")
def test_no_constraints_and_one_cluster(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 3))
    page = Page(report.write_report(tmp_path / "r.html", SSEPartition(1).fit(X)).read_text())
    assert "60 rows form one cluster, the number that was asked for." in page.text
    assert "There is one cluster, so nothing is in doubt." in page.text
    assert "constraints" not in page.ids


@pytest.mark.usefixtures("words_only")
@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({}, "clusters, a number that was chosen from the data."),
        ({"resolution": 3.0}, "as many as a resolution of 3 gives"),
    ],
)
def test_why_so_many_clusters(tmp_path, parameters, words):
    model = SSEPartition(**parameters).fit(load_iris().data)
    text = Page(report.write_report(tmp_path / "r.html", model).read_text()).text
    assert words in text
    assert f"fall into {model.n_clusters_} clusters" in text


@pytest.mark.usefixtures("words_only")
def test_why_a_tree_of_some_height_has_so_many_clusters(tmp_path):
    X, y = load_iris(return_X_y=True)
    branches = "the branches at the top of a tree of height 3"
    free, told = SSEHierarchy(height=3), SSEHierarchy(height=3)
    for model, known, expected in ((free, None, True), (told, [*y[:120], *[-1] * 30], False)):
        path = report.write_report(tmp_path / "r.html", model.fit(X, known))
        assert (branches in Page(path.read_text()).text) == expected


@pytest.mark.usefixtures("words_only")
def test_what_constraints_add_to_the_objective(tmp_path):
    X = load_iris().data
    for model, words in (
        (SSEPartition(n_clusters=3), "Broken must-links add to it"),
        (SSEHierarchy(n_clusters=3), "a little even where they are kept"),
    ):
        model.fit(X, must_link=[(0, 1), (60, 61)])
        assert not model.constraint_report_.n_broken
        text = Page(report.write_report(tmp_path / "r.html", model).read_text()).text
        assert f"and {model.objective_ - model.entropy_:+.4f} for the constraints." in text
        assert words in text
    assert model.objective_ > model.entropy_  # of the tree, all of whose must-links are kept


FLOWERS = load_iris().data[::5]


@pytest.mark.parametrize(
    ("model", "X", "words"),
    [
        (SSEPartition(n_clusters=2), FLOWERS, "brought to the number of clusters"),
        (SSEPartition(), np.ones((6, 3)), None),
        (SSEHierarchy(), FLOWERS, None),
    ],
)
def test_an_objective_that_rises_is_explained(tmp_path, model, X, words):
    model.fit(X)
    assert (np.diff(model.trace_).max() > 1e-6) == (words is not None)
    text = Page(report.write_report(tmp_path / "r.html", model).read_text()).text
    assert ("It rises" in text) == (words is not None)
    assert (words or "") in text


@pytest.mark.usefixtures("words_only")
def test_a_tree_without_branches_says_so(tmp_path):
    model = SSEHierarchy().fit(np.arange(2.0)[:, None])
    page = Page(report.write_report(tmp_path / "r.html", model).read_text())
    assert "tree" in page.ids
    assert "The tree has no branches" in page.text


def test_the_map_says_what_is_drawn_and_whether_all_is(tmp_path):
    X, y = make_blobs(300, 2, centers=3, random_state=0)
    many = Constraints.from_labels(y)
    few = Constraints.from_pairs(must_link=[(0, 1)])
    for given, lines, rings, all_ in ((few, True, False, True), (many, False, True, False)):
        model = judged(SSEPartition(n_clusters=3).fit(X), given)
        text = Page(report.write_report(tmp_path / "r.html", model).read_text()).text
        assert ("Lines join rows" in text) == lines
        assert ("Rings mark" in text) == rings
        assert ("too many to draw all" in text) != all_


def test_clusters_named_by_numbers_are_told_from_their_class(tmp_path):
    X, y = make_blobs(90, 2, centers=3, random_state=0)
    model = SSEPartition(n_clusters=3).fit(X, np.where(np.arange(90) % 3, -1, y + 4))
    page = Page(report.write_report(tmp_path / "r.html", model).read_text())
    names = [f"{k}: class {name}" for k, name in enumerate(model.cluster_names_)]
    everything = "\n".join(page.drawings())
    assert all(name in everything for name in names)
    assert {row["cluster"] for row in page.table("row (from 0)")} <= set(names)


def test_a_tree_and_labels_of_several_levels(tmp_path):
    X, y = make_blobs(160, 4, centers=4, cluster_std=0.5, random_state=3)
    paths = [f"{'ab'[c // 2]}/{c}" if i % 2 else "ab"[c // 2] for i, c in enumerate(y)]
    given = Constraints.from_paths(paths) + Constraints.from_triplets([(0, 1, 2), (0, 2, 1)])
    model = SSEHierarchy().fit(X, constraints=given)
    page = Page(report.write_report(tmp_path / "tree.html", model).read_text())
    assert "as many as the coarsest labels name" in page.text
    tree = model.tree_
    assert f"{tree.n_nodes - tree.n_leaves} branching points" in page.text
    assert [row["labelled"] for row in page.table("level")] == ["160", "80"]
    assert any("majority" in drawing for drawing in page.drawings())
    broken = model.constraint_report_.broken["triplets"]
    assert len(broken) >= 1
    triplets = [row for row in page.table("row (from 0)") if "closer to" in str(row)]
    assert len(triplets) == len(broken)


@pytest.mark.usefixtures("words_only")
def test_the_choice_of_the_recipe_is_told(tmp_path):
    X, y = make_blobs(200, 4, centers=3, random_state=0)
    known = np.where(np.arange(200) % 2, y, -1)
    model = SSEPartition(n_clusters=3, selection="on").fit(X, known)
    page = Page(report.write_report(tmp_path / "r.html", model).read_text())
    rows = page.table("way of searching")
    assert len(rows) == len(model.selection_.candidates)
    scores = [float(row["score"]) for row in rows]
    assert scores == pytest.approx([c.score for c in model.selection_.candidates], abs=6e-4)
    assert sum(row[""] == "taken" for row in rows) == 1


@pytest.mark.usefixtures("words_only")
def test_many_broken_constraints_are_counted_and_capped(tmp_path):
    model = SSEPartition(n_clusters=2).fit(make_blobs(600, 3, centers=2, random_state=0)[0])
    one, two = (np.flatnonzero(model.labels_ == c) for c in (0, 1))
    wrong = np.column_stack((one[:250], two[:250]))
    judged(model, Constraints.from_pairs(must_link=wrong))
    page = Page(report.write_report(tmp_path / "r.html", model).read_text())
    assert "Broken: 250 must-links." in page.text
    rows = [row for row in page.table("row (from 0)") if "was said to be" in row]
    assert len(rows) == 200
    assert "The first 200 of 250" in page.text


def test_a_hundred_thousand_samples_make_a_small_file(tmp_path):
    n, k = 100_000, 250
    i = np.arange(n)
    edges = np.concatenate([np.column_stack((i, (i + step) % n)) for step in (1, 2)])
    model = SSEPartition(affinity="precomputed")
    model.graph_ = Graph.from_edges(edges)
    model.labels_ = (i * k // n).astype(np.int32)
    model.tree_ = EncodingTree.from_labels(model.labels_, model.graph_)
    model.objective_ = model.entropy_ = 1.0
    model.trace_, model.selection_ = np.array([2.0, 1.5, 1.0]), None
    model.scale_ = None
    judged(model, Constraints.from_pairs(must_link=np.column_stack((i[:-1:7], i[1::7]))))
    places = np.column_stack((np.cos(i / n * 6), np.sin(i / n * 6)))
    path = report.write_report(tmp_path / "large.html", model, ids=i.astype(str), places=places)
    assert path.stat().st_size < 2_000_000
    assert "100,000 samples fall into 250 clusters" in Page(path.read_text()).text


@pytest.mark.usefixtures("words_only")
def test_own_places_are_drawn_and_two_features_too(tmp_path):
    X = make_blobs(50, 2, random_state=0)[0]
    model = SSEPartition().fit(X)
    for own, where in ((None, X), (X[:, ::-1], X[:, ::-1])):
        page = Page(report.write_report(tmp_path / "r.html", model, places=own).read_text())
        assert "were not used for that" not in page.text
        for at, rows, _ in points(page).values():
            x = where[np.array(rows, dtype=int), 0]
            assert np.corrcoef(at[:, 0], x)[0, 1] > 0.9999


CUSTOMERS = pd.DataFrame(
    {
        "spent": np.r_[np.arange(30.0), 500 + np.arange(30.0)],
        "city": ["Bern", "Rome"] * 30,
        "member": [True] * 30 + [False] * 30,
    }
)


@pytest.mark.usefixtures("words_only")
def test_a_prepared_table_is_told_in_its_own_units(tmp_path):
    model = SSEPartition(n_clusters=2, prepare="auto").fit(CUSTOMERS)
    page = Page(report.write_report(tmp_path / "r.html", model, source="c.csv").read_text())
    assert page.ids.index("how-the-table-was-prepared") == page.ids.index("method") - 1
    assert [row["column"] for row in page.table("column")] == ["spent", "city", "member"]
    first = model.preparation_.summary().splitlines()[0]
    assert f"{first[:1].upper()}{first[1:]}." in page.text
    k = model.labels_[0]
    compared = [row for row in page.table("cluster") if "spent" in row]
    assert next(row for row in compared if row["cluster"] == str(k))["spent"] == "14.5"


@pytest.mark.usefixtures("words_only")
def test_without_its_table_a_prepared_model_has_no_profiles(tmp_path):
    model = SSEPartition(n_clusters=2, prepare="auto").fit(CUSTOMERS)
    loaded = load(model.save(tmp_path / "m.npz"))
    for table, told in ((None, False), (CUSTOMERS, True)):
        path = report.write_report(tmp_path / "r.html", loaded, table=table)
        assert ("What sets them apart" in Page(path.read_text()).text) == told


@pytest.mark.usefixtures("words_only")
@pytest.mark.parametrize(
    ("shape", "k"), [((2, 1), 1), ((2, 3), 2), ((40, 1000), 2), ((300, 3), 150)]
)
def test_unusual_shapes(tmp_path, shape, k):
    X = np.random.default_rng(0).normal(size=shape)
    ids = ["", "😀" * 40, *map(str, range(shape[0] - 2))]
    path = report.write_report(tmp_path / "r.html", SSEPartition(k).fit(X), ids=ids)
    page = Page(path.read_text(encoding="utf-8"))
    assert sum(len(names) for _, names, _ in points(page).values()) == shape[0]
    assert path.stat().st_size < 400_000


@pytest.mark.usefixtures("words_only")
def test_hostile_names_of_columns_are_text(tmp_path):
    X = make_blobs(60, 4, centers=2, random_state=0)[0]
    frame = pd.DataFrame(X, columns=[*HOSTILE[:3], HOSTILE[4]])
    page = Page(
        report.write_report(tmp_path / "r.html", SSEPartition(2).fit(frame)).read_text("utf-8")
    )
    assert page.tags.count("script") == 1
    assert HOSTILE[0] in page.text
    assert not any(len(word) > 60 for word in re.findall("a+", page.text))


def test_twenty_thousand_samples_are_drawn_and_told(tmp_path):
    n = 25_000
    i = np.arange(n)
    model = SSEPartition(affinity="precomputed", n_clusters=2)
    model.graph_ = Graph.from_edges(np.column_stack((i[:-1], i[1:])))
    model.labels_ = (i * 2 // n).astype(np.int32)
    model.tree_ = EncodingTree.from_labels(model.labels_, model.graph_)
    model.objective_ = model.entropy_ = 1.0
    model.trace_, model.selection_, model.scale_ = np.array([1.0]), None, None
    judged(model, Constraints())
    names = [f"a-rather-long-name-of-a-customer-{k:08d}" for k in i]
    places = np.column_stack((i, i % 100))
    path = report.write_report(tmp_path / "r.html", model, ids=names, places=places)
    page = Page(path.read_text())
    assert sum(len(at) for at, _, _ in points(page).values()) == 20_000
    assert "20,000 of 25,000 are drawn" in page.text
    assert path.stat().st_size < 3_000_000


@pytest.mark.usefixtures("words_only")
def test_a_failed_report_leaves_the_old_file(iris, tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    path.write_text("old")

    def failing(*_):
        raise OSError("disk full")

    monkeypatch.setattr("sentree._util.files.os.replace", failing)
    with pytest.raises(OSError, match="disk full"):
        report.write_report(path, iris[0])
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["r.html"]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"ids": ["a"]}, ValueError, "1 ids for 150 samples"),
        ({"places": np.zeros((3, 2))}, ValueError, r"places has shape \(3, 2\), expected"),
        ({"model": SSEPartition()}, TypeError, "fitted .* got SSEPartition before fit"),
        ({"model": 3}, TypeError, "got int"),
        ({"path": "/no/such/folder/r.html"}, FileNotFoundError, "there is no folder"),
    ],
)
def test_wrong_input_is_refused(iris, tmp_path, change, error, message):
    given = {"path": tmp_path / "r.html", "model": iris[0], **change}
    with pytest.raises(error, match=message):
        report.write_report(given.pop("path"), given.pop("model"), **given)
    assert not os.listdir(tmp_path)


def test_neither_pyplot_nor_the_backend_is_touched(tmp_path):
    code = (
        "import sys, numpy as np, matplotlib; from sentree import SSEHierarchy, report; "
        "X = np.random.default_rng(0).normal(size=(60, 3)); matplotlib.use('svg'); "
        f"report.write_report({str(tmp_path / 'r.html')!r}, SSEHierarchy().fit(X)); "
        "print('matplotlib.pyplot' in sys.modules, matplotlib.get_backend())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "svg"]


@pytest.mark.usefixtures("words_only")
def test_functions_and_generators_are_named_without_addresses(tmp_path):
    def own_graph(X):
        return Graph.from_dense(np.ones((len(X), len(X))) - np.eye(len(X)))

    model = SSEPartition(affinity=own_graph, random_state=np.random.RandomState(3))
    text = Page(report.write_report(tmp_path / "r.html", model.fit(np.eye(8))).read_text()).text
    assert "own_graph" in text
    assert "RandomState(…)" in text
    assert not re.search("0x[0-9a-f]{6}", text)


def test_the_package_offers_both():
    assert report.write_report is report_module.write_report
