"""What a person answers in a terminal: single keys, or lines where the input is no terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from time import sleep
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from sentree.active import Question
    from sentree.active.questions import Reply

__all__ = ["COMMANDS", "Keys", "understood"]

#: What is no reply to a question, by all its names.
COMMANDS = {
    **{"z": "undo", "undo": "undo", "\x7f": "undo"},  # backspace
    **{"q": "quit", "quit": "quit", "exit": "quit", "\x04": "quit"},  # Ctrl-D
    **{"?": "help", "h": "help", "help": "help"},
}
_PAIRS: dict[str, int | str] = {
    **{"y": 0, "yes": 0, "same": 0},
    **{"n": "new", "no": "new", "different": "new", "new": "new", "0": "new"},
}
_NEW = ("0", "n", "new", "none")
_UNSURE = ("u", "unsure")
#: Keys that begin a class (=NAME, is NAME), which is typed to its end.
_CLASS = ("=", "i")
#: Seconds in which nobody can have read a question: what is typed then was not meant for it.
_GRACE = 0.25
_PROMPT = "> "


def understood(text: str, question: Question, classes: Iterable[Any] = ()) -> Reply:
    """Return the reply that a text is, or the command; raise ValueError for what is neither.

    A class that is known already is told by the text that it is written as.
    """
    from sentree.active import IsClass

    said = text.strip()
    word = said.lower()
    if said.startswith("=") or word.startswith("is "):
        name = said[1:].strip() if said.startswith("=") else said[3:].strip()
        if not name:
            raise ValueError("the name of the class is missing, as in =setosa")
        return IsClass({str(one): one for one in classes}.get(name, name))
    if word in COMMANDS:
        return COMMANDS[word]
    if word in _UNSURE:
        return "unsure"
    if question.is_pair:
        if word in _PAIRS:
            return _PAIRS[word]
        raise ValueError(f"{said!r} is no answer here: y, n, u, =NAME, z, q; ? explains them")
    if word in _NEW:
        return "new"
    k = len(question.options)
    if word.isdecimal() and 1 <= int(word) <= k:
        return int(word) - 1
    raise ValueError(f"{said!r} is no answer here: 1 to {k}, 0, u, =NAME, z, q; ? explains them")


class Keys:
    """Reads answers from standard input.

    Parameters
    ----------
    terminal : rich.console.Console
        Where the prompt is written, and what was read of an input that shows nothing itself.
    """

    def __init__(self, terminal: Console) -> None:
        self._terminal = terminal
        self._single = _single_keys()

    def read(self) -> str:
        """Return what is typed next; raise EOFError at the end of the input."""
        if self._single is None:
            self._write(_PROMPT)
            line = sys.stdin.readline()
            if not sys.stdin.isatty():
                self._write(line if line.endswith("\n") else f"{line}\n")
            if not line:
                raise EOFError
            return line.strip()
        key = self._single(lambda: self._write(_PROMPT))
        self._write(key if key.isprintable() else "")
        if key in _CLASS:
            return key + input()
        self._write("\n")
        return key

    def _write(self, text: str) -> None:
        self._terminal.print(text, end="", markup=False)


def _single_keys() -> Callable[[Callable[[], None]], str] | None:
    """Return what says that it is ready and reads one key; None where that cannot be done."""
    try:
        import termios
        import tty
    except ImportError:  # Windows
        return None
    if sys.stdin is None or not sys.stdin.isatty():
        return None
    stream = sys.stdin.fileno()

    def read(ready: Callable[[], None]) -> str:
        before = termios.tcgetattr(stream)
        try:
            tty.setcbreak(stream)
            sleep(_GRACE)
            termios.tcflush(stream, termios.TCIFLUSH)
            ready()
            while True:
                typed = os.read(stream, 64).decode(errors="replace")
                if not typed:
                    raise EOFError
                if typed in COMMANDS or (typed.strip() and not typed.startswith("\x1b")):
                    return typed.strip() or typed
        finally:
            termios.tcsetattr(stream, termios.TCSADRAIN, before)

    return read
