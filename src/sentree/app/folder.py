"""The folder that the page was started in: the only files that it opens, lists and writes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sentree.app.project import SUFFIX
from sentree.io.errors import InputError
from sentree.io.samples import SAMPLE_FORMATS
from sentree.io.sources import FORMATS, format_of

__all__ = ["Folder"]

#: So many entries of a folder are listed.
MOST = 1000


class Folder:
    """Files below a folder; links that lead out of it do not count as below.

    Parameters
    ----------
    root : path
        The folder.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root).resolve()

    def find(self, name: str) -> Path:
        """Return a file or folder below, by its path from here."""
        try:
            path = (self.root / name).resolve()
            there = path.exists()
        except (OSError, RuntimeError, ValueError):  # too long, a loop of links, no name at all
            raise InputError(f"{name!r} is not the name of a file") from None
        if not path.is_relative_to(self.root):
            raise InputError(
                f"{name} is not below {self.root}, where this page was started: move it there, or "
                "start 'sentree app' in its folder"
            )
        if not there:
            raise InputError(f"there is no file {name} in {self.root}")
        return path

    def entries(self, name: str = "") -> dict[str, Any]:
        """List the folders below one, and the files that can be opened."""
        folder = self.find(name)
        if not folder.is_dir():
            raise InputError(f"{name} is a file, not a folder")
        folders, files = [], []
        for path in sorted(folder.iterdir(), key=lambda one: one.name.lower()):
            if path.name.startswith(".") or not self._holds(path):
                continue
            told = {"name": path.name, "path": self._from_root(path)}
            if path.is_dir():
                folders.append(told)
            elif (kind := _kind(path)) is not None and path.is_file():
                files.append(told | {"kind": kind, "size": path.stat().st_size})
        shown = (folders + files)[:MOST]
        return {
            "folder": self._from_root(folder),
            "parent": None if folder == self.root else self._from_root(folder.parent),
            "folders": [one for one in shown if "kind" not in one],
            "files": [one for one in shown if "kind" in one],
            "left_out": len(folders) + len(files) - len(shown),
        }

    def named(self, name: str) -> str:
        """Return the plain name of a file that is sent, if it can be read and kept here."""
        plain = re.sub(r'[<>:"|?*]', "_", re.split(r"[/\\]", name)[-1].strip())
        if not plain or plain.startswith(".") or not plain.isprintable() or len(plain) > 200:
            raise InputError(f"{name!r} is no name for a file: give it another one")
        format_of(Path(plain), SAMPLE_FORMATS)  # refuses what cannot be read
        return plain

    def _holds(self, path: Path) -> bool:
        """Tell whether something is there and below, wherever links lead."""
        try:
            return path.resolve(strict=True).is_relative_to(self.root)
        except (OSError, RuntimeError):  # nothing there, or a loop of links
            return False

    def _from_root(self, path: Path) -> str:
        """Return the path from the root; the root itself is the empty text."""
        told = path.relative_to(self.root).as_posix()
        return "" if told == "." else told


def _kind(path: Path) -> str | None:
    """Tell what a file is by its name: a project, data, or nothing for the page."""
    if path.suffix == SUFFIX:
        return "project"
    name = path.name.lower().removesuffix(".gz")
    return "data" if FORMATS.get(Path(name).suffix) in SAMPLE_FORMATS else None
