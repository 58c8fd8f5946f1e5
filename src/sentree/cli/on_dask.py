"""``sentree cluster --dask``: the same on a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sentree.cli import inputs as given
from sentree.cli import outputs as results
from sentree.cli.console import Console, Misuse
from sentree.cli.fitting import Task
from sentree.cli.options import Preparation, Statements, Table

#: Seconds that a scheduler has to answer.
_PATIENCE = 20
#: Ends of names of files that workers read in parts.
_IN_PARTS = (".parquet", ".pq", ".npy", ".zarr")


def cluster_on_dask(
    address: str,
    task: Task,
    out: str,
    resolution: float | None,
    n_init: int,
    console: Console,
) -> None:
    """Cluster on the workers of a cluster, and write the cluster of each sample."""
    _check(task)
    workers = _workers(address)
    in_parts = _read_by_workers(task)
    samples: Any = None
    known: Any = None
    if in_parts:
        given.refuse_overwriting([task.source], [out])
    else:
        task = replace(task, preparation=Preparation(prepare="none"))
        samples, known, _ = task.read([out], console)
    with _client(address, workers, console) as client:
        from sentree.distributed import DaskPartition

        more: dict[str, Any] = {"constraints": known}
        if samples is not None:
            more |= given.read_start(task.search, samples, task.said.by)
            more |= given.read_size_weight(task.search.size_weight, samples)
        model = task.search.on_dask(
            DaskPartition, task.graph, resolution=resolution, n_init=n_init, client=client
        )
        model.fit(task.source if in_parts else samples.X, **more)
        labels = model.labels_.compute()
    _tell(model, labels, console)
    columns: dict[str, Any] = {"cluster": labels}
    if model.constraints_.label_index.size:
        names = model.cluster_names_
        columns["label"] = [None if names[k] is None else str(names[k]) for k in labels]
    if samples is not None:
        results.write_clusters(out, columns, samples, console)
        return
    from sentree import io

    with console.step(f"writing {out}", "writing"):
        io.write_table(out, {"row": range(labels.size)} | columns)
    console.wrote(out, "cluster of each sample")


def _check(task: Task) -> None:
    """Refuse options that need all samples in one place."""
    wanted, search = task.wanted, task.search
    refused = {
        "--plot": wanted.plot,
        "--report": wanted.report,
        "--model": wanted.model,
        "--map": wanted.map,
        "--append": task.append,
        "--distances": search.distances,
        "--search": search.search != "auto",
        **{f"--{name.replace('_', '-')}": True for name in task.preparation.switches},
    }
    for option, asked in refused.items():
        if asked:
            raise Misuse(f"{option} does not go with --dask, which only writes clusters")
    if search.affinity not in ("auto", "gaussian"):
        raise Misuse(f"--affinity must be auto or gaussian with --dask; got {search.affinity!r}")


def _read_by_workers(task: Task) -> bool:
    """Tell whether workers read the data: nothing needs ids, columns or rows here."""
    plain = task.said == Statements() and task.table == Table()
    search = replace(task.search, size_weight=None, init=None, locked=None) == task.search
    named = Path(task.source).suffix.lower() in _IN_PARTS or Path(task.source).is_dir()
    if task.graph and not named:
        raise Misuse("--graph with --dask takes an edge list as Parquet, with columns i, j, weight")
    if task.graph and not (plain and search):
        raise Misuse(
            "--graph with --dask takes no constraints: sentree.distributed does, in Python"
        )
    return named and plain and search


def _workers(address: str) -> int | None:
    """Return N of local:N; None where no number is said."""
    kind, _, number = address.partition(":")
    if kind != "local" or not number:
        return None
    if not number.isdecimal() or int(number) < 1:
        raise Misuse(f"--dask local:N takes a number of workers, got {address!r}")
    return int(number)


@contextmanager
def _client(address: str, workers: int | None, console: Console) -> Iterator[Any]:
    """Connect to a scheduler, or start workers on this machine."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise ImportError("--dask needs Dask: pip install 'sentree[dask]'") from None
    # What fails is told once, in our words.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if address.partition(":")[0] != "local":
        with _connected(Client, address) as client:
            console.detail(f"the dashboard is at {client.dashboard_link}")
            yield client
        return
    with (
        # A worker that was killed may take long to come back on a busy machine.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "30 minutes"}),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        console.detail(f"the dashboard is at {client.dashboard_link}")
        yield client


def _connected(kind: Any, address: str) -> Any:
    """Return a client of the scheduler at an address; say what to look at where none answers."""
    what = "--dask takes the address of a scheduler, such as tcp://host:8786, or local[:N]"
    try:
        return kind(address, timeout=_PATIENCE)
    except ValueError as error:
        raise Misuse(f"{what}; got {address!r} ({error})") from None
    except OSError:
        raise OSError(
            f"no Dask scheduler answers at {address} within {_PATIENCE} seconds: is it running "
            "('dask scheduler'), are host and port right, and does it use TLS (tls://)? "
            "--dask local:2 needs none"
        ) from None


def _tell(model: Any, labels: Any, console: Console) -> None:
    """Say what was found."""
    import numpy as np

    found = model.n_clusters_
    console.say(f"{found} cluster{'s' if found > 1 else ''} of {labels.size} samples")
    sizes = np.bincount(labels)
    for k in np.argsort(-sizes, kind="stable")[:20].tolist():
        name = model.cluster_names_[k]
        console.say(f"  {k:>7}  {sizes[k]:>9}" + ("" if name is None else f"  {name}"))
    report = model.constraint_report_
    if report.n_given:
        console.say(f"constraints kept: {report.n_given - report.n_broken} of {report.n_given}")
