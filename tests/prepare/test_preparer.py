"""Tables as people have them become columns of numbers."""

import json

import numpy as np
import pandas as pd

from sentree import SSEPartition, TablePreparer, load
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


def test_typed_has_the_types_of_the_values():
    found = typed(table())
    assert found["paid"].tolist()[:2] == [12, 1500.2]
    assert found["member"].dtype == "boolean"
    assert found["since"][0] == pd.Timestamp("2020-01-31")
    assert pd.isna(found["since"][5])
    assert list(found["size"].cat.categories) == ["low", "medium", "high"]
    assert found["size"].cat.ordered


def test_an_estimator_prepares_new_rows_as_those_of_the_fit(tmp_path):
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 30)
    frame = pd.DataFrame(
        {
            "kind": np.array(["ant", "bee"])[group],
            "size": [f"{x:.2f} mm" for x in 3 * group + rng.normal(size=60) / 4],
            "weight": np.where(np.arange(60) % 9, group + rng.normal(size=60) / 4, np.nan),
        }
    )
    model = SSEPartition(n_clusters=2, prepare="auto").fit(frame)
    assert model.feature_names_in_.tolist() == ["kind", "size", "weight"]
    assert (model.labels_ == group).all()
    again = load(model.save(tmp_path / "model"))
    turned = frame[["weight", "size", "kind"]]
    assert (again.predict(turned) == group).all()
    assert again.preparation_.summary() == model.preparation_.summary()
