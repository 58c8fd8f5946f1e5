"""``sentree cluster``: from a table or graph to clusters."""

from __future__ import annotations

from typing import Annotated

import typer

from sentree.cli import options as o
from sentree.cli.console import Misuse, console

__all__ = ["cluster"]


def cluster(
    data: o.Data,
    labels: o.Labels = None,
    must_link: o.MustLink = None,
    cannot_link: o.CannotLink = None,
    not_label: o.NotLabel = None,
    constraints: o.ConstraintFile = None,
    classes: o.Classes = None,
    by: o.By = "auto",
    hard: o.Hard = False,
    penalty: o.Penalty = 1.0,
    n_clusters: o.NClusters = None,
    resolution: o.Resolution = None,
    graph: o.IsGraph = False,
    id_column: o.Id = None,
    drop: o.Drop = None,
    layer: o.Layer = None,
    format: o.Format = None,
    separator: o.Separator = None,
    header: o.Header = None,
    neighbors: o.Neighbors = None,
    affinity: o.Affinity = "auto",
    seed: o.Seed = 0,
    jobs: o.Jobs = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Cluster of each sample: CSV, TSV, Parquet or JSON, '-' for standard output. "
            "Else DATA-clusters.csv in this folder ('-' for DATA '-').",
        ),
    ] = None,
    plot: o.Plot = None,
    map: o.Map = None,
    report: o.Report = None,
    model: o.Model = None,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
) -> None:
    """Cluster samples or a graph, with what is known about them.

    Every sample gets a cluster, a strength (0 to 1, how firmly the data hold it there) and, where
    classes are known, the label of its cluster.

    Examples:

      sentree cluster flowers.csv --labels species

      sentree cluster flowers.csv -k 3 --must-link same.csv --cannot-link different.csv

      sentree cluster cells.h5ad --layer X_pca --labels type --report report.html

      sentree cluster friends.graphml --graph --plot friends.png

      zcat big.csv.gz | sentree cluster - --out - > clusters.csv
    """
    from sentree.cli import inputs as given
    from sentree.cli import outputs as results

    out = out or results.default_name(data, "clusters.csv")
    said = given.Statements(labels, must_link, cannot_link, not_label, constraints, classes, by)
    with console(quiet, verbose, to_stderr=out == "-") as talk:
        results.check_table("--out", out)
        results.check_illustrations(map, plot, report, model)
        given.check_graph_options(graph, neighbors, affinity)
        said.check()
        if n_clusters is not None and resolution is not None:
            raise Misuse("--n-clusters and --resolution both set the scale: give one of them")
        if resolution is not None and not 0 < resolution < float("inf"):
            raise Misuse(f"--resolution must be above 0, got {resolution}")
        given.refuse_overwriting([data, *said.files], [out, plot, report, model])
        file = given.DataOptions(data, id_column, drop, layer, format, separator, header, graph)
        samples = given.read_data(file, given.columns_wanted(said, map, talk), talk)
        mapped = results.places_of(map, samples)
        known = given.read_constraints(said, samples, talk, hard, n_clusters)

        from sentree import SSEPartition, io

        search = SSEPartition(
            n_clusters,
            resolution=resolution,
            penalty=penalty,
            affinity="precomputed" if graph else affinity,
            n_neighbors=neighbors or "auto",
            n_jobs=jobs,
            random_state=seed,
        )
        with talk.step("clustering"):
            fitted = search.fit(samples.graph if graph else samples.X, constraints=known)
            strength = fitted.membership_strength_
        results.tell(fitted, samples, talk)
        table = results.table_of(fitted.labels_, strength, fitted.cluster_names_, samples)
        io.write_table(out, table)
        talk.wrote(out, "cluster of each sample")
        results.write_model(fitted, model, talk)
        results.illustrate(fitted, samples, data, mapped, plot, report, talk)
