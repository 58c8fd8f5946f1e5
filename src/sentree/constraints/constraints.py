"""Constraints: what is known about samples, and how well a clustering keeps it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree.constraints.closure import Closure, close
from sentree.constraints.conflicts import Conflict, find_conflicts
from sentree.constraints.parsing import (
    encode,
    factorize,
    group_tuple,
    index_array,
    is_unknown,
    label_column,
    no_points,
    no_triplets,
    pair_array,
    split_weights,
    triplet_array,
    undeclared,
    warn_of_many_classes,
    warn_of_placeholders,
)
from sentree.constraints.paths import ontology_paths, shared_removed, split_paths
from sentree.constraints.satisfaction import ConstraintReport, cluster_numbers, score
from sentree.constraints.statements import Statements

if TYPE_CHECKING:
    from sentree.tree import EncodingTree

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

__all__ = ["Constraints"]


class Constraints(Statements):
    """Statements about samples: pairs, groups, labels and triplets.

    Make one with :meth:`from_pairs`, :meth:`from_labels`, :meth:`from_negative_labels`,
    :meth:`from_groups`, :meth:`from_triplets`, :meth:`from_paths` or :meth:`from_ontology`, and
    join several with ``+``. Statements are kept as they were given: groups and labels are never
    expanded to pairs. The arrays are read-only.

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
    hard : Constraints, optional
        Those of the statements that must hold in every result; the others are weighed against the
        data. See :meth:`hardened`.
    triplets : int64 array of shape (m, 3)
        Samples i, j, k of which i and j join below k in a tree.
    triplet_weight : float64 array of shape (m,), optional
        Finite weights > 0 of the triplets; 1 where not given.
    finer : Constraints, optional
        Labels inside those given here; see :meth:`from_paths`. They count in trees.

    Notes
    -----
    A sample ruled out of all classes but one is of that one, but only where the list of classes is
    complete: declared by ``classes=``, or confirmed by ``n_classes`` (of :meth:`closure`,
    :meth:`conflicts`) being the number of classes named. Otherwise there may be
    classes that nobody has named yet, and the rule would be a guess.

    Examples
    --------
    >>> given = Constraints.from_pairs(must_link=[(0, 1)], cannot_link=[(1, 2)])
    >>> given + Constraints.from_labels(["a", None, None, "b"])
    Constraints(must_link=1, cannot_link=1, labels=2, classes=2)
    """

    hard: Constraints | None
    finer: Constraints | None

    @classmethod
    def empty(cls) -> Constraints:
        """Return constraints that say nothing."""
        return cls()

    @classmethod
    def from_pairs(
        cls,
        must_link: Any = None,
        cannot_link: Any = None,
        *,
        weights: Any = None,
        hard: bool = False,
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
        hard : bool, default=False
            Whether the pairs must hold in every result.
        """
        must_weight, cannot_weight = split_weights(weights, must_link, cannot_link)
        made = cls(
            must_link=pair_array(must_link, "must-link"),
            must_weight=must_weight,
            cannot_link=pair_array(cannot_link, "cannot-link"),
            cannot_weight=cannot_weight,
        )
        return made.hardened() if hard else made

    @classmethod
    def from_labels(
        cls,
        y: Any,
        unknown: Any = -1,
        *,
        classes: Collection[Any] | None = None,
        hard: bool = False,
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
        hard : bool, default=False
            Whether the labels must hold in every result: one cluster for each class.
        """
        values = label_column(y)
        point = np.flatnonzero(~is_unknown(values, unknown))
        code, names = encode(values[point], classes, lambda k: f"row {point[k]}")
        warn_of_placeholders(names)
        if classes is None:
            warn_of_many_classes(names, point.size, values.size)
        made = cls(
            label_index=point.astype(np.int64),
            label_code=code,
            classes=names,
            declared=classes is not None,
        )
        return made.hardened() if hard else made

    @classmethod
    def from_paths(cls, paths: Any, *, sep: str = "/", unknown: Any = -1) -> Constraints:
        """Make constraints from labels of mixed depth, such as "T cell" and "T cell/CD4 T cell".

        Samples whose paths share their first steps belong together at these levels, and apart below
        where both say more. A sample with a short path says nothing about deeper levels. The
        first step is the label that clusters follow, as with :meth:`from_labels`; the others are
        in ``finer``, level below level, and count in :class:`~sentree.SSEHierarchy`. Nothing is
        expanded to pairs.

        Parameters
        ----------
        paths : iterable of length n
            One path per sample from coarse to fine: text with ``sep`` between the steps, or a
            tuple or list of steps. Missing values (None, NaN, NA) are unknown. First steps that
            all paths share are left out.
        sep : str, default="/"
            What stands between the steps of a path given as text.
        unknown : label, default=-1
            A value that also means unknown.

        See Also
        --------
        sentree.metrics.level_purity : how well a tree keeps them, level by level.

        Examples
        --------
        >>> given = Constraints.from_paths(["T/CD4", "T", "B", None, "T/CD8"])
        >>> given, given.finer.classes
        (Constraints(labels=4, classes=2, levels=2), (('T', 'CD4'), ('T', 'CD8')))
        """
        found = shared_removed(split_paths(paths, sep, unknown))
        made: Constraints | None = None
        for depth in range(max(map(len, found.values()), default=0), 0, -1):
            rows = [row for row, path in found.items() if len(path) >= depth]
            values = np.empty(len(rows), dtype=object)
            for k, row in enumerate(rows):
                values[k] = found[row][:depth] if depth > 1 else found[row][0]
            classes, code = factorize(values)
            made = cls(label_index=rows, label_code=code, classes=classes, finer=made)  # type: ignore[arg-type]
        return made or cls.empty()

    @classmethod
    def from_ontology(
        cls, labels: Any, parents: Mapping[Any, Any] | Iterable[Any], *, unknown: Any = -1
    ) -> Constraints:
        """Make constraints from labels of mixed depth and the parent of each class.

        Parameters
        ----------
        labels : iterable of length n
            One class per sample, of any level. Missing values (None, NaN, NA) are unknown.
        parents : mapping of child to parent, iterable of such pairs, or data frame of two columns
            Classes at the top have parent None or do not occur as a child.
        unknown : label, default=-1
            A value that also means unknown.

        See Also
        --------
        from_paths : what the constraints mean.

        Examples
        --------
        >>> Constraints.from_ontology(["CD4", "T", "B"], {"CD4": "T", "T": None, "B": None})
        Constraints(labels=3, classes=2, levels=2)
        """
        return cls.from_paths(ontology_paths(labels, parents, unknown))

    @classmethod
    def from_negative_labels(
        cls, pairs: Any, *, classes: Collection[Any] | None = None, hard: bool = False
    ) -> Constraints:
        """Make constraints from classes that samples are known not to be of.

        Parameters
        ----------
        pairs : iterable of (sample, class), or data frame with these two columns
            Sample i is not of class c. A sample may occur several times.
        classes : collection, optional
            The complete list of classes. See Notes of :class:`Constraints`.
        hard : bool, default=False
            Whether the statements must hold in every result.
        """
        rows = np.asarray(pairs).tolist() if hasattr(pairs, "__array__") else list(pairs)
        for k, row in enumerate(rows):
            if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 2:
                raise ValueError(f"negative label {k} is {row!r}, expected (sample, class)")
        points, values = (np.empty(len(rows), dtype=object) for _ in range(2))
        for k, row in enumerate(rows):
            points[k], values[k] = row
        missing = np.flatnonzero(is_unknown(values, None))
        if missing.size:
            k = int(missing[0])
            raise ValueError(f"negative label {k} is {tuple(rows[k])}: the class is missing")
        code, names = encode(values, classes, lambda k: f"the class of negative label {k}")
        made = cls(
            negative_index=index_array(points, "negative label"),
            negative_code=code,
            classes=names,
            declared=classes is not None,
        )
        return made.hardened() if hard else made

    @classmethod
    def from_groups(
        cls,
        together: Iterable[Any] | None = None,
        apart: Iterable[Any] | None = None,
        *,
        hard: bool = False,
    ) -> Constraints:
        """Make constraints from groups of samples.

        Parameters
        ----------
        together : iterable of index collections, optional
            The members of each group belong together.
        apart : iterable of index collections, optional
            The members of each group are pairwise apart, such as the faces on one photograph.
            Groups of fewer than two samples say nothing and are dropped.
        hard : bool, default=False
            Whether the groups must hold in every result.
        """
        made = cls(
            together=group_tuple(together, "together group", distinct=False),
            apart=group_tuple(apart, "apart group", distinct=True),
        )
        return made.hardened() if hard else made

    def without_labels(self) -> Constraints:
        """Return the statements that name no class: pairs, groups and triplets."""
        return replace(
            self,
            label_index=no_points(),
            label_code=no_points(),
            negative_index=no_points(),
            negative_code=no_points(),
            classes=(),
            declared=False,
            hard=None if self.hard is None else self.hard.without_labels(),
            finer=None,
        )

    def hardened(self) -> Constraints:
        """Return the same statements, all of them hard but triplets and finer labels."""
        none = np.empty(0)
        hard = replace(self, hard=None, triplets=no_triplets(), triplet_weight=none, finer=None)
        return replace(self, hard=hard)

    @classmethod
    def from_triplets(cls, triplets: Any, weights: Any = None) -> Constraints:
        """Make constraints on a tree: (i, j, k) says that i and j join below k.

        They count in :class:`~sentree.SSEHierarchy`, as far as the data let them; about a partition
        they say nothing.

        Parameters
        ----------
        triplets : array-like of shape (m, 3), data frame or iterable of triplets
            Sample numbers i, j, k: i and j are closer to each other than either is to k.
        weights : array-like of shape (m,), optional
            Weights of the triplets, finite and > 0.
        """
        return cls(triplets=triplet_array(triplets, "triplet"), triplet_weight=weights)

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
            hard=_both(self.hard, other.hard),
            triplets=joined("triplets"),
            triplet_weight=joined("triplet_weight"),
            finer=_both(self.finer, other.finer),
        )

    def __repr__(self) -> str:
        parts = [f"{kind}={count}" for kind, count in self.counts.items() if count]
        if self.classes:
            parts.append(f"classes={len(self.classes)}" + (" declared" if self.declared else ""))
        if self.finer is not None:
            parts.append(f"levels={len(self.levels)}")
        if self.hard:
            parts.append("hard" if len(self.hard) == len(self) else f"hard={len(self.hard)}")
        return f"Constraints({', '.join(parts) or 'empty'})"

    @property
    def levels(self) -> tuple[Constraints, ...]:
        """These constraints, then the labels of each finer level."""
        found = [self]
        while (finer := found[-1].finer) is not None:
            found.append(finer)
        return tuple(found)

    def check(self, n: int) -> None:
        """Raise ValueError naming the first statement about a sample beyond the n there are."""
        if n >= self.n_min:
            return
        if self.finer is not None:
            self.finer.check(n)
        rows = {"must-link": self.must_link, "cannot-link": self.cannot_link}
        for name, tuples in (*rows.items(), ("triplet", self.triplets)):
            for k in np.flatnonzero((tuples >= n).any(axis=1))[:1].tolist():
                _beyond(f"{name} {k} is {tuple(tuples[k].tolist())}", n)
        for name, groups in (("together", self.together), ("apart", self.apart)):
            for k, group in enumerate(groups):
                if group[-1] >= n:
                    _beyond(f"{name} group {k} has member {group[-1]}", n)
        for k in np.flatnonzero(self.label_index >= n)[:1].tolist():
            _beyond(f"sample {self.label_index[k]} is {self.classes[self.label_code[k]]!r}", n)
        k = int(np.flatnonzero(self.negative_index >= n)[0])
        statement = int(self.negative_index[k]), self.classes[self.negative_code[k]]
        _beyond(f"negative label {k} is {statement}", n)

    def closure(
        self, n: int, *, n_classes: int | None = None, names: Sequence[Any] | None = None
    ) -> Closure:
        """Return all that the constraints entail on n samples, in near-linear time and memory.

        Parameters
        ----------
        n : int
            Number of samples.
        n_classes : int, optional
            Number of classes there are. Where it is the number of classes named, the list is
            complete as if declared; see Notes of :class:`Constraints`.
        names : sequence of length n, optional
            What the samples are called where there is a contradiction; without it, by number.

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
        return close(self, n, n_classes, names)

    def conflicts(
        self,
        n: int | None = None,
        *,
        n_classes: int | None = None,
        names: Sequence[Any] | None = None,
    ) -> list[Conflict]:
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
        names : sequence of length n, optional
            What the samples are called in the proofs; without it, by their numbers.

        Returns
        -------
        list of Conflict
            Empty where the constraints are consistent.
        """
        if n is None:
            return self._conflicts_of_named(n_classes, names)
        self.check(n)
        return find_conflicts(self, n, n_classes, names)

    def _conflicts_of_named(
        self, n_classes: int | None, names: Sequence[Any] | None
    ) -> list[Conflict]:
        """List contradictions with arrays of the samples that are named, and of no others."""
        rows = self.named

        def place(array: IntArray) -> IntArray:
            return np.searchsorted(rows, array)

        few = replace(
            self,
            must_link=place(self.must_link),
            cannot_link=place(self.cannot_link),
            together=tuple(map(place, self.together)),
            apart=tuple(map(place, self.apart)),
            label_index=place(self.label_index),
            negative_index=place(self.negative_index),
            triplets=no_triplets(),
            triplet_weight=np.empty(0),
            hard=None,
            finer=None,
        )
        called = rows.tolist() if names is None else [names[row] for row in rows.tolist()]
        return [
            replace(
                found,
                points=(int(rows[found.points[0]]), int(rows[found.points[1]])),
                names=() if names is None else found.names,
            )
            for found in find_conflicts(few, rows.size, n_classes, called)
        ]

    def satisfaction(self, labels: ArrayLike, tree: EncodingTree | None = None) -> ConstraintReport:
        """Tell which statements a clustering keeps, in near-linear time.

        Parameters
        ----------
        labels : array-like of shape (n,)
            Cluster of every sample; any integers or strings, each value being one cluster.
        tree : EncodingTree, optional
            A tree over the samples, by which triplets are judged; without it they do not count.

        Returns
        -------
        ConstraintReport
        """
        cluster = cluster_numbers(labels)
        self.check(cluster.size)
        return score(self, cluster, tree)


def _both(first: Constraints | None, second: Constraints | None) -> Constraints | None:
    """Add up what is there."""
    return first + second if first and second else first or second


def _beyond(what: str, n: int) -> NoReturn:
    """Raise for a statement about a sample that is not there."""
    raise ValueError(f"{what}, but there are only {n} samples")


def _check_within(complete: Constraints, other: Constraints) -> None:
    """Raise where classes are named that another declaration leaves out."""
    for value in other.classes:
        if value not in complete.classes:
            undeclared("a class to add", value, complete.classes)
