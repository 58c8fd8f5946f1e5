"""``sentree cluster --dask``."""

import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from command import sentree_command
from flowers import call
from sentree.cli import on_dask


@pytest.fixture(scope="module")
def address():
    """The scheduler of a cluster in this process."""
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=False,
            protocol="tcp",
            dashboard_address="127.0.0.1:0",
        ) as cluster,
        Client(cluster, set_as_default=False),
    ):
        yield cluster.scheduler_address


def test_two_workers_of_this_machine(tmp_path):
    X, y = make_blobs(600, 4, centers=3, random_state=0)
    np.save(tmp_path / "rows.npy", X)
    done = sentree_command("cluster", "rows.npy", "--dask", "local:2", cwd=tmp_path)
    assert done.returncode == 0, done.output
    assert "3 clusters of 600 samples" in done.stdout
    found = pd.read_csv(tmp_path / "rows-clusters.csv")
    assert found["row"].tolist() == list(range(600))
    assert adjusted_rand_score(y, found["cluster"]) > 0.98


def test_a_scheduler_and_known_classes(flowers, address):
    options = ("--labels", "species", "--dask", address, "--out", "found.csv")
    done = call(flowers, "cluster", "flowers.csv", *options)
    assert "constraints kept: 15 of 15" in done.stdout
    found = pd.read_csv(flowers / "found.csv")
    assert set(found["label"]) == {"setosa", "versicolor", "virginica"}
    assert len(found) == 150


def test_parquet_is_read_by_workers(tmp_path, address):
    X, y = make_blobs(500, 4, centers=3, random_state=0)
    pd.DataFrame(X, columns=list("abcd")).to_parquet(tmp_path / "rows.parquet")
    options = ("-k", "3", "--dask", address, "--out", "found.parquet")
    done = sentree_command("cluster", "rows.parquet", *options, cwd=tmp_path)
    assert done.returncode == 0, done.output
    assert adjusted_rand_score(y, pd.read_parquet(tmp_path / "found.parquet")["cluster"]) > 0.98


def test_nobody_answers(flowers, monkeypatch):
    monkeypatch.setattr(on_dask, "_PATIENCE", 0.2)
    with pytest.raises(OSError, match="no Dask scheduler answers at tcp://127.0.0.1:9 within 0.2"):
        on_dask._connected(Client, "tcp://127.0.0.1:9")
    with pytest.raises(ValueError, match="address of a scheduler, such as tcp://host:8786"):
        on_dask._connected(Client, "nothing://here")


def test_gaps_are_told_once(tmp_path, address):
    X = np.ones((50, 3))
    X[7, 1] = np.nan
    np.save(tmp_path / "rows.npy", X)
    done = sentree_command("cluster", "rows.npy", "--dask", address, cwd=tmp_path)
    assert done.returncode == 1
    assert "nan in row 7, column 1" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--plot", "x.png"], "--plot does not go with --dask"),
        (["--append"], "--append does not go with --dask"),
        (["--affinity", "cosine"], "auto or gaussian"),
        (["--graph"], "edge list as Parquet"),
        (["--dask", "local:none"], "number of workers"),
    ],
)
def test_options_that_do_not_fit(flowers, options, told):
    more = [] if "--dask" in options else ["--dask", "local:1"]
    done = sentree_command("cluster", "flowers.csv", *options, *more, cwd=flowers)
    assert done.returncode == 2
    assert told in done.stderr
