"""What a command says while it works, and how it ends when it cannot."""

from __future__ import annotations

import logging
import shutil
import sys
import threading
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import typer

from sentree.cli.wording import in_options

__all__ = ["CONFLICT", "FAILED", "INTERRUPTED", "MISUSED", "PIPE_CLOSED", "Console", "Misuse"]
__all__ += ["console"]

#: Exit codes besides 0.
FAILED, MISUSED, CONFLICT, INTERRUPTED, PIPE_CLOSED = 1, 2, 3, 130, 141
_TICK, _BAR = 0.1, 12


class Misuse(ValueError):
    """A call that makes no sense, whatever the data are."""


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
        self._status: _Status | None = None

    def say(self, text: str = "") -> None:
        """Say something about the result."""
        if not self.quiet:
            self._print(text, self._to_stderr)

    def detail(self, text: str) -> None:
        """Say something that only the curious want to know."""
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
        if self._status is not None:
            self._status.clear()
        typer.echo(text, err=err)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Show, on a terminal, what is being done and for how long."""
        started = perf_counter()
        if not self.quiet and sys.stderr is not None and sys.stderr.isatty():
            self._status = _Status(name)
        try:
            yield
        finally:
            if self._status is not None:
                self._status.close()
                self._status = None
        self.detail(f"{name}: {perf_counter() - started:.2f} s")

    def note(self, text: str, share: float | None = None) -> None:
        """Tell how far the current step is: what is done now, and the share that is finished."""
        if self._status is not None:
            self._status.note, self._status.share = text, share
        self.detail(f"  {text}")


class _Status(threading.Thread):
    """One line at the bottom of the terminal that shows that something goes on."""

    def __init__(self, name: str) -> None:
        super().__init__(daemon=True)
        self.note, self._title = "", name
        self.share: float | None = None
        self._since = perf_counter()  # a thread has a _started of its own
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self.start()

    def run(self) -> None:
        """Write the line anew ten times a second."""
        turn = 0
        while not self._ended.wait(_TICK):
            turn += 1
            note = f" ({self.note})" if self.note else ""
            seconds = perf_counter() - self._since
            line = f"{_bar(self.share, turn)} {self._title} {seconds:.0f} s{note}"
            width = shutil.get_terminal_size().columns - 1
            with self._lock:
                if not self._ended.is_set():
                    sys.stderr.write(f"\r\033[K{line[:width]}")
                    sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        with self._lock:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def close(self) -> None:
        """Take the line away for good."""
        self._ended.set()
        self.clear()


def _bar(share: float | None, turn: int) -> str:
    """Draw a bar that fills, or one that only moves where nobody knows how much is left."""
    if share is None:
        return "[" + "".join("#" if (turn - k) % _BAR < 3 else "." for k in range(_BAR)) + "]"
    full = round(share * _BAR)
    return "[" + "#" * full + "." * (_BAR - full) + "]"


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
    """Give a console; end with a sentence and an exit code where something is wrong.

    Errors that a user can mend (what is wrong with the input, a file that cannot be written, a
    package that is not installed) are one message on standard error. Others keep their traceback.
    """
    talk = Console(quiet, verbose, to_stderr)
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # where its caches are is its affair
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
