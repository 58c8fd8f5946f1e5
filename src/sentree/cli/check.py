"""``sentree check``: contradictions and repetitions in constraints, before clustering."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from sentree.cli import options as o
from sentree.cli.console import CONFLICT, Console

if TYPE_CHECKING:
    from sentree.constraints.audit import Audit

_SHOWN = 10


@o.grouped
def check(
    source: Annotated[
        str,
        typer.Argument(
            metavar="CONSTRAINTS",
            help="Constraints in one file, JSON or CSV as for --constraints of 'cluster'; or a "
            "column of DATA with known classes.",
        ),
    ],
    data: o.Data,
    *,
    said: o.Statements,
    graph: o.IsGraph = False,
    table: o.Table,
    verbosity: o.Verbosity,
) -> None:
    """Check constraints: contradictions with their proof, repetitions, coverage.

    Ends with 0 where the constraints are consistent and with 3 where they are not.

    Examples:

      sentree check constraints.json flowers.csv

      sentree check species flowers.csv --must-link same.csv --cannot-link different.csv
    """
    from sentree.cli import inputs as given

    with verbosity.console() as talk:
        if o.is_file(source):
            said = replace(said, constraints=source)
        elif said.labels is None:
            said = replace(said, labels=source)
        else:
            from sentree.io import InputError

            raise InputError(f"there is no file {source!r} with constraints")
        said.check()
        given.refuse_overwriting([data, *said.files], [])
        wanted = given.columns_wanted(said, None, talk)
        samples = given.read_data(data, table, wanted, talk, graph=graph, names_only=True)
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
