import csv
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import sentree
from command import sentree_command, sentree_process

ROOT = Path(__file__).parents[2]


def test_demo_tells_what_it_did_and_writes_files(tmp_path):
    done = sentree_process("demo", "--out", str(tmp_path / "out"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    rows = {
        line[2:19].strip(): line.split()
        for line in done.stdout.splitlines()
        if line.startswith(("  nothing", "  pairs", "  labels"))
    }
    assert set(rows) == {"nothing", "labels", "pairs", "labels and pairs"}
    ari = {name: float(columns[len(name.split()) + 1]) for name, columns in rows.items()}
    assert ari["labels and pairs"] > ari["nothing"] + 0.05
    for name in ("labels.csv", "tree.nwk", "partition.png"):
        assert str(tmp_path / "out" / name) in done.stdout
    assert "Try next" in done.stdout
    with open(tmp_path / "out" / "labels.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 1797
    assert {row["labelled"] for row in table} == {"true", "false"}
    assert len({row["cluster"] for row in table}) == 10
    newick = (tmp_path / "out" / "tree.nwk").read_text()
    assert newick.count(",") == 1796
    assert newick.endswith(");\n")
    assert (tmp_path / "out" / "partition.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "labels.csv",
        "partition.png",
        "tree.nwk",
    ]


def test_demo_says_when_it_cannot_write(tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = sentree_command("demo", "--out", str(tmp_path / "file" / "out"))
    assert done.returncode == 1
    assert done.stderr.startswith(f"cannot write to {tmp_path / 'file' / 'out'}: ")


def test_version():
    done = sentree_process("version")
    assert done.stdout == f"sentree {sentree.__version__}\n"


def test_help_lists_the_commands():
    done = sentree_command("--help")
    assert done.returncode == 0
    assert "demo" in done.stdout
    assert "version" in done.stdout


def test_an_unknown_command_is_refused():
    done = sentree_command("demonstrate")
    assert done.returncode == 2
    assert "demonstrate" in done.stderr


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_a_missing_compiler_gives_one_clear_sentence(tmp_path):
    for tool in ("make", "sh", "head", "wc"):
        os.symlink(shutil.which(tool), tmp_path / tool)
    done = subprocess.run(
        [tmp_path / "make", "compiler"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    first = done.stderr.splitlines()[0]
    assert first.startswith("sentree needs a C++17 compiler and found none: install g++")
    assert "FATAL_ERROR" in (ROOT / "CMakeLists.txt").read_text()
