r"""Mixed tables, as people have them: sentree beside scikit-learn's pipelines, k-modes and others.

    python benchmarks/mixed.py --out benchmarks/results
    python benchmarks/mixed.py --sets vote --draws 1                 # a quick look
    python benchmarks/mixed.py --beside benchmarks/results/mixed.csv # sentree alone, with old peers

Tables with text, gaps and numbers. Every row is one method on one draw: with labels of 5 % of the
rows (one of every class at least), the share of the other rows whose class is right; without labels
and with the number of classes told, the adjusted Rand index and the normalised mutual information.
Of the sets, sorted by name, the first, third, ... chose how mixed rows are compared; the second,
fourth, ... confirm it. Three sets (cmc, haberman, tae) have numbers alone and need no preparation.
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
from joblib import Parallel, delayed
from kmodes.kmodes import KModes
from kmodes.kprototypes import KPrototypes
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.semi_supervised import LabelSpreading

from general import commit
from general_sets import HALVES, folder, halves
from sentree import SSEPartition
from shared import timed
from speed import manifest
from tasks import UNKNOWN, draw

NAMES = ["anneal", "audiology", "autos", "car", "cmc", "credit-a", "dermatology", "eucalyptus",
         "haberman", "heart-c", "hepatitis", "hypothyroid", "kr-vs-kp", "lymph", "mushroom",
         "nursery", "primary-tumor", "soybean", "splice", "tae", "vote", "vowel"]  # fmt: skip
#: Label spreading with a matrix of all pairs is for tables of at most so many rows, and linkage.
LARGEST_FOR_KERNEL, LARGEST_FOR_LINKAGE = 4_000, 3_000
#: Text columns with more different values than this share of the rows are ids.
IDS = 0.5
OURS = "sentree"
REGRESSION, SPREADING = "logistic regression", "label spreading, best by cross-validation"
#: Kernels of label spreading, its defaults among them.
WAYS = {
    f"label spreading, rbf {gamma:g}": {"kernel": "rbf", "gamma": gamma}
    for gamma in (20.0, 1.0, 0.3, 0.1)
} | {
    f"label spreading, {k} neighbours": {"kernel": "knn", "n_neighbors": k, "max_iter": 300}
    for k in (7, 20)
}


def load(name, data_dir=None):
    table = pd.read_csv(folder("general", data_dir) / f"{name}.csv.gz", na_values=["?"])
    y = np.unique(table.pop("class").astype(str), return_inverse=True)[1]
    return table, y


def without_ids(table):
    """Leave out what peers cannot use: columns of one value or none, and ids."""
    words = table.select_dtypes(exclude="number")
    ids = [name for name in words if words[name].nunique() > IDS * len(table)]
    return table.drop(columns=ids).loc[:, lambda frame: frame.nunique() > 1]


def encoder():
    """scikit-learn's usual way with a mixed table."""
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (words, make_column_selector(dtype_exclude="number")),
    )


def gower(table):
    """Mean over columns: numbers by their range, words 0 or 1, gaps not counted."""
    n = len(table)
    total, count = np.zeros((n, n), dtype=np.float32), np.zeros((n, n), dtype=np.float32)
    for _, column in table.items():
        known = column.notna().to_numpy()
        if pd.api.types.is_numeric_dtype(column):
            value = column.fillna(0).to_numpy(dtype=np.float32)
            apart = np.abs(value[:, None] - value) / np.ptp(value[known])
        else:
            code = pd.factorize(column)[0]
            apart = code[:, None] != code
        both = known[:, None] & known
        total += np.where(both, apart, 0.0)
        count += both
    return np.where(count > 0, total / np.maximum(count, 1), 1.0)


def prototypes(table, k):
    """k-modes where there are only words, k-prototypes where numbers are beside them."""
    numeric = [pd.api.types.is_numeric_dtype(column) for _, column in table.items()]
    filled = table.copy()
    for name, number in zip(table, numeric, strict=True):
        column = table[name]
        if number:
            column = column.fillna(column.median())
            filled[name] = (column - column.mean()) / column.std()
        else:
            filled[name] = column.astype(object).where(column.notna(), "").astype(str)
    if not any(numeric):
        return KModes(k, n_init=5, random_state=0).fit_predict(filled.to_numpy())
    if all(numeric):  # then it is k-means
        return KMeans(k, n_init=10, random_state=0).fit_predict(filled)
    words = np.flatnonzero(~np.array(numeric)).tolist()
    search = KPrototypes(k, n_init=3, random_state=0)
    return search.fit_predict(filled.to_numpy(dtype=object), categorical=words)


def sentree(table, labels=None, k=None, seed=0):
    """Return the clusters, and the class that each row gets by the name of its cluster."""
    model = SSEPartition(n_clusters=k, prepare="auto", random_state=seed).fit(table, labels)
    named = np.array([UNKNOWN if name is None else name for name in model.cluster_names_])
    return model.labels_, named[model.labels_]


def spread(X, labels, way):
    return LabelSpreading(**WAYS[way]).fit(X, labels).transduction_


def found_by_hidden(X, labels, way):
    """Share of labels that spreading finds where each fifth of them is hidden in turn."""
    known = np.flatnonzero(labels != UNKNOWN)
    part = np.random.default_rng(0).permutation(known.size) % 5
    right = 0
    for fold in range(5):
        hidden = known[part == fold]
        visible = labels.copy()
        visible[hidden] = UNKNOWN
        if np.unique(visible[visible != UNKNOWN]).size > 1:
            right += np.sum(spread(X, visible, way)[hidden] == labels[hidden])
    return right


def with_labels(name, number, peers, data_dir):
    """Yield a row for each method on one draw of labels."""
    table, y = load(name, data_dir)
    labels = draw("5%-labels", y, name, number).labels
    known, k = labels != UNKNOWN, int(y.max()) + 1

    def row(method, predicted, seconds):
        right = float(np.mean(predicted[~known] == y[~known]))
        return about(name, table, y, "5%-labels", number, method, seconds) | {"accuracy": right}

    for method, wanted in ((f"{OURS}, k", k), (OURS, None)):
        (_, predicted), seconds = timed(sentree, table, labels, wanted, number)
        yield row(method, predicted, seconds)
    if not peers:
        return
    X = encoder().fit_transform(without_ids(table))
    model = LogisticRegression(max_iter=2000)
    predicted, seconds = timed(lambda: model.fit(X[known], y[known]).predict(X))
    yield row(REGRESSION, predicted, seconds)
    yield row("most frequent class", np.full(y.size, np.bincount(y[known]).argmax()), 0.0)
    found, hidden = {}, {}
    for way, settings in WAYS.items():
        if settings["kernel"] == "rbf" and len(y) > LARGEST_FOR_KERNEL:
            continue
        found[way], seconds = timed(spread, X, labels, way)
        hidden[way] = found_by_hidden(X, labels, way)
        yield row(way, found[way], seconds)
    yield row(SPREADING, found[max(hidden, key=hidden.get)], 0.0)


def without_labels(name, peers, data_dir):
    """Yield a row for each method that is told the number of classes, and for sentree alone."""
    table, y = load(name, data_dir)
    k = int(y.max()) + 1
    ways = {
        f"{OURS}, k": lambda: sentree(table, k=k)[0],
        OURS: lambda: sentree(table)[0],
    }
    if peers:
        ways |= unguided(without_ids(table), k)
    for method, run in ways.items():
        labels, seconds = timed(run)
        yield about(name, table, y, "k-given", 0, method, seconds) | {
            "ARI": adjusted_rand_score(y, labels),
            "NMI": normalized_mutual_info_score(y, labels),
            "clusters": np.unique(labels).size,
        }


def unguided(table, k):
    """Return peers that are told the number of classes, by name."""
    X = encoder().fit_transform(table)
    ways = {
        "k-means, one-hot": lambda: KMeans(k, n_init=10, random_state=0).fit_predict(X),
        "k-modes or k-prototypes": lambda: prototypes(table, k),
    }
    if len(table) <= LARGEST_FOR_LINKAGE:
        linkage = AgglomerativeClustering(k, metric="precomputed", linkage="average")
        ways["average linkage, Gower"] = lambda: linkage.fit_predict(gower(table))
    return ways


def about(name, table, y, task, number, method, seconds):
    return {"set": name, "half": halves(NAMES)[name], "n": len(y), "columns": table.shape[1],
            "classes": int(y.max()) + 1, "task": task, "draw": number, "method": method,
            "seconds": round(seconds, 3)}  # fmt: skip


def unit(name, number, peers, data_dir):
    """Return the rows of one draw of labels, or those without labels where it has no number."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if number is None:
            return list(without_labels(name, peers, data_dir))
        return list(with_labels(name, number, peers, data_dir))


def print_summary(rows):
    for task, score in (("5%-labels", "accuracy"), ("k-given", "ARI"), ("k-given", "NMI")):
        part = rows[rows["task"] == task]
        if part.empty:  # no draws of labels
            continue
        by_set = part.pivot_table(score, "set", "method", sort=False)
        half = by_set.index.map(halves(NAMES))
        table = pd.DataFrame({"all": by_set.mean()} | {
            name: by_set[half == name].mean() for name in HALVES})  # fmt: skip
        table.insert(0, "sets", by_set.notna().sum())
        ours = by_set[f"{OURS}, k"]
        table[f"{OURS}, k at least as good"] = [
            int((ours >= by_set[method])[by_set[method].notna()].sum()) for method in by_set
        ]
        print(f"\n{task}: {score}\n{by_set.round(3).to_string(na_rep='')}")
        print(f"\n{table.round(3).to_string()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=NAMES, default=NAMES)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--first-draw", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--beside", type=Path, help="mixed.csv with the rows of peers")
    parser.add_argument("--out", type=Path, help="folder for mixed.csv and .json")
    options = parser.parse_args()
    record = manifest() | {"commit": commit(), "draws": options.draws}
    numbers = [*range(options.first_draw, options.first_draw + options.draws), None]
    work = Parallel(options.jobs)(
        delayed(unit)(name, number, not options.beside, options.data_dir)
        for name in options.sets
        for number in numbers
    )
    rows = pd.DataFrame([row for part in work for row in part])
    if options.beside:
        peers = pd.read_csv(options.beside)
        rows = pd.concat([rows, peers[~peers["method"].isin(rows["method"])]])
    print_summary(rows)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        rows.round(4).to_csv(options.out / "mixed.csv", index=False)
        (options.out / "mixed.json").write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
