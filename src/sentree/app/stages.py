"""How far long work is, told as it goes, and the place where it can be stopped."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, get_ident

from sentree._util.progress import Progress

__all__ = ["Cancelled", "Stages"]


class Cancelled(Exception):
    """The work was stopped by a person."""


class Stages(Progress):
    """Listens to what the package logs in this thread.

    Between two stages of a fit a record is logged; there the fit ends, as if interrupted, once
    :meth:`cancel` was called.

    Parameters
    ----------
    tell : callable
        Gets the present stage in words, and the share of it that is done or None.
    """

    def __init__(self, tell: Callable[[str, float | None], None]) -> None:
        super().__init__(verbose=0, bar=False)
        self._tell, self._thread, self._cancelled = tell, get_ident(), Event()

    def cancel(self) -> None:
        """Let the work end at its next stage."""
        self._cancelled.set()

    def emit(self, record: logging.LogRecord) -> None:
        """Tell of a record, or stop the work that logged it."""
        if record.thread != self._thread:
            return
        if self._cancelled.is_set():
            raise Cancelled
        if hasattr(record, "stage") or hasattr(record, "share"):
            self._tell(record.getMessage(), getattr(record, "share", None))
