"""One cell, in a process of its own: draw, fit, score."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from sentree.datasets import load_paper

# What methods need, loaded once in the server that workers are forked from.
from sentree.estimators import partition  # noqa: F401
from sentree.metrics import dendrogram_purity
from sentree.paper.reproduce.grid import Cell
from sentree.paper.reproduce.methods import METHODS, Result, Task
from sentree.paper.reproduce.store import Outcome

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]


def work(
    pipe: Connection, cell: Cell, seed: int, protocol: str, data_dir: str | None, timeout: float
) -> None:
    """Run a cell and send its outcome through the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    threading.Thread(target=_follow_the_parent, daemon=True).start()
    if resource is not None and np.isfinite(timeout):
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        limit = int(np.ceil(timeout))
        if most in (resource.RLIM_INFINITY, -1) or limit < most:
            resource.setrlimit(resource.RLIMIT_CPU, (limit, most))
    outcome = outcome_of(cell, seed, protocol, data_dir)
    with suppress(BrokenPipeError):  # the parent was stopped
        pipe.send(outcome)
    pipe.close()


def outcome_of(cell: Cell, seed: int, protocol: str, data_dir: str | None) -> Outcome:
    """Run a cell; a method that fails makes a note."""
    X, y = load_paper(cell.dataset, data_dir)
    task = Task(cell.dataset, X, y, cell.constraint, cell.amount, seed + cell.draw, protocol)
    start = time.process_time()
    values: dict[str, float | None] = {}
    note = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            method = METHODS[cell.method]
            given = method.draw(task)
            start = time.process_time()
            result = method.run(task, given)
            seconds = time.process_time() - start
            values = scores(y, result)
        except Exception as error:
            seconds = time.process_time() - start
            message = " ".join(str(error).split())[:300]
            note = f"failed: {type(error).__name__}: {message}"
    return Outcome(values, seconds, _peak_memory(), note)


def scores(y: Any, result: Result) -> dict[str, float | None]:
    """Score a result in per cent, on all samples."""
    ari = np.mean([adjusted_rand_score(y, labels) for labels in result.labels])
    nmi = np.mean([normalized_mutual_info_score(y, labels) for labels in result.labels])
    found: dict[str, float | None] = {"ARI": 100 * float(ari), "NMI": 100 * float(nmi)}
    if result.tree is not None:
        found["DP"] = 100 * dendrogram_purity(result.tree, y)
    return found


def _peak_memory() -> float:
    """Return the most memory of this process in MB."""
    if resource is None:
        return float("nan")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def _follow_the_parent() -> None:
    """End with the parent, also when it is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
