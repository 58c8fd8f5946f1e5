r"""Whether probabilities come true: of the rows that get probability p, a share p should be right.

    python benchmarks/certainty.py --out benchmarks/results    # everything, a few minutes
    python benchmarks/certainty.py --sets moons-0.2 vehicle    # some sets

A quarter of every set is kept back as new rows. Methods with labels get 5 % of the labels or three
a class and are judged on the other rows and on the new ones; methods without get the number of
classes, and clusters are matched with classes one to one. Sets are made mixtures that overlap,
moons, the general tables and every third shape, and sets of the paper.

certainty.csv has a row per set, task, method and kind of rows: accuracy, mean probability of the
chosen class, expected calibration error (ten bins) and Brier score. certainty_curves.csv and .png
have the reliability curves: means over sets. Choices were made on half of the sets.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import pdist
from sklearn.cluster import HDBSCAN
from sklearn.datasets import make_moons
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading

import general_sets
from feature_peers import MOST_FEATURES_FOR_FULL
from general_sets import HALVES
from sentree import SSEPartition
from sentree.datasets import load_paper
from sentree.estimators.membership import membership
from speed import manifest
from tasks import draw

BINS = 10
COLOURS = {"sentree": "#0072B2", "sentree, shares of neighbours": "#56B4E9",
           "LabelSpreading": "#D55E00", "k-NN of labelled rows": "#009E73",
           "GaussianMixture": "#D55E00", "HDBSCAN": "#009E73"}  # fmt: skip
CURVE = ("share", "told", "true")
TASKS = ("5%-labels", "3-a-class", "k-given")
NOISES = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
PAPER = ("Yale", "ORL", "COIL20", "Isolet1", "OpticalDigits", "wine", "heart", "breast-cancer",
         "australian")  # fmt: skip


def mixture(seed):
    """Draw overlapping Gaussians of 2 to 30 dimensions, with their classes."""
    random = np.random.default_rng([seed, 77])
    d, k = int(random.choice([2, 3, 5, 10, 30])), int(random.choice([2, 3, 5, 10]))
    n, apart = int(random.choice([300, 1000, 3000])), random.uniform(1.5, 5)
    centres = random.normal(size=(k, d))
    centres *= apart / np.median(pdist(centres))
    y = random.choice(k, n, p=random.dirichlet(np.full(k, 5.0)))
    width = random.uniform(0.7, 1.4, k) if seed % 2 else np.ones(k)
    X = centres[y] + random.normal(size=(n, d)) * width[y, None]
    name = f"mix{seed}-d{d}-k{k}-n{n}-s{apart:.1f}"
    return name, X, np.unique(y, return_inverse=True)[1]


def sources(data_dir):
    """Yield name, kind, half, samples and classes of all sets."""
    made = [mixture(seed) for seed in range(24)]
    made += [(f"moons-{noise}", *make_moons(1000, noise=noise, random_state=i))
             for i, noise in enumerate(NOISES)]  # fmt: skip
    names = general_sets.names(data_dir)
    tables = [name for name in names if general_sets.kind(name, data_dir) == "table"]
    shapes = [name for name in names if name not in tables][::3]
    found = {name: ("made", X, y) for name, X, y in made}
    found |= {name: ("table", *general_sets.load(name, data_dir)) for name in tables}
    found |= {name: ("shape", *general_sets.load(name, data_dir)) for name in shapes}
    half = general_sets.halves(sorted(found))
    for name, (kind, X, y) in found.items():
        yield name, kind, half[name], X, y
    for name in PAPER:
        yield name, "paper", HALVES[1], *load_paper(name, data_dir)


def one_hot(labels, k):
    return np.eye(k)[labels]


def matched(found, y, k):
    """Give probabilities of clusters to the classes that the clusters are matched with."""
    clusters = found.argmax(axis=1)
    both = np.zeros((found.shape[1], k))
    np.add.at(both, (clusters, y), 1)
    return both


def to_classes(old, new, both):
    """Sum the probabilities of clusters by class; those without a class are never right."""
    place = np.full(both.shape[0], both.shape[1])
    rows, columns = linear_sum_assignment(-both)
    place[rows] = columns
    sums = np.eye(both.shape[1] + 1)[place]
    return old @ sums, None if new is None else new @ sums


def by_names(model, k):
    """Tell the class of each cluster, k for one that has none."""
    return np.eye(k + 1)[[k if name is None else int(name) for name in model.cluster_names_]]


def sentree(X, labels, new, y, k):
    """Yield the probabilities, and shares of neighbours for comparison: walks of one step."""
    model = SSEPartition(n_clusters=k).fit(X) if labels is None else SSEPartition().fit(X, labels)
    chosen = model.labels_
    for name, old, of_new in (
        ("sentree", model.membership_.toarray(), model.predict_proba(new)),
        ("sentree, shares of neighbours", membership(model.graph_, chosen, 1).toarray(), None),
    ):
        if labels is None:
            both = matched(one_hot(chosen, old.shape[1]), y, k)
            found = to_classes(old, of_new, both)
            own, _ = to_classes(one_hot(chosen, old.shape[1]), None, both)
        else:
            place = by_names(model, k)
            found = old @ place, None if of_new is None else of_new @ place
            own = place[chosen]
        yield name, own.argmax(axis=1), *found


def spreading(X, labels, new, y, k):
    model = LabelSpreading(kernel="knn", n_neighbors=10, max_iter=300).fit(X, labels)
    yield "LabelSpreading", None, model.label_distributions_, model.predict_proba(new)


def nearest(X, labels, new, y, k):
    known = labels >= 0
    model = KNeighborsClassifier(min(10, known.sum())).fit(X[known], labels[known])
    yield "k-NN of labelled rows", None, model.predict_proba(X), model.predict_proba(new)


def gaussians(X, labels, new, y, k):
    form = "full" if X.shape[1] <= MOST_FEATURES_FOR_FULL else "diag"
    model = GaussianMixture(k, covariance_type=form, reg_covar=1e-3, random_state=0).fit(X)
    old = model.predict_proba(X)
    yield "GaussianMixture", None, *to_classes(old, model.predict_proba(new), matched(old, y, k))


def densities(X, labels, new, y, k):
    """HDBSCAN tells how strongly a row belongs to its own cluster; noise has strength 0."""
    model = HDBSCAN(min_cluster_size=max(5, len(X) // 50), copy=True).fit(X)
    own = np.where(model.labels_ < 0, 0, model.labels_)
    old = one_hot(own, max(own.max() + 1, 1)) * model.probabilities_[:, None]
    place, _ = to_classes(one_hot(own, old.shape[1]), None,
                          matched(one_hot(own, old.shape[1]), y, k))  # fmt: skip
    chosen = place.argmax(axis=1)
    found = one_hot(chosen, k + 1) * model.probabilities_[:, None]
    yield "HDBSCAN", chosen, found, None


METHODS = {True: (sentree, spreading, nearest), False: (sentree, gaussians, densities)}


def judged(probability, right):
    """Return the scores, and the reliability curve as sums by bin."""
    place = np.minimum((probability * BINS).astype(int), BINS - 1)
    count = np.bincount(place, minlength=BINS)
    told, true = (np.bincount(place, value, BINS) for value in (probability, right))
    scores = {"rows": right.size, "accuracy": right.mean(), "probability": probability.mean(),
              "ece": np.abs(told - true).sum() / right.size,
              "brier": np.mean((probability - right) ** 2)}  # fmt: skip
    return scores, np.column_stack((count, told, true)) / right.size


def run(options):
    rows, curves = [], []
    for name, kind, half, X, y in sources(options.data_dir):
        if options.sets and name not in options.sets:
            continue
        back = np.random.default_rng([5, *name.encode()]).random(y.size) < 0.25
        classes, old_y = np.unique(y[~back], return_inverse=True)
        known = np.isin(y[back], classes)
        new, new_y = X[back][known], np.searchsorted(classes, y[back][known])
        for task in TASKS:
            labels = draw(task, old_y, name, 0).labels
            about = {"set": name, "kind": kind, "half": half, "task": task}
            for method in METHODS[labels is not None]:
                for called, own, old, of_new in method(X[~back], labels, new, old_y, classes.size):
                    own = old.argmax(axis=1) if own is None else own
                    free = np.ones(own.size, bool) if labels is None else labels < 0
                    parts = {"old": (old[free, own[free]], (own == old_y)[free])}
                    if of_new is not None and new_y.size:
                        best = of_new.argmax(axis=1)
                        parts["new"] = of_new.max(axis=1), best == new_y
                    for part, (probability, right) in parts.items():
                        scores, curve = judged(np.clip(np.nan_to_num(probability), 0, 1), right)
                        key = about | {"method": called, "of": part}
                        rows.append(key | scores)
                        curves += [key | {"bin": i} | dict(zip(CURVE, cell, strict=True))
                                   for i, cell in enumerate(curve.tolist())]  # fmt: skip
        print(name, flush=True)
    every = pd.DataFrame(curves).groupby(["task", "of", "method", "bin"], sort=False)
    return pd.DataFrame(rows), every[[*CURVE]].mean().reset_index()


def draw_picture(curves, path):
    """Draw reliability curves of old rows by task, all sets counted alike."""
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    shown = curves[curves["of"] == "old"]
    figure, axes = plt.subplots(1, len(TASKS), figsize=(11, 4.1), sharey=True, layout="constrained")
    titles = {"5%-labels": "labels for 5 % of the rows", "3-a-class": "three labels a class",
              "k-given": "no labels"}  # fmt: skip
    for ax, task in zip(axes, TASKS, strict=True):
        ax.plot([0, 1], [0, 1], color="#999999", lw=1, ls="--")
        for method, bins in shown[shown["task"] == task].groupby("method", sort=False):
            bins = bins[bins["share"] > 0.002]
            ours = method == "sentree"
            ax.plot(bins["told"] / bins["share"], bins["true"] / bins["share"], marker="o",
                    lw=2.5 if ours else 1.2, ms=5 if ours else 3.5, label=method,
                    color=COLOURS.get(method), zorder=3 if ours else 2)  # fmt: skip
        ax.set(title=titles[task], xlabel="probability told", xlim=(0, 1.02), ylim=(0, 1.02))
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(fontsize=7.5, frameon=False, loc="upper left")
    axes[0].set_ylabel("share of rows that are right")
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", help="names of sets")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--out", type=Path, help="folder for certainty.csv, .json and .png")
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows, curves = run(options)
    rows["kind"] = rows["kind"].where(rows["kind"] == "made", "real")
    table = rows.groupby(["task", "of", "method"])[["accuracy", "probability", "brier"]].mean()
    for (kind, half), part in rows.groupby(["kind", "half"]):
        table[f"ECE {kind}, {half}"] = part.groupby(["task", "of", "method"])["ece"].mean()
    print(table.round(3).to_string(na_rep=""))
    if options.out:
        rows.round(4).to_csv(options.out / "certainty.csv", index=False)
        curves.round(4).to_csv(options.out / "certainty_curves.csv", index=False)
        (options.out / "certainty.json").write_text(json.dumps(manifest(), indent=2) + "\n")
        draw_picture(curves, options.out / "certainty.png")


if __name__ == "__main__":
    main()
