import csv
import json

import pytest

from sentree.paper.reproduce.grid import Cell
from sentree.paper.reproduce.store import COLUMNS, Outcome, Store

SETTINGS = {"protocol": "same", "seed": 5, "data": {"Yale": "abc"}}
FIRST = Cell("Yale", "pairs", 0.4, "SSE", 0)
SECOND = Cell("Yale", "pairs", 0.4, "SSE", 1)
TREE = Cell("wine", "pairs", 0.4, "SSE", 0)


def rows(store):
    with store.path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_cell_is_a_row_per_metric_in_every_experiment_that_shows_it(tmp_path):
    store = Store(tmp_path, ["fig2", "table1", "table3"], SETTINGS)
    store.add(FIRST, Outcome({"ARI": 37.25, "NMI": 61.0}, 1.5, 200.0))
    store.add(TREE, Outcome({"ARI": 80.0, "NMI": 81.0, "DP": 90.0}, 0.1, 100.0))
    found = rows(store)
    assert tuple(found[0]) == COLUMNS
    assert [(row["table"], row["metric"]) for row in found] == [
        ("table1", "ARI"),
        ("table1", "NMI"),
        ("table3", "DP"),
        ("table3", "ARI"),
        ("table3", "NMI"),
        ("fig2", "ARI"),
        ("fig2", "NMI"),
    ]
    first = found[0]
    assert float(first["value"]) == 37.25
    assert (first["constraint"], first["amount"]) == ("pairs", "0.4")
    assert (first["draw"], first["seed"], first["note"]) == ("0", "5", "")
    assert (float(first["seconds"]), float(first["peak_memory"])) == (1.5, 200.0)


def test_the_order_of_finishing_does_not_show(tmp_path):
    outcomes = {FIRST: Outcome({"ARI": 1.0, "NMI": 2.0}, 1, 1)}
    outcomes[SECOND] = Outcome({"ARI": 3.0, "NMI": 4.0}, 1, 1)
    texts = []
    for order in ([FIRST, SECOND], [SECOND, FIRST]):
        store = Store(tmp_path / str(len(texts)), ["table1"], SETTINGS)
        store.folder.mkdir()
        for cell in order:
            store.add(cell, outcomes[cell])
        texts.append(store.path.read_text())
    assert texts[0] == texts[1]


def test_taking_up_gives_everything_back(tmp_path):
    store = Store(tmp_path, ["table1", "fig2"], SETTINGS)
    store.add(FIRST, Outcome({"ARI": 37.25, "NMI": 61.0}, 1.5, 200.0))
    store.add(SECOND, Outcome({}, 9.0, 0.0, 'failed: ValueError: "a, b"'))
    store.write_manifest()
    before = store.path.read_text()
    again = Store(tmp_path, ["table3"], SETTINGS)  # another experiment keeps what is there
    again.take_up()
    assert again.outcomes[FIRST] == store.outcomes[FIRST]
    assert again.outcomes[SECOND].failed
    assert again.outcomes[SECOND].note == 'failed: ValueError: "a, b"'
    again.write()
    assert again.path.read_text() == before


@pytest.fixture
def finished(tmp_path):
    store = Store(tmp_path, ["table1"], SETTINGS)
    store.add(FIRST, Outcome({"ARI": 37.25, "NMI": 61.0}, 1.5, 200.0))
    store.write_manifest(jobs=2)
    return store


def test_the_manifest_says_what_it_was_made_with(finished):
    manifest = json.loads((finished.folder / "manifest.json").read_text())
    assert manifest["versions"]["numpy"]
    assert manifest["cpu"]
    assert (manifest["protocol"], manifest["jobs"]) == ("same", 2)
    again = Store(finished.folder, ["table1"], SETTINGS)
    again.take_up()
    assert [run["jobs"] for run in again.write_manifest(jobs=1)["earlier_runs"]] == [2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 6}, "made with seed 5, not 6"),
        ({"protocol": "paper"}, "made with protocol same, not paper"),
        ({"data": {"Yale": "other"}}, "made with other data: Yale"),
    ],
)
def test_other_settings_are_refused(finished, change, message):
    with pytest.raises(ValueError, match=message):
        Store(finished.folder, ["table1"], SETTINGS | change).take_up()


@pytest.mark.parametrize("text", [None, "{", "[1, 2]"])
def test_results_without_a_manifest_are_refused(finished, text):
    path = finished.folder / "manifest.json"
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(ValueError, match="manifest.json is missing or damaged"):
        Store(finished.folder, ["table1"], SETTINGS).take_up()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("37.250000", "abc"),
        ("table1,Yale", "table1,whine"),
        ("table1,Yale", "table9,Yale"),
        (",0,5,ARI", ",0,6,ARI"),
        ("table,dataset", "what,dataset"),
    ],
)
def test_damaged_results_are_named(finished, old, new):
    text = finished.path.read_text()
    assert old in text
    finished.path.write_text(text.replace(old, new))
    with pytest.raises(ValueError, match=r"results.csv, line 2 is not a result"):
        Store(finished.folder, ["table1"], SETTINGS).take_up()


def test_a_cell_with_a_missing_row_is_run_again(finished):
    lines = finished.path.read_text().splitlines(keepends=True)
    finished.path.write_text("".join(lines[:2]))
    again = Store(finished.folder, ["table1"], SETTINGS)
    again.take_up()
    assert again.outcomes == {}


def test_what_a_killed_run_left_is_removed(finished):
    (finished.folder / ".results-x.csv").write_text("half a")
    with finished.locked():
        assert not (finished.folder / ".results-x.csv").exists()


def test_two_runs_in_one_folder_are_refused(tmp_path):
    store = Store(tmp_path, ["table1"], SETTINGS)
    other = Store(tmp_path, ["table1"], SETTINGS)
    with store.locked(), pytest.raises(FileExistsError, match="another run"), other.locked():
        pass
    with other.locked():
        pass
