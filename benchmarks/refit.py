"""What refit is worth: constraints that come later against a fresh fit with all of them.

Sixty true pairs on some known sets, with and without the number of clusters: a fresh fit with all
pairs; a fit without any, then one refit with all; a second refit with the same pairs, which should
change nothing; and sixty refits of one pair each. The time of refits is given as a share of the
fresh fit's, for the sixty of the mean one.

    python benchmarks/refit.py --out benchmarks/results/refit.csv
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_moons
from sklearn.metrics import adjusted_rand_score

import general_sets
from sentree import SSEPartition
from shared import timed
from tasks import draw

TASK = "60-pairs"
KNOWN = {
    "moons": lambda: make_moons(600, noise=0.08, random_state=0),
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
}
GENERAL = ["2d-4c-no9", "cassini", "column3c", "diabetes", "thy", "vehicle"]
CASES = ["none", "fresh", "one refit", "again", "one by one"]


def load(name, data_dir):
    return KNOWN[name]() if name in KNOWN else general_sets.load(name, data_dir)


def cases(X, k, given, seed):
    """Yield the name, the model and the CPU seconds of every case; seconds of the mean refit."""
    pairs = {"must_link": given.must_link, "cannot_link": given.cannot_link}

    def model():
        return SSEPartition(k, random_state=seed)

    yield "fresh", *timed(lambda: model().fit(X, **pairs))
    later, seconds = timed(model().fit, X)
    yield "none", later, seconds
    yield "one refit", *timed(lambda: later.refit(**pairs))
    yield "again", *timed(lambda: later.refit(**pairs, keep=False))
    one_by_one = model().fit(X)
    singles = single(given, seed)
    _, seconds = timed(lambda: [one_by_one.refit(**pair) for pair in singles])
    yield "one by one", one_by_one, seconds / len(singles)


def single(given, seed):
    """Return the pairs one at a time, in random order."""
    kinds = ("must_link", given.must_link), ("cannot_link", given.cannot_link)
    pairs = [{kind: [pair]} for kind, told in kinds for pair in told.tolist()]
    return [pairs[k] for k in np.random.default_rng(seed).permutation(len(pairs))]


def run(options):
    """Measure every case on every set; nothing but the rows is said."""
    for name in options.sets:
        X, y = load(name, options.data_dir)
        SSEPartition().fit(X, must_link=[(0, 1)])  # what is loaded by the first fit is not counted
        for number in range(options.first_draw, options.first_draw + options.draws):
            given = draw(TASK, y, name, number)
            for k in (None, int(y.max()) + 1):
                fresh = None
                for case, model, seconds in cases(X, k, given, number):
                    fresh = seconds if fresh is None else fresh
                    yield {
                        "set": name,
                        "draw": number,
                        "k": "open" if k is None else "given",
                        "case": case,
                        "ARI": adjusted_rand_score(y, model.labels_),
                        "clusters": model.n_clusters_,
                        "broken": model.constraint_report_.n_broken,
                        "seconds": seconds,
                        "share": seconds / fresh,
                    }


def summarise(rows):
    """Means over draws, cases beside one another."""
    table = rows.pivot_table(
        index=["k", "set"], columns="case", values=["ARI", "share"], sort=False, aggfunc="mean"
    )
    shown = [("ARI", case) for case in CASES] + [("share", case) for case in CASES[2:]]
    table = table[shown]
    means = table.groupby(level="k", sort=False).mean()
    means.index = pd.MultiIndex.from_product([means.index, ["mean"]], names=table.index.names)
    return pd.concat([table, means])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=[*KNOWN, *GENERAL],
                        help="names of sets, those of general.py too")  # fmt: skip
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first-draw", type=int, default=0, help="number of the first draw")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--out", type=Path, help="file for the rows, such as refit.csv")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = pd.DataFrame(run(options))
    print("ARI, and CPU time of a refit as a share of the fresh fit's; means over draws")
    print(summarise(rows).round(3).to_string())
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        rows.round(4).to_csv(options.out, index=False)


if __name__ == "__main__":
    main()
