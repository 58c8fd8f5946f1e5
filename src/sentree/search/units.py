"""Units: small groups of samples, joined to a tree along which classes are likely to be passed on.

Units are the samples themselves, or parts of modules where samples are many. They are united inside
modules, then modules inside natural clusters, then natural clusters. Each union joins a lighter
side to a heavier one, and has a prior probability of being a cut between two classes, from how
closely the sides are in contact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sentree._util.labels import renumber
from sentree.graph import FloatArray, Graph
from sentree.search.hard import contract
from sentree.search.kernels import UnitEdges
from sentree.search.natural_parts import Unions
from sentree.search.pair_evidence import log_closeness, measured_unions, unions_within
from sentree.search.problem import UnconstrainedResult
from sentree.search.scale import search_inside

__all__ = ["Units"]

#: Up to this many vertices each is a unit of its own.
_MOST_SINGLE = 4_000
#: Modules are searched for parts if they are fewer than this.
_FEW_MODULES = 2_000
#: Log odds that a union is a cut, fitted to the unions of 40 public sets: inside a module, by the
#: share of the lighter side's weight that crosses it, and by linkage.
_IN_MODULE = (-2.4, -0.66, -0.34)
#: The same between modules of a natural cluster, by closeness, and between natural clusters, by
#: linkage; all in powers of two.
_IN_CLUSTER = (-1.96, -0.41)
_BETWEEN = (-0.9, -0.99)
#: Least log odds against a cut within a natural cluster, and for one between two.
_LEAST = 0.5
#: Logarithms of contacts are limited to this.
_MOST = 12.0

IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Units:
    """A tree of units."""

    unit: IntArray  # the unit of every sample
    size: FloatArray  # number of samples in each unit
    typical: IntArray  # a typical sample of each unit
    cluster: IntArray  # the natural cluster of each unit
    single: bool  # whether samples are units, except for equal ones
    edges: UnitEdges
    logit: FloatArray  # prior log odds that each edge is a cut

    @classmethod
    def of(cls, result: UnconstrainedResult) -> Units:
        """Make units from modules and natural clusters."""
        graphs = result.graphs
        vertices, powers = graphs.graph, result.contacts.powers
        natural = renumber(result.on_vertices(result.natural))
        modules = _within(result.found.labels, natural)
        single = vertices.n <= _MOST_SINGLE
        parts = np.arange(vertices.n) if single else _parts(result)
        pieces = vertices if single else contract(vertices, None, parts)[0]
        module = _of_part(modules, parts)
        cluster = _of_part(natural, modules)
        levels = [
            unions_within(pieces, module, powers),
            unions_within(contract(vertices, None, modules)[0], cluster, powers),
            unions_within(
                contract(vertices, None, natural)[0], np.zeros(natural.max() + 1, int), powers
            ),
        ]
        homes = [module, cluster, np.zeros(int(natural.max()) + 1, dtype=np.int64)]
        sides, level = _stacked(pieces.n, levels, homes)
        size = np.bincount(parts[result.vertex], minlength=pieces.n).astype(np.float64)
        unions = measured_unions(pieces, sides, size)
        heavy, light, root = _led(unions)
        edges = UnitEdges(heavy.astype(np.int32), light.astype(np.int32), root, level == 2)
        logit = _cut_odds(unions, level, log_closeness(unions, result.spacing))
        typical = _typical(vertices, parts, result.vertex)
        unit = np.asarray(parts[result.vertex], dtype=np.int64)
        return cls(unit, size, typical, cluster[module], single, edges, logit)


def _parts(result: UnconstrainedResult) -> NDArray[np.int32]:
    """Return parts of modules; where users have edited clusters, those of before divided by them.

    So an edit costs no search.
    """
    natural = renumber(result.on_vertices(result.natural))
    if result.unedited is not None:
        return _within(_parts(result.unedited), natural)
    if result not in _PARTS:
        parts = _within(result.found.labels, natural)
        if int(parts.max()) + 1 < _FEW_MODULES:
            parts = _within(search_inside(result.graphs, parts)[: parts.size], parts)
        _PARTS[result] = parts
    return _PARTS[result]


#: The parts of modules of results, for when users edit them.
_PARTS: WeakKeyDictionary[UnconstrainedResult, NDArray[np.int32]] = WeakKeyDictionary()


def _within(inner: NDArray[Any], outer: NDArray[Any]) -> NDArray[np.int32]:
    """Return the common parts of two partitions."""
    return renumber(inner.astype(np.int64) * (int(outer.max()) + 1) + outer)


def _of_part(outer: NDArray[Any], parts: NDArray[Any]) -> IntArray:
    """Return what each part lies in."""
    found = np.zeros(int(parts.max()) + 1, dtype=np.int64)
    found[parts] = outer
    return found


def _stacked(n: int, levels: list[IntArray], homes: list[IntArray]) -> tuple[IntArray, IntArray]:
    """Join the unions of all levels to one list; return it and the level of each.

    The nodes of a level are the last unions of each part of the level below.
    """
    sides: list[tuple[int, int]] = []
    level: list[int] = []
    nodes = list(range(n))
    for number, (unions, home) in enumerate(zip(levels, homes, strict=True)):
        where = home.tolist()
        for a, b in unions.tolist():
            sides.append((nodes[a], nodes[b]))
            level.append(number)
            nodes.append(n + len(sides) - 1)
            where.append(where[a])
        last = dict(zip(where, nodes, strict=True))
        nodes = [last[part] for part in range(len(last))]
    return np.array(sides, dtype=np.int64).reshape(-1, 2), np.array(level, dtype=np.int64)


def _led(unions: Unions) -> tuple[IntArray, IntArray, int]:
    """Return for every union the units that lead its heavier and its lighter side, and the root.

    The unit that leads a union is that of its heavier side.
    """
    leader = list(range(unions.n_modules))
    size = unions.size.tolist()
    heavy, light = [], []
    for a, b in unions.sides.tolist():
        if size[b] > size[a]:
            a, b = b, a
        heavy.append(leader[a])
        light.append(leader[b])
        leader.append(leader[a])
    return np.array(heavy, dtype=np.int64), np.array(light, dtype=np.int64), leader[-1]


def _cut_odds(unions: Unions, level: IntArray, closeness: FloatArray) -> FloatArray:
    """Return the prior log odds that each union is a cut between classes."""
    with np.errstate(divide="ignore", invalid="ignore"):  # sides that do not touch
        crossing = np.log2(unions.contact / unions.volume[unions.sides].min(axis=1))
        linkage = np.log2(unions.linkage)
    crossing, linkage, closeness = (
        np.clip(np.nan_to_num(one, neginf=-_MOST), -_MOST, _MOST)
        for one in (crossing, linkage, closeness)
    )
    inside = _IN_MODULE[0] + _IN_MODULE[1] * crossing + _IN_MODULE[2] * linkage
    of_modules = _IN_CLUSTER[0] + _IN_CLUSTER[1] * closeness
    within = np.minimum(np.where(level == 0, inside, of_modules), -_LEAST)
    apart = np.maximum(_BETWEEN[0] + _BETWEEN[1] * linkage, _LEAST)
    return np.asarray(np.where(level == 2, apart, within), dtype=np.float64)


def _typical(graph: Graph, parts: NDArray[Any], vertex: IntArray) -> IntArray:
    """Return a sample of every unit: the first of the vertex with most weight inside it."""
    row = np.repeat(np.arange(graph.n), np.diff(graph.indptr))
    inside = parts[row] == parts[graph.indices]
    weight = np.bincount(row[inside], graph.weights[inside], graph.n)
    first_sample = np.unique(vertex, return_index=True)[1]
    order = np.lexsort((-weight, parts))
    best = order[np.unique(parts[order], return_index=True)[1]]
    return np.asarray(first_sample[best], dtype=np.int64)
