"""The number of clusters that SSEPartition finds by itself, against rivals at their defaults.

Three parts, each a list of data sets with clear clusters: random blobs, the paper's nine sets, and
shapes in two and three dimensions. A fourth, data without any clusters, only counts. Leiden and
Infomap get the graph that SSEPartition made; HDBSCAN gets the features, as they are and as our
neighbour search sees them, and its noise is scored as a cluster of its own and given to the nearest
cluster. Noise of the data is left out of every score. Seconds are processor time, and for rivals
on a graph without the making of it.

    python benchmarks/scale.py --first-seed 300 --out benchmarks/results
    python benchmarks/scale.py --stability --out benchmarks/results

The second tells how the number changes over 15 seeds, and over five draws of 99 % of the rows, on
the sets of benchmarks/general.py (stability.csv).

The rule was made on blobs 0 to 19 and on seeds below 300 of the shapes; those from 300 on had no
part in that.
"""

from __future__ import annotations

import argparse
import json
import random
import warnings
from importlib.metadata import version
from pathlib import Path

import igraph
import matplotlib
import numpy as np
import pandas as pd
from infomap import Infomap
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import minmax_scale, normalize, scale

import general_sets
from quality import SETS
from sentree import SSEPartition
from sentree.datasets import load_paper
from shapes import NOISE, SHAPES, blob_setting, shape, single_clusters
from shared import nearest_label, timed
from speed import manifest

#: Above so many samples the slow rivals are left out.
LARGEST_FOR_ALL = 5_000
OURS = "sentree"
#: How often the number is asked for, with other seeds and with 1 % of the rows left out.
SEEDS, DROPOUTS = 15, 5


def blobs(first, options):
    for seed in range(first, first + options.blobs):
        X, y, name = blob_setting(seed)
        yield name, X, y


def paper(first, options):
    for name in SETS:
        yield name, *load_paper(name, options.data_dir)


def shapes(first, options):
    for family in SHAPES:
        for seed in range(first, first + options.draws):
            yield f"{family.__name__}-{seed}", *shape(family, seed)


def single(first, options):
    for name, X in single_clusters(first):
        yield name, X, np.zeros(len(X), dtype=int)


PARTS = {"blobs": blobs, "paper": paper, "shapes": shapes, "single": single}


def leiden(graph, iterations):
    found = graph.community_leiden("modularity", weights="weight", n_iterations=iterations)
    return np.array(found.membership)


def infomap(graph):
    search = Infomap("--two-level --silent --seed 1")
    links = zip(*zip(*graph.get_edgelist(), strict=True), graph.es["weight"], strict=True)
    search.add_links(list(links))
    search.run()
    labels = np.arange(graph.vcount()) + graph.vcount()  # vertices without edges
    for node, module in search.get_modules().items():
        labels[node] = module
    return labels


def as_searched(X):
    """Scale features as ``affinity="auto"`` does; distances of rows rank like correlations."""
    if X.shape[1] <= 50:
        return scale(X)
    scaled = minmax_scale(X)
    return normalize(scaled - scaled.mean(axis=1, keepdims=True))


def as_igraph(graph):
    upper = graph.to_scipy().tocoo()
    kept = upper.row < upper.col
    edges = np.column_stack((upper.row[kept], upper.col[kept]))
    made = igraph.Graph(n=graph.n, edges=edges)
    made.es["weight"] = upper.data[kept]
    return made


def answers(X, rivals):
    """Run every method: its name, labels and seconds."""
    model = SSEPartition()
    labels, seconds = timed(model.fit_predict, X)
    yield OURS, labels, seconds
    if not rivals:
        return
    igraph.set_random_number_generator(random.Random(0))
    graph = as_igraph(model.graph_)
    yield "Leiden, 2 rounds", *timed(leiden, graph, 2)
    yield "Leiden, to the end", *timed(leiden, graph, -1)
    if len(X) > LARGEST_FOR_ALL:
        return
    yield "Infomap", *timed(infomap, graph)
    for features, samples in (("raw", X), ("scaled", as_searched(X))):
        labels, seconds = timed(HDBSCAN(copy=True).fit_predict, samples)
        yield f"HDBSCAN, {features}, noise a cluster", labels, seconds
        yield f"HDBSCAN, {features}, noise to nearest", nearest_label(samples, labels), seconds


def run(options):
    for part in options.parts:
        for name, X, y in PARTS[part](options.first_seed, options):
            kept = y != NOISE
            for method, labels, seconds in answers(X, not options.no_rivals):
                yield {
                    "part": part,
                    "dataset": name,
                    "n": len(y),
                    "true_k": np.unique(y[kept]).size,
                    "method": method,
                    "found_k": np.unique(labels[kept]).size,
                    "ARI": adjusted_rand_score(y[kept], labels[kept]),
                    "seconds": seconds,
                }


def stability(options):
    """Count clusters over seeds, and with 1 % of the rows left out in turn."""
    for name in general_sets.names(options.data_dir):
        X, y = general_sets.load(name, options.data_dir)
        for seed in range(SEEDS):
            model = SSEPartition(random_state=seed).fit(X)
            yield {"dataset": name, "way": "seed", "draw": seed, "found_k": model.n_clusters_,
                   "ARI": adjusted_rand_score(y, model.labels_)}  # fmt: skip
        for draw in range(DROPOUTS):
            kept = np.random.default_rng(draw).permutation(len(y))[max(1, round(0.01 * len(y))) :]
            model = SSEPartition().fit(X[np.sort(kept)])
            yield {"dataset": name, "way": "1 % left out", "draw": draw,
                   "found_k": model.n_clusters_,
                   "ARI": adjusted_rand_score(y[np.sort(kept)], model.labels_)}  # fmt: skip


def summarise_stability(rows):
    found = rows.groupby(["way", "dataset"])["found_k"]
    table = pd.DataFrame({"same": found.nunique() == 1, "least": found.min(), "most": found.max()})
    print(table[~table["same"]].to_string())
    print(table.groupby("way")["same"].agg(["mean", "sum", "size"]).round(3).to_string())
    print(rows.groupby("way")["ARI"].mean().round(3).to_string())


def summarise(rows):
    rows = rows.assign(
        within=(rows["found_k"] - rows["true_k"]).abs() <= 0.1 * rows["true_k"],
        exact=rows["found_k"] == rows["true_k"],
    )
    return rows.groupby(["part", "method"], sort=False).agg(
        sets=("ARI", "size"),
        mean_ARI=("ARI", "mean"),
        within_tenth=("within", "sum"),
        exact_k=("exact", "sum"),
        seconds=("seconds", "sum"),
    )


def draw_picture(rows, path):
    """Dots, one row per set or family of shapes: every rival in the way that suits it best."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = rows[rows["part"].isin(["paper", "shapes"])]
    shown = shown.assign(dataset=shown["dataset"].str.replace(r"-\d+$", "", regex=True))
    shown = shown.groupby(["part", "dataset", "method"], sort=False, as_index=False)["ARI"].mean()
    kinds = {
        OURS: ("#0072B2", "o"),
        "Leiden": ("#E69F00", "s"),
        "Infomap": ("#009E73", "^"),
        "HDBSCAN": ("#CC79A7", "D"),
    }
    counts = shown.groupby("part", sort=False)["dataset"].nunique()
    figure, axes = plt.subplots(
        len(counts), figsize=(8, 1.5 + 0.24 * counts.sum()), height_ratios=counts,
        sharex=True, layout="constrained", squeeze=False,
    )  # fmt: skip
    for ax, part in zip(axes[:, 0], counts.index, strict=True):
        of_part = shown[shown["part"] == part]
        names = of_part["dataset"].unique()[::-1]
        place = np.arange(len(names))
        for kind, (colour, marker) in list(kinds.items())[::-1]:
            of_kind = of_part[of_part["method"].str.startswith(kind)]
            if of_kind.empty:
                continue
            best = of_kind.groupby("method")["ARI"].mean().idxmax()
            score = of_kind[of_kind["method"] == best].set_index("dataset")["ARI"].reindex(names)
            ax.plot(score, place, marker, color=colour, ms=7 if kind == OURS else 5.5, alpha=0.85,
                    label=f"{best}: {score.mean():.2f}")  # fmt: skip
        ax.set_yticks(place, [name.replace("_", " ") for name in names])
        ax.set(title=f"{part}: ARI, and its mean", xlim=(-0.05, 1.05))
        ax.set_ylim(-0.7, len(names) - 0.3)
        ax.grid(axis="y", color="0.9")
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
        handles, labels = ax.get_legend_handles_labels()
        ax.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.01, 0.5),
                  frameon=False)  # fmt: skip
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--first-seed", type=int, default=0, help="another seed, other sets")
    parser.add_argument("--blobs", type=int, default=20, help="random settings of blobs")
    parser.add_argument("--draws", type=int, default=5, help="sets of every family of shapes")
    parser.add_argument("--no-rivals", action="store_true")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--out", type=Path, help="folder for scale.csv, .json and .png")
    parser.add_argument("--stability", action="store_true", help="only how the number changes")
    options = parser.parse_args()
    if options.stability:
        warnings.simplefilter("ignore")
        rows = pd.DataFrame(stability(options))
        summarise_stability(rows)
        if options.out:
            rows.round(4).to_csv(options.out / "stability.csv", index=False)
        return
    warnings.simplefilter("ignore", FutureWarning)
    rows = pd.DataFrame(run(options))
    print(rows[rows["method"] == OURS].round(3).to_string(index=False))
    print(summarise(rows).round(3).to_string())
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        rows.round(4).to_csv(options.out / "scale.csv", index=False)
        record = {**manifest(), "first_seed": options.first_seed}
        record["versions"] |= {name: version(name) for name in ("igraph", "infomap")}
        (options.out / "scale.json").write_text(json.dumps(record, indent=2) + "\n")
        if rows["part"].isin(["paper", "shapes"]).any():
            draw_picture(rows, options.out / "scale.png")


if __name__ == "__main__":
    main()
