"""Ranks of methods over data sets, with the Friedman and Nemenyi tests (Demsar, JMLR 2006)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Ranking(NamedTuple):
    """Mean ranks of methods (1 is best) over the data sets on which all of them were run."""

    mean: dict[str, float]
    n_datasets: int
    p: float
    """P value of the Friedman test; NaN where it cannot be made."""
    critical: float
    """Nemenyi's critical difference at 0.05; NaN where the test cannot be made."""


def ranking(values: Mapping[str, Mapping[str, float]], methods: Sequence[str]) -> Ranking:
    """Rank methods on every data set, and test whether they differ.

    Parameters
    ----------
    values : mapping of data set to mapping of method to float
        Scores, larger is better. A NaN (a run that failed) ranks last; a data set on which a
        method is absent is left out.
    methods : sequence of str
        The methods to rank.
    """
    rows = [row for row in values.values() if all(method in row for method in methods)]
    if not rows or not methods:
        return Ranking(dict.fromkeys(methods, math.nan), 0, math.nan, math.nan)
    table = np.array([[row[method] for method in methods] for row in rows])
    ranks = _ranks(table)
    n, k = ranks.shape
    tested = n >= 2 and k >= 3
    return Ranking(
        dict(zip(methods, ranks.mean(axis=0).tolist(), strict=True)),
        n,
        friedman(ranks) if tested else math.nan,
        critical_difference(k, n) if tested else math.nan,
    )


def _ranks(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank every row, the largest first, equals (to four decimals) sharing their mean rank."""
    from scipy.stats import rankdata

    lowest_last = -np.round(np.nan_to_num(table, nan=-np.inf), 4)
    ranks: NDArray[np.float64] = rankdata(lowest_last, axis=1)
    return ranks


def friedman(ranks: NDArray[np.float64]) -> float:
    """Return the p value of the Friedman test, corrected for ties; 1 where all ranks are equal."""
    from scipy.stats import chi2

    n, k = ranks.shape
    between = n * ((ranks.mean(axis=0) - (k + 1) / 2) ** 2).sum()
    within = ((ranks - (k + 1) / 2) ** 2).sum() / (n * (k - 1))
    return float(chi2.sf(between / within, k - 1)) if within > 0 else 1.0


def p_value(p: float) -> str:
    """Write a p value."""
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Return by how much the mean ranks of two of k methods over n data sets must differ."""
    from scipy.stats import studentized_range

    quantile = studentized_range.ppf(1 - alpha, k, np.inf) / math.sqrt(2)
    return float(quantile * math.sqrt(k * (k + 1) / (6 * n)))


def cliques(mean: Mapping[str, float], critical: float) -> list[list[str]]:
    """List the largest groups of two or more methods whose mean ranks do not differ enough."""
    order = sorted(mean, key=lambda method: mean[method])
    groups: list[list[str]] = []
    last = 0
    for first, method in enumerate(order):
        end = first
        while end < len(order) and mean[order[end]] - mean[method] <= critical:
            end += 1
        if end - first > 1 and end > last:
            groups.append(order[first:end])
        last = max(last, end)
    return groups
