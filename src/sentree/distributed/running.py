"""Work on the workers of a cluster: tasks with readable names, gathered whatever gets lost."""

from __future__ import annotations

import logging
import pkgutil
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sentree import __version__
from sentree._util.stopping import check

__all__ = ["Crowd", "current_client", "in_bytes"]

logger = logging.getLogger(__name__)

#: How often a task is tried again by the scheduler where it fails.
_RETRIES = 3
#: How often lost work is asked for again before the error is passed on.
_AGAIN = 5
#: Share of the memory of a worker that tasks may need: Dask spills from 0.6 on, pauses at 0.8.
_SHARE = 0.5
#: Seconds that a cluster without workers is given to start some.
_PATIENCE = 60
#: Seconds after which it is looked whether there are workers, and for which none may be there
#: while work goes on: machines come back, a queue may be long.
_LOOK, _LONELY = 10, 1800
#: Most workers that a message names.
_NAMED = 3
#: Share of the memory of all workers up to which samples are read once, and kept meanwhile.
_HELD = 0.2


def current_client(client: Any) -> Any:
    """Return a Dask client: the one given, or the current one."""
    if client is None:
        try:
            from distributed import get_client

            client = get_client()
        except ImportError:
            raise ImportError(
                "sentree.distributed needs Dask: pip install 'sentree[dask]'"
            ) from None
        except ValueError:
            raise ValueError(
                "there is no Dask client: make one, such as distributed.Client() for this machine "
                "or distributed.Client('tcp://scheduler:8786') for a cluster, or pass client="
            ) from None
    if not hasattr(client, "submit"):
        raise TypeError(f"client must be a distributed.Client, got {type(client).__name__}")
    if client.asynchronous:
        raise ValueError("the Dask client is asynchronous: pass one without asynchronous=True")
    if client.status != "running":
        raise ValueError(f"the Dask client is {client.status}: make a new one")
    return client


class Crowd:
    """The workers of a client, for one fit.

    Tasks are functions of their arguments alone, and those that others need are kept with all that
    leads to them. So what a lost worker held is computed again, and is the same.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._run = uuid.uuid4().hex[:8]
        self._made = 0

    def check_versions(self) -> None:
        """Refuse a cluster whose scheduler or workers have another sentree, or none.

        The scheduler reads the names of our functions, so it needs them, too.
        """
        self._workers()
        name = "sentree:__version__"
        found: dict[str, Any] = self.client.run(pkgutil.resolve_name, name, on_error="return")
        # Workers that are lost meanwhile, or join later, are not asked.
        found = {f"worker {at}": one for at, one in found.items() if not isinstance(one, OSError)}
        try:
            found["the scheduler"] = self.client.run_on_scheduler(pkgutil.resolve_name, name)
        except (ImportError, AttributeError) as error:
            found["the scheduler"] = error
        mine = __version__
        wrong = [
            f"{who} has {'none' if isinstance(one, Exception) else one}"
            for who, one in sorted(found.items())
            if one != mine
        ]
        if wrong:
            more = len(wrong) - _NAMED
            told = ", ".join(wrong[:_NAMED]) + (f", and {more} more like these" * (more > 0))
            raise ValueError(
                f"sentree {mine} is here, but {told}: install the same on all of them (pip install "
                f"'sentree[dask]=={mine}') and start them again"
            )

    def submit(self, name: str, function: Callable[..., Any], *args: Any, **more: Any) -> Any:
        """Start a task under a name that the dashboard shows; return its future."""
        self._made += 1
        key = f"sentree-{name}-{self._run}-{self._made}"
        return self.client.submit(function, *args, key=key, pure=False, retries=_RETRIES, **more)

    def each(
        self, name: str, function: Callable[..., Any], *columns: Iterable[Any], **same: Any
    ) -> list[Any]:
        """Start a task for each row of arguments."""
        return [self.submit(name, function, *row, **same) for row in zip(*columns, strict=True)]

    def delayed(
        self, name: str, function: Callable[..., Any], parts: Sequence[Any], *columns: Any
    ) -> list[Any]:
        """Start a task for each delayed part; other arguments are lists of as many, or the same."""
        import dask

        made = []
        for k, part in enumerate(parts):
            args = [one[k] if isinstance(one, list) else one for one in columns]
            self._made += 1
            key = f"sentree-{name}-{self._run}-{self._made}"
            made.append(dask.delayed(function, pure=False)(part, *args, dask_key_name=key))
        return self._computed(made)

    def held(self, parts: Sequence[Any], size: int) -> list[Any]:
        """Read delayed parts, of ``size`` bytes in all, once if they fit; else return them."""
        limits = self._limits()
        if 0 not in limits and size > _HELD * sum(limits):
            return list(parts)
        return self._computed(parts)

    def _computed(self, parts: Sequence[Any]) -> list[Any]:
        """Start delayed tasks; arrays of this process may be in their graph."""
        import dask

        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            futures: list[Any] = self.client.compute(list(parts), retries=_RETRIES)
        return futures

    def gather(self, futures: Sequence[Any], told: str = "") -> list[Any]:
        """Return results in order; what gets lost with its workers is computed again."""
        from distributed import CancelledError, KilledWorker

        futures = list(futures)
        for attempt in range(_AGAIN + 1):
            try:
                self._wait(futures, told)
                results: list[Any] = self.client.gather(futures)
                return results
            except TimeoutError:
                raise
            except FileNotFoundError as error:
                raise FileNotFoundError(
                    f"a worker finds no {error.filename or error}: put it where all workers see it "
                    "under the same name"
                ) from error
            except (KilledWorker, CancelledError, OSError) as error:
                if not self._again(futures):
                    raise ConnectionError(
                        "the work was cancelled, or the scheduler was lost, and what workers held "
                        "with it: start again, with a scheduler that outlives the run"
                    ) from error
                if attempt == _AGAIN and isinstance(error, KilledWorker):
                    raise ChildProcessError(
                        f"{error.task} lost its worker again and again: see the log of the workers "
                        "for who ended them, and give them more memory if that was the system"
                    ) from error
                if attempt == _AGAIN:
                    raise
                logger.info("a worker was lost (%s): its work is done again", type(error).__name__)
        raise AssertionError("the last attempt returns or raises")

    def _wait(self, futures: Sequence[Any], told: str) -> None:
        """Wait for results, and tell how many there are; give up where no worker is left."""
        from distributed import wait

        pending, lonely = set(futures), 0
        when = "FIRST_COMPLETED" if told else "ALL_COMPLETED"
        while pending:
            check()
            try:
                with self.client.as_current():
                    pending = wait(pending, timeout=_LOOK, return_when=when).not_done
            except TimeoutError:
                there = self.client.scheduler_info(n_workers=-1)["workers"]
                lonely = 0 if there else lonely + _LOOK
                if lonely >= _LONELY:
                    raise TimeoutError(
                        f"all workers are gone, and none came back in {_LONELY} seconds: see their "
                        "logs for who ended them"
                    ) from None
                if lonely:
                    logger.info("no worker is left: waiting for one")
                continue
            if told:
                done = len(futures) - len(pending)
                logger.info(told, done, len(futures), extra={"share": done / len(futures)})

    def _again(self, futures: Sequence[Any]) -> bool:
        """Ask again for what was lost; tell whether that is possible."""
        if any(future.cancelled() for future in futures):
            return False
        lost = [future for future in futures if future.status == "error"]
        self.client.retry(lost)
        return True

    def _workers(self) -> list[dict[str, Any]]:
        """Return what the scheduler knows of its workers; wait for one where there is none yet."""
        found = self.client.scheduler_info(n_workers=-1)["workers"]
        if not found:
            logger.info("waiting for a worker", extra={"stage": "workers"})
            try:
                self.client.wait_for_workers(1, timeout=_PATIENCE)
            except TimeoutError:
                at = self.client.scheduler.address
                raise TimeoutError(
                    f"the scheduler at {at} has had no worker for {_PATIENCE} seconds: start some "
                    f"('dask worker {at}'), or wait for them with client.wait_for_workers(1)"
                ) from None
            found = self.client.scheduler_info(n_workers=-1)["workers"]
        return list(found.values())

    def _limits(self) -> list[int]:
        """Return the bytes of every worker; 0 for one without a limit."""
        return [one["memory_limit"] or 0 for one in self._workers()]

    def room(self) -> float:
        """Return the bytes that one of the tasks of all threads may need."""
        rooms = [
            _SHARE * one["memory_limit"] / one["nthreads"]
            for one in self._workers()
            if one["memory_limit"]
        ]
        return min(rooms, default=float("inf"))

    def require(self, what: str, count: int, size: int, remedy: str, alone: bool = False) -> None:
        """Refuse work for which the workers have too little memory, before it starts.

        ``what`` are the things, of which one task holds ``count`` of ``size`` bytes each. A worker
        runs as many such tasks as it has threads, unless there is one ``alone``.
        """
        limited = [one for one in self._workers() if one["memory_limit"]]
        needed = count * size
        for one in sorted(limited, key=lambda one: one["memory_limit"] / one["nthreads"]):
            limit, tasks = one["memory_limit"], 1 if alone else one["nthreads"]
            if needed * tasks > _SHARE * limit:
                at_once = f"{in_bytes(needed)} for a task"
                if tasks > 1:
                    at_once += f", {in_bytes(needed * tasks)} for its {tasks} threads"
                raise MemoryError(
                    f"{count:,} {what} x {size:,} bytes = {at_once}, but worker {one['name']} has "
                    f"a limit of {in_bytes(limit)}, of which tasks may use {_SHARE:.0%}: {remedy}"
                )


def in_bytes(size: float) -> str:
    """Say a number of bytes."""
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} GiB"
