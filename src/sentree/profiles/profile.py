"""What makes each cluster: the public result and the function that finds it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sentree.profiles.columns import Table
from sentree.profiles.measures import measure
from sentree.profiles.rows import distances, extremes
from sentree.profiles.rules import Rule, find_rules
from sentree.profiles.traits import Measured, Trait
from sentree.profiles.words import AllUnits, percent

if TYPE_CHECKING:
    import pandas

__all__ = ["ClusterProfile", "Profile", "profile"]

NOTE = (
    "Clusters that were found with these features differ in them by design, so that tests of "
    "significance would be circular: effects describe, they do not test."
)
#: Features that are told in a sentence, and rows that are typical or unusual.
_SAID, _ROWS = 3, 3
#: Features of each cluster that are kept, where there are more than so many.
_KEPT, _WIDE = 30, 100
#: Features that a rule is made of. Only telling ones are where there are many features or few rows
#: in the cluster: else one of them would fit by chance.
_CANDIDATES, _MANY, _SMALL = 12, 40, 20
#: Features that the distance from typical rows looks at.
_COMPARED = 50


@dataclass(frozen=True)
class ClusterProfile:
    """What makes one cluster.

    Parameters
    ----------
    cluster : object
        Its label.
    name : str
        What it is called.
    size : int
        Number of rows.
    share : float
        Part of all rows.
    traits : tuple of Trait
        By effect, the largest first; of a wide table the largest only.
    rule : Rule or None
        At most three conditions that name the cluster, with precision and recall on held-out rows;
        None where none do.
    typical, unusual : tuple of int
        Rows that are nearest to the typical values of the cluster; rows that are held least or,
        without strengths, that are farthest from what is typical.
    sentence : str
        All of it in one sentence.
    """

    cluster: Any
    name: str
    size: int
    share: float
    traits: tuple[Trait, ...]
    rule: Rule | None
    typical: tuple[int, ...]
    unusual: tuple[int, ...]
    sentence: str

    @property
    def telling(self) -> tuple[Trait, ...]:
        """The features that set the cluster apart."""
        return tuple(trait for trait in self.traits if trait.telling)

    @property
    def explained(self) -> bool:
        """Whether a feature, or a rule, tells what makes the cluster."""
        return self.rule is not None or bool(self.telling)


@dataclass(frozen=True, eq=False)
class Profile:
    """What makes each cluster; see :func:`sentree.profile`.

    Parameters
    ----------
    clusters : tuple of ClusterProfile
        In the order of their labels.
    n : int
        Number of rows.
    order : tuple of str
        The features by how telling they are for any cluster.
    aside : dict
        Columns that say nothing, and why.
    accuracy : float
        Share of held-out rows that the rules, one after another from the surest on, put in their
        cluster; a row that fulfils none goes to the largest cluster among such rows. NaN without
        rules.
    chance : float
        Share of the largest cluster.
    decision_list : tuple
        The labels of the clusters that have rules, the surest rule first.
    note : str
        How effects are to be read.
    """

    clusters: tuple[ClusterProfile, ...]
    n: int
    order: tuple[str, ...]
    aside: dict[str, str]
    accuracy: float
    chance: float
    decision_list: tuple[Any, ...]
    note: str
    _measured: Measured
    _table: Table
    _code: NDArray[np.int64]
    _ids: Sequence[Any] | None
    _strength: NDArray[np.float64] | None

    def __getitem__(self, cluster: Any) -> ClusterProfile:
        for one in self.clusters:
            if one.cluster == cluster or str(one.cluster) == str(cluster):
                return one
        there = ", ".join(str(one.cluster) for one in self.clusters[:20])
        raise KeyError(f"there is no cluster {cluster!r}; there are {there}")

    def __len__(self) -> int:
        return len(self.clusters)

    def trait(self, cluster: Any, feature: str) -> Trait:
        """Return how a cluster differs in a feature, also in one that ``traits`` leaves out."""
        if feature not in self.order:
            raise KeyError(f"there is no feature {feature!r}")
        return self._measured.trait(feature, self.clusters.index(self[cluster]))

    def row_name(self, row: int) -> str:
        """Return the id of a row, or its number."""
        return str(row if self._ids is None else self._ids[row])

    def compare(self, a: Any, b: Any) -> Profile:
        """Tell what separates two clusters: a profile of their rows alone.

        Parameters
        ----------
        a, b : object
            Labels of the clusters.

        Returns
        -------
        Profile
            Of two clusters, each set against the other.

        Examples
        --------
        >>> import sentree
        >>> found = sentree.profile({"x": [1, 2, 3, 7, 8, 9] * 9}, [0, 0, 0, 1, 1, 2] * 9)
        >>> print(found.compare(0, 2)[2].sentence)
        high x (median 9 against 2)
        """
        pair = [self.clusters.index(self[cluster]) for cluster in (a, b)]
        if pair[0] == pair[1]:
            raise ValueError(f"cluster {a!r} cannot be compared with itself: name two")
        rows = np.flatnonzero(np.isin(self._code, pair))
        rows = rows[np.argsort(self._code[rows] == pair[1], kind="stable")]
        chosen = [self.clusters[k] for k in pair]
        key = (self._code[rows] == pair[1]).astype(np.int64)
        ids = [self.row_name(row) for row in rows.tolist()]
        strength = None if self._strength is None else self._strength[rows]
        return _profiled(
            self._table.part(rows),
            key,
            [one.cluster for one in chosen],
            [one.name for one in chosen],
            ids,
            strength,
        )

    def to_frame(self) -> pandas.DataFrame:
        """Return a row for each cluster and feature, by cluster and effect.

        Returns
        -------
        DataFrame
            cluster, name, feature, kind, level, direction, effect, low, high, telling; inside and
            outside as text; then the figures: inside_value, inside_from, inside_to and the same
            outside (medians with their quartiles, or shares), range_from, range_to, range_inside
            and range_outside (the range of most of the cluster, and the shares within it).
        """
        import pandas as pd

        rows = [
            {"cluster": one.cluster, "name": one.name, **trait.to_dict()}
            for one in self.clusters
            for trait in one.traits
        ]
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        return {
            "n": self.n,
            "note": self.note,
            "aside": dict(self.aside),
            "accuracy": _plain(self.accuracy),
            "chance": self.chance,
            "decision_list": [_plain(cluster) for cluster in self.decision_list],
            "clusters": [self._plain_cluster(one) for one in self.clusters],
        }

    def _plain_cluster(self, one: ClusterProfile) -> dict[str, Any]:
        rule = one.rule
        return {
            "cluster": _plain(one.cluster),
            "name": one.name,
            "size": one.size,
            "share": one.share,
            "explained": one.explained,
            "sentence": one.sentence,
            "rule": rule
            and {
                "conditions": list(rule.conditions),
                "precision": rule.precision,
                "recall": rule.recall,
            },
            "typical": [self.row_name(row) for row in one.typical],
            "unusual": [self.row_name(row) for row in one.unusual],
            "features": [
                {name: _plain(value) for name, value in trait.to_dict().items()}
                for trait in one.traits
            ],
        }

    def __str__(self) -> str:
        lines = []
        for one in self.clusters:
            lines.append(f"cluster {one.name} ({one.size:,} rows, {percent(one.share)})")
            lines.append(f"  {one.sentence}")
            if one.rule is not None:
                lines.append(f"  rule: {one.rule} ({one.rule.quality})")
        return "\n".join([*lines, *self.remarks])

    @property
    def remarks(self) -> list[str]:
        """How the rules do together, and how effects are to be read."""
        lines = [self.note]
        if self.accuracy == self.accuracy:
            lines.insert(
                0,
                f"All rules together place {percent(self.accuracy)} of held-out rows right "
                f"(the largest cluster is {percent(self.chance)}).",
            )
        return lines

    def _repr_html_(self) -> str:
        rows = []
        for one in self.clusters:
            rule = "–" if one.rule is None else f"{one.rule} ({one.rule.quality})"
            cells = (one.name, f"{one.size:,}", one.sentence, rule)
            rows.append("".join(f"<td style='text-align:left'>{_escaped(x)}</td>" for x in cells))
        head = "".join(f"<th>{x}</th>" for x in ("cluster", "rows", "what makes it", "rule"))
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        foot = "".join(f"<p>{_escaped(line)}</p>" for line in self.remarks)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{foot}"


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def _plain(value: Any) -> Any:
    """Return NumPy values as those of Python, and what is not a number as None."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and value != value else value


def profile(
    X: Any,
    labels: ArrayLike,
    *,
    strength: ArrayLike | None = None,
    names: Sequence[Any] | Mapping[Any, Any] | None = None,
    ids: Sequence[Any] | None = None,
    features: Sequence[Any] | None = None,
) -> Profile:
    """Tell what makes each cluster: features that set it apart, typical rows, and a short rule.

    Every cluster is compared with all other rows. Effects of all features are on one scale from -1
    to 1, with intervals that hold together for everything that is looked at. What is told is in the
    units of the table.

    Parameters
    ----------
    X : data frame, array-like or sparse matrix of shape (n, n_features)
        The table as it is, with numbers, dates, truth values and categories; it need not be the one
        that was clustered. Gaps may be there, and are a feature of their own.
    labels : array-like of shape (n,)
        Cluster of each row; rows without one (None, NaN) are left out.
    strength : array-like of shape (n,), optional
        How firmly each row is held, such as ``membership_strength_``: the least held are unusual.
    names : mapping or sequence, optional
        What clusters are called, by label.
    ids : sequence of length n, optional
        What rows are called; their numbers, from 0, where not given.
    features : sequence of length n_features, optional
        What the columns of an array or a sparse matrix are called, such as words or genes.

    Returns
    -------
    Profile

    Notes
    -----
    Clusters that were found with these features differ in them by design, so that tests of
    significance would be circular: effects describe, they do not test.

    Examples
    --------
    >>> import pandas as pd, sentree
    >>> table = pd.DataFrame({
    ...     "income": [31_000, 28_000, 35_000, 30_000, 74_000, 71_000, 80_000, 77_000] * 10,
    ...     "city": ["Rome", "Rome", "Bern", "Berlin", "Berlin", "Berlin", "Berlin", "Rome"] * 10,
    ... })
    >>> found = sentree.profile(table, [0, 0, 0, 0, 1, 1, 1, 1] * 10)
    >>> print(found[1].sentence)
    high income (median 76,000 against 30,000), mostly city = Berlin (75 % against 25 %)
    >>> print(found[1].rule)
    income > 50,000
    """
    import pandas as pd

    table = Table(pd.DataFrame(X) if isinstance(X, Mapping) else X, features)
    given: Any = np.asarray(labels, dtype=object if isinstance(labels, list) else None)
    if given.ndim != 1 or given.size != table.n:
        raise ValueError(
            f"labels has shape {given.shape}, but the table has {table.n} rows: give one for each"
        )
    if ids is not None and len(ids) != table.n:
        raise ValueError(f"ids are {len(ids)} for {table.n} rows: give one for each")
    held = None if strength is None else np.asarray(strength, dtype=np.float64)
    if held is not None and held.shape != (table.n,):
        raise ValueError(f"strength has shape {held.shape}, expected ({table.n},)")
    code, clusters = _numbered(given)
    if not len(clusters):
        raise ValueError("no row has a cluster: labels are all missing")
    rows = np.flatnonzero(code >= 0)
    if rows.size < table.n:
        table, code = table.part(rows), code[rows]
        ids = rows.tolist() if ids is None else [ids[row] for row in rows.tolist()]
        held = None if held is None else held[rows]
    return _profiled(table, code, clusters, _called(clusters, names), ids, held)


def _numbered(labels: NDArray[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Number clusters in the order of their labels; -1 for rows without one."""
    import pandas as pd

    code, found = pd.factorize(labels)
    try:
        order = np.argsort(found, kind="stable")
    except TypeError:  # numbers and text
        order = np.argsort(found.astype(str), kind="stable")
    rank = np.empty(len(found) + 1, dtype=np.int64)
    rank[order], rank[-1] = np.arange(len(found)), -1
    return rank[code], [one.item() if hasattr(one, "item") else one for one in found[order]]


def _called(clusters: list[Any], names: Any) -> list[str]:
    """Return what clusters are called."""
    if names is None:
        return [str(one) for one in clusters]
    if not isinstance(names, Mapping):
        names = dict(enumerate(names))
    found = [names.get(one) for one in clusters]
    pairs = zip(clusters, found, strict=True)
    return [str(one) if name is None else f"{one}: {name}" for one, name in pairs]


def _profiled(
    table: Table,
    code: NDArray[np.int64],
    clusters: list[Any],
    names: list[str],
    ids: Sequence[Any] | None,
    strength: NDArray[np.float64] | None,
) -> Profile:
    """Measure, find rules and rows, and say it."""
    k = len(clusters)
    size = np.bincount(code, minlength=k)
    found = Measured(*measure(table, code, k), AllUnits(table))
    features, ranked, overall = found.features, found.ranked, found.overall
    few = (size >= _SMALL) & (len(features) <= _MANY)
    candidates = [
        [f for f in ranked[:_CANDIDATES, c].tolist() if few[c] or found.telling[f, c]]
        for c in range(k)
    ]
    rules = find_rules(table, features, found.units, candidates, code)
    far = distances(table, features, found.figures, found.units, overall[:_COMPARED], code)
    typical, unusual = extremes(far, strength, code, k, _ROWS)
    kept = _KEPT if len(features) > _WIDE else None
    profiles = []
    for c in range(k):
        traits = tuple(found.trait(f, c) for f in ranked[:kept, c].tolist())
        profiles.append(
            ClusterProfile(
                clusters[c],
                names[c],
                int(size[c]),
                float(size[c] / code.size),
                traits,
                rules.rules[c],
                tuple(typical[c]),
                tuple(unusual[c]),
                _sentence(traits, rules.rules[c], k),
            )
        )
    return Profile(
        tuple(profiles),
        int(code.size),
        tuple(features[f].name for f in overall),
        table.aside,
        rules.accuracy,
        rules.chance,
        tuple(clusters[c] for c in rules.order),
        NOTE,
        found,
        table,
        code,
        ids,
        strength,
    )


def _sentence(traits: tuple[Trait, ...], rule: Rule | None, k: int) -> str:
    """Say in one sentence what makes a cluster."""
    if k == 1:
        return "the only cluster: there is nothing to compare it with"
    said: dict[str, str] = {}  # of each column one thing
    for trait in traits:
        if trait.telling and len(said) < _SAID:
            said.setdefault(trait.feature.removesuffix(" is missing"), trait.phrase)
    if said:
        return ", ".join(said.values())
    if rule is not None:
        return f"no single feature sets it apart, but together they do: {rule}"
    return "no feature explains this cluster"
