"""Who may talk to the page: a guard in front of every request.

Written down for users in docs/security.md; what it says and what this does must be the same.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import secrets
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

__all__ = ["Guard", "is_loopback", "new_token"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

#: Nothing comes from elsewhere, and nothing written into the page runs. The library that draws the
#: map compiles its drawing functions ('unsafe-eval'); no text of users or of data gets there.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
HOW_TO_GET_IN = (
    "This page needs the token of the program that draws it. Open the whole address that "
    "'sentree app' printed in the terminal, from http:// to the end, once in this browser. If the "
    "program was started again, its address is a new one."
)
#: A page that goes on to the real one: a browser that came here from another site would not send
#: the new cookie after a plain redirect.
GO_ON = '<!doctype html><meta http-equiv="refresh" content="0;url=/"><title>sentree</title>'
MEGABYTE = 2**20


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def is_loopback(host: str) -> bool:
    """Tell whether only this computer reaches an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """Lets in who has the token and comes from the page itself; a piece of ASGI.

    Parameters
    ----------
    inner : ASGI application
        What is guarded.
    token : str
        What gets one in, in the address or, after the first visit, in a cookie.
    port : int
        The port, for the name of the cookie: browsers share cookies among ports.
    host : str
        The address that is listened on.
    most : int
        Largest body of a request, in bytes.
    most_uploaded : int
        Largest file that is uploaded.
    """

    def __init__(
        self,
        inner: Any,
        token: str,
        port: int,
        host: str = "127.0.0.1",
        most: int = 64 * MEGABYTE,
        most_uploaded: int = 512 * MEGABYTE,
    ) -> None:
        self._inner, self._token, self._cookie = inner, token, f"sentree-{port}"
        self._host, self._most, self._most_uploaded = host, most, most_uploaded

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets
            return
        send = _with_headers(send, scope["path"])
        headers = _headers(scope)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _refuse(scope, send, *refusal)
            return
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["path"] == "/" and self._is_token(given):
            await self._enter(headers, send)
            return
        if not self._is_token(self._kept(headers)):
            await _refuse(scope, send, 403, HOW_TO_GET_IN)
            return
        refusal = self._too_much(scope, headers)
        if refusal is not None:
            await _read_to_the_end(receive)  # browsers read no answer before all is sent
            await _refuse(scope, send, *refusal)
            return
        await self._inner(scope, receive, send)

    def _refusal(self, scope: Message, headers: dict[str, str]) -> tuple[int, str] | None:
        """Tell why a request is not one of the page, if so."""
        host = headers.get("host", "")
        if not self._is_own(_name(host)):
            return 403, (
                f"This page is not {host or 'without a name'!r}. Open it at the address that "
                "'sentree app' printed in the terminal."
            )
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return 403, f"Requests from {origin} are refused: they must come from the page itself."
        # Reading is also refused to other pages of this computer, which share the site.
        visiting = scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate"
        site = headers.get("sec-fetch-site", "none")
        if site not in ("same-origin", "none") and not (visiting and scope["path"] == "/"):
            return 403, "Requests from other pages are refused: they must come from the page."
        return None

    def _is_own(self, name: str) -> bool:
        """Tell whether a name in a request is one of this server, and not one led here by DNS."""
        if is_loopback(name) or name == self._host.lower():
            return True
        if is_loopback(self._host):
            return False
        try:
            ipaddress.ip_address(name)  # a number is not looked up, so nobody can redirect it
        except ValueError:
            return name in {socket.gethostname().lower(), socket.getfqdn().lower()}
        return True

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _kept(self, headers: dict[str, str]) -> str:
        """Return the token in the cookie."""
        for part in headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == self._cookie:
                return value
        return ""

    async def _enter(self, headers: dict[str, str], send: Send) -> None:
        """Exchange the token in the address for a cookie."""
        cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
        known = {"set-cookie": cookie, "cache-control": "no-store"}
        if headers.get("sec-fetch-site", "none") == "none":
            await _answer(send, 303, b"", known | {"location": "/"})
        else:
            await _answer(send, 200, GO_ON.encode(), known | {"content-type": "text/html"})

    def _too_much(self, scope: Message, headers: dict[str, str]) -> tuple[int, str] | None:
        """Tell why a body is not taken, if so."""
        if "transfer-encoding" in headers:
            return 411, "Requests must say how long they are (Content-Length)."
        most = self._most_uploaded if scope["path"] == "/api/upload" else self._most
        length = int(headers.get("content-length", 0))
        if length <= most:
            return None
        size = f"{length / MEGABYTE:.0f} MB are more than the {most / MEGABYTE:.0f} MB"
        if scope["path"] == "/api/upload":
            return 413, (
                f"{size} that can be uploaded. Put the file into the folder that 'sentree app' "
                "was started in, and open it from there."
            )
        return 413, f"{size} that a request may have."


def _headers(scope: Message) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _name(host: str) -> str:
    """Return the name in a Host header, without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _with_headers(send: Send, path: str) -> Send:
    """Add the headers of every answer."""
    caching = "no-cache" if path == "/" or path.startswith("/static/") else "no-store"

    async def adding(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = {name for name, _ in message["headers"]}
            more = HEADERS | {"cache-control": caching}
            message["headers"] = [
                *message["headers"],
                *(
                    (name.encode(), value.encode())
                    for name, value in more.items()
                    if name.encode() not in there
                ),
            ]
        await send(message)

    return adding


async def _read_to_the_end(receive: Receive) -> None:
    while (message := await receive()).get("more_body"):
        del message


async def _refuse(scope: Message, send: Send, status: int, text: str) -> None:
    """Say no: to the page as it reads errors, to people as text."""
    if scope["path"].startswith("/api/"):
        body, kind = json.dumps({"error": text}), "application/json"
    else:
        body, kind = text + "\n", "text/plain; charset=utf-8"
    await _answer(send, status, body.encode(), {"content-type": kind})


async def _answer(send: Send, status: int, body: bytes, headers: dict[str, str]) -> None:
    headers = headers | {"content-length": str(len(body))}
    listed = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": body})
