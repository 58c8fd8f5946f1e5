"""Who is let in to the page, and what is refused: over real HTTP."""

import socket

import pytest

from app_server import TOKEN, running
from sentree.app import Service
from sentree.app.folder import Folder
from sentree.app.security import Guard, is_loopback, new_token
from sentree.io import InputError

MOST, MOST_UPLOADED = 2000, 3000


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("started")
    (folder.parent / "secret.csv").write_text("x,y\n1,2\n")
    limits = {"most": MOST, "most_uploaded": MOST_UPLOADED}
    with running(Service(folder), folder, **limits) as found:
        yield found


# The token.


@pytest.mark.parametrize("path", ["/", "/static/main.js", "/?token=wrong", "/?token=", "/else"])
def test_people_without_the_token_are_told_how_to_get_in(server, path):
    reply = server.stranger().get(path)
    assert reply.status_code == 403
    assert reply.headers["content-type"] == "text/plain; charset=utf-8"
    assert "Open the whole address that 'sentree app' printed" in reply.text


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "PUT", "OPTIONS"])
def test_no_request_to_the_api_without_the_token(server, method):
    reply = server.stranger().request(method, "/api/state")
    assert reply.status_code == 403
    assert "needs the token" in reply.json()["error"]


@pytest.mark.parametrize("cookie", ["wrong", "", "ä", f"{TOKEN}x", TOKEN[:-1]])
def test_a_wrong_cookie(server, cookie):
    name = f"sentree-{server.port}".encode()
    headers = [(b"cookie", name + b"=" + cookie.encode())]
    assert server.stranger().get("/api/state", headers=headers).status_code == 403


def test_the_token_in_the_address_becomes_a_cookie(server):
    client = server.stranger()
    reply = client.get(f"/?token={TOKEN}")
    assert reply.status_code == 303
    assert reply.headers["location"] == "/"
    parts = reply.headers["set-cookie"].split("; ")
    assert parts == [f"sentree-{server.port}={TOKEN}", "Path=/", "HttpOnly", "SameSite=Strict"]
    assert client.get("/api/state").status_code == 200
    assert server.stranger().get(f"/api/state?token={TOKEN}").status_code == 403


def test_coming_from_another_site_with_the_token(server):
    """The browser keeps a strict cookie back after a redirect, so the page goes on by itself."""
    came = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    reply = server.stranger().get(f"/?token={TOKEN}", headers=came)
    assert reply.status_code == 200
    assert 'http-equiv="refresh" content="0;url=/"' in reply.text
    assert "SameSite=Strict" in reply.headers["set-cookie"]


def test_the_cookie_is_found_among_those_of_other_programs(server):
    kept = f'_xsrf=a|b; user="x;y"; broken; sentree-1=no; sentree-{server.port}={TOKEN}; z=1'
    reply = server.stranger().get("/api/state", headers={"cookie": kept})
    assert reply.status_code == 200


def test_tokens_cannot_be_guessed():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert min(map(len, tokens)) >= 32


# Where requests come from.


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:PORT", "127.0.0.1.evil.example:PORT", "192.168.0.7:PORT"),
        *("localhost.evil.example", "[::1", "", "127.0.0.1@evil.example"),
    ],
)
def test_a_name_that_leads_here_is_not_ours(server, host):
    headers = {"host": host.replace("PORT", str(server.port))}
    for path in ("/api/state", f"/?token={TOKEN}"):
        reply = server.client().get(path, headers=headers)
        assert reply.status_code == 403
        assert "set-cookie" not in reply.headers


@pytest.mark.parametrize("host", ["127.0.0.1:PORT", "LocalHost:PORT", "localhost:9000", "[::1]:1"])
def test_the_names_of_this_computer(server, host):
    """Also by a port that was forwarded from elsewhere."""
    headers = {"host": host.replace("PORT", str(server.port))}
    assert server.client().get("/api/state", headers=headers).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", ""])
def test_requests_of_other_pages(server, origin):
    for method in ("GET", "POST"):
        reply = server.client().request(method, "/api/undo", headers={"origin": origin})
        assert reply.status_code == 403
        assert "must come from the page itself" in reply.json()["error"]


def test_requests_of_the_page_itself(server):
    reply = server.client().post("/api/undo", headers={"origin": server.url})
    assert reply.status_code == 400
    assert "there are no data yet" in reply.json()["error"]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_pages_cannot_show_what_is_here(server, site):
    for path in ("/api/state", "/static/main.js"):
        headers = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}
        assert server.client().get(path, headers=headers).status_code == 403


def test_loopback_addresses():
    assert [is_loopback(one) for one in ("127.0.0.1", "::1", "localhost", "127.9.9.9")] == [
        True
    ] * 4
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "example.org", "")))


def test_names_where_others_are_let_in():
    """Numbers cannot be redirected; names must be this computer's own."""

    def own(host, name):
        return Guard(None, TOKEN, 1, host)._is_own(name)

    assert own("0.0.0.0", "192.168.0.7")
    assert own("0.0.0.0", socket.gethostname().lower())
    assert not own("0.0.0.0", "evil.example")
    assert own("lab.example", "lab.example")
    assert not own("lab.example", "evil.example")
    assert not own("127.0.0.1", "192.168.0.7")


# What every answer carries.


@pytest.mark.parametrize("path", ["/", "/api/state", "/api/none", "/static/none.js"])
def test_headers_of_every_answer(server, path):
    for client in (server.client(), server.stranger()):
        headers = client.get(path).headers
        policy = dict(
            part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert not any("unsafe-inline" in part or "http" in part for part in policy.values())
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] in ("no-cache", "no-store")
        assert "server" not in headers


# Limits.


def test_a_body_that_is_too_large(server):
    reply = server.client().post("/api/rows", content=b"[" + b" " * MOST)
    assert reply.status_code == 413
    assert "that a request may have" in reply.json()["error"]
    reply = server.client().post("/api/rows", json={"rows": [0] * (MOST // 4)})
    assert reply.status_code == 400  # there are no data


def test_a_file_that_is_too_large(server):
    for size, status in ((MOST_UPLOADED + 1, 413), (MOST + 1, 400)):
        reply = server.client().post("/api/upload?name=a.xls", content=b"x" * size)
        assert reply.status_code == status
    reply = server.client().post("/api/upload?name=a.csv", content=b"x" * 10**6)
    assert "Put the file into the folder" in reply.json()["error"]
    assert list(Folder(server.folder).root.glob("*.csv")) == []


def test_a_body_of_unknown_length(server):
    reply = server.client().post("/api/rows", content=iter([b"[", b"]"]))
    assert reply.status_code == 411


def test_a_long_list_to_find(server):
    reply = server.client().get("/api/find", params={"text": "x" * 60_000})
    assert reply.status_code == 400
    assert "there are no data yet" in reply.json()["error"]


# Files.


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "started"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "started-too").mkdir()
    for secret in (tmp_path / "secret.csv", tmp_path / "started-too" / "b.csv"):
        secret.write_text("x,y\n1,2\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "way-out").symlink_to(tmp_path)
    (folder / "way-in.csv").symlink_to(folder / "inner" / "a.csv")
    (folder / "loop").symlink_to(folder / "loop")
    return folder


@pytest.mark.parametrize(
    "name",
    [
        *("../secret.csv", "inner/../../secret.csv", "link.csv", "way-out/secret.csv", ".."),
        *("/etc/passwd", "//etc/passwd", "file:///etc/passwd", "../started-too/b.csv", "~/x.csv"),
        *("none.csv", "loop", "a\0.csv", "\ud800", "a" * 5000),
    ],
)
def test_nothing_outside_of_the_folder(outside, name):
    with pytest.raises(InputError, match=r"is not below|is not the name|there is no file"):
        Folder(outside).find(name)


@pytest.mark.parametrize("name", ["inner/a.csv", "inner/../inner/a.csv", "way-in.csv"])
def test_what_is_inside_is_found(outside, name):
    assert Folder(outside).find(name) == outside / "inner" / "a.csv"


def test_the_list_leaves_out_what_leads_out(outside):
    (outside / ".hidden.csv").write_text("x\n1\n")
    (outside / "notes.docx").write_text("x")
    (outside / "p.sentree-project").write_text("x")
    (outside / "t.CSV.gz").write_text("x")
    listed = Folder(outside).entries()
    assert [one["name"] for one in listed["folders"]] == ["inner"]
    kinds = {one["name"]: one["kind"] for one in listed["files"]}
    assert kinds == {"p.sentree-project": "project", "t.CSV.gz": "data", "way-in.csv": "data"}
    assert (listed["folder"], listed["parent"], listed["left_out"]) == ("", None, 0)
    inner = Folder(outside).entries("inner")
    assert (inner["folder"], inner["parent"]) == ("inner", "")
    assert inner["files"] == [{"name": "a.csv", "path": "inner/a.csv", "kind": "data", "size": 8}]
    with pytest.raises(InputError, match="a file, not a folder"):
        Folder(outside).entries("inner/a.csv")


def test_names_of_files_that_are_sent(tmp_path):
    folder = Folder(tmp_path)
    expected = {
        "a.csv": "a.csv",
        "../../a.csv": "a.csv",
        "C:\\data\\b.csv.gz": "b.csv.gz",
        "c:stream?.csv": "c_stream_.csv",
    }
    assert {name: folder.named(name) for name in expected} == expected
    for name in ("", "..", ".bashrc", "a/", "a\n.csv", "a" * 300 + ".csv", "a.exe", "run.pkl"):
        with pytest.raises(InputError):
            folder.named(name)


def test_files_outside_are_refused_over_http(server):
    for path in ("../secret.csv", "/etc/passwd"):
        reply = server.client().post("/api/open", json={"path": path})
        assert reply.status_code == 400
        assert "is not below" in reply.json()["error"]
        reply = server.client().get("/api/files", params={"folder": ".."})
        assert reply.status_code == 400
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2fserver.py"):
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            cookie = f"sentree-{server.port}={TOKEN}"
            raw.sendall(
                f"GET {path} HTTP/1.0\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n".encode()
            )
            assert b" 404 " in raw.recv(1000).split(b"\r\n")[0] + b" "


def test_no_errors_of_a_client_that_leaves(server):
    """A request that is cut off leaves the server at work."""
    with socket.create_connection(("127.0.0.1", server.port)) as raw:
        cookie = f"sentree-{server.port}={TOKEN}"
        head = f"POST /api/upload?name=a.csv HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n"
        raw.sendall(f"{head}Content-Length: 1000\r\n\r\nx,y".encode())
    assert server.client().get("/api/state").status_code == 200
    assert not list(server.folder.glob("*a*.csv"))
