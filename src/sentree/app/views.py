"""What the page shows, as plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from sentree.app.data import Data
from sentree.app.frames import Frame
from sentree.app.project import Project
from sentree.app.snapshot import Snapshot
from sentree.app.statements import EDITS, Statement, in_words

__all__ = ["clusters", "empty", "labels_frame", "map_frame", "row_view", "state"]


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
        "progress": {"answers": 0, "certainty": 0.0, "left": None, "text": ""},
    }


def state(
    project: Project, data: Data, now: Snapshot | None, status: dict[str, Any]
) -> dict[str, Any]:
    """Return everything but rows and maps."""
    undo, redo = project.can
    meta = project.meta
    return {
        "version": 0 if now is None else now.version,
        "project": {"name": meta["name"], "path": str(project.path)},
        "data": _data(data),
        "status": status,
        "clusters": [] if now is None else clusters(now),
        "statements": [_statement(one, data, now) for one in project.statements],
        "can_undo": undo,
        "can_redo": redo,
        "classes": [] if now is None else list(now.step.said.classes),
        "scale": None if now is None else _scale(now),
        "moved": {"n": 0 if now is None else int(now.changed.sum()), "by": None},
        "progress": {"answers": 0, "certainty": 0.0, "left": None, "text": ""},
    }


def _data(data: Data) -> dict[str, Any]:
    samples = data.samples
    names = samples.features or [f"x{k}" for k in range(samples.X.shape[1])]
    return {
        "name": data.name,
        "n": data.n,
        "features": [{"name": name, "kind": "number"} for name in names],
        "columns": list(samples.columns),
        "id_name": samples.id_name,
        "image": None,
    }


def clusters(now: Snapshot) -> list[dict[str, Any]]:
    """Return the clusters by number."""
    k = now.model.n_clusters_
    size = np.bincount(now.labels, minlength=k)
    strength = np.bincount(now.labels, now.strength, k) / size
    named = {int(now.labels[row]): name for row, name in now.step.names.items()}
    found = now.model.cluster_support_
    return [
        {
            "number": c,
            "colour": int(now.colours[c]),
            "name": named.get(c, None if found[c].name is None else str(found[c].name)),
            "size": int(size[c]),
            "strength": round(float(strength[c]), 4),
            "support": round(found[c].share, 4) if found[c].labels else None,
            "typical": now.typical[c],
        }
        for c in range(k)
    ]


def _statement(one: Statement, data: Data, now: Snapshot | None) -> dict[str, Any]:
    rows = one.rows
    return {
        "id": one.id,
        "kind": one.kind,
        "text": in_words(one, data.called),
        "rows": rows[:5],
        "n_rows": len(rows),
        "links": [],
        "origin": one.origin,
        "who": one.who,
        "when": one.when,
        "state": one.state,
        "verdict": "applied" if one.kind in EDITS else "kept",
        "broken": 0,
        "proof": [],
    }


def _scale(now: Snapshot) -> dict[str, Any]:
    model = now.model
    return {"asked": model.n_clusters, "found": model.n_clusters_, "text": "", "evidence": []}


def map_frame(now: Snapshot) -> Frame:
    """Return the places of the rows, from -1 to 1."""
    places = now.places
    low, high = places.min(axis=0), places.max(axis=0)
    middle, half = (low + high) / 2, max(float((high - low).max()) / 2, 1e-300)
    xy = ((places - middle) / half).astype(np.float32).ravel()
    header = {
        "version": now.version,
        "n": now.data.n,
        "source": now.source,
        "sampled": False,
        "density": None,
    }
    return Frame(header, {"xy": xy})


def labels_frame(now: Snapshot) -> Frame:
    """Return the cluster of each row, how sure it is, and whether it moved."""
    arrays: dict[str, Any] = {
        "cluster": now.labels.astype(np.int32),
        "strength": now.strength.astype(np.float32),
        "changed": now.changed.astype(np.uint8),
    }
    return Frame({"version": now.version, "n": now.data.n}, arrays)


def row_view(now: Snapshot, row: int) -> dict[str, Any]:
    """Return what there is to read about a row."""
    samples = now.data.samples
    names = samples.features or [f"x{k}" for k in range(samples.X.shape[1])]
    values = samples.X.iloc[row] if hasattr(samples.X, "iloc") else samples.X[row]
    return {
        "row": row,
        "id": now.data.called(row),
        "cluster": int(now.labels[row]),
        "strength": round(float(now.strength[row]), 4),
        "said": None,
        "cells": [{"name": a, "text": str(b)} for a, b in zip(names, values, strict=True)],
        "image": None,
    }
