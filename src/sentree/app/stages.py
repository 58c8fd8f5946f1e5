"""How far long work is, told as it goes, and how it is stopped."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, get_ident

from sentree._util.progress import Progress
from sentree._util.stopping import stoppable

__all__ = ["Cancelled", "Stages"]


class Cancelled(Exception):
    """The work was stopped by a person."""


class Stages(Progress):
    """Listens to what the package logs in this thread, and stops its work.

    A fit ends, as if interrupted, once :meth:`cancel` was called: between two stages, or where
    kernels and searches ask.

    Parameters
    ----------
    tell : callable
        Gets the present stage in words, and the share of it that is done or None.
    """

    def __init__(self, tell: Callable[[str, float | None], None]) -> None:
        super().__init__(verbose=0, bar=False)
        self._tell, self._thread, self._cancelled = tell, get_ident(), Event()

    def cancel(self) -> None:
        """Let the work end."""
        self._cancelled.set()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Listen to the work inside, which can be stopped."""
        with super().listening(), stoppable(self._check):
            yield

    def _check(self) -> None:
        if self._cancelled.is_set():
            raise Cancelled

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of a record, or stop the work that logged it."""
        if record.thread != self._thread:
            return
        self._check()
        if hasattr(record, "stage") or hasattr(record, "share"):
            self._tell(record.getMessage(), getattr(record, "share", None))
