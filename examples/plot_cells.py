"""
Cells with a type that nobody named
===================================

Here are cells of five types. A few cells of four of them are known, say from an earlier
study; the fifth type was not in that study. The task is to name the cells, and not to
force the new ones into a type that they are not.
"""

# %%
# The counts are simulated: 900 cells, 600 genes, each type with 25 genes that it
# expresses more. Plasma cells share half of theirs with B cells. The usual steps of
# scanpy follow.

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scanpy as sc
from sklearn.neighbors import KNeighborsClassifier

import sentree

rng = np.random.default_rng(0)
sizes = {
    "T cell": 320,
    "B cell": 200,
    "monocyte": 180,
    "NK cell": 120,
    "plasma cell": 80,
}
cell_type = np.repeat(list(sizes), list(sizes.values()))
genes = {name: rng.choice(600, 25, replace=False) for name in sizes}
genes["plasma cell"][:12] = genes["B cell"][:12]
rate = np.tile(rng.gamma(0.6, size=600), (900, 1))
for name in sizes:
    rate[np.ix_(cell_type == name, genes[name])] *= rng.uniform(1.5, 4, size=25)
rate *= rng.lognormal(np.log(1500), 0.35, size=(900, 1)) / rate.sum(
    axis=1, keepdims=True
)
counts = rng.poisson(rate * rng.gamma(4, 1 / 4, size=rate.shape))

adata = anndata.AnnData(counts.astype(np.float32), {"type": pd.Categorical(cell_type)})
adata.var_names = [f"gene {number}" for number in range(600)]
sc.pp.normalize_total(adata)
sc.pp.log1p(adata)
sc.pp.pca(adata, n_comps=20)
sc.pp.neighbors(adata, method="gauss")

# %%
# Ten cells of each of four types are known. Beside ``tl.sse`` we do what is often done:
# give every cell the type of most of its five nearest known cells.

known = pd.Series("Unknown", adata.obs_names)
for name in list(sizes)[:4]:
    known[rng.choice(adata.obs_names[cell_type == name], 10, replace=False)] = name
adata.obs["known"] = known.astype("category")
sentree.tl.sse(adata, labels_key="known")

labelled = adata[adata.obs["known"] != "Unknown"]
nearest = KNeighborsClassifier(5).fit(labelled.obsm["X_pca"], labelled.obs["known"])
adata.obs["nearest known"] = pd.Categorical(nearest.predict(adata.obsm["X_pca"]))

print(pd.crosstab(adata.obs["type"], adata.obs["nearest known"]))
print(pd.crosstab(adata.obs["type"], adata.obs["sse_label"]))

# %%
# The nearest known cells have no name for plasma cells but that of another type.
# sentree keeps them apart, as a cluster called "new". The same fit as an estimator
# tells what speaks for it:

model = sentree.SSEPartition(affinity="precomputed")
model.fit(adata.obsp["connectivities"], known.replace("Unknown", None))
print(model.cluster_support_[model.cluster_names_.index(None)])

# %%
# On the map, similar cells are near each other. It is made from the graph alone, and
# knows of no types.

flat = sentree.plots.places(model)
colours = dict(
    zip([*sizes], ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00"], strict=True)
)
colours |= {
    name: "#D55E00" for name in adata.obs["sse_label"].unique() if "new" in name
}
figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for ax, key in zip(axes, ("nearest known", "sse_label"), strict=True):
    sentree.plots.partition(flat, adata.obs[key], colors=colours, title=key, ax=ax)

# %%
# What is the new type? From here it is scanpy again: the genes that set the clusters
# apart.

plt.rcParams["savefig.bbox"] = "tight"  # scanpy's names stand outside
sc.tl.rank_genes_groups(adata, "sse_label")
sc.pl.rank_genes_groups_matrixplot(
    adata,
    n_genes=5,
    standard_scale="var",
    cmap="Blues",
    dendrogram=False,
    figsize=(11, 2.6),
)
