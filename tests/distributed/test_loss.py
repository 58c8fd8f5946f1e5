"""Workers that are killed while they work: the result is the same."""

import logging
import os
import signal
import threading

import dask
import pytest
from distributed import Client, LocalCluster

from sentree.distributed import DaskPartition


class Killer(logging.Handler):
    """Kills a worker shortly after a stage begins."""

    def __init__(self, client, stages):
        super().__init__()
        self.client, self.stages, self.killed = client, list(stages), []

    def emit(self, record):
        stage = getattr(record, "stage", None)
        if stage not in self.stages:
            return
        self.stages.remove(stage)
        pids = sorted(self.client.run(os.getpid).values())
        victim = pids[len(self.killed) % len(pids)]
        self.killed.append(victim)
        threading.Timer(0.05, os.kill, (victim, signal.SIGKILL)).start()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_killed_workers_change_nothing(client, array):
    wanted = DaskPartition(n_clusters=5, client=client).fit(array).labels_.compute()
    logger = logging.getLogger("sentree")
    level = logger.level
    more = {"dashboard_address": "127.0.0.1:0", "memory_limit": "2 GiB"}
    with (
        dask.config.set(
            {
                "distributed.scheduler.allowed-failures": 10,
                "distributed.deploy.lost-worker-timeout": "1 hour",  # on a busy machine
            }
        ),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **more) as cluster,
        Client(cluster) as real,
    ):
        killer = Killer(real, ["graph"])  # what the neighbours took is on the workers
        logger.addHandler(killer)
        logger.setLevel(logging.INFO)
        try:
            model = DaskPartition(n_clusters=5, client=real).fit(array)
        finally:
            logger.removeHandler(killer)
            logger.setLevel(level)
    assert len(killer.killed) == 1
    assert (model.labels_.compute() == wanted).all()
