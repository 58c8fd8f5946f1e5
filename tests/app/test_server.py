"""The page's server as a browser talks to it: real HTTP, the real service."""

import json
import queue
import threading
from contextlib import contextmanager

import pytest

from app_server import running
from flowers import IDS, IRIS, write_csv
from sentree.app import Frame, Service
from sentree.app import events as streams


def flowers(folder):
    header = ["id", "sepal length", "sepal width", "petal length", "petal width"]
    write_csv(folder / "flowers.csv", header, IDS, *IRIS.data.T)
    return folder


@contextmanager
def opened(folder):
    service = Service(flowers(folder))
    service.open(folder / "flowers.csv")
    assert service.wait(60)
    with running(service, folder) as found:
        yield found


@pytest.fixture
def server(tmp_path):
    with opened(tmp_path) as found:
        yield found


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A server for tests that change nothing."""
    with opened(tmp_path_factory.mktemp("shared")) as found:
        yield found


def said(client, **what):
    reply = client.post("/api/say", json=what)
    assert reply.status_code == 200, reply.text
    return reply.json()


def labels(client):
    return Frame.from_bytes(client.get("/api/labels").content).arrays["cluster"].tolist()


# Look.


def test_the_state_and_the_arrays(shared):
    client = shared.client()
    state = client.get("/api/state").json()
    assert state == json.loads(json.dumps(shared.service.state()))
    assert (state["data"]["n"], state["status"]["phase"]) == (150, "ready")
    for name, asked in (
        ("labels", "/api/labels"),
        ("map", "/api/map"),
        ("tree", "/api/tree"),
        ("column", "/api/column?name=petal%20width"),
    ):
        reply = client.get(asked)
        assert reply.headers["content-type"] == "application/octet-stream"
        given = ["petal width"] if name == "column" else []
        assert reply.content == getattr(shared.service, name)(*given).to_bytes()
    assert sum(one["size"] for one in state["clusters"]) == 150


def test_rows_profiles_and_searches(shared):
    client = shared.client()
    shown = client.post("/api/rows", json={"rows": [0, 149]}).json()["rows"]
    assert [one["id"] for one in shown] == ["flower000", "flower149"]
    assert {one["name"]: one["text"] for one in shown[0]["cells"]}["petal width"] == "0.2"
    assert client.get("/api/find", params={"text": "flower007"}).json()["rows"] == [7]
    pasted = client.get("/api/find", params={"text": "flower149\nflower007\nrose\n"}).json()
    assert pasted["rows"] == [7, 149]
    assert pasted["text"] == "2 of 3 ids; no row is called rose"
    profiles = client.get("/api/profiles").json()
    assert len(profiles["clusters"]) == len(client.get("/api/state").json()["clusters"])


# Say.


def test_a_statement_is_said_undone_redone_and_deleted(server):
    client = server.client()
    before = labels(client)
    other = next(row for row in range(150) if before[row] != before[0])
    reply = said(client, kind="same", rows=[0, other], origin="click")
    server.service.wait(60)
    state = client.get("/api/state").json()
    assert [(one["id"], one["kind"]) for one in state["statements"]] == [(reply["id"], "same")]
    assert (state["can_undo"], state["can_redo"]) == (True, False)
    after = labels(client)
    assert after == server.service.labels().arrays["cluster"].tolist()

    assert client.post("/api/undo").json()["version"] > reply["version"]
    server.service.wait(60)
    assert labels(client) == before
    assert client.get("/api/state").json()["can_redo"]
    client.post("/api/redo")
    server.service.wait(60)
    assert labels(client) == after
    assert client.delete(f"/api/statements/{reply['id']}").status_code == 200
    server.service.wait(60)
    assert labels(client) == before
    assert client.get("/api/state").json()["statements"] == []


def test_questions_are_asked_and_answered(server):
    client = server.client()
    asked = client.get("/api/question").json()["question"]
    reply = client.post("/api/answer", json={"question": asked["id"], "reply": 0})
    assert reply.status_code == 200, reply.text
    server.service.wait(60)
    (statement,) = client.get("/api/state").json()["statements"]
    assert statement["kind"] == "answer"
    for reply in ("unsure", "new", {"class": "rose"}):
        asked = client.get("/api/question").json()["question"]
        given = {"question": asked["id"], "reply": reply}
        assert client.post("/api/answer", json=given).status_code == 200


def test_a_class_and_no_class_arrive_as_they_were_said(server):
    client = server.client()
    said(client, kind="is", rows=[0, 1], **{"class": "rose"}, origin="filter: a < 1")
    said(client, kind="is_not", rows=[100], **{"class": "rose"})
    said(client, kind="scale", k=None)
    server.service.wait(60)
    state = client.get("/api/state").json()
    assert state["classes"] == ["rose"]
    assert state["statements"][0]["origin"] == "filter: a < 1"


# What is refused.


@pytest.mark.parametrize(
    ("path", "body", "status", "told"),
    [
        ("/api/say", {"kind": "same", "rows": [0, 150]}, 400, "there is no row 150"),
        ("/api/say", {"kind": "same", "rows": [0]}, 400, "choose 2 rows or more"),
        ("/api/say", {"kind": "is", "rows": [0]}, 400, "give a name (class)"),
        ("/api/say", {"kind": "alike", "rows": [0]}, 422, "kind: Input should be 'same', "),
        ("/api/say", {"kind": "same", "rows": [0, 1], "row_s": 1}, 422, "row_s: Extra inputs"),
        ("/api/say", {"kind": "same", "rows": [0, 1.5]}, 422, "rows.1: Input should be a valid"),
        ("/api/say", {"kind": "same", "rows": [True, 2]}, 422, "rows.0: Input should be a valid"),
        ("/api/rows", {"rows": [150]}, 400, "there is no row 150"),
        ("/api/open", {"path": "none.csv"}, 400, "there is no file none.csv"),
        ("/api/example", {"name": "roses"}, 400, "roses"),
        ("/api/redo", None, 400, "there is nothing to redo"),
        ("/api/nothing", None, 404, "Not Found"),
        ("/api/state", None, 405, "Method Not Allowed"),
    ],
)
def test_refusals_are_in_words(shared, path, body, status, told):
    reply = shared.client().post(path, json=body)
    assert (reply.status_code, list(reply.json())) == (status, ["error"])
    assert told in reply.json()["error"]


def test_bodies_that_are_no_json(shared):
    client, kind = shared.client(), {"content-type": "application/json"}
    for body in (b"{", b"\xff", b"[" * 100_000, b'{"kind": "same", "rows": [1e400]}'):
        reply = client.post("/api/say", content=body, headers=kind)
        assert reply.status_code in (400, 422)
        assert reply.json()["error"]


def test_errors_of_the_program_tell_nothing_but_the_log(shared, monkeypatch, caplog):
    def fail(*_):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(shared.service, "find", fail)
    client = shared.client()
    for _ in range(2):  # on the same connection
        reply = client.get("/api/find?text=x")
        assert reply.status_code == 500
        assert reply.json()["error"].startswith("Something went wrong in the program")
        assert "secret" not in reply.text
    assert "ZeroDivisionError: secret" in caplog.text
    assert "unexpected error at /api/find" in caplog.text


def test_words_of_errors_can_be_other_ones(tmp_path):
    with running(Service(tmp_path), tmp_path, words=lambda error: f"{error}!") as found:
        reply = found.client().get("/api/labels")
        assert reply.json()["error"].endswith("!")


# Files.


def test_open_a_file_of_the_folder_and_list_it(tmp_path):
    service, folder = Service(tmp_path), flowers(tmp_path)
    (folder / "inner").mkdir()
    (folder / "flowers.csv").rename(folder / "inner" / "flowers.csv")
    with running(service, folder) as found:
        client = found.client()
        assert client.get("/api/state").json()["status"]["phase"] == "empty"
        assert [one["path"] for one in client.get("/api/files").json()["folders"]] == ["inner"]
        (file,) = client.get("/api/files?folder=inner").json()["files"]
        assert file["path"] == "inner/flowers.csv"
        assert client.post("/api/open", json={"path": file["path"]}).status_code == 200
        service.wait(60)
        assert client.get("/api/state").json()["data"]["name"] == "flowers.csv"


def test_upload_a_table_and_one_that_cannot_be_read(tmp_path):
    service, folder = Service(tmp_path), flowers(tmp_path)
    table = (folder / "flowers.csv").read_bytes()
    (folder / "flowers.csv").unlink()
    with running(service, folder) as found:
        client = found.client()
        reply = client.post("/api/upload", params={"name": "täglich.csv"}, content=table)
        assert reply.status_code == 200, reply.text
        assert service.wait(60)
        state = client.get("/api/state").json()
        assert (state["data"]["name"], state["data"]["n"]) == ("täglich.csv", 150)
        reply = client.post("/api/upload", params={"name": "bad.csv"}, content=b"x,y\n1,2\n3,4,5\n")
        assert reply.status_code == 400
        assert "bad.csv" in reply.json()["error"]
        assert client.get("/api/state").json()["data"]["name"] == "täglich.csv"
        reply = client.post("/api/upload", params={"name": "a.pkl"}, content=b"\x80\x04.")
        assert reply.status_code == 400
        assert "known endings are .csv" in reply.json()["error"]


@pytest.mark.parametrize(
    ("what", "begins"),
    [
        ("labels.csv", b"id,cluster,"),
        ("labels.parquet", b"PAR1"),
        ("constraints.json", b"{"),
        ("tree.nwk", b"("),
        ("tree.json", b"{"),
        ("model.sentree", b"PK"),
        ("report.html", b"<!doctype html>"),
        ("script.py", b""),
        ("command.sh", b"#!/bin/sh\nsentree app "),
    ],
)
def test_exports(shared, what, begins):
    reply = shared.client().get(f"/api/export/{what}")
    assert reply.status_code == 200, reply.text
    kept = "model.npz" if what == "model.sentree" else what
    named = f"attachment; filename*=UTF-8''flowers-{kept}"
    assert reply.headers["content-disposition"] == named
    assert reply.content.lower().startswith(begins.lower())
    if what.endswith((".csv", ".json", ".nwk", ".py", ".sh")):
        assert reply.content == shared.service.export(what).data


def test_an_export_that_there_is_not(shared):
    reply = shared.client().get("/api/export/labels.doc")
    assert reply.status_code == 400
    assert "labels.csv" in reply.json()["error"]


# Events.


class Listener:
    """A page that listens, in a thread."""

    def __init__(self, client):
        self.lines, self.ended = queue.Queue(), threading.Event()
        self.thread = threading.Thread(target=self._listen, args=[client], daemon=True)
        self.thread.start()

    def _listen(self, client):
        with client.stream("GET", "/api/events") as reply:
            assert reply.headers["content-type"].startswith("text/event-stream")
            for line in reply.iter_lines():
                self.lines.put(line)
        self.ended.set()

    def event(self):
        """Wait for the next event."""
        while not (line := self.lines.get(timeout=60)).startswith("data: "):
            assert line in ("", "event: state", "retry: 1000", ": nothing new")
        return json.loads(line.removeprefix("data: "))

    def until(self, version):
        """Wait until clusters follow a version."""
        while (event := self.event())["version"] < version or event["status"]["phase"] != "ready":
            pass
        return event


def test_two_pages_hear_of_the_same_changes(server):
    first, second = Listener(server.client()), Listener(server.client())
    start = first.event()
    assert start == second.event()  # each begins with the present state
    assert start["version"] == server.client().get("/api/state").json()["version"]
    version = said(server.client(), kind="same", rows=[0, 1])["version"]
    assert first.until(version) == second.until(version)


def test_a_page_that_was_away_is_told_the_present_state(server):
    version = said(server.client(), kind="same", rows=[0, 1])["version"]
    server.service.wait(60)
    again = Listener(server.client())
    assert again.event()["version"] == version


def test_streams_are_let_go_of(server):
    client = server.client()
    with client.stream("GET", "/api/events") as reply:
        next(reply.iter_lines())
        assert len(server.app.state.events._open) == 1
    version = said(server.client(), kind="same", rows=[0, 1])["version"]
    other = Listener(server.client())
    other.until(version)
    assert len(server.app.state.events._open) == 1


def test_open_streams_end_with_the_server_and_the_project_is_closed(server):
    listener = Listener(server.client())
    listener.event()
    server.server.should_exit = True
    assert listener.ended.wait(20)
    server.thread.join(20)
    assert not server.thread.is_alive()
    again = Service(server.folder)  # nobody has the project any more
    again.open(server.folder / "flowers.csv")
    again.close()


def test_silent_streams_say_that_they_live(shared, monkeypatch):
    monkeypatch.setattr(streams, "PAUSE", 0.01)
    listener = Listener(shared.client())
    assert ": nothing new" in iter(lambda: listener.lines.get(timeout=60), None)


# The page itself.


def test_the_page_and_its_files(shared):
    client = shared.client()
    page = client.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-cache"
    kinds = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    from sentree.app.server import STATIC

    for path in sorted(STATIC.rglob("*")):
        if path.suffix in kinds:
            reply = client.get(f"/static/{path.relative_to(STATIC).as_posix()}")
            assert reply.headers["content-type"].split(";")[0] == kinds[path.suffix]
            assert reply.content == path.read_bytes()
            assert reply.headers["cache-control"] == "no-cache"
            kept = {"if-none-match": reply.headers["etag"]}
            assert client.get(reply.url.path, headers=kept).status_code == 304
