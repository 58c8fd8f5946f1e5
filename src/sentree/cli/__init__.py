"""The command line."""

from __future__ import annotations

import gc
import os
import sys
from typing import Annotated, NoReturn

import typer

from sentree import __version__
from sentree.cli.about import demo, version
from sentree.cli.ask import ask
from sentree.cli.check import check
from sentree.cli.cluster import cluster
from sentree.cli.command import Command
from sentree.cli.console import FAILED, PIPE_CLOSED
from sentree.cli.convert import convert
from sentree.cli.describe import describe
from sentree.cli.page import page
from sentree.cli.predict import predict
from sentree.cli.reproduce import SeveralValues, reproduce
from sentree.cli.saved import run
from sentree.cli.score import score
from sentree.cli.tree import tree

__all__ = ["app", "main"]

app = typer.Typer(
    epilog="'sentree COMMAND --help' has examples. Exit codes: 0 done, 1 an error in the input or "
    "a file, 2 wrong options, 3 constraints contradict one another, 130 interrupted.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)
for command in (cluster, tree, ask, predict, describe, check, score, convert, demo):
    app.command(cls=Command)(command)
app.command(
    cls=Command, context_settings={"allow_extra_args": True, "ignore_unknown_options": True}
)(run)
app.command("app", cls=Command)(page)
app.command(cls=SeveralValues)(reproduce)
app.command(cls=Command)(version)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sentree {__version__}")
        raise typer.Exit


@app.callback()
def sentree(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Cluster data with what you know about it, by structural entropy."""


def main() -> NoReturn:
    """Run the command line."""
    gc.set_threshold(100_000, 20, 20)  # imports make many objects and little garbage
    try:
        code = _run()
    except OSError as error:
        code = PIPE_CLOSED  # the program that reads our output has ended
        if not isinstance(error, BrokenPipeError):
            typer.echo(f"error: {error.strerror or error}", err=True)
            code = FAILED
        # Python would try again at exit to write what is left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    gc.freeze()  # a last garbage collection would take 0.4 s
    sys.exit(code)


def _run() -> int:
    """Run a command to its end, output included, and return its exit code."""
    try:
        app()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    return code
