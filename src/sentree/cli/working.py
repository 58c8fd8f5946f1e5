"""A folder for unfinished work, from which an interrupted command goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sentree.cli.console import Console, Misuse

__all__ = ["working"]

#: With more samples, work is kept without being asked for.
_MANY = 2_000_000


@contextmanager
def working(given: str | None, out: str, n: int, console: Console) -> Iterator[None]:
    """Keep the work inside in a folder, if one is given or there is much work.

    A folder that was not given is beside the output, and goes once that is there.
    """
    from sentree.graph.kept import forget_work, keep_work

    if given is None and (n <= _MANY or out == "-"):
        yield
        return
    folder = Path(f"{out}.work" if given is None else given).expanduser()
    if folder.exists() and not folder.is_dir():
        raise Misuse(f"--work {folder}: this is a file, expected a folder")
    folder.mkdir(parents=True, exist_ok=True)
    console.say(f"finished parts of the work are kept in {folder}")
    console.kept = f"the same command goes on from there: {folder}"
    with keep_work(folder):
        yield
    console.kept = ""
    if given is None:
        forget_work(folder)
