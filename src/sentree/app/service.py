"""The page's other side: one object that a server or a notebook asks, from any thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Condition, Thread
from typing import Any

from sentree.app import data as sources
from sentree.app import views
from sentree.app.data import Data
from sentree.app.frames import Frame
from sentree.app.project import SUFFIX, Project
from sentree.app.replay import Replay
from sentree.app.snapshot import Snapshot
from sentree.app.statements import Refused, checked
from sentree.estimators.partition import SSEPartition

__all__ = ["Service"]


class Service:
    """What a page shows and what can be said to it.

    All methods may be called from any thread. Those that change something return when it is on
    disk; clusters follow in a thread of their own, and subscribers are told.

    Parameters
    ----------
    folder : path, optional
        Where projects are made, and below which files are opened.
    """

    def __init__(self, folder: str | Path = ".") -> None:
        self.folder = Path(folder).resolve()
        self._lock = Condition()
        self._callbacks: list[Callable[[dict[str, Any]], None]] = []
        self._project: Project | None = None
        self._data: Data | None = None
        self._replay: Replay | None = None
        self._now: Snapshot | None = None
        self._version = 0  # of what was said
        self._status: dict[str, Any] = _status("empty")
        self._busy = self._closed = False
        self._worker = Thread(target=self._work, name="sentree", daemon=True)
        self._worker.start()

    # Projects

    def example(self, name: str = "digits") -> dict[str, Any]:
        """Open an example that comes with the package."""
        data = sources.example(name)
        return self._begin(self.folder / f"{name}{SUFFIX}", data, {"example": name})

    def _begin(self, path: Path, data: Data, about: Mapping[str, Any]) -> dict[str, Any]:
        """Make or reopen a project, and let the worker fit."""
        project = Project(path)
        if not project.meta:
            project.set_meta(name=path.name.removesuffix(SUFFIX), data=dict(about))
        with self._lock:
            if self._project is not None:
                self._project.close()
            self._project, self._data = project, data
            self._replay = self._now = None
            self._status = _status("fitting", "reading the data")
            self._changed()
            return {"version": self._version}

    def close(self) -> None:
        """End the worker and close the project."""
        with self._lock:
            self._closed = True
            self._lock.notify_all()
        self._worker.join()
        with self._lock:
            if self._project is not None:
                self._project.close()
                self._project = None

    # What the page shows

    def state(self) -> dict[str, Any]:
        """Return everything but rows and maps."""
        with self._lock:
            if self._project is None or self._data is None:
                return views.empty(self._version, dict(self._status))
            return views.state(self._project, self._data, self._now, dict(self._status))

    def map(self) -> Frame:
        """Return where the rows are on the map."""
        now = self._ready()
        return views.map_frame(now)

    def labels(self) -> Frame:
        """Return the cluster of each row, how sure it is, and whether it moved."""
        return views.labels_frame(self._ready())

    def rows(self, rows: list[int]) -> dict[str, Any]:
        """Return what there is to read about rows."""
        now = self._ready()
        return {"rows": [views.row_view(now, row) for row in rows]}

    # What is said

    def say(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Take in a statement."""
        with self._lock:
            project, data = self._open()
            kind, payload = checked(said, data.n)
            made = project.say(kind, payload, str(said.get("origin", "")))
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
            change(self._open()[0])
            self._changed()
            return {"version": self._version}

    # Others

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
            return self._lock.wait_for(lambda: not self._behind, timeout)

    @property
    def _behind(self) -> bool:
        done = -1 if self._now is None else self._now.version
        failed = self._status["phase"] == "failed"
        return self._project is not None and done < self._version and not failed

    def _open(self) -> tuple[Project, Data]:
        if self._project is None or self._data is None:
            raise Refused("there are no data yet: open a file, or an example")
        return self._project, self._data

    def _ready(self) -> Snapshot:
        with self._lock:
            self._open()
            if self._now is None:
                raise Refused("the first clusters are not found yet: wait a moment")
            return self._now

    def _changed(self) -> None:
        self._version += 1
        self._lock.notify_all()

    def _tell(self) -> None:
        with self._lock:
            version = self._version if self._now is None else self._now.version
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
                project, data, version = self._project, self._data, self._version
                replay, before = self._replay, self._now
                assert project is not None
                assert data is not None
                statements = [one for one in project.statements if one.state == "active"]
                self._status = _status("fitting", "clustering")
            self._tell()
            now = before
            try:
                if replay is None:
                    base = SSEPartition(random_state=0, prepare="auto", selection="off").fit(
                        data.samples.X
                    )
                    replay = Replay(base, data.samples.ids)
                step = replay.after(statements)
                now = Snapshot.of(version, data, replay, step, before)
                status = _status("ready")
            except Exception as error:
                status = _status("failed", message=str(error))
            with self._lock:
                if self._project is project:
                    self._replay, self._now, self._status = replay, now, status
                self._lock.notify_all()
            self._tell()


def _status(
    phase: str, stage: str = "", share: float | None = None, message: str | None = None
) -> dict[str, Any]:
    return {"phase": phase, "stage": stage, "share": share, "message": message}
