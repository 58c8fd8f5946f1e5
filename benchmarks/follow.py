"""Statements of a user who looks at clusters and says what is wrong, and what becomes of them.

    python benchmarks/follow.py --half choosing
    python benchmarks/follow.py --half confirming --same-statements

Compares :func:`sentree.active.follow`, for some chances that a whole cluster follows, with
:func:`sentree.active.refit` and ``SSEPartition.refit``. The user speaks about the clusters that
each of them shows, or, with ``--same-statements``, about those without constraints.
"""

from __future__ import annotations

import argparse
import warnings
from copy import copy

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

import general_sets
from sentree import Constraints, SSEPartition
from sentree.active import following, refit

CHANCES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
AFTER = (5, 10, 20, 40)
#: Sets of at most so many rows are used, and so many of each half.
LARGEST, SETS = 1_500, 20
MOST_ROWS = 5


def statement(rng, y, labels):
    """Return what a user says who sees clusters and knows the classes."""
    kind = rng.choice(["is", "same", "different"], p=[0.5, 0.25, 0.25])
    many = int(rng.integers(1, MOST_ROWS + 1))
    if kind == "same":
        of_class = np.flatnonzero(y == rng.choice(y))
        return Constraints.from_groups(together=[_some(rng, of_class, max(many, 2))])
    table = np.zeros((labels.max() + 1, y.max() + 1), dtype=int)
    np.add.at(table, (labels, y), 1)
    wrong = np.flatnonzero(y != table.argmax(axis=1)[labels])
    row = int(rng.choice(wrong if wrong.size else y.size))
    here = labels == labels[row]
    if kind == "is":
        rows = _some(rng, np.flatnonzero(here & (y == y[row])), many)
        codes = [0] * len(rows)
        return Constraints(label_index=rows, label_code=codes, classes=(int(y[row]),))
    others = here & (y != y[row])
    other = int(rng.choice(np.flatnonzero(others if others.any() else y != y[row])))
    return Constraints.from_pairs(cannot_link=[(row, other)])


def _some(rng, rows, many):
    return rng.choice(rows, min(many, rows.size), replace=False).tolist()


def methods():
    """Yield names of methods, and what refits a copy of a model with what is known."""
    for chance in CHANCES:

        def follow(model, known, chance=chance):
            following._WHOLE = chance
            return following.follow(model, known)

        yield f"follow {chance:g}", follow
    yield "active.refit", refit
    yield "model.refit", lambda model, known: model.refit(constraints=known)


def run(name, seed, same_statements):
    """Yield the index of every method after numbers of statements."""
    X, y = general_sets.load(name)
    base = SSEPartition(random_state=0, prepare="auto", selection="off").fit(X)
    yield {"method": "none", "after": 0, "ari": adjusted_rand_score(y, base.labels_)}
    for method, fitted in methods():
        rng = np.random.default_rng([seed, len(X)])
        known, labels = Constraints(), base.labels_
        seen_last = same_statements or method == "model.refit"
        for number in range(1, max(AFTER) + 1):
            known += statement(rng, y, base.labels_ if seen_last else labels)
            if number in AFTER or not seen_last:
                labels = fitted(copy(base), known).labels_
            if number in AFTER:
                yield {"method": method, "after": number, "ari": adjusted_rand_score(y, labels)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=general_sets.HALVES, default="choosing")
    parser.add_argument("--same-statements", action="store_true")
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    half = general_sets.halves(general_sets.names())
    small = [n for n in half if half[n] == given.half and len(general_sets.load(n)[1]) <= LARGEST]
    chosen = [small[k] for k in np.linspace(0, len(small) - 1, SETS).astype(int)]
    rows = []
    for name in chosen:
        for seed in range(given.seeds):
            found = [{"set": name, **one} for one in run(name, seed, given.same_statements)]
            rows += found
        print(name, flush=True)
    table = pd.DataFrame(rows)
    mean = table.groupby(["method", "after"])["ari"].mean().unstack()
    print(mean.assign(mean=mean[list(AFTER)].mean(axis=1)).round(4).to_string())
    return table


if __name__ == "__main__":
    main()
