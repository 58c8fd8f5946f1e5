"""``sentree convert``: between the formats of tables, graphs, trees and constraints."""

from __future__ import annotations

from typing import Annotated

import typer

from sentree.cli import options as o


@o.grouped
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="What to read; '-' for stdin.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="What to write; '-' for stdout.")],
    *,
    kind: Annotated[
        str | None,
        typer.Option(help="table, graph, tree or constraints, where the names do not tell."),
    ] = None,
    source_format: Annotated[
        str | None, typer.Option("--from", help="Format of IN, where its name does not tell.")
    ] = None,
    target_format: Annotated[
        str | None, typer.Option("--to", help="Format of OUT, where its name does not tell.")
    ] = None,
    id_column: o.Id = None,
    drop: o.Drop = None,
    layer: Annotated[
        str | None,
        typer.Option(help="In an H5AD file: which layer, obsm or obsp entry; of a table else X."),
    ] = None,
    separator: o.Separator = None,
    sheet: o.Sheet = None,
    verbosity: o.Verbosity,
) -> None:
    """Convert tables, graphs, trees and constraints between formats.

    Tables: csv, tsv, xlsx, parquet, npy, npz, mtx, mat, h5ad. Graphs: edge lists, graphml, mtx,
    npz. Trees: nwk, json, csv, npy (SciPy linkage). Constraints: csv, xlsx, json. Text beside the
    numbers goes into csv, tsv, xlsx, parquet and json, and into obs of h5ad; other formats hold
    numbers alone.

    Examples:

      sentree convert cells.h5ad cells.parquet

      sentree convert friends.graphml friends.csv --kind graph

      sentree convert tree.nwk tree.json
    """
    from sentree.cli import inputs as given

    with verbosity.console(to_stderr=target == "-") as talk:
        given.refuse_overwriting([source], [target])

        from sentree.io.convert import convert as convert_file

        with talk.step(f"converting {source}", "converting"):
            done = convert_file(
                source,
                target,
                kind=kind,
                id_column=id_column,
                drop=given.split(drop),
                layer=layer,
                separator=separator,
                source_format=source_format,
                target_format=target_format,
                sheet=sheet,
            )
        talk.say(done)
