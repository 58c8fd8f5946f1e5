"""``sentree tree``: from a table or graph to a tree."""

from __future__ import annotations

from typing import Annotated

import typer

from sentree.cli import options as o
from sentree.cli.console import console

__all__ = ["tree"]


def tree(
    data: o.Data,
    height: Annotated[
        int | None,
        typer.Option(min=1, help="Most levels below the root; else as deep as it gains."),
    ] = None,
    labels: o.Labels = None,
    paths: Annotated[
        bool,
        typer.Option("--paths", help="Labels are paths of mixed depth, such as T or T/CD4."),
    ] = False,
    ontology: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Labels are of mixed depth: a CSV of child and parent class tells which.",
        ),
    ] = None,
    must_link: o.MustLink = None,
    cannot_link: o.CannotLink = None,
    not_label: o.NotLabel = None,
    constraints: o.ConstraintFile = None,
    classes: o.Classes = None,
    by: o.By = "auto",
    hard: o.Hard = False,
    penalty: o.Penalty = 1.0,
    n_clusters: o.NClusters = None,
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
            help="The tree: .nwk, .json or .csv, '-' for Newick on standard output. Else "
            "DATA-tree.nwk in this folder.",
        ),
    ] = None,
    clusters: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Cluster of each sample, and its branch on each level."),
    ] = None,
    plot: o.Plot = None,
    map: o.Map = None,
    report: o.Report = None,
    model: o.Model = None,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
) -> None:
    """Grow a tree over samples or a graph, with what is known about them.

    Examples:

      sentree tree flowers.csv --labels species --plot tree.png

      sentree tree cells.h5ad --labels type --paths --height 3 --out cells.json

      sentree tree friends.csv --graph --clusters levels.csv
    """
    from sentree.cli import inputs as given
    from sentree.cli import outputs as results

    out = out or results.default_name(data, "tree.nwk")
    said = given.Statements(
        labels, must_link, cannot_link, not_label, constraints, classes, by, paths, ontology
    )
    with console(quiet, verbose, to_stderr="-" in (out, clusters)) as talk:
        if out != "-":
            results.check_suffix("--out", out, (".nwk", ".newick", ".json", ".csv", ".tsv"))
        results.check_table("--clusters", clusters)
        results.check_illustrations(map, plot, report, model, ".html")
        given.check_graph_options(graph, neighbors, affinity)
        said.check()
        given.refuse_overwriting([data, *said.files], [out, clusters, plot, report, model])
        file = given.DataOptions(data, id_column, drop, layer, format, separator, header, graph)
        samples = given.read_data(file, given.columns_wanted(said, map, talk), talk)
        mapped = results.places_of(map, samples)
        known = given.read_constraints(said, samples, talk, hard, n_clusters)

        from sentree import SSEHierarchy, io

        search = SSEHierarchy(
            n_clusters,
            height=height,
            penalty=penalty,
            affinity="precomputed" if graph else affinity,
            n_neighbors=neighbors or "auto",
            n_jobs=jobs,
            random_state=seed,
        )
        with talk.step("growing a tree"):
            fitted = search.fit(samples.graph if graph else samples.X, constraints=known)
            strength = fitted.membership_strength_
        found = fitted.tree_
        inner = found.n_nodes - found.n_leaves
        talk.say(f"a tree of height {found.height} with {inner} inner node{'s' * (inner != 1)}")
        results.tell(fitted, samples, talk)
        io.write_tree(out, found, samples.key())
        talk.wrote(out, "the tree")
        if clusters is not None:
            table = results.table_of(fitted.labels_, strength, fitted.cluster_names_, samples)
            io.write_table(clusters, table | results.levels_of(found))
            talk.wrote(clusters, "cluster of each sample, and its branch on each level")
        results.write_model(fitted, model, talk)
        results.illustrate(fitted, samples, data, mapped, plot, report, talk)
