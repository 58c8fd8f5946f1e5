"""Unfinished work of ``sentree cluster``: kept in a folder, and gone on from after a kill."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from typer.testing import CliRunner

from sentree.cli import app, working

#: Runs the command line on small data as on large: by cells, in shards, with a folder for its work.
#: Notes each shard that is searched in a file, and waits for ever where it is told to.
SCRIPT = """
import sys, time
from pathlib import Path
import sentree.graph.cell_search as cell_search
import sentree.graph.neighbors as neighbors
import sentree.cli.working as working
from sentree import SSEPartition
neighbors.CELLS_FROM, neighbors.EXACT_LIMIT, cell_search._SHARD, working._MANY = 100, 50, 200, 100
wait, notes = sys.argv.pop(1), Path(sys.argv.pop(1))
def wait_here():
    notes.with_suffix(".here").touch()
    time.sleep(600)
search, cluster = cell_search._Shards._search, SSEPartition._search
def noted(self, k):
    if wait == f"shard {k}":
        wait_here()
    with notes.open("a") as file:
        file.write(f"{k} ")
    return search(self, k)
def found(self, problem):
    if wait == "search":
        wait_here()
    return cluster(self, problem)
cell_search._Shards._search, SSEPartition._search = noted, found
from sentree.cli import main
main()
"""


@pytest.fixture
def blobs(tmp_path):
    X, y = make_blobs(1000, 5, centers=4, cluster_std=2.0, random_state=0)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["known"] = np.where(np.arange(1000) % 10, None, y)
    frame.to_parquet(tmp_path / "blobs.parquet")
    return tmp_path


def start(folder, wait, *options):
    """Start the command line in a process of its own."""
    arguments = [wait, str(folder / "notes"), "cluster", "blobs.parquet", "--labels", "known"]
    arguments += ["--out", "clusters.csv", *options]
    command = [sys.executable, "-c", SCRIPT, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=subprocess.STDOUT, text=True)


def run(folder, *options):
    """Run the command line; return what it says, the shards it searched, and what it wrote."""
    (folder / "notes").unlink(missing_ok=True)
    process = start(folder, "never", *options)
    said = process.communicate()[0]
    assert process.returncode == 0, said
    notes = folder / "notes"
    searched = notes.read_text().split() if notes.exists() else []
    return said, searched, (folder / "clusters.csv").read_bytes()


def stop_at(folder, wait, number=signal.SIGKILL):
    """Start the command line, and stop it where it waits."""
    process = start(folder, wait)
    while not (folder / "notes.here").exists():
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.05)
    (folder / "notes.here").unlink()
    os.kill(process.pid, number)
    said = process.communicate()[0]
    assert process.returncode
    assert not (folder / "clusters.csv").exists()
    return said


def test_a_killed_command_goes_on_from_its_shards_and_from_its_graph(blobs):
    said, shards, expected = run(blobs)
    assert shards == [str(k) for k in range(5)]
    assert "finished parts of the work are kept in clusters.csv.work" in said
    assert not (blobs / "clusters.csv.work").exists()
    (blobs / "clusters.csv").unlink()

    stop_at(blobs, "shard 3")
    assert (blobs / "clusters.csv.work").is_dir()
    _, searched, found = run(blobs)
    assert searched == ["3", "4"]
    assert found == expected
    (blobs / "clusters.csv").unlink()

    said = stop_at(blobs, "search", signal.SIGINT)
    assert "the same command goes on from there: clusters.csv.work" in said
    _, searched, found = run(blobs)
    assert searched == []
    assert found == expected
    assert not (blobs / "clusters.csv.work").exists()


def test_other_data_and_settings_do_not_go_on_from_there(blobs):
    stop_at(blobs, "shard 3")
    frame = pd.read_parquet(blobs / "blobs.parquet")
    frame.loc[17, "b"] += 0.5
    frame.to_parquet(blobs / "blobs.parquet")
    _, searched, _ = run(blobs, "--work", "clusters.csv.work")
    assert len(searched) == 5
    _, searched, _ = run(blobs, "--work", "clusters.csv.work", "--neighbors", "7")
    assert len(searched) == 5
    assert (blobs / "clusters.csv.work").is_dir()  # a folder that is given stays


def test_a_folder_is_made_only_for_much_work(blobs, monkeypatch):
    monkeypatch.chdir(blobs)
    command = ["cluster", "blobs.parquet", "--drop", "known", "--out"]
    assert CliRunner().invoke(app, [*command, "few.csv"]).exit_code == 0
    monkeypatch.setattr(working, "_MANY", 500)
    found = CliRunner().invoke(app, [*command, "many.csv"])
    assert "few.csv.work" not in found.output
    assert "kept in many.csv.work" in found.output
    assert CliRunner().invoke(app, [*command, "-"]).exit_code == 0
    assert sorted(path.name for path in blobs.iterdir()) == ["blobs.parquet", "few.csv", "many.csv"]
    (blobs / "taken").write_text("a file")
    refused = CliRunner().invoke(app, [*command, "more.csv", "--work", "taken"])
    assert refused.exit_code == 2
    assert "expected a folder" in refused.output
