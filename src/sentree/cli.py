"""The command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sentree import __version__

app = typer.Typer(
    help="Cluster data with what you know about it, by structural entropy.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.command()
def demo(
    out: Annotated[
        Path, typer.Option(help="Folder for labels.csv, tree.nwk and partition.png.")
    ] = Path("demo-output"),
    seed: Annotated[int, typer.Option(help="Seed of the drawn constraints.")] = 0,
) -> None:
    """Cluster handwritten digits, without and with some known labels and pairs."""
    from sentree.demo import run

    try:
        for line in run(out, seed):
            typer.echo(line)
    except OSError as error:
        typer.echo(f"cannot write to {out}: {error.strerror or error}", err=True)
        raise typer.Exit(1) from None


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(f"sentree {__version__}")


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
