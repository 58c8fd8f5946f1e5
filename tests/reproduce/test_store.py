import csv
import json

import pytest

from sentree.reproduce.grid import Cell
from sentree.reproduce.store import COLUMNS, Outcome, Store

SETTINGS = {"protocol": "same", "seed": 5}
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


def test_other_settings_are_refused(tmp_path):
    store = Store(tmp_path, ["table1"], SETTINGS)
    store.add(FIRST, Outcome({"ARI": 37.25, "NMI": 61.0}, 1.5, 200.0))
    manifest = store.write_manifest(jobs=2)
    assert json.loads((tmp_path / "manifest.json").read_text()) == manifest
    assert manifest["versions"]["numpy"]
    assert manifest["cpu"]
    for change in ({"seed": 6}, {"protocol": "paper"}):
        with pytest.raises(ValueError, match=f"made with {next(iter(change))}"):
            Store(tmp_path, ["table1"], SETTINGS | change).take_up()


def test_two_runs_in_one_folder_are_refused(tmp_path):
    store = Store(tmp_path, ["table1"], SETTINGS)
    other = Store(tmp_path, ["table1"], SETTINGS)
    with store.locked(), pytest.raises(FileExistsError, match="another run"), other.locked():
        pass
    with other.locked():
        pass
