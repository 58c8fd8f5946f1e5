"""Short rules that name a cluster: at most three conditions, judged on rows they were not made of.

All conditions there may be (a feature above or below a round number, a level, a missing value) are
ranges in one long list of codes, so that one count of the rows judges all of them. A rule grows by
the condition that raises its F1 score most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sentree.profiles.columns import Column, Table
from sentree.profiles.intervals import wilson
from sentree.profiles.measures import Feature
from sentree.profiles.words import Units, percent

__all__ = ["Rule", "Rules", "find_rules"]

#: Most rows that rules are made and judged on.
_ROWS = 20_000
#: Most conditions of a rule; how much one has to add to the F1 score, or to make up of what it
#: lacks.
_CONDITIONS, _WORTH, _PART = 3, 0.02, 0.1
#: An F1 score that needs no further condition.
_ENOUGH = 0.95
_FOLDS = 5
#: Round numbers that a feature is compared with, before equal ones are united.
_THRESHOLDS = 32
#: Levels of a category that conditions name.
_LEVELS = 60
#: Rules that agree less with the cluster (Matthews correlation on held-out rows) name nothing, nor
#: do those whose precision is not better than chance by so many standard errors.
_NAMES, _SURE = 0.3, 3.0
_FEWEST = 5

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Rule:
    """Conditions that together name a cluster.

    Parameters
    ----------
    conditions : tuple of str
        What has to hold.
    precision, recall : float
        Of the held-out rows that fulfil the conditions, the share that is in the cluster; and the
        share of the cluster that fulfils them. Cross-validated: each row is judged by conditions
        that were found without it.
    """

    conditions: tuple[str, ...]
    precision: float
    recall: float

    def __str__(self) -> str:
        return " and ".join(self.conditions)

    @property
    def quality(self) -> str:
        """How good it is on held-out rows, in words."""
        return (
            f"{percent(self.precision)} of the rows it picks are in the cluster, and it picks "
            f"{percent(self.recall)} of the cluster"
        )


class Rules(NamedTuple):
    """The rule of each cluster (None where none names it), and how well all of them do together."""

    rules: list[Rule | None]
    order: list[int]  # clusters by rule, the surest first; rows that fulfil none are in the last
    accuracy: float  # held-out; NaN where there are no rules
    chance: float  # of saying always the largest cluster


class _Conditions(NamedTuple):
    """All conditions on some features: ranges of codes."""

    codes: NDArray[np.int32]  # (features, rows), each feature with codes of its own
    first: NDArray[np.int64]
    end: NDArray[np.int64]
    feature: NDArray[np.int64]
    texts: list[str]
    total: int

    def holds(self, condition: int, rows: NDArray[np.int64]) -> Flags:
        """Tell for which rows a condition holds."""
        code = self.codes[self.feature[condition], rows]
        return np.asarray((code >= self.first[condition]) & (code < self.end[condition]))


def find_rules(
    table: Table,
    features: list[Feature],
    units: dict[int, Units],
    candidates: list[list[int]],
    code: NDArray[Any],
) -> Rules:
    """Find a rule for each cluster among its candidate features."""
    k = len(candidates)
    rng = np.random.default_rng(0)
    rows = np.arange(code.size)
    if code.size > _ROWS:
        rows = np.sort(rng.choice(code.size, _ROWS, replace=False))
    cluster = code[rows]
    fold = _folds(cluster, rng)
    all_of = {
        f: _coded(table.column(features[f].column), features[f], units[features[f].column], rows)
        for f in sorted({f for some in candidates for f in some})
    }
    rules: list[Rule | None] = [None] * k
    held_out = np.zeros((k, rows.size), dtype=bool)
    trained = np.zeros((k, _FOLDS))
    for c in range(k):
        inside = cluster == c
        there = [f for f in candidates[c] if all_of[f][1]]
        if not there or inside.sum() < _FEWEST or inside.all():
            continue
        conditions = _joined([all_of[f] for f in there])
        for number in range(_FOLDS):
            own, other = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            chosen, trained[c, number] = _grown(conditions, inside, own)
            held_out[c, other] = _fulfilled(conditions, chosen, other)
        picked, hits = held_out[c].sum(), np.count_nonzero(held_out[c] & inside)
        sure = wilson(hits, picked, _SURE)[0] > inside.mean()
        if sure and _agreement(held_out[c], inside) >= _NAMES:
            chosen, _ = _grown(conditions, inside, np.arange(rows.size))
            told = _tidied(conditions, chosen)
            rules[c] = Rule(told, float(hits / picked), float(hits / inside.sum()))
    named = [c for c in range(k) if rules[c] is not None]
    chance = float(np.bincount(cluster).max() / rows.size)
    if len(named) == 0:
        return Rules(rules, [], float("nan"), chance)
    right = sum(
        _list_right(held_out, trained[:, number], named, cluster, fold == number)
        for number in range(_FOLDS)
    )
    order = sorted(named, key=lambda c: -float(trained[c].mean()))
    return Rules(rules, order, right / rows.size, chance)


def _folds(cluster: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int64]:
    """Share the rows of each cluster out among the folds."""
    shuffled = rng.permutation(cluster.size)
    by_cluster = shuffled[np.argsort(cluster[shuffled], kind="stable")]
    fold = np.empty(cluster.size, dtype=np.int64)
    fold[by_cluster] = np.arange(cluster.size) % _FOLDS
    return fold


def _coded(
    column: Column, feature: Feature, units: Units, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int32], list[tuple[int, int, str]], int]:
    """Return codes of the rows, conditions as ranges of them, and how many codes there are."""
    name = column.name
    if feature.kind == "missing":
        codes = column.missing[rows].astype(np.int32)
        return codes, [(1, 2, f"{name} is missing"), (0, 1, f"{name} is known")], 2
    if column.kind == "category":
        return _coded_levels(column, rows)
    values = column.values[rows] if column.rows is None else _spread_out(column, rows)
    known = ~np.isnan(values)
    if column.kind == "boolean":
        codes = np.where(known, values, 2).astype(np.int32)
        return codes, [(1, 2, name), (0, 1, f"not {name}")], 3
    edges = _round_numbers(values[known], units)
    codes = np.where(known, np.searchsorted(edges, values), edges.size + 1).astype(np.int32)
    texts = [units.text(edge) for edge in edges.tolist()]
    ranges = [(0, j + 1, f"{name} ≤ {text}") for j, text in enumerate(texts)]
    ranges += [(j + 1, edges.size + 1, f"{name} > {text}") for j, text in enumerate(texts)]
    return codes, ranges, edges.size + 2


def _coded_levels(
    column: Column, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int32], list[tuple[int, int, str]], int]:
    """Give each frequent level a code; all others share one."""
    values = column.values[rows]
    count = np.bincount(values[values >= 0], minlength=len(column.levels))
    frequent = np.argsort(-count, kind="stable")[:_LEVELS]
    frequent = frequent[count[frequent] >= _FEWEST]
    place = np.full(len(column.levels) + 1, frequent.size, dtype=np.int32)
    place[frequent] = np.arange(frequent.size)
    names = [column.levels[level] for level in frequent.tolist()]
    ranges = [(j, j + 1, f"{column.name} = {level}") for j, level in enumerate(names)]
    return place[values], ranges, frequent.size + 1


def _spread_out(column: Column, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return an amount at some rows, zeros included."""
    assert column.rows is not None
    found = np.zeros(rows.size)
    at = np.searchsorted(rows, column.rows)
    there = (at < rows.size) & (rows[np.minimum(at, rows.size - 1)] == column.rows)
    found[at[there]] = column.values[there]
    return found


def _round_numbers(values: NDArray[np.float64], units: Units) -> NDArray[np.float64]:
    """Return round numbers that split the values, spread as they are."""
    if not values.size:
        return values
    shares = np.arange(1, _THRESHOLDS) / _THRESHOLDS
    low, *found, high = np.quantile(values, [0, *shares, 1], method="lower").tolist()
    found += units.grid(found[0], found[-1])  # where there are gaps
    if units.kind == "amount":
        filled = values[values != 0]
        found = [0.0, *np.quantile(filled, shares[::4])] if filled.size else []
    edges = np.unique([units.rounded(value) for value in found])
    return np.asarray(edges[(edges >= low) & (edges < high)])


def _joined(parts: list[tuple[NDArray[np.int32], list[tuple[int, int, str]], int]]) -> _Conditions:
    """Put features with their conditions together."""
    start = np.cumsum([0] + [count for _, _, count in parts])
    ranges = [
        (low + start[f], high + start[f], f, text)
        for f, (_, some, _) in enumerate(parts)
        for low, high, text in some
    ]
    first, end, feature, texts = zip(*ranges, strict=True)
    codes = np.array([code + start[f] for f, (code, _, _) in enumerate(parts)], dtype=np.int32)
    return _Conditions(
        codes, np.array(first), np.array(end), np.array(feature), list(texts), int(start[-1])
    )


def _grown(
    conditions: _Conditions, inside: Flags, rows: NDArray[np.int64]
) -> tuple[list[int], float]:
    """Add conditions as long as one raises the F1 score on these rows; return it, too."""
    wanted = np.count_nonzero(inside[rows])
    chosen: list[int] = []
    best = float(2 * wanted / (rows.size + wanted))  # of saying that all rows are in the cluster
    while len(chosen) < _CONDITIONS and not (chosen and best >= _ENOUGH):
        found, right = (
            np.cumsum(
                np.bincount(conditions.codes[:, some].ravel(), minlength=conditions.total + 1)
            )
            for some in (rows, rows[inside[rows]])
        )
        found, right = (np.append(0, x) for x in (found, right))
        covered, correct = (x[conditions.end] - x[conditions.first] for x in (found, right))
        score = 2 * correct / (covered + wanted)
        one = _middle_best(conditions, score)
        if not score[one] > best + min(_WORTH, _PART * (1 - best)):
            break
        chosen.append(one)
        best = float(score[one])
        rows = rows[conditions.holds(one, rows)]
    return chosen, best


def _middle_best(conditions: _Conditions, score: NDArray[np.float64]) -> int:
    """Return the best condition; of several numbers in a gap the roundest near its middle."""
    one = int(np.argmax(score))
    alike = (conditions.first == conditions.first[one]) | (conditions.end == conditions.end[one])
    run = (score == score[one]) & alike
    length = int(np.argmin(np.append(run[one:], False)))
    middle = one + (length - 1) / 2
    near = range(one + length // 4, one + length - length // 4)
    return min(near, key=lambda x: (len(conditions.texts[x].rstrip("0,.")), abs(x - middle)))


def _fulfilled(conditions: _Conditions, chosen: list[int], rows: NDArray[np.int64]) -> Flags:
    """Tell which rows fulfil all chosen conditions; none if none are chosen."""
    holds = np.full(rows.size, bool(chosen))
    for one in chosen:
        holds &= conditions.holds(one, rows)
    return holds


def _agreement(said: Flags, inside: Flags) -> float:
    """Return the Matthews correlation; 0 where one of the two is always the same."""
    a, b = said.mean(), inside.mean()
    spread = a * (1 - a) * b * (1 - b)
    return float(((said & inside).mean() - a * b) / np.sqrt(spread)) if spread > 0 else 0.0


def _tidied(conditions: _Conditions, chosen: list[int]) -> tuple[str, ...]:
    """Write conditions, those on one feature together, without those that others contain."""
    first, end, feature = conditions.first, conditions.end, conditions.feature
    left = [
        one
        for k, one in enumerate(chosen)
        if not any(
            feature[one] == feature[other] and first[one] <= first[other] and end[other] <= end[one]
            for other in chosen[k + 1 :]
        )
    ]
    on = [feature[one] for one in left]
    return tuple(conditions.texts[one] for one in sorted(left, key=lambda x: on.index(feature[x])))


def _list_right(
    held_out: Flags, sure: NDArray[np.float64], named: list[int], cluster: Any, own: Flags
) -> int:
    """Count the held-out rows of a fold that the rules, one after another, put in their cluster."""
    said = np.full(cluster.size, -1)
    for c in sorted(named, key=lambda c: float(sure[c])):  # the surest rule has the last word
        said[held_out[c]] = c
    left = (said < 0) & ~own
    rest = cluster[left] if left.any() else cluster[~own]
    said[said < 0] = np.bincount(rest).argmax()
    return int(np.count_nonzero((said == cluster) & own))
