"""The command line as a user calls it."""

import subprocess
import sys
from pathlib import Path


def executable():
    """The installed program."""
    installed = Path(sys.executable).with_name("sentree")
    return [installed] if installed.exists() else [sys.executable, "-m", "sentree.cli"]


def sentree_command(*arguments, **options):
    """Run it and wait for its end."""
    command = [*executable(), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, **options
    )
