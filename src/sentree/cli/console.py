"""What a command says while it works, and how it ends when it cannot."""

from __future__ import annotations

import logging
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from sentree._util.progress import Progress, in_words, on_terminal
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
        self.kept = ""  # what to say of unfinished work, where some is kept
        self.progress = Progress(2 * verbose, not quiet and on_terminal())
        self._print = self.progress.print

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

    @contextmanager
    def step(self, name: str, stage: str) -> Iterator[None]:
        """Show, on a terminal, what is being done and for how long; ``stage`` is a word for it."""
        self.progress.begin(name, stage)
        try:
            yield
        finally:
            self.progress.end()

    def times(self) -> None:
        """Tell, on a terminal or where details are wanted, what took how long."""
        told = self.verbose or (on_terminal() and not self.quiet)
        if told and self.progress.times:
            long = {word: took for word, took in self.progress.times.items() if took >= 0.05}
            parts = ", ".join(f"{word} {in_words(took)}" for word, took in long.items())
            whole = f"done in {in_words(self.progress.seconds)}"
            self._print(f"{whole}: {parts}" if parts else whole, True)


@contextmanager
def console(quiet: bool, verbose: bool, to_stderr: bool = False) -> Iterator[Console]:
    """Give a console; turn errors into a message and an exit code.

    Errors that a user can fix (in the input, a file that cannot be written, a package that is not
    installed) are one message on standard error. Others keep their traceback.
    """
    talk = Console(quiet, verbose, to_stderr)
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # no notes about its caches
    try:
        with warnings.catch_warnings(), talk.progress.listening():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = lambda message, *_: talk.warn(in_options(message))
            if quiet and verbose:
                raise Misuse("--quiet and --verbose contradict each other")
            yield talk
            talk.times()
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        said = "finished parts of the work are kept, and " if talk.kept else ""
        typer.echo(f"stopped; {said}{talk.kept or 'nothing half-done was left behind'}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except (ValueError, OSError, ImportError, MemoryError) as error:
        typer.echo(f"error: {sentence(error)}", err=True)
        if verbose and not isinstance(error, Misuse):
            traceback.print_exc()
        raise typer.Exit(_exit_code(error)) from None


def sentence(error: BaseException) -> str:
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
