"""``sentree reproduce``: the paper's experiments again."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentree._util.progress import progress_bar
from sentree.cli.command import Command
from sentree.cli.wording import in_options

if TYPE_CHECKING:
    from sentree.paper.reproduce.grid import Cell
    from sentree.paper.reproduce.store import Outcome

#: Seconds between two lines about progress where there is no terminal.
_EVERY = 60


class SeveralValues(Command):
    """Lets ``--datasets Yale ORL`` and ``--datasets Yale,ORL`` say the same."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Join the values that follow such an option before they are looked at."""
        from sentree.paper.reproduce.grid import EXPERIMENTS

        joined: list[str] = []
        inside = False
        for argument in args:
            option, equals, value = argument.partition("=")
            if option in ("--datasets", "--methods"):
                inside = True
                joined += [option, value] if equals else [option]
            elif inside and not argument.startswith("-") and argument not in {*EXPERIMENTS, "all"}:
                values = [] if joined[-1].startswith("--") else [joined.pop()]
                joined.append(",".join([*values, argument]))
            else:
                inside = False
                joined.append(argument)
        return super().parse_args(ctx, joined)


def reproduce(
    experiments: Annotated[
        list[str], typer.Argument(help="table1, table2, table3, fig2, fig3, or all; several.")
    ],
    datasets: Annotated[
        str, typer.Option(help="Only these data sets, for example: Yale ORL 10X_PBMC wine.")
    ] = "",
    methods: Annotated[
        str, typer.Option(help="Only these methods, for example: SE SSE sentree SC-MPI.")
    ] = "",
    draws: Annotated[int, typer.Option(min=1, help="Draws of constraints per cell.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first draw.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Worker processes; as many as processors.")
    ] = None,
    timeout: Annotated[
        float, typer.Option(min=1, help="CPU seconds after which a cell is marked and left.")
    ] = 900.0,
    protocol: Annotated[
        str,
        typer.Option(
            help="'same': the same draws for every method, which runs with its own defaults; "
            "'paper': what the published study gave to each, with the settings of that study."
        ),
    ] = "same",
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of the data sets; else SENTREE_DATA.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results and the report.")] = Path(
        "reproduction"
    ),
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the results in the folder.")
    ] = False,
    retry: Annotated[
        bool, typer.Option("--retry", help="With --resume: try failed cells again.")
    ] = False,
) -> None:
    """Run the paper's tables and figures again, with every compared method, and report.

    Every finished cell is written at once to results.csv; a run that was interrupted goes on with
    --resume. At the end there are report.html, report.md and the figures. In fig2 the two slowest
    methods, CMS and OneStepPCP, have one point each unless --methods names them.

    Examples:

      sentree reproduce table1 --datasets Yale ORL --draws 3

      sentree reproduce all --draws 1 --out quick

      sentree reproduce table3 fig3 --protocol paper --out as-published
    """
    from sentree.paper.reproduce import session

    try:
        plan = session.prepare(
            experiments,
            datasets=[name for name in datasets.split(",") if name],
            methods=[name for name in methods.split(",") if name],
            draws=draws,
            seed=seed,
            jobs=jobs,
            timeout=timeout,
            protocol=protocol,
            data_dir=data_dir,
            out=out,
            resume=resume,
            retry=retry,
        )
        progress = _Progress(len(plan.cells), plan.jobs)
        with progress:
            written = session.execute(plan, progress.begin, progress.done)
    except (ValueError, OSError) as error:
        typer.echo(in_options(error), err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo(f"\nStopped. Finished cells are in {out}; go on with --resume.", err=True)
        raise typer.Exit(130) from None
    for line in progress.failed:
        typer.echo(f"no result: {line}", err=True)
    for path in written:
        typer.echo(f"wrote {path}")
    if progress.failed and len(progress.failed) == progress.n_missing:
        raise typer.Exit(1)


class _Progress:
    """Tells how far a grid is: by a bar on a terminal, by a line a minute elsewhere."""

    def __init__(self, n_cells: int, jobs: int) -> None:
        self.n_cells, self.jobs = n_cells, jobs
        self.n_missing = 0
        self.failed: list[str] = []
        self._total = self._done = self._told = 0.0
        self._bar: Any = None

    def begin(self, missing: list[Cell]) -> None:
        """Say what is to be run."""
        from sentree.paper.reproduce.runner import workload

        self.n_missing = len(missing)
        before = self.n_cells - self.n_missing
        typer.echo(f"{self.n_cells} cells, {before} finished before; {self.jobs} at a time.")
        self._total, self._told = sum(map(workload, missing)), perf_counter()
        if sys.stderr.isatty():
            from rich.progress import TimeRemainingColumn

            self._bar = progress_bar(TimeRemainingColumn())
            self._bar.add_task("reproducing", total=self._total, note="")
            self._bar.start()

    def done(self, cell: Cell, outcome: Outcome) -> None:
        """Say that a cell is finished."""
        from sentree.paper.reproduce.runner import workload

        where = f"{cell.dataset}, {cell.constraint}, {cell.method}"
        if outcome.failed:
            self.failed.append(f"{where}, draw {cell.draw}: {outcome.note}")
        self._done += workload(cell)
        if self._bar is not None:
            self._bar.update(0, completed=self._done, note=where)
        elif perf_counter() > self._told + _EVERY:
            self._told = perf_counter()
            typer.echo(f"{self._done / self._total:.0%} done; last: {where}", err=True)

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()
