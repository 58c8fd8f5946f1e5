"""The report of a fitted model as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from sentree._util.files import write
from sentree.report.as_html import as_html
from sentree.report.blocks import Heading
from sentree.report.broken import constraint_section
from sentree.report.clusters import cluster_section, map_section, unsure_section
from sentree.report.features import feature_section
from sentree.report.map import is_map
from sentree.report.map import places as make_places
from sentree.report.overview import headline, recipe
from sentree.report.pictures import Pictures
from sentree.report.search import search_section, tree_section
from sentree.report.subject import Subject, clean


def write_report(
    path: str | os.PathLike[str],
    model: Any,
    *,
    ids: Sequence[Any] | None = None,
    places: ArrayLike | None = None,
    title: str | None = None,
    source: Any = None,
    warnings: Sequence[Any] = (),
    command: str | None = None,
) -> Path:
    """Write what a fitted model found into one HTML file that needs no other.

    It tells the number of clusters and why there are so many, their sizes and names, how firmly
    samples are held and which are held least, which features counted (where not all did alike),
    which constraints are broken, the tree, the way of the search, and what one needs to repeat it.
    The same model gives the same file.

    Parameters
    ----------
    path : path
        The file, written whole or not at all.
    model : fitted SSEPartition or SSEHierarchy
        The model.
    ids : sequence of length n_samples, optional
        What the samples are called; their row numbers, from 0, where not given.
    places : array-like of shape (n_samples, 2), optional
        Where the map shows each sample, such as a UMAP of your own; else :func:`places` makes one,
        or the samples themselves are the map where they have two features.
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
    subject, pictures = Subject(model, ids), Pictures()
    mapped, made = _map(model, places, subject.n)
    is_tree = subject.is_tree
    document = [
        Heading(1, _title(title, source, is_tree)),
        *headline(subject, source, warnings),
        Heading(2, "Map"),
        *map_section(subject, pictures, mapped, made),
        Heading(2, "Clusters"),
        *cluster_section(subject, pictures),
        Heading(2, "Least certain samples"),
        *unsure_section(subject),
    ]
    if getattr(model, "features_", None):
        document += [Heading(2, "Which features counted"), *feature_section(subject)]
    if subject.report.n_given:
        document += [Heading(2, "Constraints"), *constraint_section(subject, pictures)]
    if is_tree:
        document += [Heading(2, "Tree"), *tree_section(subject, pictures)]
    document += [Heading(2, "The search"), *search_section(subject, pictures)]
    document += [Heading(2, "To repeat it"), *recipe(subject, command)]
    return write(path, as_html(document, pictures.__getitem__))


def _title(title: str | None, source: Any, is_tree: bool) -> str:
    if title is not None:
        return clean(title)
    what = "Tree and clusters" if is_tree else "Clusters"
    return what if source is None else f"{what} of {clean(Path(str(source)).name)}"


def _map(model: Any, places: ArrayLike | None, n: int) -> tuple[Any, bool]:
    """Return the places on the map, and whether they were laid out here."""
    if places is None:
        samples = getattr(getattr(model, "_extension", None), "samples", None)
        return make_places(model, samples), not is_map(samples)
    given = np.asarray(places, dtype=np.float64)
    if given.shape != (n, 2):
        raise ValueError(f"places has shape {given.shape}, expected ({n}, 2)")
    return given, False
