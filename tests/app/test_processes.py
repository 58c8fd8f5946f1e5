"""The page in processes of its own: killed, ended, started twice; and results that repeat it."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import numpy as np
import pandas as pd
import pytest

from command import sentree_process
from live_page import App
from sentree.app import Frame, Service
from sentree.app.project import Project


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    middles = np.repeat([[0, 0], [5, 0], [0, 5], [5, 5]], 30, axis=0)
    table = pd.DataFrame(middles + rng.normal(size=(120, 2)), columns=["a", "b"])
    table.insert(0, "id", [f"s{row}" for row in range(120)])
    table["kind"] = np.where(rng.random(120) < 0.5, "x", "y")
    table.to_csv(tmp_path / "some.csv", index=False)
    return tmp_path


@contextmanager
def opened(folder):
    """A service in this process, with the data."""
    service = Service(folder)
    try:
        service.open("some.csv")
        assert service.wait(60)
        yield service
    finally:
        service.close()


@contextmanager
def started(folder, *arguments):
    """The command, and a visitor of its page."""
    app = App(folder, *arguments)
    try:
        with httpx.Client(base_url=app.url, trust_env=False, timeout=60) as client:
            assert client.get(app.entrance).headers["location"] == "/"
            yield app, client
    finally:
        app.process.kill()
        app.process.communicate()


def clusters(service):
    return service.labels().arrays["cluster"].tolist()


def said(service):
    return [(one["id"], one["kind"], one["rows"]) for one in service.state()["statements"]]


# To take away.


def say_all(service):
    """Say something of every kind, some of which does not count."""
    for one in (
        {"kind": "same", "rows": [0, 1, 35]},
        {"kind": "different", "rows": [60, 61, 62]},
        {"kind": "different", "rows": [90], "others": [91, 0]},
        {"kind": "is", "rows": [3, 4], "class": 'the "first"\n'},
        {"kind": "is_not", "rows": [70, 95], "class": 'the "first"\n'},
        {"kind": "stays", "rows": [100]},
        {"kind": "merge", "rows": [2, 110]},
        {"kind": "split", "row": 40, "into": 2},
        {"kind": "move", "rows": [41, 42], "to_row": 66},
        {"kind": "move", "rows": [5, 6, 7], "to_row": None},
        {"kind": "rename", "row": 60, "name": "it's $HOME"},
        {"kind": "scale", "k": 5},
        {"kind": "same", "rows": [60, 61]},  # contradicts
    ):
        service.say(one)
        assert service.wait(60)
    for reply in ("unsure", 0, "new", {"class": "other"}):
        asked = service.question()["question"]
        service.answer({"question": asked["id"], "reply": reply})
        assert service.wait(60)
    service.delete(1)
    service.undo()
    service.say({"kind": "same", "rows": [20, 50]})
    service.undo()
    assert service.wait(60)


def test_the_command_and_the_script_repeat_the_labels_in_a_fresh_folder(folder, tmp_path_factory):
    with opened(folder) as service:
        say_all(service)
        found = clusters(service)
        verdicts = {one["verdict"] for one in service.state()["statements"]}
        assert {"kept", "applied", "contradicting", "pending"} <= verdicts
        exports = {what: service.export(what).data for what in ("command.sh", "script.py")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for name, program in (("command.sh", "sh"), ("script.py", sys.executable)):
        fresh = tmp_path_factory.mktemp("fresh")
        (fresh / name).write_bytes(exports[name])
        subprocess.run(
            [program, name], cwd=fresh, env=os.environ | {"PATH": path}, check=True, timeout=300
        )
        table = pd.read_csv(fresh / "labels.csv")
        assert table["id"].tolist() == [f"s{row}" for row in range(120)]
        assert table["cluster"].tolist() == found


# The end.


def test_a_kill_loses_nothing_that_was_acknowledged(folder):
    rng = np.random.default_rng(5)
    given = []  # what was acknowledged: id, kind and rows

    def talk(client, enough):
        with suppress(httpx.TransportError):  # it is dead
            while True:
                kind = str(rng.choice(["same", "different"]))
                rows = [int(row) for row in rng.choice(120, 2, replace=False)]
                reply = client.post("/api/say", json={"kind": kind, "rows": rows})
                given.append((reply.json()["id"], kind, rows))
                if len(given) >= enough:
                    goes_on.set()

    for many in rng.integers(1, 12, size=2).tolist():
        goes_on = threading.Event()
        with started(folder, "some.csv") as (app, client):
            talking = threading.Thread(target=talk, args=[client, len(given) + many])
            talking.start()
            assert goes_on.wait(60)
            os.kill(app.process.pid, signal.SIGKILL)  # amid another statement
            talking.join()
        made = Project(folder / "some.sentree-project")
        there = [(one.id, one.kind, one.payload["rows"]) for one in made.statements]
        made.close()
        assert there[: len(given)] == given
        assert len(there) <= len(given) + 1  # one may be written, and not acknowledged
        given = there
    with opened(folder) as service:
        assert said(service) == given
        found = clusters(service)
    (folder / "some.sentree-project").unlink()
    with opened(folder) as service:
        for _, kind, rows in given:
            service.say({"kind": kind, "rows": rows})
        assert service.wait(60)
        assert clusters(service) == found


@pytest.mark.parametrize(
    ("signals", "code"),
    [([signal.SIGTERM], -signal.SIGTERM), ([signal.SIGINT, signal.SIGINT], 130)],
)
def test_signals_end_it_and_the_project_is_whole(folder, signals, code):
    with started(folder, "some.csv") as (app, client):
        given = {"kind": "same", "rows": [0, 40]}
        assert client.post("/api/say", json=given).status_code == 200
        with client.stream("GET", "/api/events") as stream:
            next(stream.iter_lines())
            for one in signals:
                app.process.send_signal(one)
            told = app.process.communicate(timeout=60)[0]
    assert app.process.returncode == code
    assert "Traceback" not in told
    kept = [path.name for path in folder.iterdir() if "project" in path.name]
    assert kept == ["some.sentree-project"]  # no log beside it, and nobody has it
    with opened(folder) as service:
        assert said(service) == [(1, "same", [0, 40])]


def test_the_second_of_two_is_told_who_has_the_project(folder):
    with started(folder, "some.csv") as (app, client):
        second = sentree_process("app", "some.csv", "--export", "labels.csv", cwd=folder)
        assert second.returncode == 1
        assert "some.sentree-project is open elsewhere, by " in second.stderr
        assert f"(process {app.process.pid}, since " in second.stderr
        assert "close it there first" in second.stderr
        assert client.post("/api/say", json={"kind": "same", "rows": [0, 40]}).status_code == 200
        owner = json.loads((folder / "some.sentree-project-owner").read_text())
        assert owner["process"] == app.process.pid
        labels = Frame.from_bytes(client.get("/api/labels").content)
        assert labels.arrays["cluster"].size == 120
