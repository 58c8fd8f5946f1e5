"""The service: what a page asks for, and what follows from what is said."""

from threading import Event

import numpy as np
import pandas as pd
import pytest

from flowers import IDS, IRIS, SPECIES
from sentree import SSEPartition, io
from sentree._util.stopping import check
from sentree.app import Frame, Refused, Service, export_project, views
from sentree.app.project import Project
from sentree.datasets import load_embedded


@pytest.fixture
def service(tmp_path):
    made = Service(tmp_path)
    yield made
    made.close()


@pytest.fixture
def iris(service):
    service.example("iris")
    assert service.wait(60)
    return service


@pytest.fixture
def flowers(tmp_path, service):
    table = pd.DataFrame(IRIS.data, columns=["length", "width", "petal", "petal width"])
    table.insert(0, "id", IDS)
    table["colour"] = np.where(IRIS.data[:, 2] > 3, "Dark red", "blue")
    table["species"] = SPECIES
    table.to_csv(tmp_path / "flowers.csv", index=False)
    service.open("flowers.csv", {"labels": "species"})
    assert service.wait(60)
    return service


def clusters(service):
    return service.labels().arrays["cluster"].copy()


def say(service, **said):
    made = service.say(said)
    assert service.wait(60)
    return made


def test_before_there_are_data(service):
    state = service.state()
    assert state["status"]["phase"] == "empty"
    assert state["clusters"] == state["statements"] == []
    with pytest.raises(Refused, match="no data yet"):
        service.say({"kind": "same", "rows": [0, 1]})
    with pytest.raises(Refused, match="no file nothing.csv"):
        service.open("nothing.csv")
    with pytest.raises(Refused, match="not below the folder"):
        service.open("/etc/passwd")


def test_a_file_is_clustered_as_by_the_command_and_classes_are_not_used(flowers, tmp_path):
    samples = io.read_samples(tmp_path / "flowers.csv", raw=True, take=["species"])
    model = SSEPartition(random_state=0, prepare="auto").fit(samples.X)
    assert (clusters(flowers) == model.labels_).all()
    data = flowers.state()["data"]
    assert (data["n"], data["id_name"], data["columns"]) == (150, "id", ["species"])
    assert data["features"][0] == {"name": "length", "kind": "number"}
    assert data["features"][-1] == {"name": "colour", "kind": "category"}
    [row] = flowers.rows([3])["rows"]
    assert row["id"] == "flower003"
    assert {"name": "species", "text": "setosa"} in row["cells"]
    assert {"name": "colour", "text": "blue"} in row["cells"]


def test_a_file_that_cannot_be_read_is_told_in_the_words_of_the_command(service, tmp_path):
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    with pytest.raises(io.InputError) as same:
        io.read_samples(tmp_path / "bad.csv", raw=True)
    with pytest.raises(Refused) as told:
        service.open("bad.csv")
    assert str(told.value) == str(same.value).replace(f"{tmp_path}/", "")
    assert "has 1 row, expected more" in str(told.value)
    assert service.state()["status"]["phase"] == "empty"


def test_what_is_said_is_followed_and_can_be_undone(iris):
    before = clusters(iris)
    assert say(iris, kind="different", rows=[60, 120], origin="click")["id"] == 1
    after = clusters(iris)
    assert after[60] != after[120]
    state = iris.state()
    [one] = state["statements"]
    assert (one["verdict"], one["text"]) == ("kept", "row 60 and row 120 are different")
    assert (one["links"], one["origin"]) == ([[60, 120]], "click")
    changed = iris.labels().arrays["changed"]
    assert state["moved"] == {"n": int(changed.sum()), "by": 1}
    assert changed.sum() == min(np.bincount(after)[after[[60, 120]]])
    iris.undo()
    assert iris.wait(60)
    assert (clusters(iris) == before).all()
    assert iris.state()["statements"][0]["state"] == "undone"
    iris.redo()
    assert iris.wait(60)
    assert (clusters(iris) == after).all()
    iris.delete(1)
    assert iris.wait(60)
    assert (clusters(iris) == before).all()
    assert iris.state()["statements"] == []


def test_a_contradiction_is_shown_until_one_is_deleted(iris):
    say(iris, kind="is", rows=[0, 60], **{"class": "a"})
    say(iris, kind="different", rows=[0, 60])
    first, second = iris.state()["statements"]
    assert (first["verdict"], second["verdict"]) == ("kept", "contradicting")
    chain = ["row 0 is 'a'", "row 60 is 'a'", "row 0 and row 60 are apart"]
    assert second["proof"] == [*chain, "said before: “row 0 and row 60 are a”"]
    iris.delete(1)
    assert iris.wait(60)
    [left] = iris.state()["statements"]
    assert (left["verdict"], left["proof"]) == ("kept", [])


def test_names_stays_and_colours(iris):
    state = iris.state()
    assert [one["colour"] for one in state["clusters"]] == [0, 1]
    say(iris, kind="rename", row=0, name="setosa")
    say(iris, kind="stays", rows=[60])
    say(iris, kind="different", rows=[60, 120])
    state = iris.state()
    number = int(clusters(iris)[0])
    assert state["clusters"][number]["name"] == "setosa"
    assert state["clusters"][number]["colour"] == 0
    assert sorted(one["colour"] for one in state["clusters"]) == [0, 1, 2]
    assert [one["verdict"] for one in state["statements"]] == ["applied", "kept", "kept"]
    assert iris.find("setosa")["n"] == state["clusters"][number]["size"] == 50


def test_a_project_opened_again_is_the_same(iris, tmp_path):
    say(iris, kind="different", rows=[60, 120])
    say(iris, kind="is", rows=[0], **{"class": "a"})
    say(iris, kind="merge", rows=[0, 60])
    iris.undo()
    assert iris.wait(60)
    before, found, drawn = iris.state(), clusters(iris), iris.map().arrays["xy"]
    with pytest.raises(Refused, match="open elsewhere"):
        export_project(tmp_path / "iris.sentree-project", "labels.csv", tmp_path / "x.csv")
    iris.close()
    again = Service(tmp_path)
    again.example("iris")
    assert again.wait(60)
    after = again.state()
    assert (clusters(again) == found).all()
    assert np.allclose(again.map().arrays["xy"], drawn, atol=1e-5)
    for key in ("clusters", "statements", "scale", "classes", "can_undo", "can_redo", "data"):
        assert after[key] == before[key], key
    again.close()
    written = export_project(tmp_path / "iris.sentree-project", "labels.csv", tmp_path / "x.csv")
    assert pd.read_csv(written)["cluster"].tolist() == found.tolist()


def test_data_that_changed_are_told_of(flowers, tmp_path):
    flowers.close()
    path = tmp_path / "flowers.csv"
    path.write_text(path.read_text().replace("5.1,3.5", "5.2,3.5", 1))
    again = Service(tmp_path)
    again.open("flowers.sentree-project")
    assert again.wait(60)
    assert "flowers.csv has changed" in again.state()["status"]["message"]
    again.close()
    path.write_text("\n".join(path.read_text().splitlines()[:-1]) + "\n")
    again = Service(tmp_path)
    with pytest.raises(Refused, match=r"has 149 rows, but flowers.sentree-project is about 150"):
        again.open("flowers.csv")
    again.close()


def test_questions_are_asked_and_answered(iris):
    asked = iris.question()
    one = asked["question"]
    assert asked["progress"] == iris.state()["progress"]
    assert one["options"][0]["rows"]
    assert one["text"] == f"Does row {one['point']} belong to this group?"
    with pytest.raises(Refused, match="no longer asked"):
        iris.answer({"question": "x", "reply": 0})
    with pytest.raises(Refused, match="is not the position"):
        iris.answer({"question": one["id"], "reply": 99})
    iris.answer({"question": one["id"], "reply": "unsure"})
    assert iris.wait(60)
    later = iris.question()
    assert later["question"]["point"] not in one["group"]
    assert later["progress"]["answers"] == 0  # to be unsure is no answer
    iris.answer({"question": later["question"]["id"], "reply": {"class": "a"}})
    assert iris.wait(60)
    assert iris.state()["classes"] == ["a"]


@pytest.mark.parametrize(
    ("text", "rows", "how"),
    [
        ("flower007", [7], "id flower007"),
        ("flower007, flower001", [1, 7], "2 ids"),
        ("petal >= 6.7", np.flatnonzero(IRIS.data[:, 2] >= 6.7), "petal >= 6.7"),
        ("COLOUR = dark RED", np.flatnonzero(IRIS.data[:, 2] > 3), "colour = dark RED"),
        ("species != setosa", range(50, 150), "species != setosa"),
        ("ark re", np.flatnonzero(IRIS.data[:, 2] > 3), "rows that contain 'ark re'"),
        ("", [], ""),
    ],
)
def test_rows_are_found(flowers, text, rows, how):
    assert flowers.find(text) == {"rows": list(rows), "n": len(rows), "text": how}


def test_columns_that_are_not_there_are_told(flowers):
    with pytest.raises(Refused, match="no column 'petall'; did you mean 'petal'"):
        flowers.find("petall > 3")
    with pytest.raises(Refused, match="petal holds numbers: 'big' is none"):
        flowers.find("petal > big")
    with pytest.raises(Refused, match="no column"):
        flowers.column("nothing")


def test_columns_to_colour_by(flowers):
    petal = Frame.from_bytes(flowers.column("petal").to_bytes())
    assert petal.header == {"kind": "number", "min": 1.0, "max": 6.9, "name": "petal"}
    assert np.allclose(petal.arrays["value"], IRIS.data[:, 2])
    species = flowers.column("species")
    assert species.header["legend"] == ["setosa", "versicolor", "virginica"]
    assert species.arrays["code"].tolist() == IRIS.target.tolist()
    say(flowers, kind="is", rows=[4, 9], **{"class": "x"})
    said = flowers.column("said")
    assert said.header["legend"] == ["x"]
    assert np.flatnonzero(said.arrays["code"] == 0).tolist() == [4, 9]
    say(flowers, kind="same", rows=[20, 21, 22])
    say(flowers, kind="different", rows=[70, 120])
    said = flowers.column("said")
    assert said.header["legend"] == ["differs from others", "group 1", "x"]
    codes = [said.arrays["code"] == code for code in range(3)]
    assert [np.flatnonzero(one).tolist() for one in codes] == [[70, 120], [20, 21, 22], [4, 9]]


def test_a_category_with_gaps_can_be_coloured_by(service, tmp_path):
    kind = pd.Series(SPECIES).where(np.arange(150) % 3 > 0)
    table = pd.DataFrame(IRIS.data, columns=list("abcd")).assign(kind=kind)
    table.to_csv(tmp_path / "gaps.csv", index=False)
    service.open("gaps.csv")
    assert service.wait(60)
    found = service.column("kind")
    assert found.header["legend"] == ["setosa", "versicolor", "virginica"]
    wanted = np.where(np.arange(150) % 3 > 0, IRIS.target, -1)
    assert found.arrays["code"].tolist() == wanted.tolist()


def test_the_tree_holds_unions_clusters_and_parts(iris):
    say(iris, kind="different", rows=[60, 120])
    found, frame = clusters(iris), iris.tree()
    order, nodes = frame.arrays["order"], frame.header["nodes"]
    assert sorted(order.tolist()) == list(range(150))
    assert (nodes[0]["parent"], nodes[0]["size"]) == (None, 150)
    seen = set()
    for node in nodes:
        rows = order[node["start"] : node["end"]]
        assert rows.size == node["size"] > 0
        inside = {*found[rows].tolist()}
        if node["cluster"] is None:
            assert len(inside) > 1
        else:
            assert inside == {node["cluster"]}
            if node["size"] == (found == node["cluster"]).sum():
                seen.add(node["cluster"])
        if node["parent"] is not None:
            above = nodes[node["parent"]]
            assert above["start"] <= node["start"] < node["end"] <= above["end"]
            assert above["depth"] == node["depth"] - 1
    assert seen == {0, 1, 2}


def test_profiles_and_images(iris, service):
    found = iris.profiles()["clusters"]
    assert [one["number"] for one in found] == [0, 1]
    assert "x2" in found[0]["sentence"]
    assert iris.rows([0])["rows"][0]["image"] is None
    digits = load_embedded("digits")[0][:100]
    service.load(digits)
    assert service.wait(60)
    image = service.rows([0])["rows"][0]["image"]
    assert service.state()["data"]["image"] == {"side": 8}
    assert np.allclose(image, digits[0] / 16, atol=1e-3)


def test_samples_in_memory_and_fitted_models(service):
    table = pd.DataFrame(IRIS.data[:, :2], columns=["a", "b"], index=pd.Index(IDS, dtype=object))
    service.load(table)
    assert service.wait(60)
    assert service.map().header["source"] == "columns"
    assert service.rows([2])["rows"][0]["id"] == "flower002"
    model = SSEPartition(random_state=0).fit(IRIS.data)
    service.load(model)
    assert service.wait(60)
    assert (clusters(service) == model.labels_).all()
    say(service, kind="same", rows=[0, 100])
    assert service.model.labels_[0] == service.model.labels_[100]
    assert model.labels_[0] != model.labels_[100]


def test_uploads_are_kept_in_the_project(service, tmp_path):
    content = b"a,b,c\n" + b"\n".join(b"%d,%d,%d" % (k % 7, k % 5, k) for k in range(60)) + b"\n"
    service.upload("../some.csv", content)
    assert service.wait(60)
    found = clusters(service)
    service.close()
    again = Service(tmp_path)
    again.open("some.sentree-project")
    assert again.wait(60)
    assert (clusters(again) == found).all()
    again.close()


def test_a_fit_can_be_stopped_and_begun_again(service):
    def stop(event):
        if event["status"]["stage"].startswith("finding the neighbours"):
            service.cancel()

    unsubscribe = service.subscribe(stop)
    service.example("iris")
    assert not service.wait(60)
    assert service.state()["status"]["phase"] == "failed"
    assert service.state()["status"]["message"] == "stopped, as you asked"
    with pytest.raises(Refused, match="not found yet"):
        service.labels()
    unsubscribe()
    say(service, kind="same", rows=[0, 1])
    assert service.state()["status"]["phase"] == "ready"


def test_closing_lets_go_of_the_project_while_the_worker_is_busy(service, tmp_path, monkeypatch):
    busy, ends = Event(), Event()

    def slow(data):
        busy.set()
        ends.wait(60)
        check()  # as kernels do

    monkeypatch.setattr("sentree.app.service._fitted", slow)
    service.example("iris")
    assert busy.wait(60)
    service.close(wait=False)
    Project(tmp_path / "iris.sentree-project").close()
    ends.set()
    service.close()
    assert not service._worker.is_alive()


def test_very_many_rows_are_a_sample_and_a_density(iris, monkeypatch):
    whole = iris.map().arrays["xy"].reshape(-1, 2)
    monkeypatch.setattr(views, "_MOST_SHOWN", 40)
    monkeypatch.setattr(views, "_GRID", 8)
    frame = iris.map()
    assert frame.header["sampled"]
    assert frame.header["density"] == {"width": 8, "height": 8}
    rows = frame.arrays["rows"]
    assert rows.size == 40
    assert (np.diff(rows) > 0).all()  # each once, in order
    assert (frame.arrays["xy"].reshape(-1, 2) == whole[rows]).all()
    dense = frame.arrays["density"].reshape(8, 8)
    assert dense.sum() == 150  # of all rows
    column, line = np.minimum((whole.astype(float) + 1) / 2 * 8, 7).astype(int).T
    counted = np.zeros((8, 8))
    np.add.at(counted, (line, column), 1)  # a line of cells for each height on the map
    assert np.abs(dense - counted).sum() <= 2  # single precision at the borders of cells
    assert iris.map().to_bytes() == frame.to_bytes()
    monkeypatch.setattr(views, "_MOST_SHOWN", 150)
    assert not iris.map().header["sampled"]
    assert iris.labels().arrays["cluster"].size == 150  # of all rows, always


def test_subscribers_hear_of_stages_and_versions(service):
    heard = []
    unsubscribe = service.subscribe(heard.append)
    service.example("iris")
    assert service.wait(60)
    version = service.state()["version"]
    say(service, kind="same", rows=[0, 1])
    unsubscribe()
    stages = [one["status"]["stage"] for one in heard]
    assert "searching for clusters" in stages
    assert {"version": version, "status": service.state()["status"]} in heard


def test_cells_with_their_own_map(service, tmp_path):
    anndata = pytest.importorskip("anndata")
    cells = anndata.AnnData(IRIS.data.astype("float32"))
    cells.obs["species"] = pd.Categorical(SPECIES)
    cells.obsm["X_umap"] = IRIS.data[:, :2].astype("float32")
    cells.write_h5ad(tmp_path / "cells.h5ad")
    service.open("cells.h5ad")
    assert service.wait(60)
    assert service.map().header["source"] == "X_umap"
    assert service.column("species").header["kind"] == "category"
    (tmp_path / "new.h5ad").write_bytes(service.export("labels.h5ad").data)
    new = anndata.read_h5ad(tmp_path / "new.h5ad")
    assert new.obs["sentree_cluster"].astype(int).tolist() == clusters(service).tolist()
