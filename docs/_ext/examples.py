"""The examples of a page: found, and run top to bottom in one namespace.

The tests and the pictures both run pages with this file, so that what is shown is what is tested.
"""

from __future__ import annotations

import contextlib
import doctest
import re
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Block", "as_shown", "blocks", "run", "workplace"]

_FENCE = re.compile(
    r"^(?:<!-- (?P<mark>not run|needs): (?P<told>[^\n]*?) -->\n+)?"
    r"```(?P<language>python|sh|text|\{picture\})(?: (?P<name>[\w-]+))?\n(?P<code>.*?)^```$",
    re.M | re.S,
)
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str  # "python", "sh", "text" (the output of the "sh" before it) or "{picture}"
    name: str | None  # of a picture
    code: str
    line: int  # of the page where the code begins
    reason: str | None  # why it is not run, where it is not


def blocks(page: str) -> Iterator[Block]:
    """Find the blocks of a page that are run or drawn, in order.

    ``<!-- not run: the reason -->`` on the line before a block keeps it from being run, and
    ``<!-- needs: scanpy, leidenalg -->`` does so where one of these packages is not installed.
    """
    for found in _FENCE.finditer(page):
        line = page.count("\n", 0, found.start("code")) + 1
        reason = found["told"]
        if found["mark"] == "needs":
            absent = [package for package in reason.split(", ") if find_spec(package) is None]
            reason = f"needs {', '.join(absent)}" if absent else None
        yield Block(*found.group("language", "name", "code"), line, reason)


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """Work in a temporary folder, with the benchmarks beside as in a clone."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("benchmarks").symlink_to(Path(__file__).parents[2] / "benchmarks")
        yield Path(folder)


def as_shown(shown: str, output: str) -> bool:
    """Tell whether output is what a page shows, up to white space and "..."."""
    return doctest.OutputChecker().check_output(shown, output, _OPTIONS)


def run(block: Block, names: dict[str, Any], page: str) -> None:
    """Run a block of Python; where it has prompts, compare its output."""
    if ">>>" not in block.code:
        exec(compile("\n" * (block.line - 1) + block.code, page, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block.code, names, page, page, block.line - 1)
    told: list[str] = []
    runner = doctest.DocTestRunner(optionflags=_OPTIONS, verbose=False)
    failed = runner.run(test, out=told.append, clear_globs=False).failed
    names.update(test.globs)
    if failed:
        raise AssertionError("".join(told))
