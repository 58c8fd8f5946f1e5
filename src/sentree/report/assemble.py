"""The report of a fitted model as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from sentree._util.files import write
from sentree.plots.lettering import clean
from sentree.profiles.profile import Profile
from sentree.report.as_html import as_html
from sentree.report.blocks import Heading
from sentree.report.broken import constraint_section
from sentree.report.clusters import cluster_table, map_section, unsure_section
from sentree.report.features import preparation_section
from sentree.report.overview import recipe, summary
from sentree.report.pictures import Pictures
from sentree.report.profiles import profile_section
from sentree.report.search import method_section, tree_section
from sentree.report.subject import Subject


def write_report(
    path: str | os.PathLike[str],
    model: Any,
    *,
    ids: Sequence[Any] | None = None,
    places: ArrayLike | None = None,
    table: Any = None,
    title: str | None = None,
    source: Any = None,
    warnings: Sequence[Any] = (),
    command: str | None = None,
) -> Path:
    """Write what a fitted model found into one HTML file that needs no other.

    It begins with a summary in words. Then come the clusters and what sets each apart, a map, the
    samples whose cluster is uncertain, the constraints, how the table was prepared, and at the end
    the method and what one needs to repeat it; for a tree, its picture comes first. Tables can be
    searched and sorted, and the map tells what is under the mouse. It prints well. The same model
    gives the same file.

    Parameters
    ----------
    path : path
        The file, written whole or not at all.
    model : fitted SSEPartition or SSEHierarchy
        The model.
    ids : sequence of length n_samples, optional
        What the samples are called; their row numbers, from 0, where not given.
    places : array-like of shape (n_samples, 2), optional
        Where the map shows each sample, such as a UMAP of your own; else the map is that of
        :func:`sentree.plots.map`.
    table : data frame or array-like of shape (n_samples, n_columns), optional
        The table as it was before it was prepared, so that values are told in its units. Where
        not given, what the model was fitted to.
    title : str, optional
        Title of the report.
    source : str or path, optional
        Where the data come from.
    warnings : sequence of str, optional
        What the run warned of, listed at the top.
    command : str, optional
        The command that repeats the result, where there is one.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from sklearn.datasets import load_iris
    >>> from sentree import SSEPartition, report
    >>> model = SSEPartition(n_clusters=3).fit(load_iris().data)
    >>> report.write_report(f"{mkdtemp()}/iris.html", model, title="Irises").name
    'iris.html'
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.parent}")
    subject, pictures = Subject(model, ids, places), Pictures()
    profile = _profile(subject, table)
    document = [
        Heading(1, _title(title, source, subject.is_tree)),
        Heading(2, "Summary"),
        *summary(subject, profile, source, warnings),
    ]
    if subject.is_tree:
        document += [Heading(2, "Tree"), *tree_section(subject, pictures)]
    document += [
        Heading(2, "Clusters"),
        *([] if profile is None else profile_section(subject, profile)),
        *cluster_table(subject),
        Heading(2, "Map"),
        *map_section(subject),
        Heading(2, f"Uncertain {subject.noun}s"),
        *unsure_section(subject, pictures),
    ]
    if subject.report.n_given:
        document += [Heading(2, "Constraints"), *constraint_section(subject)]
    if prepared := preparation_section(subject):
        document += [Heading(2, "How the table was prepared"), *prepared]
    document += [Heading(2, "Method"), *method_section(subject, pictures)]
    document += [Heading(2, "To repeat it"), *recipe(subject, command)]
    return write(path, as_html(document, pictures.__getitem__))


def _title(title: str | None, source: Any, is_tree: bool) -> str:
    if title is not None:
        return clean(title)
    what = "Tree and clusters" if is_tree else "Clusters"
    return what if source is None else f"{what} of {clean(Path(str(source)).name)}"


def _profile(subject: Subject, table: Any) -> Profile | None:
    """Find what makes each cluster; None where there is no table."""
    model = subject.model
    own = model._table is not None or (subject.samples is not None and model.preparation_ is None)
    return model.profile(table) if own or table is not None else None
