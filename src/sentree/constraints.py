"""Constraints: what is known about samples, and how well a clustering keeps it."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sentree.relation import (
    Closure,
    Conflict,
    ConstraintConflict,
    PairSimilarity,
    close,
    find_conflicts,
    flatten,
    relation_graph,
)

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

__all__ = [
    "Closure",
    "Conflict",
    "ConstraintConflict",
    "ConstraintReport",
    "Constraints",
    "PairSimilarity",
]

#: Text that usually stands for a missing label.
_PLACEHOLDERS = {"", "-1", "nan", "none", "<na>", "null"}
#: The kinds of statement, in the order in which they are reported.
_KINDS = ("must_link", "cannot_link", "together", "apart", "labels", "negative_labels")


def _no_pairs() -> IntArray:
    """Return an array of no pairs."""
    return np.empty((0, 2), dtype=np.int64)


def _no_points() -> IntArray:
    """Return an array of no points."""
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Constraints:
    """Statements about samples: pairs, groups and labels.

    Make one with :meth:`from_pairs`, :meth:`from_labels`, :meth:`from_negative_labels` or
    :meth:`from_groups`, and join several with ``+``. Statements are kept as they were given: groups
    and labels are never expanded to pairs. The arrays are read-only.

    Parameters
    ----------
    must_link, cannot_link : int64 arrays of shape (m, 2)
        Pairs of samples in one cluster, and in two.
    must_weight, cannot_weight : float64 arrays of shape (m,), optional
        Finite weights > 0 of the pairs; 1 where not given.
    together, apart : tuples of int64 arrays
        Groups of samples that belong together, and groups that are pairwise apart. Members are
        sorted; groups of fewer than two are dropped.
    label_index, label_code : int64 arrays
        Sample ``label_index[k]`` is of class ``classes[label_code[k]]``.
    negative_index, negative_code : int64 arrays
        Sample ``negative_index[k]`` is not of class ``classes[negative_code[k]]``.
    classes : tuple
        Class values by code. Samples of different classes are apart.
    declared : bool
        Whether ``classes`` is known to be the complete list.

    Notes
    -----
    A sample ruled out of all classes but one is of that one, but only where the list of classes is
    complete: declared by ``classes=``, or confirmed by ``n_classes`` (of :meth:`closure`,
    :meth:`conflicts`, :meth:`relation`) being the number of classes named. Otherwise there may be
    classes that nobody has named yet, and the rule would be a guess.

    Examples
    --------
    >>> given = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(1, 2)])
    >>> given + Constraints.from_labels(["a", None, None, "b"])
    Constraints(must_link=1, cannot_link=1, labels=2, classes=2)
    """

    must_link: IntArray = field(default_factory=_no_pairs)
    must_weight: FloatArray = None  # type: ignore[assignment]  # filled in __post_init__
    cannot_link: IntArray = field(default_factory=_no_pairs)
    cannot_weight: FloatArray = None  # type: ignore[assignment]  # filled in __post_init__
    together: tuple[IntArray, ...] = ()
    apart: tuple[IntArray, ...] = ()
    label_index: IntArray = field(default_factory=_no_points)
    label_code: IntArray = field(default_factory=_no_points)
    negative_index: IntArray = field(default_factory=_no_points)
    negative_code: IntArray = field(default_factory=_no_points)
    classes: tuple[Any, ...] = ()
    declared: bool = False

    def __post_init__(self) -> None:
        classes = _class_tuple(self.classes)
        must_link = _pair_array(self.must_link, "must-link")
        cannot_link = _pair_array(self.cannot_link, "cannot-link")
        checked: dict[str, Any] = {
            "must_link": must_link,
            "must_weight": _weight_array(self.must_weight, must_link, "must-link"),
            "cannot_link": cannot_link,
            "cannot_weight": _weight_array(self.cannot_weight, cannot_link, "cannot-link"),
            "together": _group_tuple(self.together, "together group", distinct=False),
            "apart": _group_tuple(self.apart, "apart group", distinct=True),
            "classes": classes,
            "declared": bool(self.declared),
        }
        for kind, name in (("label", "label"), ("negative", "negative label")):
            index = _index_array(getattr(self, f"{kind}_index"), name)
            code = _index_array(getattr(self, f"{kind}_code"), f"class code of {name}")
            if index.shape != code.shape:
                raise ValueError(f"{index.size} {name}s but {code.size} class codes")
            if code.size and code.max() >= len(classes):
                raise ValueError(f"class code {code.max()}, but there are {len(classes)} classes")
            checked |= {f"{kind}_index": index, f"{kind}_code": code}
        for name, value in checked.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    @classmethod
    def empty(cls) -> Constraints:
        """Return constraints that say nothing."""
        return cls()

    @classmethod
    def from_pairs(
        cls, must_link: Any = None, cannot_link: Any = None, *, weights: Any = None
    ) -> Constraints:
        """Make constraints from pairs of samples.

        Parameters
        ----------
        must_link, cannot_link : array-like of shape (m, 2), data frame or iterable of pairs
            Pairs of sample numbers, in one cluster and in two.
        weights : dict, tuple or array-like, optional
            Weights of the pairs, finite and > 0, that multiply their weight in the relation graph:
            ``{"must_link": ..., "cannot_link": ...}``, or a tuple of two arrays (None: all 1), or
            one array where only one kind of pair is given.
        """
        must_weight, cannot_weight = _split_weights(weights, must_link, cannot_link)
        return cls(
            must_link=_pair_array(must_link, "must-link"),
            must_weight=must_weight,
            cannot_link=_pair_array(cannot_link, "cannot-link"),
            cannot_weight=cannot_weight,
        )

    @classmethod
    def from_labels(
        cls, y: Any, unknown: Any = -1, *, classes: Collection[Any] | None = None
    ) -> Constraints:
        """Make constraints from the known classes of some samples.

        Parameters
        ----------
        y : array-like of shape (n,)
            One label per sample: integers, floats that are whole numbers, strings or other hashable
            values; numpy, pandas, polars or a list. Missing values (None, NaN, NA) are unknown.
        unknown : label, default=-1
            A label that also means unknown. The default is the convention of
            ``sklearn.semi_supervised``; it is a number, so the string "-1" is a label.
        classes : collection, optional
            The complete list of classes; any other label is then an error. See Notes of
            :class:`Constraints` for what follows from a complete list.
        """
        values = _label_column(y)
        point = np.flatnonzero(~_is_unknown(values, unknown))
        code, names = _encode(values[point], classes, lambda k: f"row {point[k]}")
        _warn_of_placeholders(names)
        return cls(
            label_index=point.astype(np.int64),
            label_code=code,
            classes=names,
            declared=classes is not None,
        )

    @classmethod
    def from_negative_labels(
        cls, pairs: Any, *, classes: Collection[Any] | None = None
    ) -> Constraints:
        """Make constraints from classes that samples are known not to be of.

        Parameters
        ----------
        pairs : iterable of (sample, class), or data frame with these two columns
            Sample i is not of class c. A sample may occur several times.
        classes : collection, optional
            The complete list of classes. See Notes of :class:`Constraints`.
        """
        rows = np.asarray(pairs).tolist() if hasattr(pairs, "__array__") else list(pairs)
        for k, row in enumerate(rows):
            if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 2:
                raise ValueError(f"negative label {k} is {row!r}, expected (sample, class)")
        points, values = (np.empty(len(rows), dtype=object) for _ in range(2))
        for k, row in enumerate(rows):
            points[k], values[k] = row
        missing = np.flatnonzero(_is_unknown(values, None))
        if missing.size:
            k = int(missing[0])
            raise ValueError(f"negative label {k} is {tuple(rows[k])}: the class is missing")
        code, names = _encode(values, classes, lambda k: f"the class of negative label {k}")
        return cls(
            negative_index=_index_array(points, "negative label"),
            negative_code=code,
            classes=names,
            declared=classes is not None,
        )

    @classmethod
    def from_groups(
        cls,
        together: Iterable[Any] | None = None,
        apart: Iterable[Any] | None = None,
    ) -> Constraints:
        """Make constraints from groups of samples.

        Parameters
        ----------
        together : iterable of index collections, optional
            The members of each group belong together.
        apart : iterable of index collections, optional
            The members of each group are pairwise apart, such as the faces on one photograph.
            Groups of fewer than two samples say nothing and are dropped.
        """
        return cls(
            together=_group_tuple(together, "together group", distinct=False),
            apart=_group_tuple(apart, "apart group", distinct=True),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f.name) for f in fields(self))

    def __radd__(self, other: object) -> Constraints:
        """Let ``sum`` add up constraints."""
        return self if other == 0 else NotImplemented

    def __add__(self, other: Constraints) -> Constraints:
        """Join the statements of both; classes are the same where their values are equal.

        Where one side declares its classes complete, the other may not name further ones; where
        both do, their lists are united.
        """
        if not isinstance(other, Constraints):
            return NotImplemented
        if self.declared != other.declared:
            _check_within(self if self.declared else other, other if self.declared else self)
        codes = {value: code for code, value in enumerate(self.classes)}
        moved = np.array([codes.setdefault(c, len(codes)) for c in other.classes], dtype=np.int64)

        def joined(name: str) -> Any:
            return np.concatenate((getattr(self, name), getattr(other, name)))

        return Constraints(
            must_link=joined("must_link"),
            must_weight=joined("must_weight"),
            cannot_link=joined("cannot_link"),
            cannot_weight=joined("cannot_weight"),
            together=self.together + other.together,
            apart=self.apart + other.apart,
            label_index=joined("label_index"),
            label_code=np.concatenate((self.label_code, moved[other.label_code])),
            negative_index=joined("negative_index"),
            negative_code=np.concatenate((self.negative_code, moved[other.negative_code])),
            classes=tuple(codes),
            declared=self.declared or other.declared,
        )

    @property
    def _counts(self) -> dict[str, int]:
        """Number of given statements of each kind."""
        pairs = len(self.must_link), len(self.cannot_link)
        groups = len(self.together), len(self.apart)
        labels = len(self.label_index), len(self.negative_index)
        return dict(zip(_KINDS, (*pairs, *groups, *labels), strict=True))

    def __len__(self) -> int:
        return sum(self._counts.values())

    def __repr__(self) -> str:
        parts = [f"{kind}={count}" for kind, count in self._counts.items() if count]
        if self.classes:
            parts.append(f"classes={len(self.classes)}" + (" declared" if self.declared else ""))
        return f"Constraints({', '.join(parts) or 'empty'})"

    @property
    def n_min(self) -> int:
        """Smallest number of samples these constraints can be about: 1 + the largest index."""
        used = (self.must_link, self.cannot_link, self.label_index, self.negative_index)
        largest = [int(array.max()) for array in (*used, *self.together, *self.apart) if array.size]
        return 1 + max(largest, default=-1)

    def check(self, n: int) -> None:
        """Raise ValueError naming the first statement about a sample beyond the n there are."""
        if n >= self.n_min:
            return
        for name, pairs in (("must-link", self.must_link), ("cannot-link", self.cannot_link)):
            for k in np.flatnonzero((pairs >= n).any(axis=1))[:1].tolist():
                _beyond(f"{name} {k} is {tuple(pairs[k].tolist())}", n)
        for name, groups in (("together", self.together), ("apart", self.apart)):
            for k, group in enumerate(groups):
                if group[-1] >= n:
                    _beyond(f"{name} group {k} has member {group[-1]}", n)
        for k in np.flatnonzero(self.label_index >= n)[:1].tolist():
            _beyond(f"sample {self.label_index[k]} is {self.classes[self.label_code[k]]!r}", n)
        k = int(np.flatnonzero(self.negative_index >= n)[0])
        statement = int(self.negative_index[k]), self.classes[self.negative_code[k]]
        _beyond(f"negative label {k} is {statement}", n)

    def closure(self, n: int, *, n_classes: int | None = None) -> Closure:
        """Return all that the constraints entail on n samples, in near-linear time and memory.

        Parameters
        ----------
        n : int
            Number of samples.
        n_classes : int, optional
            Number of classes there are. Where it is the number of classes named, the list is
            complete as if declared; see Notes of :class:`Constraints`.

        Returns
        -------
        Closure
            Components of samples that belong together, and which components are apart.

        Raises
        ------
        ConstraintConflict
            If the constraints contradict one another; the error carries the proof.
        """
        self.check(n)
        return close(self, n, n_classes)

    def conflicts(self, n: int | None = None, *, n_classes: int | None = None) -> list[Conflict]:
        """List all contradictions among the constraints, each with a shortest proof.

        There is one for every given statement that cannot hold: each cannot-link, negative label
        and member of an apart group; each further class of points that belong together; and each
        set of such points without a class left. What follows only from points with two labels is
        left out until these are settled.

        Parameters
        ----------
        n : int, optional
            Number of samples; where not given, as many as the constraints speak of.
        n_classes : int, optional
            As in :meth:`closure`.

        Returns
        -------
        list of Conflict
            Empty where the constraints are consistent.
        """
        n = self.n_min if n is None else n
        self.check(n)
        return find_conflicts(self, n, n_classes)

    def relation(
        self,
        n: int,
        similarity: PairSimilarity,
        *,
        penalty: float = 2.0,
        n_classes: int | None = None,
    ) -> sp.csr_array[Any, tuple[int, int]]:
        """Return the signed relation graph, weighted by similarity.

        With low and high the extremes of the similarity s, w the weight of a pair in the closure
        and rho the number of must-link entries over that of cannot-link entries (1 without
        must-links)::

            must-link:    penalty * w * (high - s_ij)
            cannot-link:  penalty * w * rho * (low - s_ij)

        Expands the closure to pairs: quadratic in the size of groups and classes.

        Parameters
        ----------
        n : int
            Number of samples.
        similarity : PairSimilarity
            Has ``pairs(i, j)`` and ``extremes()``; not asked where there is nothing to weigh.
        penalty : float, default=2.0
            Weight of the constraints, finite and >= 0.
        n_classes : int, optional
            As in :meth:`closure`.

        Returns
        -------
        csr_array of shape (n, n)
            Symmetric, sorted, without diagonal or explicit zeros.
        """
        return relation_graph(self.closure(n, n_classes=n_classes), similarity, penalty)

    def satisfaction(self, labels: ArrayLike) -> ConstraintReport:
        """Tell which statements a clustering keeps, in near-linear time.

        Parameters
        ----------
        labels : array-like of shape (n,)
            Cluster of every sample; any integers or strings, each value being one cluster.

        Returns
        -------
        ConstraintReport
        """
        cluster = _cluster_numbers(labels)
        self.check(cluster.size)
        return _score(self, cluster)


def _beyond(what: str, n: int) -> NoReturn:
    """Raise for a statement about a sample that is not there."""
    raise ValueError(f"{what}, but there are only {n} samples")


@dataclass(frozen=True, eq=False, repr=False)
class ConstraintReport:
    """Which given statements a clustering keeps and which it breaks.

    Attributes
    ----------
    given, kept : mapping of str to int
        By kind, counted in pairs ("must_link", "cannot_link"), members ("together"), groups
        ("apart"), labelled points ("labels") and statements ("negative_labels").
    broken : mapping of str to int64 array
        What is broken, by kind. Numbers of given statements for "must_link", "cannot_link",
        "apart" (two members in one cluster) and "negative_labels" (the cluster holds a point
        labelled with that class). Points for "together" (outside the cluster that holds most of
        the group) and "labels" (outside the cluster that holds most of the class, or inside one
        where another class has more labelled points). Ties go to the side with the lowest point.
    apart_members : tuple of int64 arrays
        For each broken apart group its members that share a cluster with another one.
    """

    given: Mapping[str, int]
    broken: Mapping[str, IntArray]
    apart_members: tuple[IntArray, ...]
    _pairs: Mapping[str, IntArray]

    @property
    def kept(self) -> Mapping[str, int]:
        """Number of statements kept, by kind."""
        return {kind: count - len(self.broken[kind]) for kind, count in self.given.items()}

    @property
    def n_given(self) -> int:
        """Number of statements."""
        return sum(self.given.values())

    @property
    def n_broken(self) -> int:
        """Number of statements broken."""
        return sum(map(len, self.broken.values()))

    @property
    def share(self) -> float:
        """Share of statements kept; 1 where there are none."""
        return 1.0 - self.n_broken / self.n_given if self.n_given else 1.0

    def broken_pairs(self, kind: str) -> IntArray:
        """Return pairs of points that break statements of a kind, as an array of shape (m, 2).

        For groups, one pair for each member that is wrong: in "together" a member of the main
        cluster and the one outside it, in "apart" the first member of a cluster and a later one.
        """
        if kind not in self._pairs:
            raise ValueError(f"kind must be one of {', '.join(self._pairs)}; got {kind!r}")
        return self._pairs[kind]

    def __str__(self) -> str:
        rows = [("constraints", "given", "kept", "broken", "share")]
        totals = [(kind, count, len(self.broken[kind])) for kind, count in self.given.items()]
        for name, count, broken in (*totals, ("total", self.n_given, self.n_broken)):
            if count or name == "total":
                share = 1.0 - broken / count if count else 1.0
                rows.append((name, str(count), str(count - broken), str(broken), f"{share:.3f}"))
        return "\n".join(f"{row[0]:<16}" + "".join(f"{x:>9}" for x in row[1:]) for row in rows)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain numbers, lists and dicts, ready for JSON."""
        kinds = {
            kind: {"given": count, "kept": self.kept[kind], "broken": self.broken[kind].tolist()}
            for kind, count in self.given.items()
        }
        members = [group.tolist() for group in self.apart_members]
        total = {"n_given": self.n_given, "n_broken": self.n_broken, "share": self.share}
        return {**total, "kinds": kinds, "apart_members": members}


def _score(given: Constraints, cluster: IntArray) -> ConstraintReport:
    """Compare every statement with the clusters."""
    must = np.flatnonzero(np.diff(cluster[given.must_link], axis=1)[:, 0] != 0)
    cannot = np.flatnonzero(np.diff(cluster[given.cannot_link], axis=1)[:, 0] == 0)
    outside, stray = _stray_members(given, cluster)
    apart, crowded, members = _crowded_groups(given, cluster)
    broken = {
        "must_link": must,
        "cannot_link": cannot,
        "together": outside,
        "apart": apart,
        "labels": _misplaced_labels(given, cluster),
        "negative_labels": _broken_negatives(given, cluster),
    }
    pairs = {
        "must_link": given.must_link[must],
        "cannot_link": given.cannot_link[cannot],
        "together": stray,
        "apart": crowded,
    }
    counts = given._counts | {"together": sum(map(len, given.together))}
    for array in (*broken.values(), *pairs.values(), *members):
        array.flags.writeable = False
    return ConstraintReport(counts, broken, members, pairs)


def _majority(owner: IntArray, choice: IntArray, point: IntArray) -> tuple[IntArray, IntArray]:
    """For every entry, the choice most common in its owner and the lowest point that made it.

    Of choices equally common in an owner, the one made by the lowest point wins.
    """
    width = int(choice.max(initial=0)) + 1
    key, cell, count = np.unique(owner * width + choice, return_inverse=True, return_counts=True)
    first = np.full(key.size, np.iinfo(np.int64).max)
    np.minimum.at(first, cell, point)
    rank = np.lexsort((first, -count, key // width))
    best = rank[np.unique(key[rank] // width, return_index=True)[1]]
    mine = best[np.searchsorted(key[best] // width, owner)]
    return key[mine] % width, first[mine]


def _stray_members(given: Constraints, cluster: IntArray) -> tuple[IntArray, IntArray]:
    """Find members of together groups outside the main cluster, and pairs that show it."""
    member, group = flatten(given.together)
    main, mate = _majority(group, cluster[member], member)
    out = cluster[member] != main
    return member[out], np.column_stack((mate[out], member[out]))


def _crowded_groups(
    given: Constraints, cluster: IntArray
) -> tuple[IntArray, IntArray, tuple[IntArray, ...]]:
    """Find apart groups with two members in one cluster, pairs that show it, and the members."""
    member, group = flatten(given.apart)
    width = int(cluster.max(initial=0)) + 1
    _, first, cell, count = np.unique(
        group * width + cluster[member],
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    crowded = count[cell] > 1
    broken, start = np.unique(group[crowded], return_index=True)
    members = tuple(np.split(member[crowded], start[1:])) if broken.size else ()
    early = member[first[cell]]
    late = early != member
    return broken, np.column_stack((early[late], member[late])), members


def _misplaced_labels(given: Constraints, cluster: IntArray) -> IntArray:
    """Find labelled points outside the cluster of their class, or in that of another class."""
    point, code = given.label_index, given.label_code
    home, _ = _majority(code, cluster[point], point)
    ruler, _ = _majority(cluster[point], code, point)
    wrong: NDArray[np.bool_] = (home != cluster[point]) | (ruler != code)
    return point[wrong]


def _broken_negatives(given: Constraints, cluster: IntArray) -> IntArray:
    """Find negative labels whose cluster holds a point labelled with that class."""
    width = len(given.classes)
    positive = cluster[given.label_index] * width + given.label_code
    negative = cluster[given.negative_index] * width + given.negative_code
    return np.flatnonzero(np.isin(negative, positive))


def _cluster_numbers(labels: ArrayLike) -> IntArray:
    """Number clusters 0..k-1."""
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"expected one cluster per sample, shape (n,), got shape {array.shape}")
    if array.dtype.kind in "fc" and array.size:
        raise ValueError(f"clusters must be integers or strings, got dtype {array.dtype}")
    return np.unique(array, return_inverse=True)[1].astype(np.int64, copy=False)


def _pair_array(value: Any, name: str) -> IntArray:
    """Return pairs as an int64 array of shape (m, 2) of its own, or name what is wrong."""
    if value is not None and not hasattr(value, "__iter__") and not hasattr(value, "__array__"):
        raise ValueError(f"{name}s must be a list of pairs, got {value!r}")
    rows = () if value is None else value if hasattr(value, "__array__") else list(value)
    try:
        pairs = np.asarray(rows)
    except ValueError:  # rows of different lengths
        k = next(k for k, row in enumerate(rows) if np.size(row) != 2)
        raise ValueError(f"{name} {k} is {rows[k]!r}: a pair has two members") from None
    if pairs.size == 0:
        return _no_pairs()
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"{name}s must be pairs, shape (m, 2); got shape {pairs.shape}")

    def row_of(k: int) -> str:
        return f"{name} {k // 2} is {tuple(pairs[k // 2].tolist())}"

    whole = _whole_numbers(pairs.ravel(), row_of).reshape(-1, 2)
    loops = np.flatnonzero(whole[:, 0] == whole[:, 1])
    if loops.size:
        raise ValueError(f"{row_of(2 * int(loops[0]))}: a sample is not paired with itself")
    return whole


def _index_array(value: Any, name: str) -> IntArray:
    """Return indices as an int64 array of its own, or name what is wrong."""
    array = np.asarray(value)
    if array.ndim != 1:
        raise ValueError(f"{name}s must have shape (m,), got {array.shape}")
    return _whole_numbers(array, lambda k: f"{name} {k} is {array[k : k + 1].tolist()[0]!r}")


def _group_tuple(value: Iterable[Any] | None, name: str, *, distinct: bool) -> tuple[IntArray, ...]:
    """Return groups as sorted read-only arrays, without those of fewer than two members."""
    given = () if value is None else value
    if not isinstance(given, Iterable):
        raise ValueError(f"{name}s must be a list of collections of samples, got {given!r}")
    groups = (_group(group, f"{name} {k}", distinct) for k, group in enumerate(given))
    return tuple(group for group in groups if group.size > 1)


def _group(value: Any, name: str, distinct: bool) -> IntArray:
    """Return the members of one group, sorted and unique, or name what is wrong."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ValueError(f"{name} is {value!r}, expected a collection of samples")
    given = np.asarray(value if hasattr(value, "__array__") else list(value))
    if given.ndim != 1:
        raise ValueError(f"{name} must be a flat collection of samples, got shape {given.shape}")
    members, count = np.unique(
        _whole_numbers(given, lambda k: f"{name} has member {given[k : k + 1].tolist()[0]!r}"),
        return_counts=True,
    )
    if distinct and members.size < given.size:
        raise ValueError(f"{name} has member {members[count > 1][0]} more than once")
    members.flags.writeable = False
    return members


def _whole_numbers(array: NDArray[Any], statement: Callable[[int], str]) -> IntArray:
    """Return a copy as int64; raise with the statement of the first entry that is no index."""
    if array.size == 0:
        return _no_points()
    if array.dtype.kind not in "iu":
        is_index = [isinstance(x, Integral) and not isinstance(x, bool) for x in array.tolist()]
        bad = np.flatnonzero(~np.array(is_index))
        if bad.size:
            telling = [k for k in bad.tolist() if not _is_whole(array[k])]
            raise ValueError(f"{statement((telling or bad.tolist())[0])}: samples are integers")
    whole = array.astype(np.int64)
    negative = np.flatnonzero(whole < 0)
    if negative.size:
        raise ValueError(f"{statement(int(negative[0]))}: samples are numbered from 0")
    return whole


def _is_whole(value: Any) -> bool:
    """Tell whether a number has no fraction."""
    return isinstance(value, Real) and float(value).is_integer()


def _split_weights(weights: Any, must_link: Any, cannot_link: Any) -> tuple[Any, Any]:
    """Return the weights of the must-links and of the cannot-links, None where all are 1."""
    if weights is None:
        return None, None
    if isinstance(weights, Mapping):
        extra = [key for key in weights if key not in ("must_link", "cannot_link")]
        if extra:
            raise ValueError(f"weights has key {extra[0]!r}, expected 'must_link', 'cannot_link'")
        return weights.get("must_link"), weights.get("cannot_link")
    if isinstance(weights, tuple) and all(w is None or np.ndim(w) > 0 for w in weights):
        # A tuple of numbers is not split: it holds the weights of the only kind given.
        if len(weights) != 2:
            raise ValueError(f"a tuple of weights holds two arrays, got {len(weights)}")
        return weights
    if must_link is not None and cannot_link is not None:
        raise ValueError(
            "with must-links and cannot-links, give weights as "
            "{'must_link': ..., 'cannot_link': ...} or as a tuple of two arrays"
        )
    return (weights, None) if cannot_link is None else (None, weights)


def _weight_array(value: Any, pairs: IntArray, name: str) -> FloatArray:
    """Return one weight for each pair, or name the pair whose weight is wrong."""
    if value is None:
        return np.ones(len(pairs))
    weight = np.array(value, dtype=np.float64)
    if weight.shape != (len(pairs),):
        raise ValueError(f"{len(pairs)} {name}s but weights of shape {weight.shape}")
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight > 0)))
    if bad.size:
        k = int(bad[0])
        raise ValueError(
            f"{name} {k}, {tuple(pairs[k].tolist())}, has weight {weight[k]}; "
            "weights must be finite and > 0"
        )
    return weight


def _plain(value: Any) -> Any:
    """Return a class value as a Python scalar, whole floats as integers."""
    if isinstance(value, np.generic):
        value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_missing(value: Any) -> bool:
    """Tell None, NaN, NaT and NA from values."""
    if value is None:
        return True
    different = value != value  # NaN differs from itself; NA answers NA
    if isinstance(different, (bool, np.bool_)):
        return bool(different)
    return different is value


def _class_tuple(classes: Collection[Any]) -> tuple[Any, ...]:
    """Return class values as Python scalars, all different and none missing."""
    if isinstance(classes, str):
        raise ValueError(f"classes must be a collection of classes, got the string {classes!r}")
    values = tuple(_plain(value) for value in classes)
    for k, value in enumerate(values):
        if _is_missing(value):
            raise ValueError(f"class {k} is missing ({value!r})")
    if len(set(values)) < len(values):
        twice = next(value for k, value in enumerate(values) if value in values[:k])
        raise ValueError(f"class {twice!r} is listed more than once")
    return values


def _label_column(y: Any) -> NDArray[Any]:
    """Return labels as a one-dimensional array in which every value is still itself."""
    if isinstance(y, str) or not (hasattr(y, "__array__") or isinstance(y, Iterable)):
        raise ValueError(f"expected one label per sample, got {y!r}")
    column = np.asarray(y) if hasattr(y, "__array__") else _list_column(list(y))
    if column.ndim != 1:
        raise ValueError(
            f"expected one label per sample, shape (n,); got shape {column.shape}"
            + ("; use y.ravel()" if column.ndim == 2 and column.shape[1] == 1 else "")
        )
    return column if column.dtype.kind in "biufUO" else column.astype(object)


def _list_column(values: list[Any]) -> NDArray[Any]:
    """Make an array of a list; numpy would turn [None, "a", -1] to text if left to choose."""
    kinds = set(map(type, values))
    return np.array(values, dtype=None if kinds <= {int, float} or kinds == {str} else object)


def _warn_of_placeholders(names: tuple[Any, ...]) -> None:
    """Warn of classes that look like "unknown" turned into text on the way."""
    for name in names:
        if isinstance(name, str) and name.strip().lower() in _PLACEHOLDERS:
            warnings.warn(
                f"{name!r} counts as a class: if it means unknown, pass unknown={name!r} to "
                "Constraints.from_labels, or have None or NaN in its place",
                stacklevel=4,
            )


def _is_unknown(column: NDArray[Any], unknown: Any) -> NDArray[np.bool_]:
    """Mark the labels that are missing or equal to ``unknown``."""
    kind = column.dtype.kind
    unknown = None if _is_missing(unknown) else unknown
    if kind == "O":
        marks = (_is_missing(value) or _plain(value) == unknown for value in column)
        return np.fromiter(marks, dtype=np.bool_, count=column.size)
    missing = np.isnan(column) if kind == "f" else np.zeros(column.size, dtype=np.bool_)
    comparable = isinstance(unknown, str) if kind == "U" else isinstance(unknown, Real)
    return missing | (column == unknown) if comparable else missing


def _encode(
    values: NDArray[Any], declared: Collection[Any] | None, where: Callable[[int], str]
) -> tuple[IntArray, tuple[Any, ...]]:
    """Return the class code of every value, and the classes: those declared, or those found."""
    _check_discrete(values, where)
    found, code = _factorize(values)
    if declared is None:
        return code, found
    classes = _class_tuple(declared)
    codes = {value: k for k, value in enumerate(classes)}
    moved = np.array([codes.get(value, -1) for value in found], dtype=np.int64)[code]
    outside = np.flatnonzero(moved < 0)
    if outside.size:
        k = int(outside[0])
        _undeclared(where(k), found[code[k]], classes)
    return moved, classes


def _factorize(values: NDArray[Any]) -> tuple[tuple[Any, ...], IntArray]:
    """Return the distinct classes, sorted where they can be, and the code of every value."""
    if values.dtype.kind != "O":
        found, code = np.unique(values, return_inverse=True)
        return tuple(map(_plain, found)), code.astype(np.int64, copy=False)
    plain = [_plain(value) for value in values]
    try:
        classes = list(dict.fromkeys(plain))
    except TypeError as error:
        raise ValueError(f"labels must be hashable values: {error}") from None
    with suppress(TypeError):  # values of different types stay in order of appearance
        classes.sort()
    codes = {value: code for code, value in enumerate(classes)}
    return tuple(classes), np.array([codes[value] for value in plain], dtype=np.int64)


def _check_discrete(values: NDArray[Any], where: Callable[[int], str]) -> None:
    """Refuse numbers with a fraction: they are measurements, not classes."""
    if values.dtype.kind == "f":
        fraction = np.isinf(values) | (values != np.trunc(values))
    elif values.dtype.kind == "O":
        fraction = np.array([isinstance(_plain(value), float) for value in values], dtype=np.bool_)
    else:
        return
    for k in np.flatnonzero(fraction)[:1].tolist():
        raise ValueError(
            f"{where(k)} is {_plain(values[k])!r}: labels are classes, not continuous values"
        )


def _check_within(complete: Constraints, other: Constraints) -> None:
    """Raise where classes are named that another declaration leaves out."""
    for value in other.classes:
        if value not in complete.classes:
            _undeclared("a class to add", value, complete.classes)


def _undeclared(where: str, value: Any, declared: tuple[Any, ...]) -> NoReturn:
    """Raise for a class outside the declared ones, with what may have been meant."""
    names = [name for name in declared if isinstance(name, str)]
    close = difflib.get_close_matches(value, names) if isinstance(value, str) else []
    hint = f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
    shown = ", ".join(map(repr, declared[:10])) + (", ..." if len(declared) > 10 else "")
    raise ValueError(f"{where} is {value!r}, not among the declared classes ({shown}){hint}")
