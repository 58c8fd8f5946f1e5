"""Clusters on a Dask cluster of this machine, against one process with as many threads.

One run each, in turn: seconds by the clock, the number of clusters, the objective, the adjusted
Rand index against the blobs and against one machine, and the time as a ratio of that of one
machine. ``same`` says whether the labels are those of the first run on Dask: on another number of
workers, and where workers were killed (SIGKILL) at random moments. The samples are read from a .npy
file by the workers. A row is written as soon as it is known, and labels are kept in ``--work``, so
that parts which were run before count for those that are run later (empty it for another version).

    python benchmarks/on_dask.py --out benchmarks/results
    python benchmarks/on_dask.py --size 200000 --workers 1 2 3 --kills 5 --out results
    python benchmarks/on_dask.py --size 10000000 --parts kills --kills 5 --work work --out results
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import signal
import tempfile
import threading
import time
from pathlib import Path

import dask
import numpy as np
from distributed import Client, LocalCluster
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from sentree import SSEPartition
from sentree.distributed import DaskPartition
from speed import manifest

PARTS = ("one", "workers", "kills")
COLUMNS = (
    "size",
    "features",
    "what",
    "workers",
    "killed",
    "seconds",
    "ratio",
    "clusters",
    "objective",
    "objective_ratio",
    "ari",
    "ari_one",
    "same",
    "load",
)


def on_dask(path, workers, kills=0, seconds=0.0, limit="auto", seed=0):
    """Seconds, and the model, on workers of one thread; some are killed within the seconds."""
    killed = []
    with (
        dask.config.set(
            {
                "distributed.scheduler.allowed-failures": 20,
                # Else a local cluster gives up workers that take 15 seconds to come back.
                "distributed.deploy.lost-worker-timeout": "1 hour",
            }
        ),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=limit,
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster),
    ):
        done = threading.Event()

        def kill():
            draw = random.Random(seed)
            moments = sorted(draw.uniform(0, seconds) for _ in range(kills))
            start = time.perf_counter()
            for moment in moments:
                if done.wait(max(moment - (time.perf_counter() - start), 0.0)):
                    return
                pids = [one.pid for one in cluster.workers.values() if one.pid]
                if pids:
                    os.kill(draw.choice(pids), signal.SIGKILL)
                    killed.append(round(time.perf_counter() - start, 1))
                    print(f"killed a worker after {killed[-1]} s", flush=True)

        killer = threading.Thread(target=kill)
        start = time.perf_counter()
        killer.start()
        try:
            model = DaskPartition(verbose=1).fit(path)
        finally:
            took = time.perf_counter() - start
            done.set()
            killer.join()
        return took, model, killed


class Runs:
    """Runs on one data set: their rows in a CSV file, their labels and times in a folder."""

    def __init__(self, given, work):
        self.given, self.work = given, work
        self.truth = self._data()
        self.table = None if given.out is None else given.out / "on_dask.csv"

    @property
    def path(self):
        """The samples."""
        return self.work / f"rows-{self.given.size}-{self.given.features}.npy"

    def _data(self):
        """Write the samples, unless they are there; return their blobs."""
        blobs = self.path.with_suffix(".blobs.npy")
        if not blobs.exists():
            size, features = self.given.size, self.given.features
            X, y = make_blobs(size, features, centers=30, cluster_std=4.0, random_state=0)
            np.save(self.path, X)
            np.save(blobs, y)
        return np.load(blobs)

    def known(self, name):
        """Labels, seconds and objective of a run, also of one before; None where there is none."""
        path = self.path.with_suffix(f".{name}.npz")
        if not path.exists():
            return None
        with np.load(path) as found:
            return found["labels"], float(found["seconds"]), float(found["objective"])

    def keep(self, name, what, seconds, model, workers=None, killed=None):
        """Keep a run for comparisons, and write its row."""
        labels = np.asarray(model.labels_)
        first, one = self.known("dask"), self.known("one")
        more = {}
        if name != "one":
            more["same"] = None if first is None else bool((first[0] == labels).all())
        if name != "one" and one is not None:
            more["ratio"] = round(seconds / one[1], 3)
            more["objective_ratio"] = model.objective_ / one[2]
            more["ari_one"] = adjusted_rand_score(one[0], labels)
        if name == "one" or first is None:
            np.savez(
                self.path.with_suffix(f".{name}.npz"),
                labels=labels,
                seconds=seconds,
                objective=model.objective_,
            )
        row = {
            "size": self.given.size,
            "features": self.given.features,
            "what": what,
            "workers": workers,
            "killed": None if killed is None else " ".join(map(str, killed)),
            "seconds": round(seconds, 1),
            "clusters": model.n_clusters_,
            "objective": model.objective_,
            "ari": adjusted_rand_score(self.truth, labels),
            "load": round(os.getloadavg()[0], 1),
            **more,
        }
        print(row, flush=True)
        self._write(row)

    def _write(self, row):
        """Add a row to the table, on the disk when this returns."""
        if self.table is None:
            return
        new = not self.table.exists()
        with self.table.open("a", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if new:
                writer.writeheader()
            writer.writerow(row)
            file.flush()
            os.fsync(file.fileno())

    def one(self):
        """One process, with as many threads as there are workers first."""
        start = time.perf_counter()
        model = SSEPartition(n_jobs=self.given.workers[0], verbose=1).fit(np.load(self.path))
        self.keep("one", "one machine", time.perf_counter() - start, model, self.given.workers[0])

    def workers(self):
        """Dask, on every number of workers."""
        for workers in self.given.workers:
            took, model, _ = on_dask(self.path, workers, limit=self.given.limit)
            self.keep("dask", "Dask", took, model, workers)

    def kills(self):
        """Dask, while workers are killed, within the time of a run before."""
        before = self.known("dask") or self.known("one")
        seconds = self.given.within or (60.0 if before is None else before[1])
        for workers in self.given.workers[: self.given.kill_runs]:
            took, model, killed = on_dask(
                self.path, workers, self.given.kills, seconds, self.given.limit
            )
            self.keep("dask", f"Dask, {len(killed)} killed", took, model, workers, killed)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--limit", default="auto", help="memory of a worker, such as 4GiB")
    parser.add_argument("--kills", type=int, default=0, help="workers to kill in a run")
    parser.add_argument("--within", type=float, help="seconds in which they are killed")
    parser.add_argument("--kill-runs", type=int, default=1, help="for so many of --workers")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--work", type=Path, help="folder for samples and labels, kept")
    parser.add_argument("--out", type=Path, help="folder of on_dask.csv, to which rows are added")
    given = parser.parse_args()
    if given.out is not None:
        given.out.mkdir(parents=True, exist_ok=True)
        (given.out / "on_dask.json").write_text(json.dumps(manifest(), indent=2) + "\n")
    with tempfile.TemporaryDirectory() as folder:
        work = given.work or Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        runs = Runs(given, work)
        for part in given.parts:
            if part != "kills" or given.kills:
                getattr(runs, part)()


if __name__ == "__main__":
    main()
