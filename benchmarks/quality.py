"""The 36 cells of the paper's Tables 1 and 2: our defaults against the best published figures.

One recipe for all sets, ``SSEPartition(n_clusters=k)``, k being given to every compared method too.
Constraints are drawn as in the paper: 0.2 n must- and 0.2 n cannot-links, or 0.1 n positive and
0.1 n negative labels. Every draw is a row of quality.csv, with the score on all samples and on
those that no constraint names.

    python benchmarks/quality.py --draws 10 --out benchmarks/results

``--selection`` sets that parameter, ``--objective`` compares the searches instead: the lowest
objective of the multilevel search against the paper's merging and moving, on the paper's graphs and
weights.

The settings behind the defaults were compared on these sets (docs/decisions.md says how); draws
from ``--first-draw 200`` on had no part in that.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from sentree import SSEPartition
from sentree.datasets import PAPER_SETS, load_paper, sample_labels, sample_pairs
from sentree.paper import paper_graph, paper_neighbors
from sentree.paper.lowest import lowest
from sentree.paper.relation import relation_by_similarity
from sentree.paper.reproduce.published import best_published
from sentree.search.kernels import merge, move, multilevel
from speed import manifest

SETS = [name for name, record in PAPER_SETS.items() if record.kind != "hierarchical"]
SAMPLERS = {"pairs": (sample_pairs, 0.2), "labels": (sample_labels, 0.1)}


def unnamed(given, n):
    """Samples that no constraint mentions."""
    free = np.ones(n, dtype=bool)
    for named in (given.must_link, given.cannot_link, given.label_index, given.negative_index):
        free[named.ravel()] = False
    return free


def run(draws, first, data_dir, options):
    for name in SETS:
        X, y = load_paper(name, data_dir)
        for kind, (sample, share) in SAMPLERS.items():
            for draw in range(first, first + draws):
                given = sample(y, share, share, draw)
                start = time.process_time()
                model = SSEPartition(PAPER_SETS[name].k, **options)
                found = model.fit(X, constraints=given).labels_
                seconds = time.process_time() - start
                free = unnamed(given, len(y))
                yield {
                    "dataset": name,
                    "constraint": kind,
                    "draw": draw,
                    "ARI": 100 * adjusted_rand_score(y, found),
                    "NMI": 100 * normalized_mutual_info_score(y, found),
                    "ARI_unnamed": 100 * adjusted_rand_score(y[free], found[free]),
                    "NMI_unnamed": 100 * normalized_mutual_info_score(y[free], found[free]),
                    "seconds": seconds,
                }


def objectives(draws, first, data_dir):
    """Compare the objective that the two searches reach."""
    for name in SETS:
        X, y = load_paper(name, data_dir)
        rna = PAPER_SETS[name].kind == "rna"
        n, k = PAPER_SETS[name].n, PAPER_SETS[name].k
        graph, similarity = paper_graph(X, paper_neighbors(n, k), "cosine" if rna else "gaussian")
        for kind, (sample, share) in SAMPLERS.items():
            for draw in range(first, first + draws):
                given = sample(y, share, share, draw)
                relation = relation_by_similarity(given, n, similarity)
                merged = merge(graph, relation, must_link_first=rna).labels
                yield {
                    "dataset": name,
                    "constraint": kind,
                    "draw": draw,
                    "paper": move(graph, merged, relation).objective,
                    "multilevel": multilevel(graph, relation).objective,
                    "lowest": lowest(graph, relation, must_link_first=rna).objective,
                }


def summarise(rows):
    mean = rows.groupby(["dataset", "constraint"], sort=False).mean().drop(columns="draw")
    deviation = rows.groupby(["dataset", "constraint"], sort=False)["ARI"].std()
    mean.insert(1, "ARI_std", deviation)
    for metric in ("ARI", "NMI"):
        mean[f"best_{metric}"] = [
            best_published(name, (kind,), metric) for name, kind in mean.index
        ]
    mean["cells_won"] = (mean["ARI"] > mean["best_ARI"]).astype(int)
    mean["cells_won"] += (mean["NMI"] > mean["best_NMI"]).astype(int)
    return mean


def draw_picture(summary, path):
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(11, 6.5), sharex=True, layout="constrained")
    for row, metric in zip(axes, ("ARI", "NMI"), strict=True):
        for ax, kind in zip(row, ("pairs", "labels"), strict=True):
            part = summary.xs(kind, level="constraint")
            place = np.arange(len(part))
            ours = part[metric].to_numpy()
            ax.bar(place - 0.2, ours, 0.4, color="#0072B2", label="sentree, defaults and k")
            best = part[f"best_{metric}"].to_numpy()
            ax.bar(place + 0.2, best, 0.4, color="#E69F00", label="best published, any method")
            ax.set(title=f"{metric} (%), {kind}", ylim=(0, 100))
            ax.set_xticks(place, part.index, rotation=30, ha="right")
            ax.spines[["top", "right"]].set_visible(False)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    figure.savefig(path, dpi=130)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--first-draw", type=int, default=0, help="seed of the first draw")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--selection", default=SSEPartition().selection)
    parser.add_argument("--objective", action="store_true")
    parser.add_argument("--out", type=Path, help="folder for quality.csv, .json and .png")
    options = parser.parse_args()
    drawn = (options.draws, options.first_draw, options.data_dir)
    if options.objective:
        rows = pd.DataFrame(objectives(*drawn))
        print(rows.groupby(["dataset", "constraint"], sort=False).mean().round(4).to_string())
        for search in ("multilevel", "lowest"):
            print(f"{search}: above the paper's {(rows[search] > rows['paper']).sum()} times")
        if options.out:
            rows.round(6).to_csv(options.out / "objective.csv", index=False)
        return
    rows = pd.DataFrame(run(*drawn, {"selection": options.selection}))
    summary = summarise(rows)
    print(summary.round(2).to_string())
    print(f"{summary['cells_won'].sum()} of {2 * len(summary)} cells above the best published")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        rows.round(4).to_csv(options.out / "quality.csv", index=False)
        (options.out / "quality.json").write_text(json.dumps(manifest(), indent=2) + "\n")
        draw_picture(summary, options.out / "quality.png")


if __name__ == "__main__":
    main()
