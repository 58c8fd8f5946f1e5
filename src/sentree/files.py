"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["replacing", "write"]


class replacing:
    """A temporary file beside the target that takes its place when all went well."""

    def __init__(self, path: Path) -> None:
        self.path = path
        handle, self.part = tempfile.mkstemp(suffix=path.suffix, dir=path.parent)
        os.close(handle)

    def __enter__(self) -> str:
        return self.part

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is None:
            os.chmod(self.part, 0o644)
            os.replace(self.part, self.path)
        else:
            os.unlink(self.part)


def write(path: Path, text: str) -> Path:
    """Write a text, and return its path."""
    with replacing(path) as part:
        Path(part).write_text(text, encoding="utf-8")
    return path
