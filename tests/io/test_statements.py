"""Labels, pairs and constraints out of files, and back into them."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sentree import Constraints
from sentree.io import (
    InputError,
    Names,
    clean_labels,
    count_classes,
    near_misses,
    read_constraints,
    read_labels,
    read_not_labels,
    read_pairs,
    write_constraints,
)

IDS = Names(4, np.array(["ant", "bee", "cow", "dog"], dtype=object), "name", "zoo.csv")
ROWS = Names(4, source="rows.npy")


@pytest.fixture
def put(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(content, name="s.csv"):
        if not isinstance(content, str):
            content, name = json.dumps(content), "s.json"
        (tmp_path / name).write_text(content, encoding="utf-8")
        return name

    return write


# --- labels ---


def test_clean_labels():
    unknown = [None, float("nan"), np.nan, "", " ", "NA", "nan", -1, "-1", -1.0, "?", "Unknown"]
    unknown += ["unassigned", "<NA>", "None"]
    assert clean_labels([*unknown, "a"]).tolist() == [None] * len(unknown) + ["a"]
    assert clean_labels(["1", "2.0", "", "-3"]).tolist() == [1, 2, None, -3]
    assert all(type(x) is int for x in clean_labels(np.array([1.0, 2.0])))
    assert clean_labels(np.array([0, -1, 2])).tolist() == [0, None, 2]
    assert clean_labels(["1", "b"]).tolist() == ["1", "b"]
    assert clean_labels(["007", "8"]).tolist() == ["007", "8"]
    assert clean_labels(["1.5", "2"]).tolist() == [1.5, 2]
    assert clean_labels(["x", "a"], unknown=["x"]).tolist() == [None, "a"]
    assert clean_labels([True, False]).tolist() == [True, False]
    with pytest.raises(InputError, match="no text or number"):
        clean_labels([["a"]])


@pytest.mark.parametrize(
    ("names", "content"),
    [
        (IDS, "name,label\nbee,x\ndog,y\n"),
        (IDS, "bee,x\ndog,y\n"),
        (IDS, "sample,size,class\nbee,1,x\ndog,2,y\nant,3,?\n"),
        (IDS, "size,name,class\n1,bee,x\n2,dog,y\n"),
        (IDS, "label\n?\nx\nNA\ny\n"),
        (ROWS, "?\nx\nNA\ny\n"),
        (ROWS, "row,label\n1,x\n3,y\n"),
        (ROWS, "3,y\n1,x\n1,x\n"),
        (IDS, {"bee": "x", "dog": "y", "ant": None}),
        (IDS, [None, "x", "unknown", "y"]),
        (ROWS, {"1": "x", "3": "y"}),
    ],
)
def test_labels(put, names, content):
    assert read_labels(put(content), names).tolist() == [None, "x", None, "y"]


def test_labels_of_a_column_and_by_row(put):
    name = put("id,kind,other\nbee,1.0,p\ndog,2,q\n")
    assert read_labels(name, IDS, column="kind").tolist() == [None, 1, None, 2]
    assert read_labels(name, IDS, column="other").tolist() == [None, "p", None, "q"]
    assert read_labels(put("1,x\n"), IDS, by="row").tolist() == [None, "x", None, None]
    assert read_labels(put("a b\nc\na b\nc\n", "s.txt"), IDS).tolist() == ["a b", "c"] * 2
    np.save("y.npy", [0, 1, -1, 2])
    assert read_labels("y.npy", IDS).tolist() == [0, 1, None, 2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "bee,x\ndgo,y\n",
            "s.csv, line 2: there is no sample 'dgo' in zoo.csv; did you mean 'dog'",
        ),
        ("name,label\nbee,x\nbee,y\n", "line 3: 'bee' is 'y', but 'x' before .*line 2"),
        ("1,x\n2,y\n", "could be row numbers.*by='row'"),
        ("x\ny\n", "holds 2 labels, but zoo.csv has 4 samples"),
        ("name,p,q\nbee,1,2\n", "which holds the classes"),
        ("bee,1,2\nant,1,2\n", "3 columns without names"),
        ({"bee": "x", "eel": "y"}, "entry 1.*no sample 'eel'"),
        (["x"], "holds 1 labels"),
        ("3", "line 1 is|holds 1 labels"),
    ],
)
def test_wrong_labels(put, content, message):
    with pytest.raises(InputError, match=message):
        read_labels(put(content), IDS)


def test_wrong_json(put):
    for text, message in (
        ('{"bee": "x", "bee": "y"}', "'bee' occurs twice"),
        ('{"bee": ', "line 1, column 9, is not JSON"),
        ("5", "holds int, expected"),
        ('{"must_link": [["ant", "bee"]]}', "looks like a file of constraints"),
    ):
        with pytest.raises(InputError, match=message):
            read_labels(put(text, "s.json"), IDS)
    with pytest.raises(InputError, match="no column 'knd'; did you mean 'kind'"):
        read_labels(put("id,kind\nbee,1\n"), IDS, column="knd")


def test_near_misses():
    labels = ["setosa"] * 20 + ["setsoa", "Setosa ", "virginica", None, "setos"]
    assert near_misses(labels) == [
        ("setsoa", 1, 20, "setosa"),
        ("Setosa ", 1, 21, "setosa"),
        ("setos", 1, 24, "setosa"),
    ]
    assert near_misses(count_classes(labels)) == near_misses(labels)
    assert near_misses(["CD4 T"] * 9 + ["CD8 T", "CD4 B"]) == []
    assert near_misses(["class 1"] * 9 + ["class 2"]) == []
    assert near_misses([1] * 9 + [2]) == []
    assert near_misses(["T cell"] * 9 + ["T cels", "Tcell"])[0][3] == "T cell"
    assert near_misses(["alpha", "alpah", "beta"], declared=["alpha", "beta"]) == [
        ("alpah", 1, 1, "alpha")
    ]
    assert near_misses(["setosa"] * 4 + ["setsoa"]) == []


# --- pairs ---


@pytest.mark.parametrize(
    ("names", "content", "by"),
    [
        (IDS, "ant,bee\ncow,dog\n", "auto"),
        (IDS, "a,b\nant,bee\ncow,dog\n", "auto"),
        (IDS, "first_animal,second_animal\nant,bee\ncow,dog\n", "auto"),
        (IDS, "ant, bee\ncow, dog\n", "auto"),
        (IDS, "0,1\n2,3\n", "row"),
        (ROWS, "0,1\n2,3\n", "auto"),
        (ROWS, "i,j\n0,1\n2,3\n", "auto"),
        (IDS, [["ant", "bee"], ["cow", "dog"]], "auto"),
        (ROWS, [[0, 1], [2, 3]], "auto"),
        (IDS, [[0, 1], [2, 3]], "row"),
    ],
)
def test_pairs(put, names, content, by):
    found = read_pairs(put(content), names, "must-link", by=by)
    assert found.pairs.tolist() == [[0, 1], [2, 3]]
    assert found.pairs.dtype == np.int64
    assert found.weights is None


def test_pairs_with_weights(put):
    for content in ("a,b,weight\nant,bee,2\ncow,dog,\n", [["ant", "bee", 2], ["cow", "dog"]]):
        found = read_pairs(put(content), IDS, "must-link")
        assert found.weights.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("ant,bee\nant,ewe\n", "s.csv, line 2: there is no sample 'ewe'"),
        ("a,b\nant,bee\n\nant,ewe\n", "s.csv, line 4: there is no sample 'ewe'"),
        ("ant,bee\ncow,cow\n", "line 2: .*different samples"),
        ("ant,bee\ncow,\n", "line 2: a must-link names 2 samples"),
        ("ant,bee,0\n", "line 1: the weight is '0'"),
        ("ant,bee,x\n", "line 1: the weight is 'x'"),
        ("ant\n", "has 1 column"),
        ("0,1\n2,3\n", "by='row'"),
        ("amt,bee\n", "did you mean 'ant'"),
        ([["ant"]], "entry 0 is .*expected a list of 2 or 3"),
        ({"ant": "bee"}, "expected a list"),
        ([["ant", "ewe"]], "entry 0 .*no sample 'ewe'"),
    ],
)
def test_wrong_pairs(put, content, message):
    with pytest.raises(InputError, match=message):
        read_pairs(put(content), IDS, "must-link")


def test_pairs_are_called_what_they_are(put):
    found = read_pairs(put("a,b,weight\nant,bee,2\ncow,dog,\n"), IDS, "cannot-link")
    assert found.pairs.tolist() == [[0, 1], [2, 3]]
    assert found.weights.tolist() == [2, 1]
    with pytest.raises(InputError, match="line 1: a cannot-link is about different samples"):
        read_pairs(put("ant,ant\n"), IDS, "cannot-link")


def test_a_file_of_pairs_is_no_file_of_all_kinds(put):
    with pytest.raises(
        InputError, match="kind, a, b.*line is 'a,b'.*pairs goes to sentree.io.read_p"
    ):
        read_constraints(put("a,b\nant,bee\n"), IDS)


def test_not_labels(put):
    for content in ("sample,class\nbee,x\nbee,y\n", "bee,x\nbee,y\n", [["bee", "x"], ["bee", "y"]]):
        assert read_not_labels(put(content), IDS) == [(1, "x"), (1, "y")]
    assert read_not_labels(put("1,2\n3,1\n"), ROWS) == [(1, 2), (3, 1)]
    for wrong, message in (
        ("bee,x\nbee,?\n", "line 2: the class '\\?' means unknown"),
        ("bee\n", "has 1 columns"),
        ("bee,x\newe,x\n", "line 2: there is no sample 'ewe'"),
    ):
        with pytest.raises(InputError, match=message):
            read_not_labels(put(wrong), IDS)


# --- everything in one file ---


def said(given):
    """All statements, in no order."""
    found = Counter()
    for kind, rows, weights in (
        ("must", given.must_link, given.must_weight),
        ("cannot", given.cannot_link, given.cannot_weight),
        ("triplet", given.triplets, given.triplet_weight),
    ):
        found.update(
            zip([kind] * len(rows), map(tuple, rows.tolist()), weights.tolist(), strict=True)
        )
    for kind, groups in (("together", given.together), ("apart", given.apart)):
        found.update((kind, tuple(group.tolist())) for group in groups)
    for depth, level in enumerate(given.levels):
        classes = [level.classes[code] for code in level.label_code]
        found.update(
            (depth, *pair) for pair in zip(level.label_index.tolist(), classes, strict=True)
        )
    classes = [given.classes[code] for code in given.negative_code]
    found.update(
        ("not", *pair) for pair in zip(given.negative_index.tolist(), classes, strict=True)
    )
    declared = given.classes if given.declared else None
    return found, declared, said(given.hard)[0] if given.hard is not None else None


WANTED = (
    Constraints.from_pairs([(0, 1)], [(1, 2)], weights={"cannot_link": [2.5]})
    + Constraints.from_labels(["x", None, None, "y"])
    + Constraints.from_negative_labels([(1, "y")])
    + Constraints.from_groups(together=[(0, 1)], apart=[(1, 2, 3)])
    + Constraints.from_triplets([(0, 1, 2)])
)
LINES = """kind,a,b,c,weight
must-link,ant,bee,,
Cannot_Link,bee,cow,,2.5
label,ant,x,,
label,dog,y,,
labels,cow,?,,
not-label,bee,y,,
together,ant,one,,
together,bee,one,,
apart,bee,two,,
apart,cow,two,,
apart,dog,two,,
triplet,ant,bee,cow,
"""
OBJECT = {
    "must_link": [["ant", "bee"]],
    "cannot_link": [["bee", "cow", 2.5]],
    "labels": {"ant": "x", "dog": "y", "cow": None},
    "not_labels": [["bee", "y"]],
    "together": [["ant", "bee"]],
    "apart": {"two": ["bee", "cow", "dog"]},
    "triplets": [["ant", "bee", "cow"]],
}


@pytest.mark.parametrize("content", [LINES, OBJECT, OBJECT | {"labels": ["x", None, None, "y"]}])
def test_all_kinds(put, content):
    assert said(read_constraints(put(content), IDS)) == said(WANTED)


def test_hard_and_complete(put):
    by_row = {"must_link": [[0, 1]], "labels": {"2": 1}, "classes": [1, 2, 3], "hard": True}
    found = read_constraints(put(by_row), ROWS)
    assert found.declared
    assert found.classes == (1, 2, 3)
    assert len(found.hard) == 2
    some = {"must_link": [[0, 1]], "hard": {"must_link": [[1, 2]]}}
    found = read_constraints(put(some), ROWS)
    assert found.must_link.tolist() == [[0, 1], [1, 2]]
    assert found.hard.must_link.tolist() == [[1, 2]]
    lines = "kind,a,b,hard\nmust-link,0,1,no\nmust-link,1,2,yes\nclass,x,,\nclass,y,,\n"
    found = read_constraints(put(lines), ROWS)
    assert found.hard.must_link.tolist() == [[1, 2]]
    assert found.classes == ("x", "y")


def test_paths(put):
    wanted = said(Constraints.from_paths(["T/CD4", "T", "B", None]))
    steps = {"ant": ["T", "CD4"], "bee": "T", "cow": "B"}
    for content in (
        {"paths": steps},
        {"paths": ["T/CD4", "T", "B", None]},
        "kind,a,b\npath,ant,T/CD4\npath,bee,T\npath,cow,B\n",
    ):
        assert said(read_constraints(put(content), IDS)) == wanted


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("ant,bee\n", "needs the columns kind, a, b.*first line is 'ant,bee'.*read_pairs"),
        ("kind,a\nlabel,ant\n", "first line is 'kind,a'"),
        (
            "kind,a,b\nmust-lnik,ant,bee\n",
            "line 2: the kind is 'must-lnik'; did you mean 'must-link'",
        ),
        ("kind,a,b\nmust-link,ant,bee\nlabel,eel,x\n", "line 3: there is no sample 'eel'"),
        ("kind,a,b\ntogether,ant,\n", "line 2: the group is missing"),
        ("kind,a,b,hard\nlabel,ant,x,perhaps\n", "line 2: hard is 'perhaps'"),
        ("kind,a,b,c\ntriplet,ant,bee,\n", "line 2: a triplet names 3 samples"),
        ("kind,a,b\napart,ant,g\napart,ant,g\n", "line 3: 'ant' is in this group already"),
        ("kind,a,b\nnot-label,ant,?\n", "line 2: the class '\\?' means unknown"),
        ("kind,a,b\nclass,x,\nlabel,ant,X\n", "'X' is not among its classes; did you mean 'x'"),
        ("kind,a,b\npath,ant,T//x\n", "a step of it is empty"),
        ({"must_lnk": []}, "has 'must_lnk'; did you mean 'must_link'"),
        ({"must_link": [["ant"]]}, "must_link, entry 0 is \\['ant'\\]"),
        ({"must_link": [["ant", "ewe"]]}, "must_link, entry 0 .*no sample 'ewe'"),
        ({"labels": ["x"]}, "labels holds 1 values, but zoo.csv has 4 samples"),
        ({"labels": 3}, "labels is a int, expected a list"),
        ({"hard": "yes"}, "hard is 'yes'"),
        ({"together": ["ant"]}, "entry 0 is a str"),
        ({"paths": [["ant", "T"], ["ant", "B"]]}, "'ant' has a path"),
        ([1], "expected an object"),
    ],
)
def test_wrong_constraints(put, content, message):
    with pytest.raises(InputError, match=message):
        read_constraints(put(content), IDS)


texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=4)
classes = st.sampled_from(["x", "y, z", 'q"', "ü\n", "class 7"])
row = st.integers(0, 5)
pairs = st.lists(st.tuples(row, row).filter(lambda p: p[0] != p[1]), max_size=4)
groups = st.lists(st.sets(row, min_size=2), max_size=2)


@st.composite
def statements(draw):
    given = Constraints.from_pairs(
        draw(pairs), draw(pairs), weights=None, hard=draw(st.booleans())
    ) + Constraints.from_groups(draw(groups), draw(groups), hard=draw(st.booleans()))
    given += Constraints.from_labels(draw(st.lists(st.none() | classes, min_size=6, max_size=6)))
    given += Constraints.from_negative_labels(
        draw(st.lists(st.tuples(row, classes), max_size=3)), hard=draw(st.booleans())
    )
    weighted = draw(pairs)
    weights = [draw(st.floats(0.01, 100)) for _ in weighted]
    given += Constraints.from_pairs(weighted, weights=weights)
    given += Constraints.from_triplets(draw(st.sampled_from([[], [(0, 1, 2)], [(3, 4, 5)]])))
    if draw(st.booleans()):
        given += Constraints.from_labels([], classes=["x", "y, z", 'q"', "ü\n", "class 7", "w"])
    return given


@settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    statements(),
    st.none() | st.lists(texts, min_size=6, max_size=6, unique_by=str.strip),
    st.sampled_from(["json", "csv", "tsv", "csv.gz"]),
)
def test_round_trip(tmp_path, given_, ids, suffix):
    array = None if ids is None else np.array([f"i{name}" for name in ids], dtype=object)
    names = Names(6, array)
    target = tmp_path / f"c.{suffix}"
    write_constraints(target, given_, names)
    if len(given_) or suffix == "json":
        again = read_constraints(target, names)
        assert said(again)[0] == said(given_)[0]
        assert set(said(again)[1] or ()) == set(said(given_)[1] or ())
        assert (said(again)[2] or Counter()) == (said(given_)[2] or Counter())


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_round_trip_of_paths(tmp_path, suffix):
    given_ = Constraints.from_paths(["T/CD4/naive", "T", "B", "T/CD8", None, "B/x"])
    given_ += Constraints.from_pairs([(0, 1)])
    write_constraints(tmp_path / f"c.{suffix}", given_, Names(6))
    assert said(read_constraints(tmp_path / f"c.{suffix}", Names(6))) == said(given_)


def test_what_cannot_be_written(tmp_path):
    for given_, name, message in (
        (
            Constraints(label_index=[0], label_code=[0], classes=["?"]),
            "c.json",
            "class '\\?' would be read as unknown",
        ),
        (Constraints.from_paths([("T", "a/b"), ("B",)]), "c.csv", "'/' in it: write JSON"),
        (Constraints.from_labels(["x"]), "c.xml", "known endings"),
    ):
        with pytest.raises(InputError, match=message):
            write_constraints(tmp_path / name, given_, Names(2))
    with pytest.raises(ValueError, match="only 1 samples"):
        write_constraints(tmp_path / "c.json", Constraints.from_pairs([(0, 1)]), Names(1))
    assert list(tmp_path.iterdir()) == []
