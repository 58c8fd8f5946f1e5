"""The command as a user calls it, killed and taken up again."""

import csv
import json
import os
import signal
import subprocess
import time

import pytest
from fake_data import write_sets

from command import executable, sentree_command
from sentree.paper.reproduce.grid import Cell
from sentree.paper.reproduce.runner import run

pytestmark = pytest.mark.slow
METHODS = ["SE", "SSE", "sentree", "Semi-MultiCons", "COBRA"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_sets(tmp_path_factory.mktemp("data"), "wine", "heart", "Yale")


def arguments(data, out, *more):
    chosen = ["--datasets", "wine", "heart", "--methods", *METHODS, "--draws", "2", *more]
    return ["reproduce", "table3", *chosen, "--data-dir", str(data), "--out", str(out)]


def results(folder):
    """What was found, without the measured times and memory."""
    with (folder / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        assert float(row.pop("seconds")) >= 0
        assert float(row.pop("peak_memory")) > 0
    return rows


@pytest.fixture(scope="module")
def uninterrupted(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "out"
    done = sentree_command(*arguments(data, out))
    assert done.returncode == 0, done.stderr
    return results(out)


def test_all_cells_are_there(uninterrupted):
    cells = {(row["dataset"], row["method"], row["draw"]) for row in uninterrupted}
    assert len(cells) == 2 * (1 + 4 * 2)
    assert {row["metric"] for row in uninterrupted} == {"DP", "ARI", "NMI"}
    assert {row["note"] for row in uninterrupted} == {""}
    assert all(-100 <= float(row["value"]) <= 100 for row in uninterrupted)


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_a_killed_run_goes_on_to_the_same_results(data, tmp_path, uninterrupted):
    out, enough = tmp_path / "out", 20  # rows of 54
    process = subprocess.Popen(
        [*executable(), *arguments(data, out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if (out / "results.csv").exists() and len(results(out)) >= enough:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    partial = results(out)  # whole rows only
    assert enough <= len(partial) <= len(uninterrupted)
    assert all(row in uninterrupted for row in partial)
    refused = sentree_command(*arguments(data, out))
    assert refused.returncode == 1
    assert "--resume" in refused.stderr
    done = sentree_command(*arguments(data, out, "--resume", "--jobs", "1"))
    assert done.returncode == 0, done.stderr
    assert f"{len(partial) // 3} finished before" in done.stdout
    assert results(out) == uninterrupted
    assert [path.name for path in out.glob(".results*")] == []  # left by the killed run


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_ctrl_c_keeps_what_is_finished(data, tmp_path):
    out = tmp_path / "out"
    endless = arguments(data, out, "--draws", "1000")  # cannot end before the signal arrives
    process = subprocess.Popen(
        [*executable(), *endless],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (out / "results.csv").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "go on with --resume" in errors
    assert "Traceback" not in errors
    assert results(out)


def test_more_draws_can_be_added(data, tmp_path):
    out = tmp_path / "out"
    chosen = ["reproduce", "table3", "--datasets=wine", "--methods", "SSE,SE"]
    chosen += ["--data-dir", str(data)]
    for draws, before in (("1", 0), ("2", 2)):
        done = sentree_command(*chosen, "--out", str(out), "--resume", "--draws", draws)
        assert done.returncode == 0, done.stderr
        assert f"{before} finished before" in done.stdout
    assert {row["draw"] for row in results(out)} == {"0", "1"}
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["seeds"] == [0, 1]
    assert manifest["protocol"] == "same"
    assert manifest["finished"] >= manifest["started"]


def test_a_method_that_takes_too_long_is_marked_and_the_rest_goes_on(data):
    slow, quick = Cell("Yale", "labels", 0.2, "S4NMF", 0), Cell("wine", "none", 0.0, "SE", 0)
    found = dict(
        run([slow, quick], seed=0, protocol="same", jobs=1, timeout=1.0, data_dir=str(data))
    )
    assert found[slow].note in (  # on a busy machine it may not have got a second in five
        "over time: more than 1 s of CPU time",
        "over time: more than 5 s",
    )
    assert found[slow].values == {}
    assert not found[quick].failed


def test_a_method_that_fails_is_marked_and_the_rest_goes_on(data):
    broken, right = (
        Cell("wine", "none", 0.0, "no such method", 0),
        Cell("wine", "none", 0.0, "SE", 0),
    )
    found = dict(
        run([broken, right], seed=0, protocol="same", jobs=2, timeout=60.0, data_dir=str(data))
    )
    assert found[broken].note.startswith("failed: KeyError")
    assert not found[right].failed


def test_the_number_of_workers_does_not_matter(data):
    cells = [Cell("wine", "pairs", 0.4, method, 0) for method in METHODS[1:]]
    options = {"seed": 3, "protocol": "paper", "timeout": float("inf"), "data_dir": str(data)}
    one, two = (
        {cell: outcome.values for cell, outcome in run(cells, jobs=jobs, **options)}
        for jobs in (1, 2)
    )
    assert one == two


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tabel1"], "unknown experiment 'tabel1'; choose from table1"),
        (["table1", "--datasets", "Yael"], "did you mean 'Yale'?"),
        (["table1", "--methods", "kmeans"], "unknown method 'kmeans'; choose from PCPSNMF"),
        (["table1", "--datasets", "wine"], "nothing to run"),
        (["table1", "--protocol", "mine"], "unknown protocol 'mine'; choose from same, paper"),
        (["table1", "--data-dir", "nowhere"], "Yale"),
    ],
)
def test_mistakes_are_told_before_any_work(tmp_path, words, message):
    done = sentree_command("reproduce", *words, "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_run_where_nothing_succeeds_is_an_error(data, tmp_path):
    words = ["table1", "--datasets", "Yale", "--methods", "S4NMF", "--draws", "1", "--timeout", "1"]
    done = sentree_command("reproduce", *words, "--data-dir", str(data), "--out", str(tmp_path))
    assert done.returncode == 1
    assert "Yale, labels, S4NMF, draw 0: over time" in done.stderr
    assert (tmp_path / "report.html").exists()


def test_a_file_in_the_way_is_named(data, tmp_path):
    (tmp_path / "out").write_text("in the way")
    done = sentree_command(*arguments(data, tmp_path / "out"))
    assert done.returncode == 1
    assert str(tmp_path / "out") in done.stderr
