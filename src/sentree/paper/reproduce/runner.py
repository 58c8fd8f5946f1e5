"""The grid in worker processes: one process per cell, so that each is alone and can be stopped."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from sentree.datasets import PAPER_SETS
from sentree.paper.reproduce.grid import Cell
from sentree.paper.reproduce.methods import METHODS
from sentree.paper.reproduce.store import Outcome

#: One thread per worker: results do not depend on the number of cores, nor workers on one another.
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: A worker may take this many times the limit of CPU time on the clock before it counts as stuck.
_PATIENCE = 5.0


class _Running(NamedTuple):
    cell: Cell
    process: Any
    started: float

    @property
    def seconds(self) -> float:
        """How long it has been running, on the clock."""
        return time.monotonic() - self.started


def workload(cell: Cell) -> int:
    """Guess the work of a cell in tenths of a CPU second, to estimate the remaining time."""
    return round(5 + 10 * METHODS[cell.method].seconds * (PAPER_SETS[cell.dataset].n / 2100) ** 2)


def run(
    cells: Sequence[Cell],
    *,
    seed: int,
    protocol: str,
    jobs: int,
    timeout: float,
    data_dir: str | None = None,
) -> Generator[tuple[Cell, Outcome]]:
    """Run cells and yield each with its outcome as soon as it is finished.

    Closing the iterator, or an error in whoever reads it, stops the workers.
    """
    context = _context()
    waiting = deque(cells)
    running: dict[Connection, _Running] = {}
    with _one_thread():
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    cell = waiting.popleft()
                    receive, send = context.Pipe(duplex=False)
                    process = context.Process(
                        target=_work, args=(send, cell, seed, protocol, data_dir, timeout)
                    )
                    with _no_interrupt():
                        process.start()
                        running[receive] = _Running(cell, process, time.monotonic())
                    send.close()
                ready = wait(list(running), timeout=1.0)
                for pipe, worker in list(running.items()):
                    stuck = pipe not in ready and worker.seconds > _PATIENCE * timeout
                    if stuck:
                        worker.process.kill()
                    if stuck or pipe in ready:
                        del running[pipe]
                        yield worker.cell, _outcome(pipe, worker, timeout, stuck)
        finally:
            for worker in running.values():
                worker.process.kill()
            for worker in running.values():
                worker.process.join()


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Hold Ctrl-C back: a worker whose start is broken off prints a traceback."""
    if threading.current_thread() is not threading.main_thread():  # where no signal arrives
        yield
        return
    held: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    try:
        yield
    finally:
        if before is not None:  # set by another language
            signal.signal(signal.SIGINT, before)
    if held and callable(before):
        before(signal.SIGINT, None)


def _work(*arguments: Any) -> None:
    from sentree.paper.reproduce.worker import work

    work(*arguments)


def _outcome(pipe: Connection, worker: _Running, timeout: float, stuck: bool) -> Outcome:
    """Receive what a worker found, or say how it ended."""
    try:
        outcome: Outcome | None = pipe.recv()
    except (EOFError, OSError):
        outcome = None
    pipe.close()
    worker.process.join()
    if outcome is not None:
        return outcome
    code = worker.process.exitcode
    ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    if stuck:
        return Outcome({}, timeout, 0.0, f"over time: more than {worker.seconds:.0f} s")
    if ended == "SIGXCPU":
        return Outcome({}, timeout, 0.0, f"over time: more than {timeout:g} s of CPU time")
    return Outcome({}, worker.seconds, 0.0, f"failed: the process ended by {ended}")


def _context() -> Any:
    """Fork workers from a small server that has loaded the libraries, where that is possible."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["sentree.paper.reproduce.worker"])
    return context


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that are started here use one thread each."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
