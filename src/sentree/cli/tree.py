"""``sentree tree``: from a table or graph to a tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from sentree.cli import options as o


@o.grouped
def tree(
    data: o.Data,
    *,
    said: o.Statements,
    constraints: o.ConstraintFile = None,
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
    search: o.Search,
    height: Annotated[
        int | None,
        typer.Option(min=1, help="Most levels below the root; else as deep as it gains."),
    ] = None,
    leaf_penalty: Annotated[
        bool,
        typer.Option(
            help="Whether the penalty of constraints includes the leaves, the single samples."
        ),
    ] = True,
    graph: o.IsGraph = False,
    table: o.Table,
    preparation: o.Preparation,
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
    append: o.Append = False,
    wanted: o.Results,
    verbosity: o.Verbosity,
) -> None:
    """Grow a tree over samples or a graph, with what is known about them.

    Examples:

      sentree tree flowers.csv --labels species --plot tree.png

      sentree tree cells.h5ad --labels type --paths --height 3 --out cells.json

      sentree tree friends.csv --graph --clusters levels.csv
    """
    from sentree.cli import outputs as results
    from sentree.cli.fitting import Task

    out = out or results.default_name(data, "tree.nwk")
    said = replace(said, constraints=constraints, paths=paths, ontology=ontology)
    if append and clusters is None:
        clusters = results.default_name(data, results.table_named("clusters", data, append))
    task = Task(data, graph, table, said, search, wanted, append, preparation)
    with verbosity.console(to_stderr="-" in (out, clusters)) as talk:
        if out != "-":
            results.check_suffix("--out", out, (".nwk", ".newick", ".json", ".csv", ".tsv"))
        results.check_table("--clusters", clusters)
        results.check_illustrations(wanted, ".html")
        samples, known, places = task.read([out, clusters], talk)

        with talk.step("getting ready to cluster", "start"):
            from sentree import SSEHierarchy, io

            more = {"height": height, "leaf_penalty": leaf_penalty}
            fitted = task.fit(SSEHierarchy, samples, known, **more)
        found = fitted.tree_
        inner = found.n_nodes - found.n_leaves
        talk.say(f"a tree of height {found.height} with {inner} inner node{'s' * (inner != 1)}")
        results.tell(fitted, samples, talk)
        io.write_tree(out, found, samples.key())
        talk.wrote(out, "the tree")
        if clusters is not None:
            task.write_clusters(clusters, fitted, samples, talk, results.levels_of(found))
        task.write(fitted, samples, places, talk)
