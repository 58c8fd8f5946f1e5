"""The command line."""

from __future__ import annotations

import typer

from sentree.cli.about import demo, version
from sentree.cli.check import check
from sentree.cli.cluster import cluster
from sentree.cli.convert import convert
from sentree.cli.predict import predict
from sentree.cli.reproduce import SeveralValues, reproduce
from sentree.cli.score import score
from sentree.cli.tree import tree

__all__ = ["app", "main"]

app = typer.Typer(
    help="Cluster data with what you know about it, by structural entropy.",
    epilog="'sentree COMMAND --help' has examples. Exit codes: 0 done, 1 the input or a file is at "
    "fault, 2 the call is, 3 constraints contradict one another, 130 interrupted.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)
for command in (cluster, tree, predict, check, score, convert, demo):
    app.command()(command)
app.command(cls=SeveralValues)(reproduce)
app.command()(version)


def main() -> None:
    """Run the command line."""
    app()
