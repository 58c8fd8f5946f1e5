"""
scikit-learn's toy shapes, with a few pairs
===========================================

scikit-learn has a well-known figure that compares clustering methods on six sets of 500
points. Here it has two more columns: sentree as it comes, and sentree told a few things
about the points.

The other methods are given the number of clusters, or a radius or bandwidth that was
set by hand, as in the original. sentree is given neither.
"""

# %%
# The data, row by row. The last row has no clusters.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn import cluster, datasets, mixture
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

from sentree import Constraints, SSEPartition
from sentree.datasets import sample_pairs

n, seed = 500, 30
circles = datasets.make_circles(n, factor=0.5, noise=0.05, random_state=seed)
moons = datasets.make_moons(n, noise=0.05, random_state=seed)
varied = datasets.make_blobs(n, cluster_std=[1.0, 2.5, 0.5], random_state=170)
round_blobs, kinds = datasets.make_blobs(n, random_state=170)
stretched = round_blobs @ [[0.6, -0.6], [-0.4, 0.8]], kinds
blobs = datasets.make_blobs(n, random_state=seed)
square = np.random.RandomState(seed).rand(n, 2), np.zeros(n, dtype=int)

rows = [  # the set, and what the other methods are given
    (circles, {"k": 2, "radius": 0.3, "quantile": 0.2, "neighbors": 3}),
    (moons, {"k": 2, "radius": 0.3, "quantile": 0.3, "neighbors": 3}),
    (varied, {"k": 3, "radius": 0.18, "quantile": 0.3, "neighbors": 2}),
    (stretched, {"k": 3, "radius": 0.15, "quantile": 0.3, "neighbors": 2}),
    (blobs, {"k": 3, "radius": 0.3, "quantile": 0.3, "neighbors": 3}),
    (square, {"k": 3, "radius": 0.3, "quantile": 0.3, "neighbors": 3}),
]

# %%
# The methods. In its last column, sentree is told ten pairs that belong together and
# ten that do not, drawn at random from the truth. Of the square there is no truth, so
# we make one up: a name for each corner, on three points.


def other_methods(X, k, radius, quantile, neighbors):
    bandwidth = cluster.estimate_bandwidth(X, quantile=quantile)
    graph = kneighbors_graph(X, neighbors, include_self=False)
    return {
        "k-means": cluster.KMeans(k, random_state=seed),
        "mean shift": cluster.MeanShift(bandwidth=bandwidth, bin_seeding=True),
        "spectral": cluster.SpectralClustering(
            k,
            eigen_solver="arpack",
            affinity="nearest_neighbors",
            assign_labels="cluster_qr",
            random_state=seed,
        ),
        "Ward": cluster.AgglomerativeClustering(
            k, connectivity=0.5 * (graph + graph.T)
        ),
        "BIRCH": cluster.Birch(n_clusters=k),
        "Gaussian mixture": mixture.GaussianMixture(k, random_state=seed),
        "DBSCAN": cluster.DBSCAN(eps=radius),
        "HDBSCAN": cluster.HDBSCAN(
            min_samples=3, min_cluster_size=15, allow_single_cluster=True, copy=True
        ),
    }


def told(X, y):
    if y.max() > 0:
        return sample_pairs(y, 10, 10, random_state=1)
    names = np.full(n, -1)
    for name, corner in enumerate([(-1.3, -1.3), (-1.3, 1.3), (1.3, -1.3), (1.3, 1.3)]):
        names[np.argsort(((X - corner) ** 2).sum(axis=1))[:3]] = name
    return Constraints.from_labels(names)


# %%
# And the figure. The number in a panel is the adjusted Rand index: 1 where the clusters
# are those that the set was made of, about 0 where they are no better than chance.
# Lines are pairs, dotted where they do not belong together; rings are named points.

COLOURS = np.array(
    ["#377eb8", "#ff7f00", "#4daf4a", "#f781bf", "#a65628", "#984ea3", "#999999"]
)


def draw(ax, X, y, labels, constraints=None):
    colours = np.where(labels < 0, "black", COLOURS[labels % len(COLOURS)])
    ax.scatter(*X.T, s=5, c=colours, linewidths=0)
    if constraints is not None:
        for pairs, style in (
            (constraints.must_link, "-"),
            (constraints.cannot_link, ":"),
        ):
            ax.plot(*X[pairs].transpose(2, 1, 0), style, color="black", lw=0.7)
        ax.scatter(
            *X[constraints.label_index].T,
            s=22,
            c="none",
            edgecolors="black",
            linewidths=0.8,
        )
    if y.max() > 0:
        score = round(adjusted_rand_score(y, labels), 2) + 0.0  # not -0.0
        ax.text(
            0.97, 0.03, f"{score:.2f}", transform=ax.transAxes, ha="right", fontsize=9
        )
    ax.set(xlim=(-2.5, 2.5), ylim=(-2.5, 2.5), xticks=[], yticks=[])


figure, axes = plt.subplots(6, 10, figsize=(13, 8.2), layout="constrained")
for row, ((X, y), given) in enumerate(rows):
    X = StandardScaler().fit_transform(X)
    methods = other_methods(X, **given)
    for ax, (name, method) in zip(axes[row], methods.items(), strict=False):
        with warnings.catch_warnings():  # of graphs that fall apart, as in the original
            warnings.simplefilter("ignore", UserWarning)
            draw(ax, X, y, method.fit_predict(X))
        axes[0, list(methods).index(name)].set_title(name, fontsize=11)
    draw(axes[row, -2], X, y, SSEPartition().fit(X).labels_)
    constraints = told(X, y)
    draw(
        axes[row, -1],
        X,
        y,
        SSEPartition().fit(X, constraints=constraints).labels_,
        constraints,
    )
axes[0, -2].set_title("sentree", fontsize=11, weight="bold")
axes[0, -1].set_title("sentree, told", fontsize=11, weight="bold")

# %%
# Where the data are clear, sentree needs to be told nothing, and what it is told does
# no harm. In the third row, pairs settle where the wide cluster ends. The square is one
# cluster until somebody has a reason to divide it.
