"""Clusters of bounded size: time and quality beside k-means-constrained, and bounds that hold.

A mixture of Gaussians with uneven sizes, 23,000 x 50 unless told otherwise, and three pairs of
bounds: "true" (from the smallest to the largest true cluster), "wide" (60 to 160 % of the mean) and
"tight" (95 to 105 %). Both get the number of clusters and one start. Then many small random
problems, with pairs, labels, weights and shares of each kind: in how many of those that can be
solved the sizes are within the bounds.

    python benchmarks/sizes.py --out benchmarks/results
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from sentree import SSEPartition, structural_entropy
from shared import timed
from speed import manifest

BOUNDS = {"true": None, "wide": (0.6, 1.6), "tight": (0.95, 1.05)}


def mixture(n, d, k, spread, seed):
    """Return samples of k Gaussians whose shares are uneven, and their classes."""
    random = np.random.default_rng(seed)
    y = random.choice(k, n, p=random.dirichlet(np.full(k, 3.0)))
    y = np.unique(y, return_inverse=True)[1]
    centers = random.normal(size=(k, d)) * spread
    return centers[y] + random.normal(size=(n, d)), y


def bounds_of(name, y):
    count = np.bincount(y)
    if BOUNDS[name] is None:
        return int(count.min()), int(count.max())
    low, high = BOUNDS[name]
    return int(np.floor(low * count.mean())), int(np.ceil(high * count.mean()))


def squares(X, labels):
    """Return the sum of squared distances to the means of the clusters."""
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels))


def ours(X, k, low, high):
    return SSEPartition(k, min_size=low, max_size=high).fit(X)


def theirs(X, k, low, high):
    from k_means_constrained import KMeansConstrained

    return KMeansConstrained(
        k, size_min=low, size_max=high, n_init=1, random_state=0, n_jobs=1
    ).fit(X)


def compared(options):
    """Measure both methods."""
    ours(*mixture(500, 5, 3, 1.0, 0)[:1], 3, 100, 300)  # what the first fit loads is not counted
    for spread in options.spreads:
        X, y = mixture(options.n, options.d, options.k, spread, 0)
        k = int(y.max()) + 1
        free, free_seconds = timed(SSEPartition(k).fit, X)
        for name in options.bounds:
            low, high = bounds_of(name, y)
            for method, fit in (("sentree", ours), ("k-means-constrained", theirs)):
                model, seconds = timed(fit, X, k, low, high)
                size = np.bincount(model.labels_, minlength=k)
                row = {
                    "spread": spread,
                    "bounds": name,
                    "low": low,
                    "high": high,
                    "method": method,
                    "within": bool((size >= low).all() and (size <= high).all()),
                    "ARI": adjusted_rand_score(y, model.labels_),
                    "entropy": structural_entropy(free.graph_, model.labels_),
                    "squares": squares(X, model.labels_) / squares(X, y),
                    "seconds": seconds,
                    "seconds without bounds": free_seconds if method == "sentree" else np.nan,
                }
                print(row, flush=True)
                yield row


def random_problem(seed):
    """Return parameters and input of a small fit that some clusters can solve: the hidden ones."""
    random = np.random.default_rng(seed)
    n, k = int(random.integers(20, 120)), int(random.integers(2, 7))
    X, y = mixture(n, 3, k, 1.5, seed)
    hidden = np.where(random.random(n) < 0.8, y, random.integers(0, k, n))
    hidden = np.unique(hidden, return_inverse=True)[1]
    weight = random.integers(1, 6, n) / 2 if random.random() < 0.3 else None
    size = np.bincount(hidden, weight)
    params, fit = {"hard": bool(random.random() < 0.5)}, {}
    if random.random() < 0.5:
        params["n_clusters"] = int(hidden.max()) + 1
    slack = 1 + random.choice([0.0, 0.0, 0.1, 0.5])
    count = weight is None
    if random.random() < 0.8:
        low = size.min() / slack
        params["min_size"] = max(int(low), 1) if count else max(low, 1.01)
    if random.random() < 0.8 or not params.keys() & {"min_size"}:
        high = size.max() * slack
        params["max_size"] = int(high) if count else max(high, 1.01)
    pairs = random.integers(0, n, (int(random.integers(0, 20)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = hidden[pairs[:, 0]] == hidden[pairs[:, 1]]
    fit["must_link"], fit["cannot_link"] = pairs[same], pairs[~same]
    if random.random() < 0.4:
        fit["y"] = np.where(random.random(n) < 0.1, hidden, -1)
    if weight is not None:
        fit["size_weight"] = weight
    return X, params, fit


def kept(options):
    """Fit random problems; each row tells whether the sizes are within the bounds."""
    for seed in range(options.problems):
        X, params, fit = random_problem(seed)
        row = {"problem": seed, "hard": params["hard"], "weights": "size_weight" in fit}
        try:
            model = SSEPartition(**params).fit(X, **fit)
        except ValueError as error:
            yield row | {"solved": False, "within": False, "error": str(error)}
            continue
        size = np.bincount(model.labels_, fit.get("size_weight"))
        low, high = params.get("min_size", 0), params.get("max_size", np.inf)
        good = (size >= low - 1e-6).all() and (size <= high + 1e-6).all()
        good &= params.get("n_clusters", size.size) == size.size
        yield row | {"solved": True, "within": bool(good), "error": ""}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=23_000)
    parser.add_argument("--d", type=int, default=50)
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--spreads", type=float, nargs="+", default=[0.6])
    parser.add_argument("--bounds", nargs="+", choices=BOUNDS, default=list(BOUNDS))
    parser.add_argument("--problems", type=int, default=200)
    parser.add_argument("--out", type=Path, help="folder for sizes.csv, sizes_kept.csv, sizes.json")
    options = parser.parse_args()
    record = manifest()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        small = pd.DataFrame(kept(options))
        print(f"{small.solved.mean():.1%} of {len(small)} solvable problems solved, and "
              f"{small.within[small.solved].mean():.1%} of these within the bounds")  # fmt: skip
        print(small.error[~small.solved].to_string())
        rows = pd.DataFrame(compared(options))
    rows["ratio"] = rows.groupby(["spread", "bounds"])["seconds"].transform("max") / rows.seconds
    print(rows.round(3).to_string(index=False))
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        rows.round(4).to_csv(options.out / "sizes.csv", index=False)
        small.to_csv(options.out / "sizes_kept.csv", index=False)
        (options.out / "sizes.json").write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
