"""``sentree check``: what constraints amount to, before anything is clustered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sentree.cli import options as o
from sentree.cli.console import CONFLICT, Console, console

if TYPE_CHECKING:
    from sentree.constraints.audit import Audit

__all__ = ["check"]

_SHOWN = 10


def check(
    constraints: Annotated[
        str,
        typer.Argument(
            metavar="CONSTRAINTS",
            help="Constraints in one file, JSON or CSV as for --constraints of 'cluster'; or a "
            "column of DATA with known classes.",
        ),
    ],
    data: o.Data,
    labels: o.Labels = None,
    must_link: o.MustLink = None,
    cannot_link: o.CannotLink = None,
    not_label: o.NotLabel = None,
    classes: o.Classes = None,
    by: o.By = "auto",
    graph: o.IsGraph = False,
    id_column: o.Id = None,
    drop: o.Drop = None,
    layer: o.Layer = None,
    format: o.Format = None,
    separator: o.Separator = None,
    header: o.Header = None,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
) -> None:
    """Check constraints: contradictions with their proof, repetitions, coverage.

    Ends with 0 where the constraints are consistent and with 3 where they are not.

    Examples:

      sentree check constraints.json flowers.csv

      sentree check species flowers.csv --must-link same.csv --cannot-link different.csv
    """
    from sentree.cli import inputs as given

    with console(quiet, verbose) as talk:
        said = given.statements_of(
            constraints, labels, must_link, cannot_link, not_label, classes, by
        )
        file = given.DataOptions(data, id_column, drop, layer, format, separator, header, graph)
        said.check()
        given.refuse_overwriting([data, *said.files], [])
        wanted = given.columns_wanted(said, None, talk)
        samples = given.read_data(file, wanted, talk, names_only=True)
        found = given.gather(said, samples, talk)
        talk.say(f"known: {given.describe(found)}")

        from sentree import audit_constraints

        _tell(audit_constraints(found, samples.n, names=samples.key().tolist()), talk)


def _tell(audit: Audit, talk: Console) -> None:
    """Say what was found, and end."""
    from sentree.cli import inputs as given

    talk.say(f"coverage: {audit.n_named} of {audit.n} samples are named ({audit.coverage:.1%})")
    if audit.conflicts:
        talk.say(f"contradictions: {len(audit.conflicts)}")
        for conflict in audit.conflicts[:_SHOWN]:
            talk.say(f"- {conflict}".replace("\n", "\n  "))
        if len(audit.conflicts) > _SHOWN:
            talk.say(f"and {len(audit.conflicts) - _SHOWN} more")
        talk.say("Take one statement out of each chain, or correct it.")
        raise typer.Exit(CONFLICT)
    if audit.components.size:
        sizes = ", ".join(map(str, audit.components[:_SHOWN].tolist()))
        more = ", ..." if audit.components.size > _SHOWN else ""
        talk.say(f"sets of samples that belong together: {audit.components.size} ({sizes}{more})")
    if audit.n_redundant:
        kinds = [
            f"{len(found)} of {audit.given[kind]} {given.WORDS[kind][1]}"
            for kind, found in audit.redundant.items()
            if len(found)
        ]
        talk.say(f"add nothing, since they follow from others: {', '.join(kinds)}")
    talk.say("no contradictions")
