"""Tables as people have them become columns of numbers."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from sentree import SSEHierarchy, SSEPartition, TablePreparer, load
from sentree.estimators.inputs import prepared_blocks
from sentree.graph.blocks import BLOCKS
from sentree.prepare import Block, typed


def table():
    return pd.DataFrame(
        {
            "id": ["a", "b", "c", "d", "e", "f"],
            "paid": ["€ 12", "€ 1,500.2", "€ 7", "€ 8", "€ 9", None],
            "member": ["yes", "no", "yes", "no", "yes", "yes"],
            "since": ["31/1/2020", "1/2/2020", "2/2/2020", "3/2/2020", "3/2/2020", "?"],
            "colour": ["red", "blue", "red", "blue", "red", "NA"],
            "size": ["low", "high", "medium", "low", "low", "low"],
            "one": [1, 1, 1, 1, 1, 1],
        }
    )


@parametrize_with_checks([TablePreparer(), TablePreparer(log=True)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_each_kind_of_column_becomes_numbers():
    preparer = TablePreparer()
    found = preparer.fit_transform(table())
    assert list(found) == [
        *("paid", "member", "since", "colour=red", "colour=blue", "colour=missing", "size")
    ]
    assert found["paid"].tolist() == [12, 1500.2, 7, 8, 9, 9]
    assert found["member"].tolist() == [1, 0, 1, 0, 1, 1]
    assert (found["since"] - 18292).tolist() == [0, 1, 2, 3, 3, 2]
    assert found["colour=red"].tolist() == [1, 0, 1, 0, 1, 0]
    assert found["colour=missing"].tolist() == [0, 0, 0, 0, 0, 1]
    assert found["size"].tolist() == [0, 2, 1, 0, 0, 0]
    assert preparer.blocks_[3] == Block("colour", "category", 3, 6)
    again = TablePreparer.from_dict(json.loads(json.dumps(preparer.to_dict())))
    pd.testing.assert_frame_equal(again.transform(table()), found)


def test_what_was_done_is_told():
    preparer = TablePreparer().fit(table())
    assert preparer.summary() == (
        "7 columns made 7 features: 1 number (paid), 1 yes/no (member), 1 date (since), 1 ordered "
        "category (size), 1 category (colour); gaps filled in paid, since\n"
        "left out: id (ids or names); one (one value)"
    )
    told = preparer.report().set_index("column")
    assert told.loc["paid"].tolist() == ["number", "kept, in €, gaps filled with 9", 1, ""]
    assert told.loc["one", "done"] == "left out"
    assert told.loc["size", "done"] == "low, medium, high as 0, 1, …"


def test_new_rows():
    preparer = TablePreparer().fit(table())
    new = pd.DataFrame(
        {
            "more": [1, 2],
            "colour": ["green", None],
            "size": ["huge", "high"],
            "since": [pd.Timestamp("2020-02-01"), None],
            "member": [True, False],
            "paid": [3.5, np.nan],
        },
        index=["u", "v"],
    )
    with pytest.warns(UserWarning, match="'size': 1 cell no known level and so missing.*'huge'"):
        found = preparer.transform(new)
    assert found.index.tolist() == ["u", "v"]
    assert found.loc["u"].tolist() == [3.5, 1, 18293, 0, 0, 0, 0]
    assert found.loc["v"].tolist() == [9, 0, 18294, 0, 0, 1, 2]
    with pytest.raises(ValueError, match=r"no column 'paid', 'since'$"):
        preparer.transform(new.drop(columns=["paid", "since"]))
    with pytest.warns(UserWarning, match="'paid': 1 cell no number and so missing, such as '3 kg'"):
        preparer.transform(new.assign(paid=["3 kg", None], size="low"))


def test_rare_and_new_levels_share_a_column():
    levels = ["a"] * 60 + ["b"] * 30 + [f"r{k // 2}" for k in range(24)]
    frame = pd.DataFrame({"level": levels, "x": np.arange(114.0) % 7})
    preparer = TablePreparer().fit(frame)
    assert preparer.get_feature_names_out()[:2].tolist() == ["level=a", "level=b"]
    assert "level=other" not in preparer.get_feature_names_out()  # 2 of 114 rows are 1 %
    long = pd.concat([frame] * 5 + [pd.DataFrame({"level": ["s", "t"], "x": [0, 1]})])
    preparer.fit(long)
    assert preparer.get_feature_names_out()[-2:].tolist() == ["level=other", "x"]
    found = preparer.transform(pd.DataFrame({"level": ["s", "new", "a"], "x": 0}))
    assert found["level=other"].tolist() == [1, 1, 0]
    told = preparer.report()["done"][0]
    assert told == "15 columns of 0 and 1, for 14 of 16 levels and the others together"


def test_gaps_have_a_column_where_others_depend_on_them():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 400)
    frame = pd.DataFrame({"group": np.array(["u", "v"])[group], "x": rng.normal(size=400)})
    frame["telling"] = np.where((group == 1) & (rng.random(400) < 0.5), np.nan, frame["x"] + 1)
    frame["random"] = np.where(rng.random(400) < 0.3, np.nan, rng.normal(size=400))
    frame["again"] = frame["telling"] + rng.normal(size=400)  # has the same gaps
    frame["asked"] = np.where(rng.random(400) < 0.4, "no", "yes")
    frame["answer"] = np.where(frame["asked"] == "no", np.nan, rng.normal(size=400))
    names = TablePreparer().fit(frame).get_feature_names_out().tolist()
    assert [name for name in names if "missing" in name] == ["telling=missing"]


def test_columns_that_say_nothing_new_are_left_out():
    rng = np.random.default_rng(0)
    x, level = rng.normal(size=50).round(3), rng.integers(0, 3, 50)
    frame = pd.DataFrame(
        {
            "x": x,
            "copy": [f"{value!r} kg" for value in x.tolist()],
            "code": np.array(["u", "v", "w"])[level],
            "name": np.array(["Ulm", "Vienna", "Wels"])[level],
            "count": np.arange(1, 51),
            "order_id": rng.permutation(900)[:50],
            "list": [[1]] * 50,
        }
    )
    preparer = TablePreparer().fit(frame)
    assert preparer.used_columns == ["x", "code"]
    kinds = preparer.report().set_index("column")["kind"].to_dict()
    assert kinds == {
        **{"x": "number", "copy": "copy", "code": "category", "name": "copy", "count": "ids"},
        **{"order_id": "ids", "list": "other"},
    }
    assert "the same as x" in preparer.report()["note"].tolist()


@pytest.mark.parametrize("value", [1, True, "TRUE", "5 kg", 1 / 3])
def test_one_value_or_none_tells_whether_it_is_there(value):
    frame = pd.DataFrame({"flag": [value, None, value, None], "x": [1.5, 2, 3, 2]})
    preparer = TablePreparer()
    found = preparer.fit_transform(frame)
    assert list(found) == ["flag", "flag=missing", "x"]
    assert found["flag=missing"].tolist() == [0, 1, 0, 1]
    pd.testing.assert_frame_equal(preparer.transform(frame), found)


def test_declared_levels_are_taken_as_they_are():
    order = pd.CategoricalDtype(["None", " Mild", "Severe"], ordered=True)
    frame = pd.DataFrame({"pain": pd.Series(["None", " Mild", "Severe", None], dtype=order)})
    preparer = TablePreparer()
    found = preparer.fit_transform(frame)
    assert found["pain"].tolist()[:3] == [0, 1, 2]
    pd.testing.assert_frame_equal(preparer.transform(frame), found)
    words = preparer.transform(frame.astype(object))
    pd.testing.assert_frame_equal(words, found)


def test_intervals_are_ordered_levels():
    frame = pd.DataFrame({"age": pd.cut([1.0, 5, 9, 1], [0, 3, 6, 10]), "x": [1.5, 2, 3, 2]})
    assert TablePreparer().fit_transform(frame)["age"].tolist() == [0, 1, 2, 0]


def test_blocks_are_those_of_the_columns_that_are_there():
    found = TablePreparer().fit_transform(table())
    assert prepared_blocks(found)
    assert prepared_blocks(found[found.columns[::-1]]) == ()
    found.attrs[BLOCKS] = [["colour", "category", 0, 2]]  # as a file would have it
    assert prepared_blocks(found) == ()


def test_parameters():
    frame = table()
    with pytest.raises(ValueError, match=r"^categories in 'colour', 'size', .*drop_text=True$"):
        TablePreparer(encode=False).fit(frame)
    assert TablePreparer(drop_text=True).fit(frame).used_columns == ["paid", "member", "since"]
    with pytest.raises(ValueError, match=r"^gaps in 'paid', 'since', .*impute=False"):
        TablePreparer(impute=False).fit(frame)
    rng = np.random.default_rng(0)
    tail = pd.DataFrame({"x": rng.lognormal(size=500), "y": rng.normal(size=500)})
    logs = TablePreparer(log=True).fit(tail)
    assert "logarithm of x" in logs.summary()
    assert logs.transform(tail)["x"].skew() < 0.5 < tail["x"].skew()
    assert (logs.transform(tail)["y"] == tail["y"]).all()
    assert (TablePreparer().fit_transform(tail) == tail).all(axis=None)


def test_tables_of_other_kinds():
    frame = table().drop(columns="since")
    expected = TablePreparer().fit_transform(frame)
    found = TablePreparer().fit_transform(pl.from_pandas(frame))
    pd.testing.assert_frame_equal(found, expected)
    array = TablePreparer().fit(frame.to_numpy(dtype=object))
    np.testing.assert_array_equal(array.transform(frame.to_numpy(dtype=object)), expected)
    levels = pl.Enum(["little", "much"])
    column = pl.Series(["much", "little", None] * 2, dtype=levels)
    more = pl.DataFrame({"x": column, "n": [1, None, 2] * 2})
    assert TablePreparer().fit_transform(more)["x"].tolist() == [1, 0, 0] * 2


def test_in_pipelines():
    frame = table()
    assert clone(TablePreparer(log=True)).log is True
    wide = TablePreparer().set_output(transform="polars").fit(frame)
    assert wide.transform(frame).columns == wide.get_feature_names_out().tolist()
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 30)
    frame = pd.DataFrame({"x": group + rng.normal(size=60) / 9, "g": np.array(["u", "v"])[group]})
    steps = make_pipeline(TablePreparer(), SSEPartition(2))
    assert (steps.fit_predict(frame) == group).all()
    inside = SSEPartition(2, prepare="auto").fit(frame)
    assert steps[-1].graph_settings_ == inside.graph_settings_  # rows of mixed kinds
    assert (steps.predict(frame[["g", "x"]]) == group).all()


BAD = {
    "no columns": (pd.DataFrame(), "no columns"),
    "no rows": (pd.DataFrame({"x": []}), "no rows"),
    "one row": (pd.DataFrame({"x": [1]}), "has 1 row, expected at least 2"),
    "names twice": (pd.DataFrame([[1, 2], [2, 3]], columns=["x", "x"]), "several .* called 'x'"),
    "nothing left": (
        pd.DataFrame({"id": [5, 6, 7], "one": 1, "none": None}),
        r"says how rows differ: id \(ids or names\), one \(one value\), none \(no values\)",
    ),
    "one dimension": (np.arange(3), "1 dimensions"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_tables_are_refused(case):
    frame, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        TablePreparer().fit(frame)


@pytest.mark.parametrize("case", ["no columns", "nothing left"])
def test_an_estimator_refuses_them_in_the_same_words(case):
    frame, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        SSEPartition(prepare="auto").fit(frame)


def test_ten_thousand_levels():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=30_000), "level": rng.integers(0, 10_000, 30_000)})
    frame["level"] = "L" + frame["level"].astype(str)
    preparer = TablePreparer().fit(frame)
    assert preparer.used_columns == ["x"]
    n_levels = frame["level"].nunique()
    assert preparer.summary().endswith(f"left out: level ({n_levels:,} levels, too many)")


def test_words_among_numbers_count_as_missing_and_are_told():
    words = np.where(np.arange(300) % 4, np.arange(300).astype(str), "broken")
    frame = pd.DataFrame({"x": np.arange(300.0) ** 2, "mixed": words})
    preparer = TablePreparer()
    found = preparer.fit_transform(frame)["mixed"].to_numpy()
    assert found[1::4].tolist() == list(range(1, 300, 4))
    assert np.unique(found[::4]).tolist() == [150.0]  # the median of the numbers
    assert "look at mixed (75 cells" in preparer.summary()


# --- in the estimators ---


def animals():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 30)
    frame = pd.DataFrame(
        {
            "kind": np.array(["ant", "bee"])[group],
            "size": [f"{x:.2f} mm" for x in 3 * group + rng.normal(size=60) / 4],
            "weight": np.where(np.arange(60) % 9, group + rng.normal(size=60) / 4, np.nan),
        }
    )
    return frame, group


def test_typed_has_the_types_of_the_values():
    found = typed(table())
    assert found["paid"].tolist()[:2] == [12, 1500.2]
    assert found["member"].dtype == "boolean"
    assert found["since"][0] == pd.Timestamp("2020-01-31")
    assert pd.isna(found["since"][5])
    assert list(found["size"].cat.categories) == ["low", "medium", "high"]
    assert found["size"].cat.ordered
    assert found["colour"].isna().tolist() == [False] * 5 + [True]
    assert found["id"].dtype == object


@pytest.mark.parametrize("prepare", ["auto", TablePreparer(log=False)])
def test_an_estimator_prepares_new_rows_as_those_of_the_fit(tmp_path, prepare):
    frame, group = animals()
    model = SSEPartition(n_clusters=2, prepare=prepare).fit(frame)
    assert model.feature_names_in_.tolist() == ["kind", "size", "weight"]
    assert (model.n_features_in_, model.features_.n_features) == (3, 4)
    assert (model.labels_ == group).all()
    again = load(model.save(tmp_path / "model"))
    turned = frame[["weight", "size", "kind"]]
    assert (again.predict(turned) == group).all()
    assert again.preparation_.summary() == model.preparation_.summary()
    assert again.get_params().keys() == model.get_params().keys()
    assert model._table is frame


def test_without_preparation_all_columns_are_named_at_once():
    frame, _ = animals()
    frame["when"] = pd.Timestamp("2020-01-01")
    with pytest.raises(
        ValueError, match="text in 'kind', 'size'; dates in 'when'; gaps in 'weight'"
    ):
        SSEPartition().fit(frame)
    with pytest.raises(ValueError, match="Let prepare='auto' make numbers of them"):
        SSEHierarchy().fit(frame.to_numpy(dtype=object))
    gaps = pd.DataFrame({"x": [1, 2, np.nan], "y": [np.nan, 1, 2], "z": [1, 2, 3]})
    with pytest.raises(ValueError, match="such columns: 'x', 'y'.*or let prepare='auto' do so"):
        SSEPartition().fit(gaps)


def test_plain_numbers_are_clustered_as_without_preparation():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3)).round(1)
    X[:, 2] = 1.0
    for samples in (X, pd.DataFrame(X, columns=list("abc"))):
        plain, auto = (SSEPartition(prepare=way).fit(samples) for way in (None, "auto"))
        assert auto.preparation_ is None
        assert auto.objective_ == plain.objective_
        assert (auto.labels_ == plain.labels_).all()


def test_tails_are_drawn_in_once():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.lognormal(size=300), "g": rng.choice(["u", "v"], 300)})
    auto, never = (
        SSEPartition(2, prepare=TablePreparer(log=log)).fit(frame) for log in (None, False)
    )
    once = SSEPartition(2, prepare=TablePreparer(log=True)).fit(frame)
    assert auto.features_.tamed.tolist() == [0]
    assert never.features_.tamed.size == once.features_.tamed.size == 0
    assert (once.labels_ == auto.labels_).all()


def test_only_preparers_prepare():
    with pytest.raises(TypeError, match=r"'auto' or a sentree.TablePreparer, got a SSEPartition"):
        SSEPartition(prepare=SSEPartition()).fit(animals()[0])
