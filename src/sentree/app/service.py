"""The page's other side: one object that a server or a notebook asks, from any thread."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import Any

from sentree._util.wording import text_of
from sentree.active.following import prepare_to_follow
from sentree.active.questions import Question
from sentree.app import asking, sources, views
from sentree.app.asking import Asked
from sentree.app.data import Called, preparation
from sentree.app.exports import Export, export
from sentree.app.finding import find
from sentree.app.frames import Frame
from sentree.app.project import Project
from sentree.app.replay import Replay
from sentree.app.snapshot import Map, Snapshot
from sentree.app.sources import Opened
from sentree.app.stages import Cancelled, Stages
from sentree.app.statements import Refused, checked, checked_reply
from sentree.estimators.partition import SSEPartition

__all__ = ["Service", "export_project"]

#: Questions that can still be answered, though another was asked since.
_REMEMBERED = 20


class Service:
    """What a page shows, and what can be said to it.

    All methods may be called from any thread. Those that change something return when it is on
    disk; clusters follow in a thread of their own, and subscribers are told.

    Parameters
    ----------
    folder : path, default="."
        Where projects are made, and below which files are opened.

    Examples
    --------
    >>> import tempfile
    >>> from sentree.app import Service
    >>> service = Service(tempfile.mkdtemp())
    >>> _ = service.example("iris")
    >>> service.wait()
    True
    >>> _ = service.say({"kind": "different", "rows": [60, 120]})
    >>> service.wait()
    True
    >>> [one["verdict"] for one in service.state()["statements"]]
    ['kept']
    >>> service.close()
    """

    def __init__(self, folder: str | Path = ".") -> None:
        self.folder = Path(folder).resolve()
        self._lock = Condition()
        self._asking = Lock()
        self._callbacks: list[Callable[[dict[str, Any]], None]] = []
        self._opened: Opened | None = None
        self._replay: Replay | None = None
        self._map: Map | None = None
        self._now: Snapshot | None = None
        self._asked: dict[str, Asked] = {}
        self._version = 0  # of what was said
        self._status: dict[str, Any] = _status("empty")
        self._stages: Stages | None = None
        self._closed = False
        self._worker = Thread(target=self._work, name="sentree", daemon=True)
        self._worker.start()

    # Projects

    def open(self, path: str | Path, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Open a project, or a file of data, whose project is reopened where there is one.

        ``options`` say how a file is read: ``labels`` names a column of known classes, which is
        shown but not used; others are those of :func:`sentree.io.read_samples`. ``prepare="none"``
        leaves numbers as they are, and parameters of :class:`sentree.TablePreparer` say how
        others are prepared.
        """
        return self._begin(lambda: sources.open_path(self.folder, path, options))

    def example(self, name: str = "digits") -> dict[str, Any]:
        """Open an example that comes with the package."""
        return self._begin(lambda: sources.open_example(self.folder, name))

    def upload(self, name: str, content: bytes) -> dict[str, Any]:
        """Make a project of a file that is sent; it is kept inside the project."""
        return self._begin(lambda: sources.open_upload(self.folder, name, content))

    def load(
        self, samples: Any, name: str = "data", file: str | Path | None = None
    ) -> dict[str, Any]:
        """Begin with samples, or a fitted SSEPartition, in memory.

        What is said is kept in ``file``, a project that is reopened where it exists; without one
        nothing is written.
        """
        path = None if file is None else Path(file).resolve()
        return self._begin(lambda: sources.open_samples(samples, name, path))

    def _begin(self, opened: Callable[[], Opened]) -> dict[str, Any]:
        """Close the present project, open another, and let the worker fit."""
        with self._lock:
            before = self._opened
            on_disk = before is not None and before.project.path is not None
            if before is not None and on_disk:  # it may be opened again
                before.project.close()
            try:
                self._opened = opened()
            except Exception as error:
                if before is not None and on_disk:
                    before.project.reopen()
                if isinstance(error, ValueError | OSError) and not isinstance(error, Refused):
                    # the folder is known, and its path long
                    text = _in_words(error).replace(f"{self.folder}{os.sep}", "")
                    raise Refused(text) from error
                raise
            if before is not None and not on_disk:
                before.project.close()
            self._replay = self._now = self._map = None
            self._asked.clear()
            if self._stages is not None:
                self._stages.cancel()
            self._status = _status("fitting", "reading the data", message=self._opened.message)
            self._changed()
            return {"version": self._version}

    def close(self, *, wait: bool = True) -> None:
        """Close the project and end the worker; without ``wait`` it may still be at work."""
        with self._lock:
            self._closed = True
            if self._stages is not None:
                self._stages.cancel()
            if self._opened is not None:
                self._opened.project.close()
                self._opened = None
            self._lock.notify_all()
        if wait:
            self._worker.join()

    # What the page shows

    def state(self) -> dict[str, Any]:
        """Return everything but rows and maps."""
        with self._lock:
            if self._opened is None:
                return views.empty(self._version, dict(self._status))
            project, data, now = self._opened.project, self._opened.data, self._now
            return views.state(project, data, now, self._question_of(now), dict(self._status))

    def map(self) -> Frame:
        """Return where the rows are on the map."""
        return views.places(self._ready())

    def labels(self) -> Frame:
        """Return the cluster of each row, how sure it is, and whether it moved."""
        return views.labels(self._ready())

    def column(self, name: str) -> Frame:
        """Return a column to colour by: a feature, another column, or "said"."""
        return views.column(self._ready(), name)

    def rows(self, rows: Sequence[int]) -> dict[str, Any]:
        """Return what there is to read about rows."""
        return views.rows(self._ready(), list(rows))

    def tree(self) -> Frame:
        """Return the branches above and inside the clusters, and the rows in their order."""
        return views.tree(self._ready())

    def profiles(self) -> dict[str, Any]:
        """Return what makes each cluster."""
        return views.profiles(self._ready())

    def find(self, text: str) -> dict[str, Any]:
        """Return the rows that a text means: ids, "age > 30", "cluster 3", or words."""
        return find(self._ready(), text)

    def export(self, what: str) -> Export:
        """Return a file to download, such as "labels.csv" or "script.py"."""
        now = self._ready()
        with self._lock:
            opened = self._open()
            about, path = opened.about, opened.project.path
        return export(now, what, about, path)

    # What is said

    def say(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Take in a statement."""
        with self._lock:
            opened = self._open()
            kind, payload = checked(said, opened.data.n)
            if kind == "stays":
                payload["anchors"] = self._anchors(payload["rows"])
            origin, who = str(said.get("origin") or ""), str(said.get("who") or "")
            made = opened.project.say(kind, payload, origin[:500], who[:200])
            self._changed()
            return {"id": made, "version": self._version}

    def _anchors(self, rows: list[int]) -> list[list[int]]:
        """Return pairs of rows and typical rows of their clusters."""
        now = self._ready()
        pairs = []
        for row in rows:
            others = [one for one in now.typical[int(now.labels[row])] if one != row]
            pairs += [[row, one] for one in others[:1]]
        if not pairs:
            raise Refused("a cluster of one row has nothing to stay with")
        return pairs

    def question(self) -> dict[str, Any]:
        """Return the next best question."""
        now = self._ready()
        with self._asking:
            with self._lock:
                found = self._question_of(now)
            if found is None:
                found = asking.ask(now)
                with self._lock:
                    self._asked[found.id] = found
                    for old in list(self._asked)[:-_REMEMBERED]:
                        del self._asked[old]
        return asking.shown(now, found)

    def _question_of(self, now: Snapshot | None) -> Asked | None:
        """Return the question that was found for a snapshot, if it was."""
        known = (one for one in self._asked.values() if now and one.version == now.version)
        return next(known, None)

    def answer(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Take in the answer to a question."""
        with self._lock:
            opened = self._open()
            asked = self._asked.get(str(said.get("question")))
            if asked is None or asked.question is None:
                raise Refused("this question is no longer asked: look at the next one")
            payload = _answered(asked.question, checked_reply(asked.question, said.get("reply")))
            made = opened.project.say("answer", payload, "question", str(said.get("who") or ""))
            self._changed()
            return {"id": made, "version": self._version}

    def undo(self) -> dict[str, Any]:
        """Take back the last statement or deletion."""
        return self._turn(lambda project: project.undo())

    def redo(self) -> dict[str, Any]:
        """Do again what was taken back last."""
        return self._turn(lambda project: project.redo())

    def delete(self, statement: int) -> dict[str, Any]:
        """Delete a statement; this can be undone."""
        return self._turn(lambda project: project.delete(statement))

    def _turn(self, change: Callable[[Project], None]) -> dict[str, Any]:
        with self._lock:
            change(self._open().project)
            self._changed()
            return {"version": self._version}

    # Others

    def cancel(self) -> dict[str, Any]:
        """Stop what the worker does; the clusters before stay."""
        with self._lock:
            if self._stages is not None:
                self._stages.cancel()
            return {"version": self._version}

    def subscribe(self, callback: Callable[[dict[str, Any]], None]) -> Callable[[], None]:
        """Let a function be told what changes; return a function that ends it."""
        with self._lock:
            self._callbacks.append(callback)

        def unsubscribe() -> None:
            with self._lock, suppress(ValueError):
                self._callbacks.remove(callback)

        return unsubscribe

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the clusters follow all that was said; tell whether they do."""
        with self._lock:
            self._lock.wait_for(lambda: not self._behind, timeout)
            return not self._behind and self._status["phase"] == "ready"

    @property
    def model(self) -> SSEPartition:
        """The model that the page shows."""
        return self._ready().model

    @property
    def _behind(self) -> bool:
        done = -1 if self._now is None else self._now.version
        stopped = self._status["phase"] == "failed"
        return self._opened is not None and done < self._version and not stopped

    def _open(self) -> Opened:
        if self._opened is None:
            raise Refused("there are no data yet: open a file, or an example")
        return self._opened

    def _ready(self) -> Snapshot:
        with self._lock:
            self._open()
            if self._now is None:
                raise Refused("the first clusters are not found yet: wait a moment")
            return self._now

    def _changed(self) -> None:
        self._version += 1
        if self._status["phase"] in ("failed", "ready"):
            self._status = _status("fitting")
        self._lock.notify_all()

    def _tell(self) -> None:
        with self._lock:
            version = 0 if self._now is None else self._now.version
            event = {"version": version, "status": dict(self._status)}
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback(event)

    # The worker

    def _work(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._closed or self._behind)
                if self._closed:
                    return
                opened, version = self._open(), self._version
                statements = [one for one in opened.project.statements if one.state == "active"]
                self._stages = stages = Stages(partial(self._report, opened))
                self._status |= {"phase": "fitting"}
            self._tell()
            try:
                with stages.listening(), warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # verdicts of statements tell what matters
                    now = self._found(opened, statements, version)
                status = _status("ready", message=opened.message)
            except Cancelled:
                now, status = None, _status("failed", message="stopped, as you asked")
            except Exception as error:
                now, status = None, _status("failed", message=_in_words(error))
            with self._lock:
                self._stages = None
                if self._opened is opened:
                    self._now = now or self._now
                    if not (self._behind and now):
                        self._status = status
                self._lock.notify_all()
            self._tell()
            if now is not None:
                self._get_ready(opened, now)

    def _get_ready(self, opened: Opened, now: Snapshot) -> None:
        """Do what need not be waited for: keep the colours, and make the next statement quick."""
        colours = now.kept_colours
        with self._lock:
            if self._opened is not opened:
                return
            opened.project.set_meta(colours=colours)
            if self._behind:
                return
        prepare_to_follow(now.step.start.model or now.model)

    def _found(self, opened: Opened, statements: Any, version: int) -> Snapshot:
        """Return the snapshot of some statements; the first one fits the model."""
        with self._lock:
            replay, drawn, before = self._replay, self._map, self._now
        if replay is None or drawn is None:
            base = opened.model or _fitted(opened)
            replay = Replay(base, Called(opened.data))
            self._report(opened, "drawing the map", None)
            with self._lock:
                stored = opened.project.stored("layout") if self._opened is opened else None
            drawn = Map.of(opened.data, base, stored)
            with self._lock:
                if self._opened is opened:
                    self._replay, self._map = replay, drawn
                    if stored is None and drawn.source == "layout":
                        opened.project.store("layout", drawn.to_bytes())
        with self._lock:
            known = opened.project.meta if self._opened is opened else {}
        step = replay.after(statements)
        kept = known.get("colours", ())
        return Snapshot.of(version, opened.data, drawn, replay, step, before, kept)

    def _report(self, opened: Opened, stage: str, share: float | None) -> None:
        """Tell how far the worker is."""
        with self._lock:
            if self._opened is not opened:
                return
            self._status = _status("fitting", stage, share, self._status["message"])
        self._tell()


def _fitted(opened: Opened) -> SSEPartition:
    """Fit the model that statements are about, as ``sentree cluster`` does."""
    prepare = preparation(opened.about.get("options", {}))
    model = SSEPartition(random_state=0, prepare=prepare, selection="off")
    return model.fit(opened.data.samples.X)  # type: ignore[no-any-return]


def _in_words(error: Exception) -> str:
    """Return what an error says, without parameters of functions: a page has none."""
    return text_of(error).said(lambda reference: None)


def _answered(question: Question, reply: Any) -> dict[str, Any]:
    asked = {
        "point": question.point,
        "options": list(question.options),
        "kind": question.kind,
        "group": list(question.group),
    }
    return {"question": asked, "reply": reply}


def _status(
    phase: str, stage: str = "", share: float | None = None, message: str | None = None
) -> dict[str, Any]:
    return {"phase": phase, "stage": stage, "share": share, "message": message}


def export_project(project: str | Path, what: str, target: str | Path) -> Path:
    """Write a result of a project to a file, without a page.

    Parameters
    ----------
    project : path
        The file of the project, or the data file beside it.
    what : str
        What the page offers to download: "labels.csv", "report.html", "script.py", …
    target : path
        The file to write.
    """
    from sentree._util import files

    path = Path(project).resolve()
    service = Service(path.parent)
    try:
        service.open(path)
        if not service.wait():
            raise Refused(service.state()["status"]["message"] or "the clusters were not found")
        return files.write(Path(target), service.export(what).data)
    finally:
        service.close()
