"""Single cells with a tenth of their types known, judged on the other cells only.

    python benchmarks/single_cell.py --out benchmarks/results

On ``pbmc68k_reduced`` of scanpy (700 cells, 10 types of very different sizes), all methods on the
neighbours graph that comes with it, but for the vote of the nearest known cells, which takes the
principal components that the graph was made of. Leiden's best resolution is the one with the
highest ARI on the known cells, as a user would choose it; ``n_clusters`` is the number of types
among the known cells. ``named`` is the share of cells given
the right type, clusters being called as most of their known cells are and wrong where they have
none; ``matched`` that under the best one-to-one matching of clusters and types, which no user has.

Trees are made of the cells of six types, a tenth labelled with its type and a tenth with the type
above it, and judged by dendrogram purity on the others.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import leidenalg
import numpy as np
import pandas as pd
import scanpy as sc
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading

import sentree
from sentree.metrics import dendrogram_purity

RESOLUTIONS = np.round(np.geomspace(0.1, 3.0, 16), 2)
PARENTS = {
    "CD4+/CD25 T Reg": "T cell",
    "CD4+/CD45RO+ Memory": "T cell",
    "CD8+ Cytotoxic T": "T cell",
    "CD14+ Monocyte": "myeloid",
    "Dendritic": "myeloid",
    "CD19+ B": None,
}


def leiden(adata, resolution):
    sc.tl.leiden(adata, resolution, flavor="igraph", n_iterations=2, key_added="leiden")
    return adata.obs["leiden"].astype(str).to_numpy()


def best_leiden(adata, truth, known):
    found = [leiden(adata, resolution) for resolution in RESOLUTIONS]
    return max(found, key=lambda labels: adjusted_rand_score(truth[known], labels[known]))


def fixed_leiden(adata, truth, known):
    """leidenalg at resolution 1 with the known cells in one cluster for each type, for good."""
    edges = sc._utils.get_igraph_from_adjacency(adata.obsp["connectivities"], directed=False)
    types, code = np.unique(truth[known], return_inverse=True)
    start = np.arange(adata.n_obs) + types.size
    start[known] = code
    start = np.unique(start, return_inverse=True)[1]
    partition = leidenalg.RBConfigurationVertexPartition(
        edges, initial_membership=start.tolist(), weights="weight", resolution_parameter=1.0
    )
    optimiser = leidenalg.Optimiser()
    optimiser.set_rng_seed(0)
    optimiser.optimise_partition(partition, n_iterations=-1, is_membership_fixed=known.tolist())
    return np.array(partition.membership).astype(str)


def sse(adata, **settings):
    adata.obs["known"] = pd.Categorical(adata.obs["known"])
    sentree.tl.sse(adata, **settings)
    return adata.obs["sse"].astype(str).to_numpy()


def spreading(adata, truth, known):
    graph = adata.obsp["connectivities"].toarray()
    types, code = np.unique(truth, return_inverse=True)
    model = LabelSpreading(kernel=lambda X, Y: graph, max_iter=1000)
    return types[model.fit(adata.obsm["X_pca"], np.where(known, code, -1)).transduction_]


def nearest(adata, truth, known):
    places = adata.obsm["X_pca"]
    return KNeighborsClassifier(5).fit(places[known], truth[known]).predict(places)


def as_classes(labels, truth, known):
    """Call each cluster as most of its known cells are."""
    table = pd.crosstab(labels[known], truth[known])
    return pd.Series(labels).map(table.idxmax(axis=1)).fillna("").to_numpy()


def scores(labels, named, truth, held):
    table = pd.crosstab(labels[held], truth[held]).to_numpy()
    row, column = linear_sum_assignment(-table)
    return {
        "ARI": adjusted_rand_score(truth[held], labels[held]),
        "NMI": normalized_mutual_info_score(truth[held], labels[held]),
        "named": float((named == truth)[held].mean()),
        "matched": float(table[row, column].sum() / held.sum()),
        "clusters": np.unique(labels).size,
    }


def run(draws, share):
    adata = sc.datasets.pbmc68k_reduced()
    truth = adata.obs["bulk_labels"].astype(str).to_numpy()
    for draw in range(draws):
        known = np.zeros(adata.n_obs, dtype=bool)
        known[np.random.default_rng(draw).permutation(adata.n_obs)[: int(share * adata.n_obs)]] = 1
        adata.obs["known"] = np.where(known, truth, "Unknown")
        n_types = np.unique(truth[known]).size
        clusterings = {
            "sse": sse(adata),
            "sse, n_clusters": sse(adata, n_clusters=n_types),
            "sse, labels": sse(adata, labels_key="known"),
            "sse, labels, n_clusters": sse(adata, labels_key="known", n_clusters=n_types),
            "leiden, resolution 1": leiden(adata, 1.0),
            "leiden, best resolution": best_leiden(adata, truth, known),
            "leidenalg, labels fixed": fixed_leiden(adata, truth, known),
        }
        for method, labels in clusterings.items():
            named = as_classes(labels, truth, known)
            yield {"draw": draw, "method": method} | scores(labels, named, truth, ~known)
        for method, predict in {"label spreading": spreading, "5 nearest known": nearest}.items():
            labels = predict(adata, truth, known)
            yield {"draw": draw, "method": method} | scores(labels, labels, truth, ~known)


def run_trees(draws, share):
    adata = sc.datasets.pbmc68k_reduced()
    adata = adata[adata.obs["bulk_labels"].isin(list(PARENTS))].copy()
    fine = adata.obs["bulk_labels"].astype(str).to_numpy()
    coarse = np.array([PARENTS[name] or name for name in fine])
    ways = {"tree": {}, "tree, labels": {"labels_key": "known", "ontology": PARENTS}}
    for draw in range(draws):
        finely, coarsely = np.random.default_rng(draw).random((2, adata.n_obs)) < share
        label = np.where(coarsely, coarse, "Unknown")
        adata.obs["known"] = np.where(finely, fine, label)
        held = ~(finely | coarsely)
        for method, settings in ways.items():
            sentree.tl.sse_tree(adata, **settings)
            tree = sentree.tl.get_tree(adata[held])
            found = {"coarse": coarse, "fine": fine}
            purity = {name: dendrogram_purity(tree, types[held]) for name, types in found.items()}
            yield {"draw": draw, "method": method} | purity


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    with warnings.catch_warnings():
        for module in ("scanpy", "anndata", "sklearn", "igraph"):
            warnings.filterwarnings("ignore", module=module)
        rows = pd.DataFrame(run(arguments.draws, arguments.share))
        trees = pd.DataFrame(run_trees(arguments.draws, arguments.share))
    columns = ["ARI", "NMI", "named", "matched", "clusters"]
    groups = rows.groupby("method", sort=False)[columns]
    print(groups.mean().round(3).to_string())
    print("\nstandard deviation over draws\n", groups.std().round(3).to_string(), sep="")
    print("\ndendrogram purity")
    print(trees.groupby("method", sort=False)[["coarse", "fine"]].mean().round(3).to_string())
    if arguments.out:
        trees.round(4).to_csv(arguments.out / "single_cell_trees.csv", index=False)
        rows.round(4).to_csv(arguments.out / "single_cell.csv", index=False)


if __name__ == "__main__":
    main()
