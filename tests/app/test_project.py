"""The file of a project: nothing acknowledged is lost, whoever opens it."""

import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from sentree.app import Refused, project
from sentree.app.project import Project

SAYING = """
import sys
from pathlib import Path
from sentree.app.project import Project
made = Project(Path(sys.argv[1]))
while True:
    print(made.say("same", {"rows": [0, 1]}), flush=True)
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.sentree-project"


def said(made):
    return [(one.id, one.state) for one in made.statements]


def test_statements_come_back_as_they_were_said(path):
    made = Project(path)
    made.say("is", {"rows": [3], "class": "é"}, "lasso", "Ann")
    made.set_meta(name="a", data={"n": 4})
    made.store("layout", b"\0\1")
    made.close()
    again = Project(path)
    [one] = again.statements
    assert (one.kind, one.payload, one.origin, one.who) == (
        "is",
        {"rows": [3], "class": "é"},
        "lasso",
        "Ann",
    )
    assert again.meta == {"name": "a", "data": {"n": 4}}
    assert again.stored("layout") == b"\0\1"
    again.close()


def test_undo_redo_and_delete(path):
    made = Project(path)
    for _ in range(3):
        made.say("same", {"rows": [0, 1]})
    assert made.can == (True, False)
    made.delete(2)
    assert said(made) == [(1, "active"), (3, "active")]
    made.undo()  # the deletion
    assert said(made) == [(1, "active"), (2, "active"), (3, "active")]
    made.undo()
    made.undo()
    assert said(made) == [(1, "active"), (2, "undone"), (3, "undone")]
    made.redo()
    assert said(made) == [(1, "active"), (2, "active"), (3, "undone")]
    made.say("same", {"rows": [0, 1]})  # what was undone is gone
    assert said(made) == [(1, "active"), (2, "active"), (4, "active")]
    assert made.can == (True, False)
    with pytest.raises(Refused, match="nothing to redo"):
        made.redo()
    with pytest.raises(Refused, match="no statement 3"):
        made.delete(3)
    made.close()


def test_a_kill_loses_nothing_that_was_acknowledged(path):
    acknowledged = 0
    for n in (1, 7, 30):
        command = [sys.executable, "-c", SAYING, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as saying:
            for _ in range(n):
                acknowledged = int(saying.stdout.readline())
            os.kill(saying.pid, signal.SIGKILL)
        made = Project(path)
        ids = [one.id for one in made.statements]
        assert ids == list(range(1, len(ids) + 1))
        assert len(ids) >= acknowledged
        made.close()


def test_one_at_a_time_and_it_is_told_who(path):
    made = Project(path)
    with pytest.raises(Refused, match=f"open elsewhere, by .*process {os.getpid()}"):
        Project(path)
    made.close()
    Project(path).close()


def test_older_files_are_migrated_and_newer_ones_refused(path, monkeypatch):
    made = Project(path)
    made.say("same", {"rows": [0, 1]})
    made.close()
    added = lambda db: db.execute("ALTER TABLE statements ADD COLUMN note TEXT")  # noqa: E731
    monkeypatch.setattr(project, "MIGRATIONS", (*project.MIGRATIONS, added))
    made = Project(path)
    assert said(made) == [(1, "active")]
    made.close()
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT note FROM statements").fetchall() == [(None,)]
        assert db.execute("PRAGMA user_version").fetchone() == (2,)
    db.close()
    monkeypatch.undo()
    with pytest.raises(Refused, match=r"newer sentree .*: update sentree"):
        Project(path)


def test_other_files_are_refused(path):
    path.write_text("no database at all, but long enough to be one" * 9)
    with pytest.raises(Refused, match="no project of sentree"):
        Project(path)
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE t (x)")
    db.close()
    with pytest.raises(Refused, match="no project of sentree"):
        Project(path)
