"""Clusters on a Dask cluster of this machine, against one process with as many threads.

One run each, in turn: seconds by the clock, the number of clusters, the objective, the adjusted
Rand index against the blobs and against one machine. ``same`` says whether the labels are those of
the first run on Dask: on another number of workers, and where workers were killed (SIGKILL) at
random moments. The samples are read from a .npy file by the workers.

    python benchmarks/on_dask.py --out benchmarks/results
    python benchmarks/on_dask.py --size 100000 --workers 2 1 3 --kills 5
"""

from __future__ import annotations

import argparse
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
import pandas as pd
from distributed import Client, LocalCluster
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from sentree import SSEPartition
from sentree.distributed import DaskPartition
from speed import manifest


def on_dask(path, workers, kills, seconds, seed=0):
    """Seconds, and the model, on workers of one thread; some are killed within the seconds."""
    killed = []
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 20}),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0"
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

        killer = threading.Thread(target=kill)
        start = time.perf_counter()
        killer.start()
        model = DaskPartition(verbose=1).fit(path)
        took = time.perf_counter() - start
        done.set()
        killer.join()
        return took, model, killed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    X, y = make_blobs(given.size, given.features, centers=30, cluster_std=4.0, random_state=0)
    rows = []

    def tell(what, seconds, clusters, objective, labels, first, one, **more):
        rows.append(
            {
                "what": what,
                "seconds": round(seconds, 1),
                "clusters": clusters,
                "objective": objective,
                "ari": adjusted_rand_score(y, labels),
                "ari_one": None if one is None else adjusted_rand_score(one, labels),
                "same": None if first is None else bool((first == labels).all()),
                "load": round(os.getloadavg()[0], 1),
                **more,
            }
        )
        print(rows[-1], flush=True)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, X)
        start = time.perf_counter()
        model = SSEPartition(n_jobs=given.workers[0], verbose=1).fit(np.load(path))
        took, one = time.perf_counter() - start, model.labels_
        tell("one machine", took, model.n_clusters_, model.objective_, one, None, None)
        first, seconds = None, took
        for workers in given.workers:
            took, model, _ = on_dask(path, workers, 0, 0)
            labels = model.labels_.compute()
            name = f"Dask, {workers} workers"
            tell(name, took, model.n_clusters_, model.objective_, labels, first, one)
            first = labels if first is None else first
            seconds = min(seconds, took)
        if given.kills:
            took, model, killed = on_dask(path, given.workers[0], given.kills, seconds)
            labels = model.labels_.compute()
            name = f"Dask, {len(killed)} workers killed"
            tell(name, took, model.n_clusters_, model.objective_, labels, first, one, killed=killed)
    if given.out is not None:
        given.out.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(rows).to_csv(given.out / "on_dask.csv", index=False)
        told = manifest() | {"size": given.size, "features": given.features}
        (given.out / "on_dask.json").write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
