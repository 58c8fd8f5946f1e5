"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["replacing", "write"]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary file beside the target that takes its place when all went well."""
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    try:
        yield Path(name)
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write(path: Path, content: str | bytes) -> Path:
    """Write a file in one step: who reads it, or a killed run, finds the old one or the new one."""
    with replacing(path) as part:
        part.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path
