"""How new samples join the graph, in the file of a model."""

from __future__ import annotations

from functools import partial
from typing import Any

import scipy.sparse as sp

from sentree import __version__
from sentree.estimators.stored import Arrays, Stored, get, put
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

__all__ = ["WITHOUT_TRANSFORMER", "LeftOut", "get_extension", "put_extension"]

#: What to do instead where neighbours are found by a transformer.
WITHOUT_TRANSFORMER = (
    "fit with the name of a search, such as 'auto', or with affinity='precomputed_distances' on "
    "the distances that it finds"
)
_CSR = ("data", "indices", "indptr")
_SEARCH = ("p", "search", "n_jobs", "seed", "ties")


class LeftOut:
    """The extension of a model that was saved without samples: it cannot place new ones."""

    def reach(self, X: Any) -> Any:
        """Refuse to place new samples."""
        raise ValueError(
            "the model was saved without its samples and cannot find the neighbours of new ones: "
            "fit again, or save with with_samples=True"
        )


def put_extension(extension: Any, with_samples: bool, arrays: Arrays) -> dict[str, Any]:
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
            f"{WITHOUT_TRANSFORMER}; or save with_samples=False, without predict"
        )
    samples, layout = extension.samples, extension.layout
    sparse, scaled = is_sparse(samples), layout.scale is not None
    if sparse:
        put(arrays, "samples", samples, _CSR)
    else:
        arrays["samples"] = samples
    if scaled:
        put(arrays, "scale", layout.scale, Scale._fields)
    if layout.tails is not None:
        put(arrays, "tails", layout.tails, Tails._fields)
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
    put(arrays, "weigher", weigher, ("widths", "silent"))
    return {
        "kernel": next(name for name, kernel in KERNELS.items() if kernel == weigher.kernel),
        "negative": weigher.negative,
        "p": join.p,
        "local_rank": join.local_rank,
        "self_loops": join.self_loops,
    }


def get_extension(stored: Stored, arrays: Stored, model: Any) -> Any:
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
        **get(arrays, "weigher", ("widths", "silent")),
    )
    join = DistanceExtension(weigher, stored["p"], stored["local_rank"], stored["self_loops"])
    if kind == "distances":
        return join
    find = partial(NeighborSearch, **{name: stored["search"][name] for name in _SEARCH})
    shape = (model.graph_.n, model._width)
    samples = _sparse_samples(arrays, shape) if stored["sparse"] else arrays["samples"]
    return SampleExtension(samples, _layout(stored, arrays), find, join, model._copies)


def _layout(stored: Stored, arrays: Stored) -> Layout:
    """Return how samples are scaled and compared."""
    return Layout(
        stored["metric"],
        Scale(**get(arrays, "scale", Scale._fields)) if stored["scaled"] else None,
        bool(stored["logarithm"]),
        Tails(**get(arrays, "tails", Tails._fields)) if stored["tamed"] else None,
        get(arrays, "features", ("weights",))["weights"] if stored["weighed"] else None,
        get(arrays, "features", ("directions",))["directions"] if stored["directed"] else None,
        bool(stored.get("single", False)),
    )


def _sparse_samples(arrays: Stored, shape: tuple[int, int]) -> Any:
    """Return training samples that are stored in CSR."""
    samples = sp.csr_array(tuple(get(arrays, "samples", _CSR).values()), shape=shape)
    samples.check_format(full_check=True)
    return samples
