"""More constraints must not hurt, and bad ones not do worse than being ignored.

Pairs in growing amounts on the nine sets of the paper, 0 to n of each kind, with the defaults and
the true number of clusters. Then, at 0.2 n pairs of each kind, a tenth of them wrong; and cannot-
links alone, n of them, which with many classes say next to nothing.

    python benchmarks/amount.py --draws 3 --out benchmarks/results
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from sentree import Constraints, SSEPartition
from sentree.datasets import PAPER_SETS, load_paper, sample_pairs

AMOUNTS = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
#: A fall counts beyond this many standard errors of the difference, and this many points of ARI.
ERRORS, POINTS = 1.5, 1.0


def wrong_pairs(y, share, wrong, draw):
    """Draw pairs, some of them said the wrong way round; what would contradict is left out."""
    n = len(y)
    right = sample_pairs(y, int(share * n), int(share * n), draw)
    swapped = int(wrong * share * n)
    must = np.concatenate((right.must_link[swapped:], right.cannot_link[:swapped]))
    cannot = np.concatenate((right.cannot_link[swapped:], right.must_link[:swapped]))
    component = Constraints.from_pairs(must).closure(n).component
    cannot = cannot[component[cannot[:, 0]] != component[cannot[:, 1]]]
    return Constraints.from_pairs(must, cannot)


def cases(y, draw):
    """Yield the name, the amount and the constraints of every case."""
    n = len(y)
    for amount in AMOUNTS:
        yield "pairs", amount, sample_pairs(y, int(amount * n), int(amount * n), draw)
    yield "a tenth wrong", 0.2, wrong_pairs(y, 0.2, 0.1, draw)
    yield "cannot-links alone", 1.0, sample_pairs(y, 0, n, draw)


def run(draws, first, data_dir):
    for name, record in PAPER_SETS.items():
        if record.kind == "hierarchical":
            continue
        X, y = load_paper(name, data_dir)
        for draw in range(first, first + draws):
            for case, amount, given in cases(y, draw):
                found = SSEPartition(record.k).fit(X, constraints=given).labels_
                yield {
                    "dataset": name,
                    "case": case,
                    "amount": amount,
                    "draw": draw,
                    "ARI": 100 * adjusted_rand_score(y, found),
                    "NMI": 100 * normalized_mutual_info_score(y, found),
                }


def falls(rows):
    """List where more constraints gave less than fewer did, beyond noise."""
    pairs = rows[rows["case"] == "pairs"]
    table = pairs.pivot_table(index=["dataset", "draw"], columns="amount", values="ARI")
    for name, part in table.groupby(level="dataset", sort=False):
        for before, after in pairwise(AMOUNTS):
            change = (part[after] - part[before]).to_numpy()
            error = change.std(ddof=1) / np.sqrt(change.size) if change.size > 1 else 0.0
            if change.mean() < -max(POINTS, ERRORS * error):
                yield f"{name}: {change.mean():.1f} +- {error:.1f} from {before} n to {after} n"


def draw_picture(rows, path):
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    pairs = rows[rows["case"] == "pairs"]
    for name, part in pairs.groupby("dataset", sort=False):
        mean = part.groupby("amount")["ARI"].mean()
        ax.plot(mean.index, mean, marker="o", label=name)
    ax.set(xlabel="must-links, and as many cannot-links, per sample", ylabel="ARI (%)")
    ax.set_ylim(0, 102)
    ax.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper")
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first-draw", type=int, default=0, help="seed of the first draw")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--out", type=Path, help="folder for amount.csv and .png")
    options = parser.parse_args()
    rows = pd.DataFrame(run(options.draws, options.first_draw, options.data_dir))
    mean = rows.pivot_table(
        index="dataset", columns=["case", "amount"], values="ARI", sort=False, aggfunc="mean"
    )
    print(mean.round(1).to_string())
    print("\n".join(falls(rows)) or "no fall beyond noise")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        rows.round(4).to_csv(options.out / "amount.csv", index=False)
        draw_picture(rows, options.out / "amount.png")


if __name__ == "__main__":
    main()
