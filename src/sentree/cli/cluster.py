"""``sentree cluster``: from a table or graph to clusters."""

from __future__ import annotations

from dataclasses import replace

from sentree.cli import options as o
from sentree.cli.console import Misuse


@o.grouped
def cluster(
    data: o.Data,
    *,
    said: o.Statements,
    constraints: o.ConstraintFile = None,
    search: o.Search,
    resolution: o.Resolution = None,
    n_init: o.NInit = 1,
    graph: o.IsGraph = False,
    dask: o.Dask = None,
    table: o.Table,
    preparation: o.Preparation,
    out: o.Out = None,
    append: o.Append = False,
    work: o.Work = None,
    wanted: o.Results,
    verbosity: o.Verbosity,
) -> None:
    """Cluster samples or a graph, with what is known about them.

    Every sample gets a cluster, a strength (its probability, 0 to 1) and, where
    classes are known, the label of its cluster.

    Examples:

      sentree cluster flowers.csv --labels species

      sentree cluster flowers.csv -k 3 --must-link same.csv --cannot-link different.csv

      sentree cluster cells.h5ad --layer X_pca --labels type --report report.html

      sentree cluster customers.xlsx --append --out customers-in-kinds.xlsx

      sentree cluster friends.graphml --graph --plot friends.png

      zcat big.csv.gz | sentree cluster - --out - > clusters.csv

      sentree cluster measurements.parquet --dask tcp://scheduler:8786 --out clusters.parquet
    """
    from sentree.cli import outputs as results
    from sentree.cli.fitting import Task
    from sentree.cli.working import working

    out = out or results.default_name(data, results.table_named("clusters", data, append))
    said = replace(said, constraints=constraints)
    task = Task(data, graph, table, said, search, wanted, append, preparation)
    with verbosity.console(to_stderr=out == "-") as talk:
        results.check_table("--out", out)
        results.check_illustrations(wanted)
        if search.n_clusters is not None and resolution is not None:
            raise Misuse("--n-clusters and --resolution both set the scale: give one of them")
        if resolution is not None and not 0 < resolution < float("inf"):
            raise Misuse(f"--resolution must be above 0, got {resolution}")
        if dask is not None:
            from sentree.cli.on_dask import cluster_on_dask

            cluster_on_dask(dask, task, out, resolution, n_init, talk)
            return
        samples, known, places = task.read([out], talk)

        with working(work, out, samples.n, talk):
            with talk.step("getting ready to cluster", "start"):
                from sentree import SSEPartition

                more = {"resolution": resolution, "n_init": n_init}
                fitted = task.fit(SSEPartition, samples, known, **more)
            results.tell(fitted, samples, talk)
            task.write_clusters(out, fitted, samples, talk)
            task.write(fitted, samples, places, talk)
