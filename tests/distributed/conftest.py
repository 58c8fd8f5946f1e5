"""A cluster inside the test process, and samples in a few shards."""

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from sklearn.datasets import make_blobs

from sentree.distributed import coarse, shards

QUIET = {"distributed.admin.large-graph-warning-threshold": "1 GiB"}


def local(workers, threads=1, **more):
    """A cluster without a dashboard."""
    options = {"processes": False, "dashboard_address": "127.0.0.1:0", "memory_limit": "4 GiB"}
    return LocalCluster(n_workers=workers, threads_per_worker=threads, **(options | more))


@pytest.fixture(scope="package")
def client():
    with dask.config.set(QUIET), local(2) as cluster, Client(cluster) as one:
        yield one


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """Many shards and parts for few samples."""
    monkeypatch.setattr(shards, "SHARD", 400)
    monkeypatch.setattr(coarse, "_FINE", 400)
    monkeypatch.setattr(coarse, "_PER_CLUSTER", 1)


@pytest.fixture(scope="package")
def blobs():
    return make_blobs(1500, 6, centers=5, cluster_std=1.5, random_state=3)


@pytest.fixture
def array(blobs):
    return da.from_array(blobs[0].astype(np.float64), chunks=(400, 3))
