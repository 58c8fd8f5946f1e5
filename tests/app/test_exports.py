"""Results to take away, and that the script gives the same labels."""

import json
import warnings
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

import sentree
from sentree import Constraints, io
from sentree.app import Refused, Service
from sentree.app.exports import EXPORTS


@pytest.fixture
def service(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = Service(tmp_path)
    made.example("iris")
    assert made.wait(60)
    yield made
    made.close()


def labels(service):
    return service.labels().arrays["cluster"].tolist()


def ran(service):
    """Run the script and return the labels that it writes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of labels that random statements cannot keep
        exec(compile(service.export("script.py").data, "script.py", "exec"), {})
    return pd.read_csv("labels.csv")["cluster"].tolist()


def random_statement(rng):
    rows = [int(row) for row in rng.choice(150, int(rng.integers(2, 6)), replace=False)]
    kind = rng.choice(
        ["same", "different", "is", "is_not", "stays", "rename"], p=[0.2] * 4 + [0.1] * 2
    )
    if rng.random() < 0.15:
        kind = rng.choice(["merge", "split", "move", "scale"])
    said = {"kind": str(kind), "rows": rows, "class": f"c{rng.integers(4)}", "row": rows[0]}
    said |= {"into": int(rng.integers(2, 4)), "name": 'it\'s\n"it"', "k": int(rng.integers(1, 7))}
    if kind == "different" and rng.random() < 0.5:
        said |= {"rows": rows[:1], "others": rows[1:]}
    if kind == "move" and rng.random() < 0.5:
        said |= {"rows": rows[1:], "to_row": rows[0]}
    return said


def test_200_random_statements_give_the_same_labels_by_the_script(service):
    rng = np.random.default_rng(3)
    for number in range(200):
        service.say(random_statement(rng))
        if rng.random() < 0.1:
            service.undo()
        if rng.random() < 0.05:
            active = [s["id"] for s in service.state()["statements"] if s["state"] == "active"]
            service.delete(int(rng.choice(active)))
        if number in (40, 199):
            assert service.wait(120), service.state()["status"]
            assert ran(service) == labels(service)
    verdicts = {one["verdict"] for one in service.state()["statements"]}
    assert {"kept", "applied", "contradicting"} <= verdicts


def test_every_export_is_what_it_says(service, tmp_path):
    service.say({"kind": "is", "rows": [0, 1], "class": "setosa"})
    service.say({"kind": "different", "rows": [60, 120]})
    assert service.wait(60)
    found = labels(service)
    made = {what: service.export(what) for what in EXPORTS if what != "labels.h5ad"}
    assert made["labels.csv"].name == "iris-labels.csv"
    assert pd.read_csv(BytesIO(made["labels.csv"].data))["cluster"].tolist() == found
    assert pd.read_parquet(BytesIO(made["labels.parquet"].data))["cluster"].tolist() == found
    for what in ("constraints.json", "tree.nwk", "tree.json", "model.sentree", "report.html"):
        (tmp_path / made[what].name).write_bytes(made[what].data)
    names = io.Names(150)
    given = io.read_constraints(tmp_path / "iris-constraints.json", names)
    assert given.counts == Constraints.from_labels(["setosa"] * 2).counts | {"apart": 1}
    tree = io.read_tree(tmp_path / "iris-tree.json")
    assert tree.n_leaves == 150
    assert len(set(zip(tree.cut_to(3), found, strict=True))) == 3
    assert sentree.load(tmp_path / "iris-model.npz").labels_.tolist() == found
    assert b"<html" in made["report.html"].data
    assert made["command.sh"].data.decode().endswith("iris.sentree-project --export labels.csv\n")
    assert json.loads(made["tree.json"].data)
    with pytest.raises(Refused, match="take labels.csv"):
        service.export("labels.h5ad")
    with pytest.raises(Refused, match="there are labels.csv"):
        service.export("labels.doc")


def test_the_script_reads_a_file_with_its_options(service, tmp_path):
    frame = pd.DataFrame(sentree.datasets.load_embedded("iris")[0], columns=list("abcd"))
    frame.assign(kind="x", code=range(150)).to_csv(tmp_path / "some.csv", index=False)
    service.open("some.csv", {"labels": "kind", "id_column": "code", "drop": ["d"]})
    assert service.wait(60)
    service.say({"kind": "different", "rows": [60, 120]})
    assert service.wait(60)
    assert ran(service) == labels(service)
    frame.to_csv(tmp_path / "bare.csv", index=False, header=False)
    service.open("bare.csv", {"header": False})
    assert service.wait(60)
    assert ran(service) == labels(service)
