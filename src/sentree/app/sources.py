"""Where projects come from: a path, an example, a file that is sent, or samples in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sentree.app import data as reading
from sentree.app.data import Data
from sentree.app.project import SUFFIX, Project
from sentree.app.statements import Refused
from sentree.estimators.partition import SSEPartition

__all__ = ["Opened", "open_example", "open_path", "open_samples", "open_upload"]


@dataclass(frozen=True, eq=False)
class Opened:
    """A project and its data.

    Parameters
    ----------
    project : Project
        Its file.
    data : Data
        The rows.
    about : mapping
        Where the data come from.
    message : str, optional
        What a person should know.
    model : SSEPartition, optional
        A model that is fitted already.
    """

    project: Project
    data: Data
    about: Mapping[str, Any]
    message: str | None = None
    model: SSEPartition | None = None


def open_path(folder: Path, path: str | Path, options: Mapping[str, Any] | None) -> Opened:
    """Open a project, or data; a project of the same name beside the data is reopened."""
    there = (folder / path).resolve()
    if not there.is_relative_to(folder):
        raise Refused(f"{path} is not below the folder {folder} that the page was started in")
    if not there.is_file():
        raise Refused(f"there is no file {path}")
    if there.suffix == SUFFIX:
        return _reopened(there)
    project = _beside(there)
    given = dict(options or {})
    if project.exists():
        found = _reopened(project, there)
        if given and given != found.about.get("options"):
            found.project.close()
            raise Refused(
                f"{project.name} was begun with other options: leave them out to go on with it, or "
                "move it away to begin anew"
            )
        return found
    data = reading.read(there, given)
    about = {"path": str(there), "digest": reading.digest(there), "options": given, "n": data.n}
    return _new(project, data, about)


def _beside(path: Path) -> Path:
    """Return the file of the project of some data."""
    name = path.name.removesuffix(".gz")
    return path.with_name(f"{Path(name).stem}{SUFFIX}")


def _new(path: Path, data: Data, about: Mapping[str, Any], content: bytes | None = None) -> Opened:
    """Make a project."""
    project = Project(path)
    if content is not None:
        project.store("data", content)
    project.set_meta(name=path.name.removesuffix(SUFFIX), data=dict(about))
    return Opened(project, data, about)


def _reopened(path: Path, given: Path | None = None) -> Opened:
    """Open a project again, with the data that it is about."""
    project = Project(path)
    try:
        about = project.meta.get("data")
        if about is None:
            raise Refused(f"{path.name} holds no data: it was not finished; delete it")
        return _with_data(project, about, given)
    except BaseException:
        project.close()
        raise


def _with_data(project: Project, about: dict[str, Any], given: Path | None) -> Opened:
    assert project.path is not None
    if "example" in about:
        return Opened(project, reading.example(about["example"]), about)
    if (content := project.stored("data")) is not None:
        return Opened(project, _sent(about["name"], content), about)
    if about.get("in_memory"):
        raise Refused(
            f"{project.path.name} is about data of a notebook: open it there, by "
            "sentree.widget.Explorer(data, file=...)"
        )
    source = given or Path(about["path"])
    if not source.is_file():
        moved = project.path.with_name(source.name)
        if not moved.is_file():
            raise Refused(f"the data of {project.path.name} are gone: there is no file {source}")
        source = moved
    about = about | {"path": str(source)}
    data = reading.read(source, about["options"])
    return Opened(project, data, about, _same_data(project, about, data, reading.digest(source)))


def _same_data(project: Project, about: Mapping[str, Any], data: Data, digest: str) -> str | None:
    """Refuse data of another length than a project's; tell where they have changed."""
    assert project.path is not None
    if data.n != about["n"]:
        raise Refused(
            f"{data.name} has {data.n:,} rows, but {project.path.name} is about {about['n']:,}: "
            "what was said names rows by number. Restore the data, or begin a new project by "
            "moving the old one away"
        )
    if digest == about["digest"]:
        return None
    return (
        f"{data.name} has changed since this project was begun: what was said about its rows "
        "may no longer hold"
    )


def open_example(folder: Path, name: str) -> Opened:
    """Open the project of an embedded set, or make one."""
    try:
        data = reading.example(name)
    except ValueError as error:
        raise Refused(str(error)) from None
    path = folder / f"{name}{SUFFIX}"
    return _reopened(path) if path.exists() else _new(path, data, {"example": name})


def open_upload(folder: Path, name: str, content: bytes) -> Opened:
    """Make a project of a file that was sent, and keep the file in it."""
    name = Path(name.replace("\\", "/")).name
    if not name:
        raise Refused("the file needs a name, whose end tells its format")
    data = _sent(name, content)
    path = _free(_beside(folder / name))
    about = {"path": name, "name": name, "options": {}, "n": data.n}
    return _new(path, data, about, content)


def _sent(name: str, content: bytes) -> Data:
    """Read a file that was sent."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        return reading.read(path)


def _free(path: Path) -> Path:
    """Return a path that does not exist yet."""
    number, found = 1, path
    while found.exists():
        number += 1
        found = path.with_name(f"{path.name.removesuffix(SUFFIX)}-{number}{SUFFIX}")
    return found


def open_samples(samples: Any, name: str, path: Path | None = None) -> Opened:
    """Make a project of samples or of a fitted model, in memory or in a file; go on with one."""
    model = samples if isinstance(samples, SSEPartition) else None
    data = reading.of_samples(samples if model is None else model._own_table(), name)
    about: dict[str, Any] = {"path": name, "options": {}, "n": data.n}
    if path is None:
        project = Project(None)
        project.set_meta(name=name, data=about)
        return Opened(project, data, about, model=model)
    if path.suffix != SUFFIX:
        raise Refused(f"the name of a project ends in {SUFFIX}: {path.name} does not")
    about |= {"in_memory": True, "digest": reading.digest_of(data)}
    if not path.exists():
        return replace(_new(path, data, about), model=model)
    project = Project(path)
    try:
        known = project.meta.get("data") or about
        if not known.get("in_memory"):
            raise Refused(f"{path.name} is about the file {known.get('path', name)}: open that")
        message = _same_data(project, known, data, about["digest"])
    except BaseException:
        project.close()
        raise
    return Opened(project, data, about, message, model)
