"""What the page shows, as plain values and frames."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np
import pandas as pd

from sentree.app.asking import Asked, answers_of, no_progress
from sentree.app.data import Data
from sentree.app.frames import Frame
from sentree.app.project import Project
from sentree.app.replay import Step
from sentree.app.snapshot import Snapshot
from sentree.app.statements import EDITS, Refused, Statement, constraints_of, in_words

__all__ = ["column", "empty", "labels", "places", "profiles", "rows", "state", "tree"]

#: Rows of a statement that are named, and lines that are drawn for it.
_NAMED, _DRAWN = 5, 50
#: More rows are shown as a sample, with the density of all.
_MOST_SHOWN, _GRID = 200_000, 256
#: Cells of a row, and categories of a column.
_CELLS, _CATEGORIES = 60, 50


def empty(version: int, status: dict[str, Any]) -> dict[str, Any]:
    """Return the state before there are data."""
    return {
        "version": version,
        "project": None,
        "data": None,
        "status": status,
        "clusters": [],
        "statements": [],
        "can_undo": False,
        "can_redo": False,
        "classes": [],
        "scale": None,
        "moved": {"n": 0, "by": None},
        "progress": no_progress(0),
    }


def state(
    project: Project,
    data: Data,
    now: Snapshot | None,
    asked: Asked | None,
    status: dict[str, Any],
) -> dict[str, Any]:
    """Return everything but rows and maps."""
    undo, redo = project.can
    said = project.statements
    taken = {} if now is None else {one.statement.id: one for one in now.step if one.statement}
    found = empty(0 if now is None else now.version, status) | {
        "project": {"name": project.meta["name"], "path": str(project.path or "")},
        "data": _data(data),
        "statements": [_statement(one, data, now, taken.get(one.id)) for one in said],
        "can_undo": undo,
        "can_redo": redo,
        "progress": no_progress(len(answers_of(said))),
    }
    if now is None:
        return found
    return found | {
        "clusters": _clusters(now),
        "classes": [str(name) for name in now.step.said.classes],
        "scale": _scale(now),
        "moved": {"n": int(now.changed.sum()), "by": now.by},
        **({} if asked is None else {"progress": asked.progress}),
    }


def _data(data: Data) -> dict[str, Any]:
    return {
        "name": data.name,
        "n": data.n,
        "features": [
            {"name": name, "kind": "number" if _is_number(data.rows.column(k)) else "category"}
            for k, name in enumerate(data.features)
        ],
        "columns": list(data.samples.columns),
        "id_name": data.samples.id_name,
        "image": None if data.image is None else {"side": data.image.side},
    }


def _is_number(values: Any) -> bool:
    return bool(values.dtype.kind in "biufM")


def _clusters(now: Snapshot) -> list[dict[str, Any]]:
    """Return the clusters by number."""
    k = now.model.n_clusters_
    size = np.bincount(now.labels, minlength=k)
    strength = np.bincount(now.labels, now.strength, k) / size
    found = now.model.cluster_support_
    return [
        {
            "number": c,
            "colour": int(now.colours[c]),
            "name": now.names[c],
            "size": int(size[c]),
            "strength": round(float(strength[c]), 4),
            "support": round(found[c].share, 4) if found[c].labels else None,
            "typical": now.typical[c],
        }
        for c in range(k)
    ]


def _scale(now: Snapshot) -> dict[str, Any]:
    """Return the number of clusters, and what the data say about it."""
    scale = now.step.start.model.scale_ if now.step.start.model else None
    scale = now.model.scale_ or scale
    pairs = [] if scale is None else zip(scale.candidates, scale.support, strict=True)
    return {
        "asked": now.step.asked,
        "found": now.model.n_clusters_,
        "text": "" if scale is None else str(scale),
        "evidence": [{"k": k, "value": round(value, 4)} for k, value in sorted(pairs)],
    }


# Statements


def _statement(
    one: Statement, data: Data, now: Snapshot | None, step: Step | None
) -> dict[str, Any]:
    verdict, broken = _verdict(one, now, step)
    return {
        "id": one.id,
        "kind": one.kind,
        "text": in_words(one, data.called),
        "rows": one.rows[:_NAMED],
        "n_rows": len(one.rows),
        "links": _links(one),
        "origin": one.origin,
        "who": one.who,
        "when": one.when,
        "state": one.state,
        "verdict": verdict,
        "broken": broken,
        "proof": [] if step is None else [str(line) for line in step.proof],
    }


def _verdict(one: Statement, now: Snapshot | None, step: Step | None) -> tuple[str, int]:
    """Tell what became of a statement, and how many of its rows or pairs the clusters break."""
    if one.state != "active" or step is None or now is None:
        return "pending", 0
    if not step.counts:
        return "contradicting", 0
    given = constraints_of(one)
    if one.kind in EDITS or not len(given):
        return "applied", 0
    report, known = now.model.constraint_report_, now.model.constraints_
    own = given.without_labels().satisfaction(now.labels).n_broken
    own += int(np.isin(given.label_index, report.broken["labels"]).sum())
    against = report.broken["negative_labels"]
    wrong = {
        (int(row), known.classes[code])
        for row, code in zip(
            known.negative_index[against], known.negative_code[against], strict=True
        )
    }
    own += sum((row, name) in wrong for row in given.negative_index for name in given.classes)
    return ("broken" if own else "kept"), own


def _links(one: Statement) -> list[list[int]]:
    """Return pairs of rows to draw lines between."""
    said = one.payload
    rows = said.get("rows", [])
    if one.kind == "answer":
        asked = said["question"]
        return [[asked["point"], option] for option in asked["options"]][:_DRAWN]
    if one.kind == "stays":
        return [list(pair) for pair in said["anchors"][:_DRAWN]]
    if one.kind == "different" and "others" in said:
        return [list(pair) for pair in constraints_of(one).cannot_link[:_DRAWN].tolist()]
    if one.kind == "different":
        return [list(pair) for pair in islice(combinations(rows, 2), _DRAWN)]
    if one.kind in ("same", "merge"):
        return [[rows[0], row] for row in rows[1 : _DRAWN + 1]]
    return []


# Frames


def places(now: Snapshot) -> Frame:
    """Return the places of the rows, from -1 to 1; of very many a sample, and how dense all are."""
    given = now.map.places
    low, high = given.min(axis=0), given.max(axis=0)
    middle, half = (low + high) / 2, max(float((high - low).max()) / 2, 1e-300)
    xy = (given - middle) / half
    header: dict[str, Any] = {"version": now.version, "n": now.data.n, "source": now.map.source}
    if now.data.n <= _MOST_SHOWN:
        header |= {"sampled": False, "density": None}
        return Frame(header, {"xy": xy.astype(np.float32).ravel()})
    chosen = np.random.default_rng(0).choice(now.data.n, _MOST_SHOWN, replace=False)
    chosen.sort()
    dense = np.histogram2d(xy[:, 1], xy[:, 0], bins=_GRID, range=[[-1, 1], [-1, 1]])[0]
    header |= {"sampled": True, "density": {"width": _GRID, "height": _GRID}}
    arrays = {
        "xy": xy[chosen].astype(np.float32).ravel(),
        "rows": chosen.astype(np.int32),
        "density": dense.astype(np.float32).ravel(),
    }
    return Frame(header, arrays)


def labels(now: Snapshot) -> Frame:
    """Return the cluster of each row, how sure it is, and whether it moved."""
    arrays: dict[str, Any] = {
        "cluster": now.labels.astype(np.int32),
        "strength": now.strength.astype(np.float32),
        "changed": now.changed.astype(np.uint8),
    }
    return Frame({"version": now.version, "n": now.data.n}, arrays)


def column(now: Snapshot, name: str) -> Frame:
    """Return a column to colour by: a feature, another column, or what was said."""
    values = pd.Series(now.said()) if name == "said" else now.data.column(name)
    if values is None:
        raise Refused(f"there is no column {name!r}")
    if _is_number(values):
        if values.dtype.kind == "M":
            values = pd.Series(values.to_numpy(dtype="datetime64[s]")).astype("int64")
        number = values.to_numpy(dtype=np.float64, na_value=np.nan)
        there = number[np.isfinite(number)]
        low, high = (float(there.min()), float(there.max())) if there.size else (0.0, 1.0)
        header = {"kind": "number", "min": low, "max": high, "name": name}
        return Frame(header, {"value": number.astype(np.float32)})
    values = values.astype(object)  # or a gap among categories could not be left out
    there = values[values.notna()].astype(str)
    often = there.value_counts().index[:_CATEGORIES].tolist()
    legend = sorted(often)
    code = pd.Categorical(values.where(values.isna(), values.astype(str)), legend).codes
    if len(often) < there.nunique():
        legend = [*legend, "other"]
        code = np.where((code < 0) & values.notna(), len(legend) - 1, code)
    header = {"kind": "category", "legend": legend, "name": name}
    return Frame(header, {"code": np.asarray(code, dtype=np.int32)})


def tree(now: Snapshot) -> Frame:
    """Return the branches, and the rows in the order of leaves."""
    found = now.branches
    nodes = [
        {
            "id": at,
            "parent": node.parent if node.parent >= 0 else None,
            "depth": node.depth,
            "size": node.end - node.start,
            "start": node.start,
            "end": node.end,
            "cluster": node.cluster,
            "name": None if node.cluster is None or node.is_part else now.names[node.cluster],
        }
        for at, node in enumerate(found.nodes)
    ]
    return Frame({"version": now.version, "nodes": nodes}, {"order": found.order})


# Rows and clusters in words


def rows(now: Snapshot, wanted: Sequence[Any]) -> dict[str, Any]:
    """Return what there is to read about rows."""
    data = now.data
    for row in wanted:
        if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < data.n:
            raise Refused(f"there is no row {row!r}: rows are numbered 0 to {data.n - 1}")
    fields = data.rows.fields(wanted) if data.image is None and wanted else []
    said: Any = now.said() if wanted else []
    found = []
    for row in wanted:
        cells = [
            {"name": name, "text": "–" if values[row] is None else str(values[row])}
            for name, values in data.samples.columns.items()
        ]
        cells += [
            {"name": field.name, "text": field.text(data.rows.cells([row], field)[0])}
            for field in fields
        ]
        found.append(
            {
                "row": row,
                "id": data.called(row),
                "cluster": int(now.labels[row]),
                "strength": round(float(now.strength[row]), 4),
                "said": said[row],
                "cells": cells[:_CELLS],
                "image": _pixels(data, row),
            }
        )
    return {"rows": found}


def _pixels(data: Data, row: int) -> list[float] | None:
    if data.image is None:
        return None
    return [round(x, 3) for x in data.image.levels(data.rows.numbers(row)).tolist()]


def profiles(now: Snapshot) -> dict[str, Any]:
    """Return what makes each cluster."""
    found = [
        {
            "number": int(one.cluster),
            "sentence": one.sentence,
            "traits": [{"feature": t.feature, "text": t.phrase} for t in one.telling[:_NAMED]],
        }
        for one in now.profile.clusters
    ]
    return {"version": now.version, "clusters": found}
