"""Results to take away: labels, constraints, tree, model, report, and how to repeat them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sentree import __version__, io
from sentree.app.data import READING, preparation
from sentree.app.snapshot import Snapshot
from sentree.app.statements import EDITS, Refused, Statement, in_words

__all__ = ["EXPORTS", "Export", "export"]


@dataclass(frozen=True)
class Export:
    """A file to download."""

    name: str
    media_type: str
    data: bytes


@dataclass(frozen=True)
class _Subject:
    """What is exported, and what the project says about its data."""

    now: Snapshot
    about: Mapping[str, Any]
    project: Path | None


def export(now: Snapshot, what: str, about: Mapping[str, Any], project: Path | None) -> Export:
    """Make a file of what the page shows; ``about`` tells where the data come from."""
    if what not in EXPORTS:
        raise Refused(f"there is no export {what!r}: there are {', '.join(EXPORTS)}")
    media_type, make = EXPORTS[what]
    name = "model.npz" if what == "model.sentree" else what
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        made = make(_Subject(now, about, project), path)
        data = path.read_bytes() if made is None else made.encode()
    stem = Path(now.data.name).stem
    return Export(f"{stem}-{name}", media_type, data)


def _labels(subject: _Subject, path: Path) -> None:
    io.write_table(path, _columns(subject.now))


def _columns(now: Snapshot) -> dict[str, Any]:
    """Return id, cluster, strength and the name of the cluster for each row."""
    samples = now.data.samples
    called = "row" if samples.ids is None else samples.id_name or "id"
    columns: dict[str, Any] = {
        called: samples.key(),
        "cluster": now.labels,
        "strength": now.strength,
    }
    if any(now.names):
        columns["name"] = [now.names[c] for c in now.labels.tolist()]
    return columns


def _annotated(subject: _Subject, path: Path) -> None:
    """Write the cells with their clusters as columns of obs."""
    from sentree.io.errors import optional

    source = subject.about.get("path")
    if source is None or not str(source).lower().endswith(".h5ad"):
        raise Refused("labels.h5ad is for data that came as an H5AD file: take labels.csv")
    cells = optional("anndata", "H5AD files").read_h5ad(source)
    for name, values in list(_columns(subject.now).items())[1:]:
        kind = "category" if name != "strength" else "float64"
        import pandas as pd

        cells.obs[f"sentree_{name}"] = pd.Series(values, index=cells.obs.index).astype(kind)
    cells.write_h5ad(path)


def _constraints(subject: _Subject, path: Path) -> None:
    io.write_constraints(path, subject.now.step.said, subject.now.data.samples)


def _tree(subject: _Subject, path: Path) -> None:
    now = subject.now
    io.write_tree(path, now.branches.tree(now.model), now.data.samples.ids)


def _model(subject: _Subject, path: Path) -> None:
    subject.now.model.save(path)


def _report(subject: _Subject, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from sentree.report import write_report

    now = subject.now
    samples = now.data.samples
    write_report(
        path,
        now.model,
        ids=None if samples.ids is None else samples.ids.tolist(),
        places=now.map.places,
        table=samples.X,
        source=now.data.name,
        command=None if subject.project is None else _command_line(subject.project, "report.html"),
    )


def _command(subject: _Subject, path: Path) -> str:
    if subject.project is None:
        raise Refused("these data are in memory only: take script.py, or save a project first")
    return f"#!/bin/sh\n{_command_line(subject.project, 'labels.csv')}\n"


def _command_line(project: Path, what: str) -> str:
    return shlex.join(["sentree", "app", str(project), "--export", what])


def _script(subject: _Subject, path: Path) -> str:
    return "\n".join(_lines(subject)) + "\n"


def _lines(subject: _Subject) -> Iterator[str]:
    """Write the statements that count as calls of the package, one after the other."""
    now, about = subject.now, subject.about
    options = about.get("options", {})
    prepare = preparation(options)
    yield f'"""Repeat the clusters of the page (sentree {__version__})."""'
    yield ""
    preparer = ", TablePreparer" * (prepare not in (None, "auto"))
    yield f"from sentree import Constraints, SSEPartition{preparer}, datasets, io"
    yield "from sentree.active import follow"
    yield ""
    if "example" in about:
        yield f"X, _ = datasets.load_embedded({about['example']!r})"
        yield "samples = io.Samples(X)"
    else:
        given = {key: options[key] for key in READING if options.get(key) is not None}
        if options.get("labels"):
            given["take"] = [options["labels"]]
        given["raw"] = prepare is not None
        words = "".join(f", {key}={value!r}" for key, value in given.items())
        yield f"samples = io.read_samples({str(about['path'])!r}{words})"
    yield f'model = SSEPartition(random_state=0, prepare={prepare!r}, selection="off")'
    yield "model.fit(samples.X)"
    yield ""
    counted = [one.statement for one in now.step if one.statement and one.counts]
    waiting = False
    for one in counted:
        if one.kind in EDITS:
            if waiting:
                yield from ("model = follow(model, model.constraints_ + said)", "")
            waiting = False
            yield f"# {_oneline(in_words(one, now.data.called))}"
            yield from _edit(one)
            yield from ("model = follow(model, model.constraints_)", "")
        elif (written := _written(one)) is not None:
            if not waiting:
                yield "said = Constraints()"
            waiting = True
            yield f"# {_oneline(in_words(one, now.data.called))}"
            yield f"said += {written}"
    if waiting:
        yield from ("model = follow(model, model.constraints_ + said)", "")
    yield 'io.write_table("labels.csv", {"id": samples.key(), "cluster": model.labels_})'


def _oneline(text: str) -> str:
    return " ".join(text.split())


def _edit(one: Statement) -> Iterator[str]:
    said = one.payload
    if one.kind == "merge":
        yield f"clusters = list(dict.fromkeys(model.labels_[{said['rows']}].tolist()))"
        yield "if len(clusters) > 1:"
        yield "    model.merge(*clusters)"
    elif one.kind == "split":
        yield f"model.split(model.labels_[{said['row']}], {said['into']})"
    elif one.kind == "move":
        to = "None" if said["to_row"] is None else f"model.labels_[{said['to_row']}]"
        yield f"model.move({said['rows']}, {to})"
    else:
        yield f"model.set_params(n_clusters={said['k']}).refit().set_params(n_clusters=None)"


def _written(one: Statement) -> str | None:
    """Write what a statement says about rows; None where it says nothing."""
    said = one.payload
    rows = said.get("rows", [])
    match one.kind:
        case "same":
            return f"Constraints.from_groups(together=[{rows}])"
        case "different" if "others" in said:
            m = max(len(rows), len(said["others"]))
            pairs = [
                (rows[k % len(rows)], said["others"][k % len(said["others"])]) for k in range(m)
            ]
            return f"Constraints.from_pairs(cannot_link={pairs})"
        case "different":
            return f"Constraints.from_groups(apart=[{rows}])"
        case "is":
            return _label(rows, said["class"])
        case "is_not":
            return f"Constraints.from_negative_labels([(row, {said['class']!r}) for row in {rows}])"
        case "stays":
            return f"Constraints.from_pairs(must_link={said['anchors']}, hard=True)"
        case "answer":
            return _answer(said)
    return None


def _label(rows: list[int], name: str) -> str:
    codes = f"[0] * {len(rows)}"
    return f"Constraints(label_index={rows}, label_code={codes}, classes=({name!r},))"


def _answer(said: Mapping[str, Any]) -> str | None:
    point, options, reply = said["question"]["point"], said["question"]["options"], said["reply"]
    if reply == "unsure":
        return None
    if isinstance(reply, Mapping):
        return _label([point], reply["class"])
    same = [] if reply == "new" else [(point, options[reply])]
    apart = [(point, option) for at, option in enumerate(options) if at != reply]
    return f"Constraints.from_pairs(must_link={same}, cannot_link={apart})"


#: What can be taken away: media type, and what makes it.
EXPORTS: dict[str, tuple[str, Callable[[_Subject, Path], str | None]]] = {
    "labels.csv": ("text/csv", _labels),
    "labels.parquet": ("application/vnd.apache.parquet", _labels),
    "labels.h5ad": ("application/x-hdf5", _annotated),
    "constraints.json": ("application/json", _constraints),
    "tree.nwk": ("text/plain", _tree),
    "tree.json": ("application/json", _tree),
    "model.sentree": ("application/octet-stream", _model),
    "report.html": ("text/html", _report),
    "script.py": ("text/x-python", _script),
    "command.sh": ("text/x-shellscript", _command),
}
