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

import json
import math
import os
import zipfile
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sentree import __version__
from sentree._util.files import replacing
from sentree.constraints import Constraints
from sentree.estimators.base import SSEEstimator
from sentree.estimators.hierarchy import SSEHierarchy
from sentree.estimators.partition import SSEPartition
from sentree.graph import Graph
from sentree.graph.choice import GraphSettings
from sentree.graph.extend import (
    DistanceExtension,
    GraphExtension,
    SampleExtension,
    TransformerExtension,
)
from sentree.graph.kernels import KERNELS, Weigher
from sentree.graph.neighbors import NeighborSearch
from sentree.graph.scaling import Layout, Scale
from sentree.graph.spaces import is_sparse
from sentree.graph.tails import Tails
from sentree.relation.feature_weights import Features
from sentree.search.natural_number import NaturalScale
from sentree.search.recipes import Candidate, Recipe, Selection
from sentree.search.size_bounds import size_weights
from sentree.tree import EncodingTree

__all__ = ["FORMAT_VERSION", "LeftOut", "load", "save"]

#: Version of the format that is written, and the newest that is read.
FORMAT_VERSION = 5

_FORMAT = "sentree model"
#: Arrays of a compressed file may take at most this many times the bytes of the file.
_MOST_EXPANSION = 100
_CLASSES: dict[str, type[SSEPartition] | type[SSEHierarchy]] = {
    "SSEPartition": SSEPartition,
    "SSEHierarchy": SSEHierarchy,
}
#: What to do instead, for parameters that are objects.
_INSTEAD = {
    "affinity": "fit with affinity='precomputed' on the graph that it made (graph_)",
    "neighbors": "fit with the name of a search, such as 'auto', or with "
    "affinity='precomputed_distances' on the distances that it finds",
    "random_state": "give a number, as in set_params(random_state=0)",
}
#: Entries that files of version 1 do not have, and what they mean there.
_NOT_IN_1: dict[str, dict[str, Any]] = {
    "fitted": {"graph_settings": None, "features": None},
    "extension": {"logarithm": False, "tamed": False, "weighed": False, "directed": False},
}
#: Parameters of the paper's method, up to version 2.
_OF_PAPER = {"method", "weights", "moving", "must_link_first"}
#: Parameters whose default was None up to version 2, and their defaults now.
_ONCE_NONE = {"penalty": 1.0, "leaf_penalty": True}
_GRAPH = ("indptr", "indices", "weights", "degree")
_TREE = ("parent", "volume", "cut", "relation_cut")
_CSR = ("data", "indices", "indptr")
_SEARCH = ("p", "search", "n_jobs", "seed", "ties")
_STATEMENTS = (
    *("must_link", "must_weight", "cannot_link", "cannot_weight", "triplets", "triplet_weight"),
    *("label_index", "label_code", "negative_index", "negative_code"),
)

Arrays = dict[str, NDArray[Any]]


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
    header = {
        "format": _FORMAT,
        "format_version": FORMAT_VERSION,
        "sentree_version": __version__,
        "class": type(model).__name__,
        "parameters": parameters,
        **_put_fit(model, with_samples, arrays),
    }
    text = json.dumps(header, default=_plain)
    with replacing(target) as part, open(part, "wb") as file:
        np.savez(file, header=np.array(text.encode("ascii")), **arrays)  # type: ignore[arg-type]
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
        return _model(*_read(source))
    except (ValueError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(f"cannot load {source}: {error}") from error


class _Stored(dict[str, Any]):
    """Entries of a file; a missing one is named in the error."""

    def __missing__(self, name: str) -> NoReturn:
        raise ValueError(f"the file is damaged: {name!r} is missing")


class LeftOut:
    """The extension of a model that was saved without samples: it cannot place new ones."""

    def reach(self, X: Any) -> Any:
        """Refuse to place new samples."""
        raise ValueError(
            "the model was saved without its samples and cannot find the neighbours of new ones: "
            "fit again, or save with with_samples=True"
        )


def _read(path: Path) -> tuple[_Stored, _Stored]:
    """Return the header and the arrays of a file."""
    with open(path, "rb") as stream:
        if stream.read(4) != b"PK\x03\x04":
            raise ValueError("this is no file of sentree.save (no .npz at all)")
        if not zipfile.is_zipfile(stream):
            raise ValueError("the file is damaged: its end is missing; save the model again")
        stream.seek(0)
        try:
            with np.load(stream, allow_pickle=False) as file:
                claimed = sum(member.file_size for member in file.zip.infolist())
                if claimed > _MOST_EXPANSION * path.stat().st_size:
                    raise ValueError(f"it claims to hold {claimed:,} bytes, far more than it has")
                names = [name for name in file.files if name != "header"]
                return _header(file), _Stored((name, _array(file, name)) for name in names)
        except (MemoryError, _Refused):
            raise
        except Exception as error:  # zipfile and NumPy raise a dozen kinds for damaged files
            raise ValueError(f"the file is damaged ({error}); save the model again") from None


def _array(file: Any, name: str) -> NDArray[Any]:
    """Read an array after checking its shape, for which NumPy would allocate memory at once."""
    member = file.zip.getinfo(f"{name}.npy")
    with file.zip.open(member) as start:
        version = np.lib.format.read_magic(start)
        old = version == (1, 0)
        read = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(start)
        size = start.tell() + math.prod(shape) * dtype.itemsize
    if not dtype.hasobject and (dtype.itemsize == 0 or size != member.file_size):
        raise ValueError(f"{name} claims shape {shape} of {dtype}, which is not what is there")
    found: NDArray[Any] = file[name]
    return found


class _Refused(ValueError):
    """The file is intact, but not a model that this version can read."""


def _header(file: Any) -> _Stored:
    """Return the header of a file, if it is a model that this version can read."""
    header = None
    if "header" in file.files and (text := _array(file, "header")).dtype.kind == "S":
        header = json.loads(text.item(), object_hook=_Stored)
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise _Refused("this .npz is no file of sentree.save: it holds other arrays")
    version = header["format_version"]
    if not isinstance(version, int) or version < 1:
        raise _Refused(f"the file has format version {version!r}, which does not exist")
    if version > FORMAT_VERSION:
        raise _Refused(
            f"the file has format version {version} and this sentree ({__version__}) reads up to "
            f"{FORMAT_VERSION}: install sentree {header['sentree_version']} or newer"
        )
    return _Stored(header if version > 1 else _from_1(header))


def _from_1(header: dict[str, Any]) -> dict[str, Any]:
    """Add the entries that a header of version 1 does not have."""
    for part, unknown in _NOT_IN_1.items():
        if isinstance(header.get(part), dict):
            header[part].update({**unknown, **header[part]})
    return header


def _put_fit(model: Any, with_samples: bool, arrays: Arrays) -> dict[str, Any]:
    """Return the header entries of a fit, and add its arrays."""
    arrays |= {"labels": model.labels_, "trace": model.trace_}
    _put(arrays, "graph", model.graph_, _GRAPH)
    _put(arrays, "tree", model.tree_, _TREE)
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
        "constraints": _put_constraints(model.constraints_, "constraints", arrays),
        "extension": _put_extension(model._extension, with_samples, arrays),
    }


def _model(header: _Stored, arrays: _Stored) -> SSEPartition | SSEHierarchy:
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
    model.graph_ = Graph(**_get(arrays, "graph", _GRAPH))
    model.tree_ = _tree(arrays, "tree")
    model.labels_ = _whole_numbers(arrays, "labels")
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
    model.constraints_ = _constraints(header["constraints"], "constraints", arrays)
    model._resumes, model._edited = (bool(fitted.get(key)) for key in ("resumes", "edited"))
    model._more_clusters = int(fitted.get("more_clusters") or 0)
    model._counted_from = model.n_clusters
    model._copies = _copies(arrays)
    model._size_weight = size_weights(arrays.get("size_weight"), model.graph_.n)
    model._extension = _extension(header["extension"], arrays, model)
    _check_fit(model)
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


def _check_fit(model: Any) -> None:
    """Raise if the parts of a fitted model differ in their samples or features."""
    n, width = model.graph_.n, model._width
    _check_shape("labels_", model.labels_, (n,))
    _check_shape("trace_", model.trace_, (model.trace_.size,))
    if model.labels_.min(initial=0) < 0:
        raise ValueError("labels_ holds a number below 0")
    if model.labels_.max(initial=0) >= n:
        raise ValueError(f"labels_ holds {model.labels_.max()}, but there are {n} samples")
    if model.tree_.n_leaves != n:
        raise ValueError(f"tree_ has {model.tree_.n_leaves} leaves for {n} samples")
    model.constraints_.check(n)
    if hasattr(model, "feature_names_in_"):
        _check_shape("feature_names_in_", model.feature_names_in_, (model.n_features_in_,))
    extension = model._extension
    if isinstance(extension, (GraphExtension, DistanceExtension)) and width != n:
        raise ValueError(f"{width} columns for a graph of {n} samples, which it was made of")
    if isinstance(extension, SampleExtension):
        _check_shape("the training samples", extension.samples, (n, width))
        _check_layout(extension.layout, width)
    join = getattr(extension, "join", extension)
    if model._copies is not None:
        _check_shape("the list of distinct rows", model._copies, (n,))
    if isinstance(join, DistanceExtension):
        repeated = getattr(extension, "copies", None)
        size = n if repeated is None else int(repeated.max()) + 1
        _check_shape("the list of silent samples", join.weigher.silent, (size,))
        if join.weigher.widths.shape != (1,):
            _check_shape("the list of bandwidths", join.weigher.widths, (size,))
        _check_numbers("the list of bandwidths", join.weigher.widths)


def _check_layout(layout: Layout, width: int) -> None:
    """Raise if a layout is not for this many features."""
    for part in (*(layout.scale or ()), layout.weights, layout.directions):
        if part is not None:
            _check_numbers("the layout of the features", part)
    for column in layout.scale or ():
        _check_shape("the scale of the features", column, (width,))
    if layout.weights is not None:
        _check_shape("the list of weights of features", layout.weights, (width,))
    if layout.directions is not None:
        _check_shape("the list of directions", layout.directions[:, 0], (width,))
    if layout.tails is not None:
        for part in layout.tails:
            _check_shape("the list of long tails", part, layout.tails.columns.shape)
        columns = layout.tails.columns
        if columns.size and (columns.min() < 0 or columns.max() >= width):
            raise ValueError(f"a long tail names a feature beyond the {width} of the model")


def _check_shape(name: str, array: Any, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, expected {shape}")


def _check_numbers(name: str, array: NDArray[Any]) -> None:
    if array.dtype.kind != "f" or np.isnan(array).any():
        raise ValueError(f"{name} contains values that are not numbers")


def _put(arrays: Arrays, prefix: str, part: Any, names: tuple[str, ...]) -> None:
    """Add the arrays of one part."""
    arrays |= {f"{prefix}.{name}": getattr(part, name) for name in names}


def _get(arrays: _Stored, prefix: str, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """Return the arrays of one part, read-only, so that the part need not copy them."""
    found = {name: arrays[f"{prefix}.{name}"] for name in names}
    for array in found.values():
        array.flags.writeable = False
    return found


def _tree(arrays: _Stored, prefix: str) -> EncodingTree:
    """Return a tree; trees of fitted models have no names."""
    parent, volume, cut, relation_cut = _get(arrays, prefix, _TREE).values()
    return EncodingTree(parent, volume, cut, relation_cut)


def _copies(arrays: _Stored) -> NDArray[np.int64] | None:
    """Return the distinct row of each sample; None if no row repeats."""
    if "copies" not in arrays:
        return None
    rows = arrays["copies"]
    found = np.unique(rows)
    if rows.dtype.kind != "i" or not np.array_equal(found, np.arange(found.size)):
        raise ValueError("copies does not number the distinct rows from 0")
    return np.asarray(rows, dtype=np.int64)


def _whole_numbers(arrays: _Stored, name: str) -> NDArray[np.int32]:
    if arrays[name].dtype.kind != "i":
        raise ValueError(f"{name} holds {arrays[name].dtype}, not whole numbers")
    return np.asarray(arrays[name], dtype=np.int32)


def _plain(value: Any) -> Any:
    """Return a NumPy scalar as a Python number."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is not a plain value")


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


def _put_class(value: Any) -> Any:
    """Return a class value as a JSON value."""
    if isinstance(value, tuple):
        return [_put_class(part) for part in value]
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(
        f"the class {value!r} is of type {type(value).__name__} and cannot be stored: name classes "
        "by strings, numbers or tuples of these"
    )


def _class(value: Any) -> Any:
    return tuple(map(_class, value)) if isinstance(value, list) else value


def _put_constraints(given: Constraints, prefix: str, arrays: Arrays) -> dict[str, Any]:
    """Add the arrays of constraints, and return their header entries."""
    _put(arrays, prefix, given, _STATEMENTS)
    for name in ("together", "apart"):
        groups: tuple[NDArray[np.int64], ...] = getattr(given, name)
        sizes = [0, *(group.size for group in groups)]
        arrays[f"{prefix}.{name}.members"] = np.concatenate((np.empty(0, np.int64), *groups))
        arrays[f"{prefix}.{name}.starts"] = np.cumsum(sizes)
    return {
        "classes": [_put_class(value) for value in given.classes],
        "declared": given.declared,
        **{
            name: None if part is None else _put_constraints(part, f"{prefix}.{name}", arrays)
            for name, part in (("hard", given.hard), ("finer", given.finer))
        },
    }


def _constraints(stored: _Stored, prefix: str, arrays: _Stored) -> Constraints:
    """Return constraints, which check themselves."""
    statements: dict[str, Any] = _get(arrays, prefix, _STATEMENTS)
    parts: dict[str, Any] = {
        name: None if part is None else _constraints(part, f"{prefix}.{name}", arrays)
        for name, part in (("hard", stored["hard"]), ("finer", stored.get("finer")))
    }
    return Constraints(
        **statements,
        together=_groups(arrays, f"{prefix}.together"),
        apart=_groups(arrays, f"{prefix}.apart"),
        classes=tuple(map(_class, stored["classes"])),
        declared=stored["declared"],
        **parts,
    )


def _groups(arrays: _Stored, name: str) -> tuple[NDArray[np.int64], ...]:
    starts, members = arrays[f"{name}.starts"], arrays[f"{name}.members"]
    if starts.dtype.kind != "i" or starts[0] != 0 or starts[-1] != members.size:
        raise ValueError(f"{name}.starts does not fit {name}.members")
    return tuple(np.split(members, starts[1:-1])) if starts.size > 1 else ()


def _selection(stored: _Stored | None) -> Selection | None:
    if stored is None:
        return None
    tried = (
        Candidate(**{**candidate, "recipe": _recipe(candidate["recipe"])})
        for candidate in stored["candidates"]
    )
    return Selection(**{**stored, "chosen": _recipe(stored["chosen"]), "candidates": tuple(tried)})


def _recipe(stored: _Stored) -> Recipe:
    """Return a recipe without entries that only earlier versions had."""
    return Recipe(**{name: stored[name] for name in Recipe._fields if name in stored})


def _features(stored: _Stored | None) -> Features | None:
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


def _preparation(stored: _Stored | None) -> Any:
    """Return how tables are prepared, if they are."""
    return None if stored is None else _preparer().from_dict(stored)


def _preparer() -> Any:
    from sentree.prepare import TablePreparer

    return TablePreparer


def _put_extension(extension: Any, with_samples: bool, arrays: Arrays) -> dict[str, Any]:
    """Add the arrays that predict needs, and return its settings."""
    if isinstance(extension, GraphExtension):
        return {"kind": "graph", "factor": extension.factor}
    if isinstance(extension, DistanceExtension):
        return {"kind": "distances", **_put_join(extension, arrays)}
    if isinstance(extension, LeftOut) or not with_samples:
        return {"kind": "left out"}
    if isinstance(extension, TransformerExtension):
        raise TypeError(
            "the neighbours were found by a transformer, which cannot be stored without pickling: "
            f"{_INSTEAD['neighbors']}; or save with_samples=False, without predict"
        )
    samples, layout = extension.samples, extension.layout
    sparse, scaled = is_sparse(samples), layout.scale is not None
    if sparse:
        _put(arrays, "samples", samples, _CSR)
    else:
        arrays["samples"] = samples
    if scaled:
        _put(arrays, "scale", layout.scale, Scale._fields)
    if layout.tails is not None:
        _put(arrays, "tails", layout.tails, Tails._fields)
    if layout.weights is not None:
        arrays["features.weights"] = layout.weights
    if layout.directions is not None:
        arrays["features.directions"] = layout.directions
    return {
        "kind": "samples",
        "metric": layout.metric,
        "scaled": scaled,
        "logarithm": layout.logarithm,
        "tamed": layout.tails is not None,
        "weighed": layout.weights is not None,
        "directed": layout.directions is not None,
        "single": layout.single,
        "sparse": sparse,
        "search": extension.find.keywords,
        **_put_join(extension.join, arrays),
    }


def _put_join(join: DistanceExtension, arrays: Arrays) -> dict[str, Any]:
    """Add the bandwidths, and return how neighbours are weighed."""
    weigher = join.weigher
    _put(arrays, "weigher", weigher, ("widths", "silent"))
    return {
        "kernel": next(name for name, kernel in KERNELS.items() if kernel == weigher.kernel),
        "negative": weigher.negative,
        "p": join.p,
        "local_rank": join.local_rank,
        "self_loops": join.self_loops,
    }


def _extension(stored: _Stored, arrays: _Stored, model: Any) -> Any:
    """Return how new samples join the graph."""
    kind = stored["kind"]
    if kind == "left out":
        return LeftOut()
    if kind == "graph":
        return GraphExtension(float(stored.get("factor", 1.0)))
    if kind not in ("distances", "samples"):
        raise ValueError(f"there is no extension of kind {kind!r}")
    if stored["kernel"] not in KERNELS:
        raise ValueError(f"there is no kernel {stored['kernel']!r} in sentree {__version__}")
    weigher = Weigher(
        kernel=KERNELS[stored["kernel"]],
        negative=stored["negative"],
        **_get(arrays, "weigher", ("widths", "silent")),
    )
    join = DistanceExtension(weigher, stored["p"], stored["local_rank"], stored["self_loops"])
    if kind == "distances":
        return join
    find = partial(NeighborSearch, **{name: stored["search"][name] for name in _SEARCH})
    shape = (model.graph_.n, model._width)
    samples = _sparse_samples(arrays, shape) if stored["sparse"] else arrays["samples"]
    return SampleExtension(samples, _layout(stored, arrays), find, join, model._copies)


def _layout(stored: _Stored, arrays: _Stored) -> Layout:
    """Return how samples are scaled and compared."""
    return Layout(
        stored["metric"],
        Scale(**_get(arrays, "scale", Scale._fields)) if stored["scaled"] else None,
        bool(stored["logarithm"]),
        Tails(**_get(arrays, "tails", Tails._fields)) if stored["tamed"] else None,
        _get(arrays, "features", ("weights",))["weights"] if stored["weighed"] else None,
        _get(arrays, "features", ("directions",))["directions"] if stored["directed"] else None,
        bool(stored.get("single", False)),
    )


def _sparse_samples(arrays: _Stored, shape: tuple[int, int]) -> Any:
    """Return training samples that are stored in CSR."""
    samples = sp.csr_array(tuple(_get(arrays, "samples", _CSR).values()), shape=shape)
    samples.check_format(full_check=True)
    return samples
