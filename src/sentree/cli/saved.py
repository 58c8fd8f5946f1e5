"""Commands in files: ``--save-command`` writes one, ``sentree run`` repeats it.

The file is TOML: ``command``, ``version`` of sentree, and what was given on the command line by its
long name. Relative paths are relative to the file.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sentree import __version__
from sentree.cli.console import Misuse, console

__all__ = ["check_target", "run", "save"]


def check_target(target: str) -> None:
    """Refuse a file that cannot be written, before any work."""
    if Path(target).suffix != ".toml" or not Path(target).absolute().parent.is_dir():
        raise typer.BadParameter(f"--save-command {target}: give a .toml file in a folder there is")


def save(ctx: Any, target: str) -> None:
    """Write what was given on the command line."""
    from sentree._util.files import write

    path = Path(target)
    lines = [f"# Repeat this command: sentree run {path.name}"]
    lines += [f"command = {_toml(ctx.info_name)}", f"version = {_toml(__version__)}", ""]
    for one in _parameters(ctx.command):
        source = ctx.get_parameter_source(one.name)
        if source is None or source.name != "COMMANDLINE" or one.name not in ctx.params:
            continue
        value = _elsewhere(one, ctx.params[one.name], Path.cwd(), path.absolute().parent)
        lines.append(f"{_key(one)} = {_toml(value)}")
    write(path, "\n".join(lines) + "\n")


def run(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What --save-command wrote.")],
) -> None:
    """Repeat a command that --save-command wrote; options given here replace those in the file.

    Relative paths in the file are relative to it.

    Examples:

      sentree cluster flowers.csv --labels species --save-command flowers.toml

      sentree run flowers.toml

      sentree run flowers.toml --seed 5 --out other.csv
    """
    assert ctx.parent is not None
    with console(quiet=False, verbose=False) as talk:
        said = _read(file)
        group: Any = ctx.parent.command
        repeatable = [name for name, one in group.commands.items() if _is_repeatable(one)]
        name = said.pop("command", None)
        if name not in repeatable:
            raise Misuse(f"{file}: command must be one of {', '.join(repeatable)}; got {name!r}")
        command = group.commands[name]
        version = said.pop("version", __version__)
        if version != __version__:
            talk.warn(
                f"{file} was written by sentree {version}, this is {__version__}: results may "
                "differ"
            )
        arguments = _arguments(command, said, file, ctx.args)
    with command.make_context(name, arguments, parent=ctx.parent) as inner:
        command.invoke(inner)


def _is_repeatable(command: Any) -> bool:
    return any(one.name == "save_command" for one in command.params)


def _read(file: str) -> dict[str, Any]:
    """Read a file of options."""
    from sentree.io import InputError

    try:
        content = Path(file).read_text(encoding="utf-8")
        return tomllib.loads(content)
    except UnicodeDecodeError:
        raise InputError(f"{file} is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file} is no TOML: {error}") from None


def _arguments(command: Any, said: Mapping[str, Any], file: str, more: Sequence[str]) -> list[str]:
    """Return the words of a command line: options of the file, those given now, and arguments."""
    from sentree._util.suggestions import did_you_mean

    known = {_key(one): one for one in _parameters(command)}
    folder, now = Path(file).absolute().parent, {word.partition("=")[0] for word in more}
    options: list[str] = []
    arguments: dict[str, str] = {}
    for key, value in said.items():
        if key not in known:
            raise Misuse(
                f"{file}: 'sentree {command.name}' has no {key!r}{did_you_mean(key, list(known))}"
            )
        one = known[key]
        value = _elsewhere(one, value, folder, Path.cwd())
        if one.param_type_name == "argument":
            arguments[key] = str(value)
        elif now.isdisjoint((*one.opts, *one.secondary_opts)):
            options += _words(one, value, f"{file}: {key}")
    for key, one in known.items():
        if one.required and key not in arguments:
            raise Misuse(f"{file}: {key!r} is missing")
    given = [arguments[key] for key in known if key in arguments]
    return [*options, *more, "--", *given]


def _words(option: Any, value: Any, place: str) -> Iterator[str]:
    """Yield an option as one types it."""
    flag = max(option.opts, key=len)
    if option.is_flag:
        if not isinstance(value, bool):
            raise Misuse(f"{place} must be true or false, got {value!r}")
        if value or option.secondary_opts:
            yield flag if value else option.secondary_opts[0]
        return
    if option.nargs > 1 and isinstance(value, list):
        yield flag
        yield from map(str, value)
        return
    if isinstance(value, (bool, dict)) or (isinstance(value, list) and not option.multiple):
        raise Misuse(f"{place} must be one value, got {value!r}")
    for one in value if isinstance(value, list) else [value]:
        yield f"{flag}={one}"


def _parameters(command: Any) -> list[Any]:
    """Return what a file can set, arguments first."""
    own = [one for one in command.params if one.name not in ("help", "save_command")]
    return sorted(own, key=lambda one: one.param_type_name != "argument")


def _key(parameter: Any) -> str:
    """Return what a parameter is called in a file: its long option, or the word for it in help."""
    if parameter.param_type_name == "argument":
        return str(parameter.metavar).strip("[]").rpartition("|")[2].lower()
    return str(max(parameter.opts, key=len)).lstrip("-")


def _elsewhere(parameter: Any, value: Any, start: Path, folder: Path) -> Any:
    """Return a relative path of one folder as one of another; anything else as it is."""
    named = str(parameter.metavar or "")
    sure = named in ("FILE", "FOLDER") or parameter.param_type_name == "argument"
    if not isinstance(value, str) or value == "-" or not (sure or "FILE" in named):
        return value
    if named in ("CONSTRAINTS", "COLUMN|FILE", "A,B|FILE") and not (start / value).is_file():
        return value  # names of columns
    path = start / Path(value).expanduser()
    return value if Path(value).is_absolute() else Path(os.path.relpath(path, folder)).as_posix()


def _toml(value: Any) -> str:
    """Write a value as TOML."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return json.dumps(str(value), ensure_ascii=False)
