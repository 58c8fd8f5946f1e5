"""``sentree version`` and ``sentree demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sentree import __version__

_NEEDED = ("numpy", "scipy", "scikit-learn", "faiss-cpu", "pandas", "matplotlib", "typer", "rich")
_OPTIONAL = ("anndata", "scanpy", "treedata", "openpyxl", "pyarrow", "polars", "networkx", "plotly")


def demo(
    out: Annotated[
        Path, typer.Option(help="Folder for labels.csv, tree.nwk and partition.png.")
    ] = Path("demo-output"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the drawn constraints.")] = 0,
) -> None:
    """Cluster handwritten digits, without and with some known labels and pairs."""
    from sentree.demo import run

    try:
        for line in run(out, seed):
            typer.echo(line)
    except OSError as error:
        typer.echo(f"cannot write to {out}: {error.strerror or error}", err=True)
        raise typer.Exit(1) from None


def version(
    all: Annotated[
        bool, typer.Option("--all", help="Also Python, the machine and the packages used.")
    ] = False,
) -> None:
    """Print the version."""
    typer.echo(f"sentree {__version__}")
    if not all:
        return
    import platform
    from importlib import metadata

    typer.echo(f"python {platform.python_version()} on {platform.platform()}")
    for name in (*_NEEDED, *_OPTIONAL):
        try:
            typer.echo(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            typer.echo(f"{name} not installed" + (" (optional)" if name in _OPTIONAL else ""))
