"""Long work that another thread can stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["check", "stoppable"]

_here = threading.local()


@contextmanager
def stoppable(ask: Callable[[], None]) -> Iterator[None]:
    """Stop the work inside, in this thread, as soon as ``ask`` raises.

    Kernels ask ten times a second, and searches for neighbours at every block of samples.
    """
    before = getattr(_here, "ask", None)
    _here.ask = ask
    try:
        yield
    finally:
        _here.ask = before


def check() -> None:
    """Raise if the work of this thread is to be stopped."""
    if (ask := getattr(_here, "ask", None)) is not None:
        ask()
