"""``sentree predict``: new samples into the clusters of a saved model."""

from __future__ import annotations

from typing import Annotated

import typer

from sentree.cli import options as o
from sentree.cli.console import console

__all__ = ["predict"]


def predict(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="What --model of 'cluster' or 'tree' wrote.")
    ],
    data: o.SampleFile,
    id_column: o.Id = None,
    drop: o.Drop = None,
    layer: o.Layer = None,
    format: o.Format = None,
    separator: o.Separator = None,
    header: o.Header = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Cluster of each sample: CSV, TSV, Parquet or JSON, '-' for standard output. "
            "Else DATA-predicted.csv in this folder ('-' for DATA '-').",
        ),
    ] = None,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
) -> None:
    """Say to which clusters of a saved model new samples belong.

    Columns that the model was not fitted with are left out, and said so; one that is missing is an
    error.

    Examples:

      sentree cluster flowers.csv --labels species --model flowers.npz

      sentree predict flowers.npz new-flowers.csv --out new-clusters.csv
    """
    from sentree.cli import inputs as given
    from sentree.cli import outputs as results

    out = out or results.default_name(data, "predicted.csv")
    with console(quiet, verbose, to_stderr=out == "-") as talk:
        results.check_table("--out", out)
        given.refuse_overwriting([model, data], [out])

        import sentree
        from sentree import io

        fitted = sentree.load(model)
        if fitted.affinity == "precomputed":
            raise io.InputError(
                f"{model} was fitted to a graph, and a table does not tell how new samples join "
                "it: cluster a table with --model instead"
            )
        wanted = getattr(fitted, "feature_names_in_", None)
        file = given.DataOptions(data, id_column, drop, layer, format, separator, header)
        samples = given.read_data(
            file, [], talk, features=None if wanted is None else wanted.tolist()
        )
        width = samples.X.shape[1]
        if samples.layer is not None and width != fitted.n_features_in_:
            raise io.InputError(
                f"{samples.source}: {samples.layer} has {width} features, the model has "
                f"{fitted.n_features_in_}: say with --layer what it was fitted to"
            )
        with talk.step("placing the samples"):
            labels, strength = fitted.predict(samples.X, return_strength=True)
        table = results.table_of(labels, strength, fitted.cluster_names_, samples)
        io.write_table(out, table)
        talk.wrote(out, "cluster of each sample")
