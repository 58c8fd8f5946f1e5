"""How far long work is: a bar on a terminal, or lines on standard error.

The library tells its stages by logging. A record with an extra ``stage``, a word for what takes the
time, begins a stage; others tell details of it, with an extra ``share`` where it is known how much
is finished.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from time import perf_counter
from typing import Any

__all__ = ["Progress", "in_words", "on_terminal", "progress_bar", "shown", "time_left"]

#: Those who listen to the records of the package now, and what its logger was like before them.
_listeners: list[logging.Handler] = []
_before: list[tuple[int, bool]] = []
_lock = Lock()
#: Seconds between two lines that tell how far a stage is.
_BETWEEN = 10.0
#: Most shares of a stage that are remembered with their times.
_MOST_SHARES = 1000
#: Seconds before which the time that is left is not estimated.
_TOO_EARLY = 5.0


class Progress(logging.Handler):
    """Shows what the package logs.

    Parameters
    ----------
    verbose : int
        0: no lines; 1: a line for each stage as it begins, with the seconds since the start;
        2: details, too.
    bar : bool
        Whether a bar shows the present stage, for as long as it takes.

    Attributes
    ----------
    times : dict of str to float
        The seconds that each stage took.
    """

    def __init__(self, verbose: int, bar: bool) -> None:
        super().__init__(logging.INFO)
        self.verbose, self.times = verbose, dict[str, float]()
        self._bar: Any = progress_bar() if bar else None
        self._stage: str | None = None
        self._started = self._since = perf_counter()
        self._shares: list[tuple[float, float]] = []  # of the present stage, with their times
        self._printed = float("-inf")

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return perf_counter() - self._started

    def begin(self, text: str, stage: str) -> None:
        """Begin a stage, and end the one before; the same again is a detail."""
        if stage == self._stage:
            return self.note(text)
        self.end()
        self._stage, self._since = stage, perf_counter()
        self._shares = []
        if self.verbose:
            self.print(f"{self.seconds:7.1f} s  {text}")
        if self._bar is not None:
            self._bar.add_task(text, total=None, note="")
            self._bar.start()

    def note(self, text: str, share: float | None = None) -> None:
        """Tell what is done now, and the share of the stage that is finished."""
        now = perf_counter()
        if share is not None:
            if len(self._shares) > _MOST_SHARES:
                del self._shares[1::2]
            self._shares.append((now, share))
            left = time_left(self._shares)
            if left is not None:
                text += f"; about {in_words(left)} left of this stage"
        if share is not None and self._bar is not None and self._bar.tasks:
            task = self._bar.tasks[0]
            task.fields["note"], task.total, task.completed = text, 1.0, share
        if self.verbose > 1 and (share is None or now - self._printed >= _BETWEEN):
            self._printed = now if share is not None else self._printed
            self.print(f"{'':11}{text}")

    def end(self) -> None:
        """End the present stage, if there is one."""
        if self._stage is not None:
            spent = perf_counter() - self._since
            self.times[self._stage] = self.times.get(self._stage, 0.0) + spent
            self._stage = None
        if self._bar is not None and self._bar.tasks:
            self._bar.stop()
            self._bar.remove_task(self._bar.tasks[0].id)

    @contextmanager
    def without_bar(self) -> Iterator[None]:
        """Show no bar, for work that is over in a moment: it would flicker."""
        bar, self._bar = self._bar, None
        try:
            yield
        finally:
            self.end()
            self._bar = bar

    def print(self, text: str, err: bool = True) -> None:
        """Print a line above the bar."""
        shown = self._bar is not None and self._bar.tasks
        if shown:
            self._bar.stop()
        if (stream := sys.stderr if err else sys.stdout) is not None:
            print(text, file=stream, flush=True)
        if shown:
            self._bar.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record."""
        if (stage := getattr(record, "stage", None)) is not None:
            self.begin(record.getMessage(), stage)
        else:
            self.note(record.getMessage(), getattr(record, "share", None))

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Show what is logged inside; handlers of the user see only what they saw before."""
        logger = logging.getLogger("sentree")
        with _lock:
            if not _listeners:
                _before[:] = [(logger.level, logger.propagate)]
                logger.propagate = logger.propagate and logger.isEnabledFor(logging.INFO)
                logger.setLevel(logging.INFO)
            _listeners.append(self)
            logger.addHandler(self)
        try:
            yield
        finally:
            self.end()
            with _lock:
                logger.removeHandler(self)
                _listeners.remove(self)
                if not _listeners:
                    logger.level, logger.propagate = _before[0]
                    logger.setLevel(logger.level)


@contextmanager
def shown(verbose: int) -> Iterator[None]:
    """Show what the package logs inside, as much as ``verbose`` says; 0 is nothing."""
    if not verbose:
        yield
        return
    with Progress(verbose, on_terminal()).listening():
        yield


def time_left(shares: Sequence[tuple[float, float]]) -> float | None:
    """Estimate the seconds that are left of a stage; None as long as it is too early to tell.

    Parameters
    ----------
    shares : sequence of (time, share)
        When which share of the stage was finished, from the first that was told to now: what came
        before is not work of this kind. The rate is that of the later half of this time: what was
        taken over from an earlier run, or was quick for another reason, is soon forgotten.

    Examples
    --------
    >>> time_left([(0.0, 0.0), (10.0, 0.5), (20.0, 0.6), (30.0, 0.7)])
    30.0
    """
    (start, _), (now, done) = shares[0], shares[-1]
    if now - start < _TOO_EARLY or not 0 < done < 1:
        return None
    middle = start + (now - start) / 2
    then, before = [one for one in shares if one[0] <= middle][-1]
    return (now - then) * (1 - done) / (done - before) if done > before else None


def on_terminal() -> bool:
    """Tell whether standard error is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def in_words(seconds: float) -> str:
    """Say how long something took."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    if seconds < 99.5:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


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
