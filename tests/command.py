"""The command line as a user calls it."""

import contextlib
import functools
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import typer.testing
from typer.testing import CliRunner

from sentree.cli import app

#: All commands and options are built once: at every call it takes longer than most calls.
typer.testing._get_command = functools.cache(typer.testing._get_command)


def executable():
    """The installed program."""
    installed = Path(sys.executable).with_name("sentree")
    return [installed] if installed.exists() else [sys.executable, "-m", "sentree.cli"]


def sentree_process(*arguments, **options):
    """Run it as a process of its own and wait for its end."""
    command = [*executable(), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, **options
    )


def sentree_command(*arguments, cwd=".", **options):
    """Run it here, which saves the time to start; errors that it does not tell are raised."""
    with contextlib.chdir(cwd):
        done = CliRunner().invoke(app, list(map(str, arguments)), prog_name="sentree", **options)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return SimpleNamespace(
        returncode=done.exit_code, stdout=done.stdout, stderr=done.stderr, output=done.output
    )
