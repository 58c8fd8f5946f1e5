"""How many threads the kernels of one thread's work may use."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from joblib import cpu_count
from joblib.parallel import get_active_backend

__all__ = ["count_threads", "sharing", "use_threads"]

#: From this many vertices on, kernels decide several at the same time, however many threads there
#: are. So results do not depend on threads, and small graphs are searched as carefully as can be.
_MANY = 50_000

_here = threading.local()


@contextmanager
def use_threads(n_jobs: int | None) -> Iterator[None]:
    """Let the kernels that are called inside, from this thread, use several threads.

    ``n_jobs`` has scikit-learn's meaning: None is 1 unless a ``joblib.parallel_config`` says
    otherwise, and -1 is as many as there are cores. Searches that run in threads of their own use
    one each.
    """
    before = getattr(_here, "count", 1)
    _here.count = count_threads(n_jobs)
    try:
        yield
    finally:
        _here.count = before


def count_threads(n_jobs: int | None) -> int:
    """Return a number of threads. (joblib's own function would look for processes as well.)"""
    if n_jobs is None:
        n_jobs = get_active_backend()[1] or 1
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0: give a number of threads, -1 for all, or None")
    return n_jobs if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)


def sharing() -> tuple[int, int]:
    """Return how many threads kernels may use now, and from how many vertices on they do."""
    return getattr(_here, "count", 1), _MANY
