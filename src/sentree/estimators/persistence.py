"""Fitted models in files: plain arrays and a header of JSON in one ``.npz``, nothing pickled.

The file is what :func:`numpy.savez` writes, and ``numpy.load(path, allow_pickle=False)`` reads all
of it. Format version 5, for n samples (version 4 had no ``size_weight``; version 3 had no
``preparation``; version 2 had parameters of the paper's method, which now has its own estimators;
version 1 had no ``copies``, ``tails`` and ``features``):

==================================== ==============================================================
array                                holds
==================================== ==============================================================
``header``                           the header, JSON as ASCII bytes (``json.loads(a.item())``)
``labels``, ``trace``                ``labels_`` (n,) and ``trace_``
``graph.*``                          the arrays of ``graph_``: indptr, indices, weights, degree
``tree.*``                           those of ``tree_``: parent, volume, cut, relation_cut
``constraints.*``                    those of ``constraints_``, under the names they have there;
                                     groups are ``together.members``, one after another, and
                                     ``together.starts`` (first member of each, and the end)
``constraints.hard.*``               the same for the hard ones, if any
``constraints.finer.*``              the same for the finer labels, if any
``weigher.widths``, ``.silent``      bandwidths, and which samples have no direction
``scale.offset``, ``.spread``        how features are scaled, if they are
``copies``                           the distinct row of each sample, numbered by first appearance,
                                     if rows repeat; bandwidths are then those of distinct rows
``size_weight``                      how much each sample counts in sizes, if that was given
``tails.columns|base|onset``         features whose long tails are drawn in first, if any
``features.weights``                 weights that scaled features are multiplied by, if any
``features.directions``              combinations of features that count as further ones, if any
``samples``                          the training samples as they came, dense; or
``samples.data|indices|indptr``      sparse, in CSR
==================================== ==============================================================

The header has these entries:

- ``format`` ("sentree model"), ``format_version``, ``sentree_version`` (that wrote the file)
- ``class`` ("SSEPartition" or "SSEHierarchy") and ``parameters`` (of ``get_params``)
- ``fitted``: ``objective``, ``entropy``, ``n_features_in``, ``feature_names_in``, ``selection``,
  ``graph_settings`` and ``features`` (``to_dict`` of these attributes; null, or absent in
  version 1), ``scale``, ``preparation`` and ``neighbor_recall`` (likewise; null if absent);
  ``resumes``, whether refits
  start from the clusters, ``edited``, whether users have edited them, and ``more_clusters``, how
  many clusters these edits added (if absent: no, no and 0)
- ``constraints``: ``classes`` (strings, numbers, truth values; tuples as lists), ``declared``, and
  ``hard`` and ``finer``, which are null or hold the same four (``finer`` is null if absent)
- ``extension``: how new samples join. ``kind`` is "samples" (neighbours are searched among the
  training samples), "distances" or "graph" (``predict`` is given distances or similarities;
  ``factor`` is what the weights of the graph were multiplied by, 1 if absent), or "left out".
  "samples" and "distances" have ``kernel``, ``negative``, ``p``, ``local_rank`` and
  ``self_loops``, as in :func:`sentree.knn_graph`; "samples" also ``metric``, ``scaled``,
  ``logarithm``, ``tamed``, ``weighed`` and ``directed`` (absent in version 1), ``sparse``, and
  ``search`` with ``p``, ``search``, ``n_jobs``, ``seed`` and ``ties``

What follows from these (``constraint_report_``, ``n_clusters_``, ``membership_strength_``, the
index of a neighbour search) is computed again on loading. ``format_version`` is raised by any
change that this version could not read; parameters that a file does not name get their defaults.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sentree import __version__
from sentree.estimators.base import SSEEstimator
from sentree.estimators.hierarchy import SSEHierarchy
from sentree.estimators.partition import SSEPartition
from sentree.estimators.stored import (
    FORMAT_VERSION,
    Arrays,
    Stored,
    get,
    put,
    read,
    whole_numbers,
    write,
)
from sentree.estimators.stored_checks import check_fit
from sentree.estimators.stored_constraints import get_constraints, put_constraints
from sentree.estimators.stored_extension import (
    WITHOUT_TRANSFORMER,
    LeftOut,
    get_extension,
    put_extension,
)
from sentree.graph import Graph
from sentree.graph.choice import GraphSettings
from sentree.relation.feature_weights import Features
from sentree.search.natural_number import NaturalScale
from sentree.search.recipes import Candidate, Recipe, Selection
from sentree.search.size_bounds import size_weights
from sentree.tree import EncodingTree

__all__ = ["FORMAT_VERSION", "LeftOut", "load", "save"]

_CLASSES: dict[str, type[SSEPartition] | type[SSEHierarchy]] = {
    "SSEPartition": SSEPartition,
    "SSEHierarchy": SSEHierarchy,
}
#: What to do instead, for parameters that are objects.
_INSTEAD = {
    "affinity": "fit with affinity='precomputed' on the graph that it made (graph_)",
    "neighbors": WITHOUT_TRANSFORMER,
    "random_state": "give a number, as in set_params(random_state=0)",
}
#: Parameters of the paper's method, up to version 2.
_OF_PAPER = {"method", "weights", "moving", "must_link_first"}
#: Parameters whose default was None up to version 2, and their defaults now.
_ONCE_NONE = {"penalty": 1.0, "leaf_penalty": True}
_GRAPH = ("indptr", "indices", "weights", "degree")
_TREE = ("parent", "volume", "cut", "relation_cut")


def save(model: SSEEstimator, path: str | os.PathLike[str], *, with_samples: bool = True) -> Path:
    """Write a fitted estimator to a file. If writing fails, an old file stays as it was.

    Parameters
    ----------
    model : SSEPartition or SSEHierarchy
        A fitted estimator.
    path : path-like
        The file; ``.npz`` is added if the name does not end with it. An old file is replaced.
    with_samples : bool, default=True
        Whether to store the training samples, too. Without them ``predict`` cannot search
        neighbours of new samples, and raises an error. It needs none if it takes similarities or
        distances.

    Returns
    -------
    Path
        The file that was written.

    See Also
    --------
    load : Read the file.
    sentree.estimators.persistence : The format of the file.

    Examples
    --------
    >>> import sentree, tempfile
    >>> model = sentree.SSEPartition(2).fit([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = sentree.load(sentree.save(model, f"{folder}/model"))
    >>> again.predict([[5.3]]).tolist() == model.predict([[5.3]]).tolist()
    True
    """
    if type(model) not in _CLASSES.values():
        raise TypeError(f"only {' and '.join(_CLASSES)} can be saved, got {type(model).__name__}")
    check_is_fitted(model, "labels_")
    parameters = {k: _parameter(k, v) for k, v in model.get_params(deep=False).items()}
    target = Path(path)
    if target.suffix != ".npz":
        target = target.with_name(target.name + ".npz")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {target.parent} to write {target.name} to")
    arrays: Arrays = {}
    entries = {
        "class": type(model).__name__,
        "parameters": parameters,
        **_put_fit(model, with_samples, arrays),
    }
    write(target, entries, arrays)
    return target


def load(path: str | os.PathLike[str]) -> SSEPartition | SSEHierarchy:
    """Read an estimator that :func:`sentree.save` wrote.

    Parameters
    ----------
    path : path-like
        The file; ``.npz`` may be left out. Nothing in it is executed, so files from others are
        safe to load.

    Returns
    -------
    SSEPartition or SSEHierarchy
        The fitted estimator; ``predict`` and ``refit`` work as before saving.

    Raises
    ------
    ValueError
        If the file is damaged, of another kind, or newer than this version of sentree. Sizes are
        checked before memory is allocated.
    """
    source = Path(path)
    if not source.exists() and source.suffix != ".npz":
        source = source.with_name(source.name + ".npz")
    try:
        return _model(*read(source))
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"cannot load {source}: {error}") from error


def _parameter(name: str, value: Any) -> Any:
    """Return a parameter as a JSON value, or raise if it has none."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if name == "prepare":
        return value.get_params()
    instead = _INSTEAD.get(name, "set it to a number or a string")
    raise TypeError(
        f"{name} is {value!r}, an object that cannot be stored without pickling: {instead}"
    )


def _put_fit(model: Any, with_samples: bool, arrays: Arrays) -> dict[str, Any]:
    """Return the header entries of a fit, and add its arrays."""
    arrays |= {"labels": model.labels_, "trace": model.trace_}
    put(arrays, "graph", model.graph_, _GRAPH)
    put(arrays, "tree", model.tree_, _TREE)
    if model._copies is not None:
        arrays["copies"] = model._copies
    if model._size_weight is not None:
        arrays["size_weight"] = model._size_weight
    names, settings = getattr(model, "feature_names_in_", None), model.graph_settings_
    prepared = model.preparation_
    return {
        "fitted": {
            "objective": model.objective_,
            "entropy": model.entropy_,
            "n_features_in": model.n_features_in_,
            "feature_names_in": None if names is None else names.tolist(),
            "selection": None if model.selection_ is None else model.selection_.to_dict(),
            "scale": None if model.scale_ is None else model.scale_.to_dict(),
            "graph_settings": None if settings is None else settings.to_dict(),
            "features": None if model.features_ is None else model.features_.to_dict(),
            "neighbor_recall": model.neighbor_recall_,
            "preparation": None if prepared is None else prepared.to_dict(),
            "resumes": model._resumes,
            "edited": model._edited,
            "more_clusters": model._more(),
        },
        "constraints": put_constraints(model.constraints_, "constraints", arrays),
        "extension": put_extension(model._extension, with_samples, arrays),
    }


def _model(header: Stored, arrays: Stored) -> SSEPartition | SSEHierarchy:
    """Return the estimator that a header and arrays describe."""
    if header["class"] not in _CLASSES:
        raise ValueError(f"there is no estimator {header['class']!r} in sentree {__version__}")
    kind = _CLASSES[header["class"]]
    parameters = _without_paper(header["class"], header["parameters"])
    if isinstance(parameters.get("prepare"), dict):
        parameters["prepare"] = _preparer()(**parameters["prepare"])
    unknown = sorted(set(parameters) - set(kind._get_param_names()))
    if unknown:
        raise ValueError(
            f"{header['class']} of sentree {__version__} has no parameter {unknown[0]!r}: the file "
            f"was written by sentree {header['sentree_version']}"
        )
    model = kind(**parameters)
    model._validate_params()
    fitted = header["fitted"]
    model.graph_ = Graph(**get(arrays, "graph", _GRAPH))
    model.tree_ = _tree(arrays, "tree")
    model.labels_ = whole_numbers(arrays, "labels")
    model.trace_ = arrays["trace"]
    model.objective_, model.entropy_ = float(fitted["objective"]), float(fitted["entropy"])
    model.n_features_in_ = int(fitted["n_features_in"])
    if fitted["feature_names_in"] is not None:
        model.feature_names_in_ = np.array(fitted["feature_names_in"], dtype=object)
    model.selection_ = _selection(fitted["selection"])
    scale = fitted.get("scale")  # absent in older files
    model.scale_ = None if scale is None else NaturalScale.from_dict(scale)
    settings = fitted["graph_settings"]
    model.graph_settings_ = None if settings is None else GraphSettings(**settings)
    model.features_ = _features(fitted["features"])
    recall = fitted.get("neighbor_recall")  # absent in older files
    model.neighbor_recall_ = None if recall is None else float(recall)
    model._table = None
    model.preparation_ = _preparation(fitted.get("preparation"))
    model.constraints_ = get_constraints(header["constraints"], "constraints", arrays)
    model._resumes, model._edited = (bool(fitted.get(key)) for key in ("resumes", "edited"))
    model._more_clusters = int(fitted.get("more_clusters") or 0)
    model._counted_from = model.n_clusters
    model._copies = _copies(arrays)
    model._size_weight = size_weights(arrays.get("size_weight"), model.graph_.n)
    model._extension = get_extension(header["extension"], arrays, model)
    check_fit(model)
    model._finish(model.constraints_)
    return model


def _without_paper(kind: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return parameters without those of the paper's method, which version 2 had."""
    affinity = str(parameters.get("affinity"))
    if "paper" in (parameters.get("method"), parameters.get("weights"), affinity.split("-")[0]):
        name = "PaperHierarchy" if kind == "SSEHierarchy" else "PaperPartition"
        raise ValueError(
            "the model was fitted by the paper's method, which can no longer be loaded: fit "
            f"sentree.paper.{name} instead"
        )
    kept = {name: value for name, value in parameters.items() if name not in _OF_PAPER}
    for name, default in _ONCE_NONE.items():
        if name in kept and kept[name] is None:
            kept[name] = default
    return kept


def _tree(arrays: Stored, prefix: str) -> EncodingTree:
    """Return a tree; trees of fitted models have no names."""
    parent, volume, cut, relation_cut = get(arrays, prefix, _TREE).values()
    return EncodingTree(parent, volume, cut, relation_cut)


def _copies(arrays: Stored) -> NDArray[np.int64] | None:
    """Return the distinct row of each sample; None if no row repeats."""
    if "copies" not in arrays:
        return None
    rows = arrays["copies"]
    found = np.unique(rows)
    if rows.dtype.kind != "i" or not np.array_equal(found, np.arange(found.size)):
        raise ValueError("copies does not number the distinct rows from 0")
    return np.asarray(rows, dtype=np.int64)


def _selection(stored: Stored | None) -> Selection | None:
    if stored is None:
        return None
    tried = (
        Candidate(**{**candidate, "recipe": _recipe(candidate["recipe"])})
        for candidate in stored["candidates"]
    )
    return Selection(**{**stored, "chosen": _recipe(stored["chosen"]), "candidates": tuple(tried)})


def _recipe(stored: Stored) -> Recipe:
    """Return a recipe without entries that only earlier versions had."""
    return Recipe(**{name: stored[name] for name in Recipe._fields if name in stored})


def _features(stored: Stored | None) -> Features | None:
    if stored is None:
        return None
    weights, names = stored["weights"], stored["names"]
    return Features(
        int(stored["n_features"]),
        None if weights is None else np.array(weights, dtype=np.float64),
        np.array(stored["tamed"], dtype=np.int64),
        None if names is None else tuple(names),
        int(stored["n_directions"]),
    )


def _preparation(stored: Stored | None) -> Any:
    """Return how tables are prepared, if they are."""
    return None if stored is None else _preparer().from_dict(stored)


def _preparer() -> Any:
    from sentree.prepare import TablePreparer

    return TablePreparer
