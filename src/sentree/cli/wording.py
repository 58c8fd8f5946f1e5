"""Messages of the library in the words of the command line: options for parameters."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from typing import Any

from sentree._util.wording import Elsewhere, Param, Reference, text_of

#: What the command line has for functions of Python, with options by their parameters.
ELSEWHERE = {
    "sentree.Constraints.conflicts": "'sentree check' lists them",
    "sentree.SSEHierarchy": "'sentree tree'",
    "sentree.io.read_graph": "say {graph}",
    "sentree.io.read_labels": "{labels}",
    "sentree.io.read_not_labels": "{not_label}",
    "sentree.io.read_pairs": "{must_link} or {cannot_link}",
    "sentree.TablePreparer": "{prepare} auto makes numbers of text and dates, and fills gaps",
    "sentree.load": "`sentree predict` and `sentree convert`",
}
#: The options of the command that runs, by parameter.
_options: dict[str, Any] = {}


def name_options(options: Iterable[Any]) -> None:
    """Let messages name the options of a command, which runs now."""
    _options.clear()
    _options.update((one.name, one) for one in options)


def in_options(error: BaseException) -> str:
    """Say an error or a warning with the options of the command that runs."""
    return text_of(error).said(_word)


def _word(reference: Reference) -> str | None:
    """Name an option, None where this command has none."""
    if isinstance(reference, Elsewhere):
        try:
            flags = {name: one.opts[0] for name, one in _options.items()}
            return ELSEWHERE[reference.name].format_map(flags)
        except KeyError:
            return None
    return _option(_options[reference.name], reference) if reference.name in _options else None


def _option(option: Any, reference: Param) -> str:
    """Write an option with its value as one types it."""
    flag, value = option.opts[0], reference.value
    if value is None or value is True:
        return str(flag)
    if value is False:
        return str(option.secondary_opts[0])
    if value is ...:
        return f"{flag} {option.metavar}" if option.metavar else str(flag)
    values = value if isinstance(value, list) else [value]
    if option.multiple:  # such options split at commas, except in quotes
        values = [f'"{one}"' if "," in one else one for one in values]
    return " ".join(f"{flag} {shlex.quote(str(one))}" for one in values)
