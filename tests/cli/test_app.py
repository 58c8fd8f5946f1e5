"""``sentree app`` as a user calls it."""

import re
import signal
import socket
import subprocess
import sys
from importlib import import_module

import httpx
import pytest

from command import executable, sentree_command
from flowers import call, rows_of
from sentree.app import Service

page = import_module("sentree.cli.page")


class Started:
    """The command in a process of its own."""

    def __init__(self, folder, *arguments):
        self.process = subprocess.Popen(
            [*executable(), "app", "--no-browser", *arguments],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = self.process.stdout.readline()
        self.url = re.search(r"http://\S+", self.said)[0]

    def end(self, how=signal.SIGINT):
        """End it; return its exit code and what it said on both streams."""
        self.process.send_signal(how)
        rest, errors = self.process.stdout.read(), self.process.stderr.read()
        return self.process.wait(60), self.said + rest, errors


def test_from_the_printed_address_to_a_statement_and_the_end(flowers):
    started = Started(flowers, "flowers.csv", "--drop", "species")
    try:
        address = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/\?token=[\w-]{32}", started.url)
        assert address is not None
        with httpx.Client(base_url=address[1], trust_env=False, timeout=60) as client:
            assert client.get("/api/state").status_code == 403
            assert client.get(started.url).headers["location"] == "/"
            state = client.get("/api/state").json()
            assert state["data"]["n"] == 150
            assert "species" not in [one["name"] for one in state["data"]["features"]]
            given = {"kind": "is", "rows": [0, 1], "class": "rose"}
            assert client.post("/api/say", json=given).status_code == 200
            with client.stream("GET", "/api/events") as stream:
                next(stream.iter_lines())  # an open page does not keep it from ending
                code, told, errors = started.end()
        assert code == 130
        assert "Ctrl-C ends it" in told
        assert "what was said is kept." in told
        assert errors == ""
    finally:
        started.process.kill()
        started.process.communicate()
    # What was said is there, for other commands.
    told = call(flowers, "app", "flowers.csv", "--export", "constraints.json", "-o", "said.json")
    assert "wrote said.json" in told.stdout
    assert "rose" in (flowers / "said.json").read_text()
    call(flowers, "cluster", "flowers.csv", "--drop", "species", "-c", "said.json", "-o", "a.csv")


def test_exports_without_a_page(flowers):
    call(
        *(flowers, "app", "flowers.csv", "--labels", "species"),
        *("--export", "labels.csv", "--out", "found.csv", "--export", "tree.nwk", "-o", "t.nwk"),
    )
    call(flowers, "cluster", "flowers.csv", "--drop", "species", "--out", "clusters.csv")
    found, expected = rows_of(flowers / "found.csv"), rows_of(flowers / "clusters.csv")
    assert [one["cluster"] for one in found] == [one["cluster"] for one in expected]
    assert (flowers / "t.nwk").read_text().count("flower") == 150
    (project,) = flowers.glob("*.sentree-project")
    call(flowers, "app", project.name, "--export", "labels.csv")
    assert (flowers / "labels.csv").read_text() == (flowers / "found.csv").read_text()


@pytest.mark.parametrize(
    "options",
    [["--drop-text"], ["--log", "--drop", "species"], ["--prepare", "none", "--drop", "species"]],
)
def test_data_are_prepared_as_cluster_does_and_the_script_repeats_it(flowers, options, monkeypatch):
    exports = ["--export", "labels.csv", "--export", "script.py"]
    call(flowers, "app", "flowers.csv", *options, *exports)
    call(flowers, "cluster", "flowers.csv", *options, "--out", "expected.csv")
    expected = [one["cluster"] for one in rows_of(flowers / "expected.csv")]
    assert [one["cluster"] for one in rows_of(flowers / "labels.csv")] == expected
    (flowers / "labels.csv").unlink()
    monkeypatch.chdir(flowers)
    exec(compile((flowers / "script.py").read_text(), "script.py", "exec"), {})
    assert [one["cluster"] for one in rows_of(flowers / "labels.csv")] == expected


def test_a_project_keeps_to_the_options_that_it_was_begun_with(flowers):
    export = ["--export", "labels.csv"]
    call(flowers, "app", "flowers.csv", "--drop", "species", *export)
    found = (flowers / "labels.csv").read_bytes()
    for other in (["--drop-text"], ["--drop", "sepal length"], ["--drop", "species", "--log"]):
        done = call(flowers, "app", "flowers.csv", *other, *export, code=1)
        assert "flowers.sentree-project was begun with other options" in done.stderr
    for same in ([], ["--drop", "species"]):
        call(flowers, "app", "flowers.csv", *same, *export)
        assert (flowers / "labels.csv").read_bytes() == found


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["none.csv"], 1, "none.csv"),
        (["flowers.csv", "--id", "name"], 1, "'name'"),
        (["flowers.csv", "--export", "labels.doc"], 1, "labels.doc"),
        (["flowers.csv", "--out", "a.csv"], 2, "give it as well"),
        (["--export", "labels.csv"], 2, "name them"),
        (
            ["flowers.csv", *(["--export", "a", "--export", "b"]), "--out", "a.csv"],
            2,
            "one for each",
        ),
        (["flowers.csv", "--export", "labels.csv", "-o", "flowers.csv"], 2, "is read by this"),
        (["--drop", "x"], 2, "no DATA"),
        (["--host", "192.0.2.1"], 1, "--host 192.0.2.1: "),
        (["--port", "70000"], 2, "--port"),
        (["flowers.csv", "--prepare", "maybe"], 2, "must be 'auto' or 'none'"),
        (["flowers.csv", "--prepare", "none", "--log"], 2, "does not go with --prepare none"),
        (["flowers.csv", "--prepare", "none"], 1, "species"),
    ],
)
def test_what_is_refused(flowers, arguments, code, told):
    done = call(flowers, "app", "--no-browser", *arguments, code=code)
    assert told in done.stderr


def test_a_port_that_is_taken(flowers, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = call(flowers, "app", "--no-browser", "--port", port, code=1)
        assert f"--port {port} is taken by another program: give another" in done.stderr
        monkeypatch.setattr(page, "PORT", port)
        with page._listen("127.0.0.1", None) as next_one:
            assert port < next_one.getsockname()[1] < port + page.TRIED
        monkeypatch.setattr(page, "TRIED", 1)
        done = call(flowers, "app", "--no-browser", code=1)
        assert "give --port" in done.stderr


@pytest.fixture
def served(monkeypatch):
    """What would be served, without a server that runs."""
    from sentree.app import server

    made, opened = [], []
    monkeypatch.setattr(server.PageServer, "run", lambda self, sockets: made.append(self))
    monkeypatch.setattr(page.webbrowser, "open", opened.append)
    return made, opened


def test_it_opens_the_browser_and_warns_of_other_computers(flowers, served):
    done = call(flowers, "app", "--host", "0.0.0.0", code=130)
    assert "warning: --host 0.0.0.0: whoever reaches this computer" in done.stderr
    url = re.search(r"http://\S+", done.stdout)[0]
    assert url.startswith(f"http://{socket.gethostname()}:")
    assert served[1] == [url]
    done = call(flowers, "app", "--no-browser", code=130)
    assert done.stderr == ""
    assert served[1] == [url]


def test_without_the_extra_it_says_how_to_install_it(flowers, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastapi", None)
    monkeypatch.delitem(sys.modules, "sentree.app.server", raising=False)
    done = call(flowers, "app", "--no-browser", code=1)
    assert "pip install 'sentree[app]'" in done.stderr


def test_a_project_that_is_open_elsewhere(flowers):
    service = Service(flowers)
    service.open(flowers / "flowers.csv")
    try:
        done = call(flowers, "app", "flowers.csv", "--export", "labels.csv", code=1)
        assert "is open elsewhere" in done.stderr
    finally:
        service.close()


def test_importing_the_page_is_light():
    code = (
        "import sys, sentree, sentree.app; "
        "print([name for name in ('fastapi', 'pydantic', 'uvicorn') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_help():
    told = sentree_command("app", "--help").stdout
    for name in ("--port", "--host", "--no-browser", "--export", "--out", "--labels", "--drop"):
        assert name in told
