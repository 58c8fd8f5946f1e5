"""Whether the parts of a model that was read from a file fit one another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.graph.extend import DistanceExtension, GraphExtension, SampleExtension
from sentree.graph.scaling import Layout

__all__ = ["check_fit"]


def check_fit(model: Any) -> None:
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
