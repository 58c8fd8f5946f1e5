"""How many threads the kernels of one thread's work may use."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from joblib import effective_n_jobs

__all__ = ["sharing", "use_threads"]

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
    _here.count = effective_n_jobs(n_jobs)
    try:
        yield
    finally:
        _here.count = before


def sharing() -> tuple[int, int]:
    """Return how many threads kernels may use now, and from how many vertices on they do."""
    return getattr(_here, "count", 1), _MANY
