"""A measurement in a process of its own, on so many cores, ended when it takes too long.

A script that measures several programs calls itself for each of them: what one leaves behind
(threads, memory, compiled code) is not there for the next, and a slow one does not keep the others.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd

#: What numerical libraries read their number of threads from.
THREADS = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
    *("NUMBA_NUM_THREADS", "RAYON_NUM_THREADS"),
)


def alone(script, *arguments, threads, timeout):
    """Run a script; what it ``told``, or a note of what went wrong."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    command = [sys.executable, script, *map(str, arguments), "--threads", str(threads)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
            env=os.environ | dict.fromkeys(THREADS, str(len(cores))),
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
    except subprocess.TimeoutExpired:
        return {"note": f"over time: more than {timeout:g} s"}
    if done.returncode:
        said = (done.stderr.strip() or f"ended with {done.returncode}").splitlines()[-1]
        return {"note": f"failed: {said[:200]}"}
    return json.loads(done.stdout.splitlines()[-1])


def tell(**found):
    """Print what was measured, and the most memory the process had, for ``alone`` to read."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(found | {"peak_bytes": peak}))


class Clock:
    """Wall-clock and CPU seconds of what is done inside ``with``, added up."""

    def __init__(self):
        self.seconds = self.cpu_seconds = 0.0

    def __enter__(self):
        self._began = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_):
        self.seconds += time.perf_counter() - self._began[0]
        self.cpu_seconds += time.process_time() - self._began[1]

    def told(self):
        """Return both as a dictionary."""
        return {"seconds": round(self.seconds, 5), "cpu_seconds": round(self.cpu_seconds, 5)}


def versions(*packages):
    """Return the installed versions; None of what is missing."""

    def one(name):
        try:
            return version(name)
        except PackageNotFoundError:
            return None

    return {name: one(name) for name in packages}


def write(rows, record, out, name):
    """Keep a table as CSV beside its manifest, and return it."""
    table = pd.DataFrame(rows)
    if out:
        out = Path(out)
        out.mkdir(parents=True, exist_ok=True)
        table.to_csv(out / f"{name}.csv", index=False)
        (out / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n")
    return table
