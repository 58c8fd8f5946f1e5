"""Trees: the objective against stretching and compressing, and the cells of Table 3.

    python benchmarks/trees.py --out benchmarks/results              # the paper's four sets
    python benchmarks/trees.py --large 100000 --out ...              # and graphs of blobs
    python benchmarks/trees.py --text --out ...                      # texts, beside linkages, alone

Two tables. ``objectives.csv``: the high-dimensional objective of ``grow`` and of stretching and
compressing on the same graphs at the same height, without and with constraints (the paper's
weights, so that both minimise the same). ``table3.csv``: one row per draw of 0.2 n must- and 0.2 n
cannot-links with ``SSEHierarchy(n_clusters=k)``; DP is that of the whole tree. With ``--text``
another: ``text_trees.csv``, the dendrogram purity on draws of 3,000 short texts of 77 classes, on
the rows that had no label in a draw of 5 %.
"""

from __future__ import annotations

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.pairwise import cosine_distances

import general_text
from sentree import EncodingTree, SSEHierarchy, dendrogram_purity
from sentree.datasets import PAPER_SETS, load_paper, sample_pairs
from sentree.paper import paper_graph
from sentree.paper.relation import relation_by_similarity
from sentree.paper.reproduce.published import best_published
from sentree.search.kernels import compress, grow, stretch
from sentree.tree import some_leaves
from shared import blob_graph
from speed import manifest
from tasks import draw as draw_task

SETS = [name for name, record in PAPER_SETS.items() if record.kind == "hierarchical"]
METRICS = ("DP", "ARI", "NMI")
HEIGHTS = (2, 3, 4, 5, None)


def compare(name, graph, relation):
    """Yield one row per height: ours and the paper's objective."""
    binary = stretch(graph, relation)
    for height in HEIGHTS:
        paper = binary if height is None else compress(binary.tree, height)
        ours = grow(graph, relation, height=height)
        yield {
            "graph": name,
            "constraints": relation is not None,
            "height": height or "any",
            "grow": ours.objective,
            "stretch_compress": paper.objective,
            "difference": ours.objective - paper.objective,
            "reached_height": ours.tree.height,
        }


def paper_graphs(data_dir):
    for name in SETS:
        X, y = load_paper(name, data_dir)
        graph, similarity = paper_graph(X, 5, "hierarchy")
        yield name, graph, None
        yield name, graph, relation_by_similarity(sample_pairs(y, 0.2, 0.2, 0), graph.n, similarity)


def table3(draws, first, data_dir):
    for name in SETS:
        X, y = load_paper(name, data_dir)
        for draw in range(first, first + draws):
            given = sample_pairs(y, 0.2, 0.2, draw)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="the graph falls into")
                model = SSEHierarchy(n_clusters=len(set(y))).fit(X, constraints=given)
            yield {
                "dataset": name,
                "draw": draw,
                "DP": 100 * dendrogram_purity(model.tree_, y),
                "ARI": 100 * adjusted_rand_score(y, model.labels_),
                "NMI": 100 * normalized_mutual_info_score(y, model.labels_),
            }


def text_trees(draws, first, data_dir):
    """Yield one row per draw of texts and labels, form of the texts and method."""
    for draw in range(first, first + draws):
        for form in ("tfidf", "svd100"):
            X, y = general_text.load(f"{general_text.SET}-3000-{form}", data_dir, draw)
            given = draw_task("5%-labels", y, general_text.SET, draw)
            held = given.scored(len(y))
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="class .* has no cluster of its own")
                models = {
                    "sentree": SSEHierarchy().fit(X),
                    "sentree, k": SSEHierarchy(n_clusters=int(y.max()) + 1).fit(X),
                    "sentree, labels": SSEHierarchy().fit(X, given.labels),
                }
            trees = {name: model.tree_ for name, model in models.items()} | linkages(X)
            for method, tree in trees.items():
                kept = EncodingTree.from_parent(some_leaves(tree.parent, held))
                purity = dendrogram_purity(kept, y[held])
                yield {"form": form, "draw": draw, "method": method, "DP": 100 * purity}


def linkages(X):
    """Average linkage by the cosine, and Ward's: rows have length 1, so both have one distance."""
    apart = squareform(cosine_distances(X), checks=False)
    trees = {"average": linkage(apart, "average"), "Ward": linkage(np.sqrt(2 * apart), "ward")}
    return {name: EncodingTree.from_linkage(tree, binary=True) for name, tree in trees.items()}


def summarise(rows):
    mean = rows.groupby("dataset", sort=False)[["DP", "ARI", "NMI"]].mean()
    mean["cells_won"] = 0
    for metric in METRICS:
        best = [best_published(name, ("none", "pairs"), metric) for name in mean.index]
        mean[f"best_{metric}"] = best
        mean["cells_won"] += mean[metric] > best
    return mean


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--first-draw", type=int, default=0, help="seed of the first draw")
    parser.add_argument("--large", type=int, nargs="*", default=[], help="vertices of blob graphs")
    parser.add_argument("--text", action="store_true", help="texts beside linkages, nothing else")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="keeps the graphs")
    parser.add_argument("--out", type=Path, help="folder for the tables and trees.json")
    options = parser.parse_args()

    if options.text:
        rows = pd.DataFrame(text_trees(options.draws, options.first_draw, options.data_dir))
        print(rows.groupby(["form", "method"], sort=False)["DP"].agg(["mean", "std"]).round(2))
        if options.out:
            rows.round(4).to_csv(options.out / "text_trees.csv", index=False)
        return
    objectives = [row for graph in paper_graphs(options.data_dir) for row in compare(*graph)]
    for n in options.large:
        objectives += compare(f"blobs-{n}", blob_graph(n, options.cache), None)
    draws = pd.DataFrame(table3(options.draws, options.first_draw, options.data_dir))
    tables = {"objectives": pd.DataFrame(objectives), "table3": draws}
    for table in (tables["objectives"], summarise(draws)):
        print(table.round(4).to_string(), "\n")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            table.round(4).to_csv(options.out / f"{name}.csv", index=False)
        (options.out / "trees.json").write_text(json.dumps(manifest(), indent=2) + "\n")


if __name__ == "__main__":
    main()
