"""Other programs on the same graph.

Each peer takes a graph and returns its CPU seconds and its labels. Turning our graph into the
peer's own object is not counted: users of a peer have that object already. A peer that is not
installed returns None and says so.
"""

from __future__ import annotations

import random
from functools import wraps

import numpy as np
import scipy.sparse as sp

from shared import least


def skipped_if_missing(peer):
    @wraps(peer)
    def call(*arguments, **options):
        try:
            return peer(*arguments, **options)
        except ImportError as error:
            print(f"skipping {peer.__name__}: {error} (install the extra 'compare')")
            return None

    return call


def as_igraph(graph):
    import igraph

    i, j, weight = graph.edges()
    made = igraph.Graph(n=graph.n, edges=np.column_stack((i, j)))
    made.es["weight"] = weight.tolist()
    return made


@skipped_if_missing
def igraph_leiden(graph, repeats=3):
    given = as_igraph(graph)
    random.seed(0)  # igraph draws from Python's generator
    options = {"objective_function": "modularity", "weights": "weight", "n_iterations": 2}
    seconds, found = least(lambda: given.community_leiden(**options), repeats)
    return seconds, np.array(found.membership)


@skipped_if_missing
def infomap_two_level(graph):
    from infomap import Infomap

    search = Infomap("--two-level --silent --num-trials 1 --seed 1")
    search.add_nodes(range(graph.n))
    search.add_links(np.column_stack(graph.edges()))
    seconds, _ = least(search.run)
    modules = search.get_modules()
    return seconds, np.array([modules[i] for i in range(graph.n)])


@skipped_if_missing
def leidenalg(graph, labels=None):
    """Modularity in two iterations; vertices with a label (not -1) are fixed to its community."""
    from leidenalg import ModularityVertexPartition, Optimiser

    given, weights = as_igraph(graph), graph.edges()[2].tolist()
    start = fixed = None
    if labels is not None:
        fixed = (labels >= 0).tolist()
        start = np.where(labels >= 0, labels, labels.max() + 1 + np.arange(graph.n))
        start = np.unique(start, return_inverse=True)[1].tolist()

    def search():
        partition = ModularityVertexPartition(given, initial_membership=start, weights=weights)
        optimiser = Optimiser()
        optimiser.set_rng_seed(0)
        optimiser.optimise_partition(partition, n_iterations=2, is_membership_fixed=fixed)
        return partition.membership

    seconds, found = least(search)
    return seconds, np.array(found)


@skipped_if_missing
def sknetwork_louvain(graph):
    from sknetwork.clustering import Louvain

    given = sp.csr_matrix(graph.to_scipy())
    search = Louvain(random_state=0)
    return least(lambda: search.fit_predict(given))


@skipped_if_missing
def sknetwork_paris(graph):
    from sknetwork.hierarchy import Paris

    given = sp.csr_matrix(graph.to_scipy())
    return least(lambda: Paris().fit_predict(given))
