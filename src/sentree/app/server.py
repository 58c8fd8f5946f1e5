"""The page over HTTP: routes to a service, and the server that runs them.

Needs the extra ``app``; nothing else of the package imports this.
"""

from __future__ import annotations

import json
import logging
import mimetypes
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import uvicorn
from fastapi import FastAPI, Query, Request
from fastapi import Path as InPath
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from sentree import __version__
from sentree._util.wording import text_of
from sentree.app import messages as m
from sentree.app.events import Events
from sentree.app.security import Guard

if TYPE_CHECKING:
    import socket

    from sentree.app.folder import Folder
    from sentree.app.service import Service

__all__ = ["Json", "PageServer", "routes"]

STATIC = Path(__file__).with_name("static")
#: Requests that run have so many seconds to end when the server does.
PATIENCE = 5
UNEXPECTED = (
    "Something went wrong in the program; the terminal that 'sentree app' runs in shows what. "
    "Nothing that was said is lost."
)
for suffix, kind in ((".js", "text/javascript"), (".mjs", "text/javascript"), (".css", "text/css")):
    mimetypes.add_type(kind, suffix)  # some systems say otherwise

Words = Callable[[BaseException], str]


class PageServer(uvicorn.Server):
    """A server of the page that ends its streams when it is told to end.

    Parameters
    ----------
    app : FastAPI
        What :func:`routes` returns.
    token : str
        What gets one in.
    port : int
        The port that is listened on.
    **limits
        Further parameters of :class:`sentree.app.security.Guard`.
    """

    def __init__(self, app: FastAPI, token: str, port: int, **limits: Any) -> None:
        super().__init__(
            uvicorn.Config(
                Guard(_Logged(app), token, port, **limits),
                http="h11",
                ws="none",
                lifespan="on",
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=False,
                h11_max_incomplete_event_size=2**20,  # searches may be long lists
                timeout_graceful_shutdown=PATIENCE,
            )
        )
        self._events: Events = app.state.events

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End; without open streams nothing is left to wait for but requests, and no second signal.

        The project is closed either way.
        """
        self._events.end()
        await super().shutdown(sockets)
        if self.force_exit:  # by a second signal
            await self.lifespan.shutdown()


class _Logged:
    """An application whose unexpected errors are logged; the connection outlives them."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            await self._app(scope, receive, send)
        except Exception:
            logging.getLogger("sentree.app").exception("unexpected error at %s", scope.get("path"))


class Json(Response):
    """A reply as JSON, of anything that JSON can hold."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the bytes."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def routes(service: Service, folder: Folder, words: Words = text_of) -> FastAPI:
    """Return the application: thin routes to a service, which it closes at its end.

    Parameters
    ----------
    service : Service
        What does the work.
    folder : Folder
        Where files may be.
    words : callable
        How errors are said.
    """
    events = Events(service.subscribe, lambda: _event(service.state()))

    @asynccontextmanager
    async def closing(app: FastAPI) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(service.close, wait=False)

    app = FastAPI(
        title="sentree",
        version=__version__,
        description="The page of sentree: see data, say what belongs together, take the clusters.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # it would be fetched from elsewhere
        redoc_url=None,
        lifespan=closing,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        responses={
            "4XX": {"model": m.Error, "description": "Refused, with the reason"},
            422: {"model": m.Error, "description": "Not a request of this form"},
        },
    )
    app.state.events = events
    _tell_errors(app, words)
    _look(app, service)
    _say(app, service)
    _files(app, service, folder)

    @app.get("/api/events", response_class=StreamingResponse, responses=_EVENTS)
    async def follow() -> StreamingResponse:
        """Server-sent events: ``state`` whenever there is something new to fetch."""
        return StreamingResponse(events.stream(), media_type="text/event-stream")

    @app.get("/", include_in_schema=False)
    def page() -> FileResponse:
        return FileResponse(STATIC / "index.html")

    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False), name="static")
    return app


def _event(state: dict[str, Any]) -> dict[str, Any]:
    return {"version": state["version"], "status": state["status"]}


def _json(model: Any, what: str = "As described") -> dict[int | str, dict[str, Any]]:
    return {200: {"model": model, "description": what}}


_BYTES = {"schema": {"type": "string", "format": "binary"}}
_FRAME: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"application/octet-stream": _BYTES},
        "description": "The length of a header (4 bytes, little endian), the header in JSON, and "
        "the arrays that it lists, each from a multiple of 8 bytes on",
    }
}
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
        "description": "A stream without end",
    }
}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"*/*": _BYTES}, "description": "A file"}
}


def _look(app: FastAPI, service: Service) -> None:
    """Add what shows the state."""

    @app.get("/api/state", responses=_json(m.State))
    def state() -> Response:
        """Return all that the page shows but for arrays."""
        return Json(service.state())

    @app.get("/api/map", response_class=Response, responses=_FRAME)
    def places() -> Response:
        """Return where rows are on the map."""
        return _frame(service.map())

    @app.get("/api/labels", response_class=Response, responses=_FRAME)
    def labels() -> Response:
        """Return the cluster of each row, its strength, and whether it moved last."""
        return _frame(service.labels())

    @app.get("/api/column", response_class=Response, responses=_FRAME)
    def column(name: str) -> Response:
        """Return the values of a column, to colour by."""
        return _frame(service.column(name))

    @app.get("/api/tree", response_class=Response, responses=_FRAME)
    def tree() -> Response:
        """Return the tree around the clusters."""
        return _frame(service.tree())

    @app.get("/api/profiles", responses=_json(m.Profiles))
    def profiles() -> Response:
        """Return what makes each cluster."""
        return Json(service.profiles())

    @app.post("/api/rows", responses=_json(m.RowsReply))
    def rows(wanted: m.RowsWanted) -> Response:
        """Return rows as they are shown."""
        return Json(service.rows(wanted.rows))

    @app.get("/api/find", responses=_json(m.Found))
    def find(text: Annotated[str, Query(max_length=100_000)]) -> Response:
        """Return the rows that fit a search."""
        return Json(service.find(text))


def _say(app: FastAPI, service: Service) -> None:
    """Add what changes the state."""

    @app.post("/api/say", responses=_json(m.Said))
    def say(said: m.Say) -> Response:
        """Say something; the reply comes when it is on disk, the clusters follow."""
        return Json(service.say(said.model_dump(by_alias=True, exclude_unset=True)))

    @app.post("/api/undo", responses=_json(m.Said))
    def undo() -> Response:
        """Take the last statement or deletion back."""
        return Json(service.undo())

    @app.post("/api/redo", responses=_json(m.Said))
    def redo() -> Response:
        """Say again what was taken back last."""
        return Json(service.redo())

    @app.delete("/api/statements/{id}", responses=_json(m.Said))
    def delete(id: Annotated[int, InPath(ge=0, le=2**53)]) -> Response:
        """Delete a statement; this can be undone."""
        return Json(service.delete(id))

    @app.post("/api/cancel", responses=_json(m.Said))
    def cancel() -> Response:
        """Stop what is being computed."""
        return Json(service.cancel())

    @app.get("/api/question", responses=_json(m.QuestionReply))
    def question() -> Response:
        """Return the next question."""
        return Json(service.question())

    @app.post("/api/answer", responses=_json(m.Said))
    def answer(given: m.Answer) -> Response:
        """Answer a question."""
        return Json(service.answer(given.model_dump(by_alias=True)))


def _files(app: FastAPI, service: Service, folder: Folder) -> None:
    """Add what opens files and takes results away."""

    @app.get("/api/export/{what}", response_class=Response, responses=_FILE)
    def export(what: str) -> Response:
        """Return the results as a file: labels, constraints, tree, model, report, script."""
        made = service.export(what)
        named = {"content-disposition": f"attachment; filename*=UTF-8''{quote(made.name)}"}
        return Response(made.data, media_type=made.media_type, headers=named)

    @app.post("/api/open", responses=_json(m.Said))
    def open(file: m.Open) -> Response:
        """Open a data file or a project below the folder that the page was started in."""
        return Json(service.open(folder.find(file.path)))

    @app.post("/api/example", responses=_json(m.Said))
    def example(wanted: m.Example) -> Response:
        """Open an embedded data set."""
        return Json(service.example(wanted.name))

    @app.post(
        "/api/upload",
        responses=_json(m.Said),
        openapi_extra={"requestBody": {"content": {"application/octet-stream": _BYTES}}},
    )
    async def upload(request: Request, name: Annotated[str, Query(max_length=1000)]) -> Response:
        """Open a data file that is sent; it is kept inside the project."""
        plain = folder.named(name)
        return Json(await run_in_threadpool(service.upload, plain, await request.body()))

    @app.get("/api/files", responses=_json(m.Files))
    def files(folder_: Annotated[str, Query(alias="folder", max_length=4000)] = "") -> Response:
        """List the files that can be opened."""
        return Json(folder.entries(folder_))


def _frame(frame: Any) -> Response:
    return Response(frame.to_bytes(), media_type="application/octet-stream")


def _tell_errors(app: FastAPI, words: Words) -> None:
    """Let errors be told as ``{"error": text}``: those of the package in their own words."""
    from sentree.app.statements import Refused
    from sentree.constraints.conflicts import ConstraintConflict
    from sentree.io.errors import InputError

    def refuse(request: Request, error: Exception) -> Response:
        return Json({"error": words(error)}, status_code=400)

    for kind in (Refused, InputError, ConstraintConflict, ImportError, MemoryError, OSError):
        app.exception_handler(kind)(refuse)

    @app.exception_handler(RequestValidationError)
    def malformed(request: Request, error: RequestValidationError) -> Response:
        found = [f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}" for one in error.errors()]
        return Json({"error": f"This request is not understood. {'; '.join(found)}"}, 422)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        return Json({"error": str(error.detail)}, error.status_code, headers=error.headers)

    @app.exception_handler(Exception)  # the traceback goes to the log
    def unexpected(request: Request, error: Exception) -> Response:
        return Json({"error": UNEXPECTED}, status_code=500)
