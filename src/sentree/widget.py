"""The page in a notebook: look, say what belongs together, and read the model back.

In: samples or a fitted model. Out: a widget. Uses ``app``, whose page it shows; needs the extra
``notebook``.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from numpy.typing import NDArray

from sentree.app.exports import Export
from sentree.app.frames import Frame
from sentree.app.service import Service
from sentree.app.statements import Refused
from sentree.constraints import Constraints
from sentree.estimators.partition import SSEPartition

try:
    import traitlets
    from anywidget import AnyWidget
except ImportError as missing:
    raise ImportError(
        "the page in a notebook needs anywidget: pip install 'sentree[notebook]'"
    ) from missing

__all__ = ["Explorer"]

STATIC = Path(__file__).parent / "app" / "static"
#: What the page has to open other data; here they come from the notebook.
NOT_HERE = "#open, .start-drop-row, .start-files, .start-buttons { display: none; }"
UNEXPECTED = "Something went wrong in the kernel. Nothing that was said is lost."


class Explorer(AnyWidget):
    """A map of samples in a notebook, on which one says what belongs together.

    It is the page of ``sentree app``. What is said there re-clusters the samples at once; the
    attributes tell the present state, and wait for clusters that are still being found.

    Parameters
    ----------
    data : array-like, data frame, Samples, or fitted SSEPartition
        What to look at. Of a model, its clusters and constraints are where it begins.
    file : path, optional
        A project file that keeps what is said; one that exists is gone on with. Without it, all
        is kept in the kernel only.
    height : int, default=640
        Height in pixels.

    Attributes
    ----------
    model : SSEPartition
        The fitted model that the map shows.
    labels : int array of shape (n,)
        The cluster of each sample.
    constraints : Constraints
        What the model was fitted with: those it began with, and what was said since.
    selection : int array
        The rows that are selected on the map, sorted; setting it selects rows there.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sentree.widget import Explorer
    >>> explorer = Explorer(load_iris(as_frame=True).data)  # shown as the last line of a cell
    >>> len(explorer.labels), len(explorer.constraints)
    (150, 0)
    >>> explorer.close()
    """

    _esm = STATIC / "widget.js"
    _height = traitlets.Int(640).tag(sync=True)
    #: int32, little endian; it comes as a view of the message.
    _selected = traitlets.Bytes().tag(sync=True, from_json=lambda value, _: bytes(value))
    _keepers: ClassVar[dict[Path, Explorer]] = {}

    def __init__(self, data: Any, *, file: str | Path | None = None, height: int = 640) -> None:
        path = None if file is None else Path(file).resolve()
        if path is not None and path in self._keepers:  # the cell is run again
            self._keepers[path].close()
        service = Service()
        self._end = weakref.finalize(self, service.close)
        try:
            service.load(data, file=path)
        except BaseException:
            self._end()
            raise
        super().__init__(_height=height)
        self._service = service
        if path is not None:
            self._keepers[path] = self
        self.on_msg(self._asked)
        service.subscribe(lambda event: self.send({"state": event}))

    @property
    def model(self) -> SSEPartition:
        """The fitted model that the map shows."""
        if not self._service.wait():
            raise Refused(self._service.state()["status"]["message"])
        return self._service.model

    @property
    def labels(self) -> NDArray[np.int32]:
        """The cluster of each sample."""
        return self.model.labels_

    @property
    def constraints(self) -> Constraints:
        """What the model was fitted with."""
        return self.model.constraints_

    @property
    def selection(self) -> NDArray[np.int32]:
        """The rows that are selected on the map."""
        return np.frombuffer(self._selected, "<i4").astype(np.int32)

    @selection.setter
    def selection(self, rows: Iterable[int]) -> None:
        self._selected = np.unique(np.asarray(rows, dtype="<i4")).tobytes()

    def close(self) -> None:
        """End what runs behind the map, and take it away; a project file is free for others."""
        if hasattr(self, "_end"):
            self._end()
        for path in [path for path, one in self._keepers.items() if one is self]:
            del self._keepers[path]
        super().close()

    def _asked(self, _: Any, message: Mapping[str, Any], buffers: Any) -> None:
        """Reply to a message of the page."""
        if "page" in message:
            self.send({"page": _page()})
            return
        reply: dict[str, Any] = {"id": message["id"]}
        sent = None
        try:
            found = self._reply(message["method"], message["path"], message.get("body"))
            if isinstance(found, Frame):
                sent = [found.to_bytes()]
            elif isinstance(found, Export):
                sent = [found.data]
            else:
                reply["reply"] = found
        except (ValueError, ImportError, MemoryError, OSError) as error:
            reply["error"] = str(error)
        except Exception:
            self.send(reply | {"error": UNEXPECTED})
            raise
        self.send(reply, sent)

    def _reply(self, method: str, path: str, body: Any) -> Any:
        """Return what ``sentree app`` replies to the same request."""
        service, where = self._service, urlsplit(path)
        given = dict(parse_qsl(where.query, keep_blank_values=True))
        match method, *where.path.removeprefix("/api/").split("/"):
            case "GET", "state" | "map" | "labels" | "tree" | "profiles" | "question" as what:
                return getattr(service, what)()
            case "GET", "column":
                return service.column(given["name"])
            case "GET", "find":
                return service.find(given["text"])
            case "GET", "export", what:
                return service.export(what)
            case "POST", "rows":
                return service.rows(body["rows"])
            case "POST", "say" | "answer" as what:
                return getattr(service, what)(body)
            case "POST", "undo" | "redo" | "cancel" as what:
                return getattr(service, what)()
            case "DELETE", "statements", statement:
                return service.delete(int(statement))
        raise Refused("the data come from the notebook: make another Explorer to look at others")


@cache
def _page() -> dict[str, Any]:
    """Return the page for a frame: its document, and its modules by name."""
    styles = [(STATIC / name).read_text("utf-8") for name in ("style.css", "css/panels.css")]
    body = (STATIC / "index.html").read_text("utf-8").partition("<body>")[2]
    head = f"<!doctype html><html lang='en'><meta charset='utf-8'><style>{''.join(styles)}"
    modules = {
        f"sentree/{(name := path.relative_to(STATIC).as_posix())}": _named(name, path)
        for path in sorted(STATIC.rglob("*.js"))
    }
    return {"html": f"{head}{NOT_HERE}</style><body>{body}", "modules": modules}


def _named(name: str, path: Path) -> str:
    """Return the source of a module, whose imports are names instead of relative paths."""
    return re.sub(
        r"""^(.*\bfrom |import )["'](\.{1,2}/[^"']+)["']""",
        lambda found: f'{found[1]}"{normpath(join("sentree", dirname(name), found[2]))}"',
        path.read_text("utf-8"),
        flags=re.MULTILINE,
    )
