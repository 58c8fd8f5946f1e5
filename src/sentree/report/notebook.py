"""A fitted model as notebooks show it: its clusters and a small map."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from sentree.graph import FloatArray
from sentree.plots.layout import is_map, some_places
from sentree.report.blocks import counted
from sentree.report.chart import map_svg, some_rows
from sentree.report.subject import Subject, percent

#: Most clusters that are listed, the largest.
_LISTED = 12
#: Most samples on the map.
_POINTS = 2000
#: Graphs with more edges have no map, which would take more than a second.
_EDGES = 10_000_000

_STYLE = """
.sentree { display: flex; flex-wrap: wrap; gap: 0.5em 2em; align-items: flex-start; margin: 0.3em 0; font-size: 13px; }
.sentree table { border-collapse: collapse; margin: 0; }
.sentree th, .sentree td { padding: 0.15em 0.6em; text-align: right; border: 0; border-bottom: 1px solid #8884; background: none; }
.sentree th:first-child, .sentree td:first-child { text-align: left; max-width: 16em; overflow-wrap: anywhere; white-space: normal; }
.sentree caption { text-align: left; padding: 0 0 0.3em; color: inherit; }
.sentree i { display: inline-block; width: 0.7em; height: 0.7em; border-radius: 50%; margin-right: 0.5em; }
.sentree svg { width: 300px; max-width: 100%; height: auto; border: 1px solid #8884; border-radius: 4px; }
"""  # noqa: E501


def as_notebook(model: Any) -> str:
    """Return the sizes, names and strengths of the clusters and a small map, as HTML."""
    places = _places(model)
    subject = Subject(model, None, places)
    rows = np.flatnonzero(~np.isnan(places[:, 0]))
    mapped = map_svg(subject, places, rows, tips=False) if rows.size else ""
    return f'<style>{_STYLE}</style>\n<div class="sentree">\n{_table(subject)}\n{mapped}\n</div>\n'


def _places(model: Any) -> FloatArray:
    """Lay out some samples; NaN for others, and for all where it would take too long."""
    n = model.graph_.n
    places = np.full((n, 2), np.nan)
    samples = getattr(getattr(model, "_extension", None), "samples", None)
    if is_map(samples):
        rows = some_rows(n, _POINTS)
        places[rows] = np.asarray(samples, dtype=np.float64)[rows]
    elif model.graph_.n_edges <= _EDGES:
        rows, where = some_places(model.graph_, _POINTS, np.random.default_rng(0))
        places[rows] = where
    return places


def _table(subject: Subject) -> str:
    """List the clusters, the largest first."""
    mean = np.bincount(subject.labels, subject.strength, subject.k) / np.maximum(subject.sizes, 1)
    rows = [
        f'<tr><td><i style="background: {subject.colours[k]}"></i>'
        f"{escape(subject.cluster_names[k])}</td><td>{subject.sizes[k]:,}</td>"
        f"<td>{percent(subject.sizes[k] / subject.n)}</td><td>{mean[k]:.2f}</td></tr>"
        for k in subject.order[:_LISTED]
    ]
    told = f"{counted(len(subject.order), 'cluster')} of {subject.counted(subject.n)}"
    if subject.report.n_given:
        kept = subject.report.n_given - subject.report.n_broken
        told += f"; {kept:,} of {counted(subject.report.n_given, 'constraint')} kept"
    more = len(subject.order) - len(rows)
    if more > 0:
        rows.append(f'<tr><td colspan="4">and {more:,} more, none of them larger</td></tr>')
    heads = "".join(f"<th>{x}</th>" for x in ("cluster", f"{subject.noun}s", "share", "strength"))
    return (
        f"<table><caption>{told}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )
