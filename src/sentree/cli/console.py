"""What a command says while it works, and how it ends when it cannot."""

from __future__ import annotations

import logging
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import typer

from sentree.cli.wording import in_options

#: Exit codes besides 0.
FAILED, MISUSED, CONFLICT, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 130, 141


class Misuse(ValueError):
    """Options that are wrong or contradict each other, whatever the data are."""


class Console:
    """Says things: results on one stream, progress and warnings on standard error.

    Parameters
    ----------
    quiet, verbose : bool
        Say nothing but warnings and errors; say what happens inside, with times.
    to_stderr : bool
        Leave standard output to data.
    """

    def __init__(self, quiet: bool = False, verbose: bool = False, to_stderr: bool = False):
        self.quiet, self.verbose, self._to_stderr = quiet, verbose, to_stderr
        self.warnings: list[str] = []
        self._bar: Any = None

    def say(self, text: str = "") -> None:
        """Say something about the result."""
        if not self.quiet:
            self._print(text, self._to_stderr)

    def detail(self, text: str) -> None:
        """Say something if the user wants details."""
        if self.verbose:
            self._print(text, True)

    def warn(self, text: str) -> None:
        """Say something that the user should look at, also when quiet."""
        if text not in self.warnings:
            self.warnings.append(text)
            self._print(f"warning: {text}", True)

    def wrote(self, path: Any, what: str = "") -> None:
        """Say that a file is there."""
        if str(path) != "-":
            self.say(f"wrote {path}" + (f": {what}" if what else ""))

    def _print(self, text: str, err: bool) -> None:
        if self._bar is not None:
            self._bar.stop()
        typer.echo(text, err=err)
        if self._bar is not None:
            self._bar.start()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Show, on a terminal, what is being done and for how long."""
        started = perf_counter()
        if not self.quiet and sys.stderr is not None and sys.stderr.isatty():
            self._bar = progress_bar()
            self._bar.add_task(name, total=None, note="")
            self._bar.start()
        try:
            yield
        finally:
            if self._bar is not None:
                self._bar.stop()
                self._bar = None
        self.detail(f"{name}: {perf_counter() - started:.2f} s")

    def note(self, text: str, share: float | None = None) -> None:
        """Tell how far the current step is: what is done now, and the share that is finished."""
        if self._bar is not None:
            task = self._bar.tasks[0]
            task.fields["note"] = text
            task.total, task.completed = (None, 0.0) if share is None else (1.0, share)
        self.detail(f"  {text}")


def progress_bar(*more: Any) -> Any:
    """Return a bar on standard error that goes away when it stops; rich draws it."""
    from rich import progress
    from rich.console import Console as Terminal

    return progress.Progress(
        progress.BarColumn(bar_width=12),
        progress.TextColumn("{task.description}", markup=False),
        progress.TimeElapsedColumn(),
        *more,
        progress.TextColumn("{task.fields[note]}", markup=False),
        console=Terminal(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )


class _ToConsole(logging.Handler):
    """Shows what the library logs as the state of the current step."""

    def __init__(self, target: Console) -> None:
        super().__init__(logging.INFO)
        self._console = target

    def emit(self, record: logging.LogRecord) -> None:
        """Show one record."""
        self._console.note(record.getMessage(), getattr(record, "share", None))


@contextmanager
def console(quiet: bool, verbose: bool, to_stderr: bool = False) -> Iterator[Console]:
    """Give a console; turn errors into a message and an exit code.

    Errors that a user can fix (in the input, a file that cannot be written, a package that is not
    installed) are one message on standard error. Others keep their traceback.
    """
    talk = Console(quiet, verbose, to_stderr)
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # no notes about its caches
    logger, handler = logging.getLogger("sentree"), _ToConsole(talk)
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_: talk.warn(in_options(message))
            if quiet and verbose:
                raise Misuse("--quiet and --verbose contradict each other")
            yield talk
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        typer.echo("stopped; nothing half-done was left behind", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except (ValueError, OSError, ImportError, MemoryError) as error:
        typer.echo(f"error: {_sentence(error)}", err=True)
        if verbose and not isinstance(error, Misuse):
            traceback.print_exc()
        raise typer.Exit(_exit_code(error)) from None
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _sentence(error: BaseException) -> str:
    """Say an error."""
    from sentree.constraints.conflicts import ConstraintConflict

    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}".rstrip(": ")
    said = in_options(error) or type(error).__name__
    if isinstance(error, ConstraintConflict) and not error.conflicts[0].names:
        said += "\n(samples by their row, counted from 0)"
    return said


def _exit_code(error: BaseException) -> int:
    """Tell contradictions and misuse from everything else."""
    from sentree.constraints.conflicts import ConstraintConflict

    if isinstance(error, ConstraintConflict):
        return CONFLICT
    return MISUSED if isinstance(error, Misuse) else FAILED
