"""Single cells with nothing known: the clusters of sentree beside Leiden's at resolution 1.

    python benchmarks/cells_open.py --out benchmarks/results/cells_open.csv

Simulated cells (negative binomial counts of 1,500 genes, 40 markers a type, unequal types and
depths) go through scanpy's usual steps. Both methods get scanpy's neighbours graph, and the graph
that sentree makes of the principal components. The last rows are of pbmc68k_reduced, 700 real
cells. Of the seeds, those below 5,000 were seen while the rule was made.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import warnings
from itertools import product
from pathlib import Path

import anndata as ad
import numpy as np
import pandas as pd
import scanpy as sc
from sklearn.metrics import adjusted_rand_score

from peers import igraph_leiden
from sentree import SSEPartition

GENES, MARKERS, VARIABLE_GENES, COMPONENTS = 1_500, 40, 500, 30
CELLS, TYPES, FOLDS = (200, 300, 1000), (3, 5, 8), (2.5, 3.0, 4.0)


def simulate(n, k, fold, seed):
    """Return counts and types; markers of a type are ``fold`` times as strong in it."""
    rng = np.random.default_rng(seed)
    shares = np.maximum(rng.dirichlet(np.full(k, 3.0)), 0.03)
    types = rng.choice(k, n, p=shares / shares.sum())
    strength = np.tile(rng.gamma(0.5, 1.0, GENES), (k, 1))
    for own in strength:
        own[rng.choice(GENES, MARKERS, replace=False)] *= fold
    mean = strength[types] * rng.lognormal(0, 0.35, n)[:, None]
    counts = rng.poisson(mean / mean.mean() * rng.gamma(5, 1 / 5, mean.shape))
    return counts.astype(np.float32), types


def prepared(counts):
    cells = ad.AnnData(counts)
    sc.pp.filter_genes(cells, min_cells=3)
    sc.pp.normalize_total(cells)
    sc.pp.log1p(cells)
    sc.pp.highly_variable_genes(cells, n_top_genes=VARIABLE_GENES)
    cells = cells[:, cells.var["highly_variable"]].copy()
    sc.pp.scale(cells, max_value=10)
    sc.pp.pca(cells, n_comps=COMPONENTS)
    sc.pp.neighbors(cells)
    return cells


def answers(cells):
    for name, model, X in (
        ("scanpy's graph", SSEPartition(affinity="precomputed"), cells.obsp["connectivities"]),
        ("components", SSEPartition(), cells.obsm["X_pca"]),
    ):
        yield f"sentree, {name}", model.fit_predict(X)
        yield f"Leiden, {name}", igraph_leiden(model.graph_, repeats=1)[1]


def run(draws, first):
    for draw, n, k, fold in product(range(draws), CELLS, TYPES, FOLDS):
        counts, types = simulate(n, k, fold, first + 100 * draw + n + k)
        for method, found in answers(prepared(counts)):
            yield row("simulated", n, k, fold, types, method, found)
    cells = sc.datasets.pbmc68k_reduced()
    types = cells.obs["bulk_labels"].cat.codes.to_numpy()
    for method, found in answers(cells):
        yield row("pbmc68k_reduced", cells.n_obs, types.max() + 1, None, types, method, found)


def row(cells, n, k, fold, types, method, found):
    return {"cells": cells, "n": n, "types": k, "fold": fold, "method": method,
            "found": np.unique(found).size, "ARI": adjusted_rand_score(types, found)}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=7_000)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = pd.DataFrame(run(options.draws, options.first_seed))
    groups = rows.pivot_table(index=["cells", "n", "fold"], columns="method", values="ARI",
                              sort=False, dropna=False)  # fmt: skip
    print(groups.dropna(how="all").round(3).to_string())
    print(rows.groupby(["cells", "method"], sort=False)["ARI"].mean().round(3).to_string())
    if options.out:
        rows.round(4).to_csv(options.out, index=False)


if __name__ == "__main__":
    main()
