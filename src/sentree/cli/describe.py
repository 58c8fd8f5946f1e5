"""``sentree describe``: what makes each cluster, in the words and units of the table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentree._util.wording import remedies
from sentree.cli import options as o

if TYPE_CHECKING:
    from sentree.profiles.profile import ClusterProfile, Profile

#: Columns that 'sentree cluster' writes, which describe nothing.
_WRITTEN = ("cluster", "strength", "label")


@o.grouped
def describe(
    clusters: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|CLUSTERS",
            help="What --model (.npz) or --out of 'sentree cluster' wrote; or any table of ids and "
            "clusters.",
        ),
    ],
    data: o.SampleFile,
    *,
    column: Annotated[
        str | None, typer.Option(help="Column of CLUSTERS; 'cluster' if there is one.")
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="A B", help="Tell what separates these two clusters instead."),
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="Most features listed for each cluster.")] = 5,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Effects and typical values of all features: CSV, TSV, Parquet or JSON.",
        ),
    ] = None,
    plot: o.Plot = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all of it as JSON.")] = False,
    table: o.Table,
    verbosity: o.Verbosity,
) -> None:
    """Tell what makes each cluster: telling features, a short rule, typical and unusual samples.

    DATA is the table that was clustered, or another one of the same samples: columns that were not
    clustered may tell most. Effects are from -1 to 1, with intervals that hold for all of them.
    Rules are judged on samples that they were not made from.

    Examples:

      sentree cluster customers.csv --model customers.npz

      sentree describe customers.npz customers.csv --plot profile.png --out features.csv

      sentree describe customers-clusters.csv customers.csv --compare 0 3
    """
    from sentree.cli import inputs as given
    from sentree.cli import outputs as results

    with verbosity.console(to_stderr=as_json or out == "-") as talk:
        if out is not None:
            results.check_table("--out", out)
        results.check_suffix("--plot", plot, (".png", ".svg", ".pdf"))
        given.refuse_overwriting([*{clusters, data}], [out, plot])

        from sentree import profile

        samples = given.read_data(data, table, [], talk, raw=True)
        labels, strength, names = _clusters(clusters, column, samples)
        with talk.step("comparing the clusters", "comparing"):
            X = _without_clusters(samples.X) if Path(clusters) == Path(data) else samples.X
            found = profile(X, labels, strength=strength, names=names, ids=samples.ids)
            if compare is not None:
                found = _compared(found, compare)
        _write(found, out, plot, talk)
        if as_json:
            import json

            typer.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
        elif out != "-":
            _tell(found, top)


def _clusters(source: str, column: str | None, samples: Any) -> tuple[Any, Any, Any]:
    """Return clusters, strengths and names of clusters, from a model or a table."""
    import numpy as np
    import pandas as pd

    import sentree
    from sentree import io

    if source.endswith(".npz"):
        model = sentree.load(source)
        if model.labels_.size != samples.n:
            raise io.InputError(
                f"{source} has clusters of {model.labels_.size} samples, but {samples.source} has "
                f"{samples.n} rows: give the table that was clustered, or the clusters of this one "
                "('sentree predict' writes them)"
            )
        return model.labels_, model.membership_strength_, dict(enumerate(model.cluster_names_))
    with remedies({"name": "column"}):
        table = io.read_columns(source)
        wanted = column or ("cluster" if "cluster" in table.columns else None)
        values = io.clean_labels(table.only(wanted))
    if table.ids is not None and samples.ids is not None:
        rows = samples.rows(table.ids, source)
    elif table.n == samples.n:
        rows = np.arange(samples.n)
    else:
        raise io.InputError(
            f"{source} has {table.n} rows and {samples.source} has {samples.n}: without ids in "
            "both they must have the same samples in the same order"
        )
    labels = np.full(samples.n, None, dtype=object)
    labels[rows] = values
    strength = None
    if wanted == "cluster" and "strength" in table.columns:
        strength = np.zeros(samples.n)
        written = pd.Series(table.columns["strength"])  # empty where rows were skipped
        strength[rows] = pd.to_numeric(written, errors="coerce").fillna(0.0)
    named = table.columns.get("label") if wanted == "cluster" else None
    if named is None:
        return labels, strength, None
    return labels, strength, {c: name or None for c, name in zip(values, named, strict=True)}


def _without_clusters(X: Any) -> Any:
    """Leave out what 'sentree cluster --append' wrote beside the columns of a table."""
    return X.drop(columns=[name for name in _WRITTEN if name in X])


def _compared(found: Profile, pair: tuple[str, str]) -> Profile:
    """Compare two clusters."""
    from sentree.io import InputError

    try:
        return found.compare(*pair)
    except KeyError as error:
        raise InputError(f"--compare: {error.args[0]}") from None


def _write(found: Profile, out: str | None, plot: str | None, console: Any) -> None:
    """Write the table of effects and the picture, where they are asked for."""
    if out is not None:
        from sentree import io

        frame = found.to_frame()
        io.write_table(out, {name: frame[name].to_numpy() for name in frame})
        console.wrote(out, "effects and typical values")
    if plot is not None:
        from sentree import plots
        from sentree.plots.style import save

        save(plots.profile(found), plot)
        console.wrote(plot, "the most telling features of the clusters")


def _tell(found: Profile, top: int) -> None:
    """Print what makes each cluster, which is the data of this command."""
    for one in found.clusters:
        typer.echo(f"\ncluster {one.name} ({one.size:,} samples, {100 * one.share:.0f} %)")
        typer.echo(f"  {one.sentence}")
        if one.rule is not None:
            typer.echo(f"  rule: {one.rule}\n        {one.rule.quality}")
        _tell_features(one, top)
        for title, rows in (("typical", one.typical), ("unusual", one.unusual)):
            if rows:
                typer.echo(f"  {title}: {', '.join(map(found.row_name, rows))}")
    typer.echo("")
    for line in found.remarks:
        typer.echo(line)
    if found.aside:
        told = ", ".join(f"{name} ({reason})" for name, reason in found.aside.items())
        typer.echo(f"Columns that say nothing: {told}.")


def _tell_features(one: ClusterProfile, top: int) -> None:
    """Print the features that set a cluster apart."""
    rows = [(x.title, x.here, x.inside, x.outside, x.effect_text) for x in one.telling[:top]]
    if not rows:
        return
    rows.insert(0, ("feature", "here", "in this cluster", "in all others", "effect"))
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        cells = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        typer.echo(f"    {'  '.join(cells)}".rstrip())
    if left := len(one.telling) - len(rows) + 1:
        typer.echo(f"    and {left} more")
