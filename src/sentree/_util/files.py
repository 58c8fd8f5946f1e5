"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing", "write"]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file beside the target that takes its place when all went well.

    A new file has the permissions that the umask allows; one that is replaced keeps its own.
    """
    part = path.with_name(f".{path.stem}-{secrets.token_hex(4)}{path.suffix}")
    exists = path.exists()
    part.touch(0o600 if exists else 0o666, exist_ok=False)
    try:
        yield part
        if exists:
            shutil.copymode(path, part)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write(path: Path, content: str | bytes) -> Path:
    """Write a file in one step: who reads it, or a killed run, finds the old one or the new one."""
    with replacing(path) as part:
        part.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path
