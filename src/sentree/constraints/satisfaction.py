"""How well a clustering keeps what was said, counted without expanding anything to pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree.constraints.conflicts import flatten

if TYPE_CHECKING:
    from sentree.constraints.statements import Statements
    from sentree.tree import EncodingTree

IntArray = NDArray[np.int64]

#: Fewer broken labels, of a class or of all, are not worth a word.
_FEW_BROKEN = 3

__all__ = [
    "ConstraintReport",
    "broken_classes",
    "cluster_names",
    "cluster_numbers",
    "lost_classes",
    "majority",
    "score",
]


@dataclass(frozen=True, eq=False, repr=False)
class ConstraintReport:
    """Which given statements a clustering keeps and which it breaks.

    Attributes
    ----------
    given, kept : mapping of str to int
        By kind, counted in pairs ("must_link", "cannot_link"), members ("together"), groups
        ("apart"), labelled points ("labels") and statements ("negative_labels"); "triplets" only
        where a tree is judged as well.
    broken : mapping of str to int64 array
        What is broken, by kind. Numbers of given statements for "must_link", "cannot_link",
        "apart" (two members in one cluster), "negative_labels" (the cluster holds a point labelled
        with that class) and "triplets" (i and j do not join below k). Points for "together"
        (outside the cluster that holds most of the group) and "labels" (outside the cluster that
        holds most of the class, or inside one where another class has more labelled points). Ties
        go to the side with the lowest point.
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


def score(
    given: Statements, cluster: IntArray, tree: EncodingTree | None = None
) -> ConstraintReport:
    """Compare every statement with the clusters, and triplets with the tree if there is one."""
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
    counts = given.counts | {"together": sum(map(len, given.together))}
    if tree is None:
        del counts["triplets"]
    else:
        broken["triplets"] = _broken_triplets(given, tree)
    for array in (*broken.values(), *pairs.values(), *members):
        array.flags.writeable = False
    return ConstraintReport(counts, broken, members, pairs)


def majority(owner: IntArray, choice: IntArray, point: IntArray) -> tuple[IntArray, IntArray]:
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


def lost_classes(given: Statements, labels: NDArray[Any]) -> list[str]:
    """Say for each labelled class that names no cluster where most of its samples are."""
    names, said = cluster_names(given, labels), []
    for code in np.unique(given.label_code).tolist():
        name = given.classes[code]
        if name in names:
            continue
        rows = given.label_index[given.label_code == code]
        found = labels[rows]
        cluster = int(np.bincount(found).argmax())
        shown = ", ".join(map(str, rows[:5].tolist())) + (", …" if rows.size > 5 else "")
        said.append(
            f"class {name!r} ({rows.size} label{'s' if rows.size > 1 else ''}: row"
            f"{'s' if rows.size > 1 else ''} {shown}) has no cluster of its own: most of it is in "
            f"cluster {cluster}, with class {names[cluster]!r}"
        )
    return said


def broken_classes(given: Statements, labels: NDArray[Any]) -> str | None:
    """Say where most labels are broken, all taken together or class by class; None for nowhere.

    Classes without a cluster of their own are left to :func:`lost_classes`.
    """
    k = len(given.classes)
    names = set(cluster_names(given, labels))
    kept = np.array([name in names for name in given.classes], dtype=bool)
    is_broken = np.isin(given.label_index, _misplaced_labels(given, labels.astype(np.int64)))
    total = np.where(kept, np.bincount(given.label_code, minlength=k), 0)
    broken = np.where(kept, np.bincount(given.label_code, is_broken, k), 0).astype(np.int64)
    if broken.sum() > max(total.sum() / 2, _FEW_BROKEN):
        return f"{broken.sum()} of {total.sum()} labels"
    worst = np.flatnonzero(broken > np.maximum(total / 2, _FEW_BROKEN))
    said = [f"{broken[c]} of {total[c]} labels of class {given.classes[c]!r}" for c in worst[:5]]
    more = [f"most labels of {worst.size - 5} more classes"] if worst.size > 5 else []
    return ", ".join(said + more) or None


def cluster_names(given: Statements, cluster: NDArray[Any]) -> tuple[Any, ...]:
    """For every cluster 0..k-1 the class of most of its labelled points, None where it has none.

    Of classes equally common in a cluster, the one with the lowest point wins.
    """
    point = given.label_index
    owner = cluster[point].astype(np.int64)
    found, _ = majority(owner, given.label_code, point)
    names: list[Any] = [None] * (int(cluster.max(initial=-1)) + 1)
    for module, code in zip(owner.tolist(), found.tolist(), strict=True):
        names[module] = given.classes[code]
    return tuple(names)


def _stray_members(given: Statements, cluster: IntArray) -> tuple[IntArray, IntArray]:
    """Find members of together groups outside the main cluster, and pairs that show it."""
    member, group = flatten(given.together)
    main, mate = majority(group, cluster[member], member)
    out = cluster[member] != main
    return member[out], np.column_stack((mate[out], member[out]))


def _crowded_groups(
    given: Statements, cluster: IntArray
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


def _misplaced_labels(given: Statements, cluster: IntArray) -> IntArray:
    """Find labelled points outside the cluster of their class, or in that of another class."""
    point, code = given.label_index, given.label_code
    home, _ = majority(code, cluster[point], point)
    ruler, _ = majority(cluster[point], code, point)
    wrong: NDArray[np.bool_] = (home != cluster[point]) | (ruler != code)
    return point[wrong]


def _broken_negatives(given: Statements, cluster: IntArray) -> IntArray:
    """Find negative labels whose cluster holds a point labelled with that class."""
    width = len(given.classes)
    positive = cluster[given.label_index] * width + given.label_code
    negative = cluster[given.negative_index] * width + given.negative_code
    return np.flatnonzero(np.isin(negative, positive))


def _broken_triplets(given: Statements, tree: EncodingTree) -> IntArray:
    """Find triplets (i, j, k) of which i and j do not join below k."""
    i, j, k = given.triplets.T
    return np.flatnonzero(tree.lca(i, j) >= tree.lca(i, k))  # both are above i


def cluster_numbers(labels: ArrayLike) -> IntArray:
    """Number clusters 0..k-1."""
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"expected one cluster per sample, shape (n,), got shape {array.shape}")
    if array.dtype.kind in "fc" and array.size:
        raise ValueError(f"clusters must be integers or strings, got dtype {array.dtype}")
    return np.unique(array, return_inverse=True)[1].astype(np.int64, copy=False)
