"""How many threads the kernels of one thread's work may use."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from joblib import effective_n_jobs

__all__ = ["n_threads", "use_threads"]

_here = threading.local()


@contextmanager
def use_threads(n_jobs: int | None) -> Iterator[None]:
    """Let the kernels that are called inside, from this thread, use several threads.

    ``n_jobs`` has scikit-learn's meaning: None is 1 unless a ``joblib.parallel_config`` says
    otherwise, and -1 is as many as there are cores. Searches that run in threads of their own use
    one each.
    """
    before = n_threads()
    _here.count = effective_n_jobs(n_jobs)
    try:
        yield
    finally:
        _here.count = before


def n_threads() -> int:
    """Return the number of threads that a kernel may use now."""
    return getattr(_here, "count", 1)
