"""Speed and memory of the kernels and of whole fits, as ratios against peers in the same run.

Absolute seconds on a shared machine mean little; read the ratios and the exponents. Each figure is
CPU time of one thread: the least of ``--repeats`` runs of ours and of fast peers, one run of slow
peers. Both sides get a graph in their own form; making it is not counted.

    python benchmarks/speed.py                     # a few minutes
    python benchmarks/speed.py --largest 1000000   # with the graph of a million vertices
    python benchmarks/speed.py --parts fit tree    # only some of it
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from memory import csr_bytes, peak_memory
from peers import (
    igraph_leiden,
    infomap_two_level,
    leidenalg,
    sknetwork_louvain,
    sknetwork_paris,
)
from sentree import datasets
from sentree.paper import paper_graph, paper_neighbors
from sentree.paper.relation import relation_by_similarity
from sentree.search.kernels import compress, grow, merge, move, multilevel, stretch
from shared import BLOBS, blob_graph, blobs, fitted, least

#: Standard deviation of blobs that overlap: others are told apart without a label.
OVERLAPPING = 3.0
#: Shares of a peer's time that one round of the search, and a whole fit, may take.
TARGETS = {
    "igraph Leiden, 2 iterations": (1 / 4, 1 / 2),
    "Infomap, two levels": (1 / 20, 1 / 10),
    "leidenalg, 2 iterations": (1 / 30, 1 / 15),
    "scikit-network Louvain": (np.nan, np.nan),
}
#: What can be measured: the paper's run, fits against other partitions, trees, growth by size.
PARTS = ("paper", "fit", "tree", "growth")
#: CPU seconds of the authors' program for one run on 10X_PBMC with pairs, measured elsewhere on an
#: idle core of this kind of machine; the program is not part of this repository.
AUTHORS_PBMC = 35.0


def paper_run(repeats):
    """The whole paper-mode run on 10X_PBMC with pairs: graph, closure, merging, moving."""
    try:
        X, y = datasets.load_paper("10X_PBMC")
    except FileNotFoundError as error:
        print(f"skipping 10X_PBMC: {error}")
        return []
    n, k = len(y), 8
    given = datasets.sample_pairs(y, 0.2, 0.2, random_state=0)

    def make_graph():
        return paper_graph(X, paper_neighbors(n, k), "cosine")

    graph_time, (graph, similarity) = least(make_graph, repeats)

    def after_graph():
        relation = relation_by_similarity(given, n, similarity)
        merged = merge(graph, relation, must_link_first=True)
        return move(graph, merged.labels, relation)

    rest_time, _ = least(after_graph, repeats)
    from sklearn.cluster import SpectralClustering

    peer = SpectralClustering(k, affinity="precomputed", random_state=0, assign_labels="cluster_qr")
    peer_time, _ = least(lambda: peer.fit(graph.to_scipy()), repeats)
    total = graph_time + rest_time
    authors = f"authors' program ({AUTHORS_PBMC:.0f} s elsewhere)"
    return [
        row("10X_PBMC pairs, whole run", n, graph.n_edges, total, authors, AUTHORS_PBMC),
        row("10X_PBMC pairs, after the graph", n, graph.n_edges, rest_time, authors, AUTHORS_PBMC),
        row(
            "10X_PBMC pairs, after the graph",
            n,
            graph.n_edges,
            rest_time,
            "scikit-learn SpectralClustering, same graph",
            peer_time,
        ),
    ]


def row(task, n, edges, seconds, peer, peer_seconds, target=np.nan, ari=np.nan, peer_ari=np.nan):
    """One comparison; ``met`` says whether our share of the peer's time is within the target."""
    share = seconds / peer_seconds
    return {
        "task": task,
        "n": n,
        "edges": edges,
        "seconds": round(seconds, 4),
        "peer": peer,
        "peer_seconds": round(peer_seconds, 4),
        "share_of_peer": round(share, 5),
        "target": round(target, 5),
        "met": "" if np.isnan(target) else share <= target,
        "ari": round(ari, 4),
        "peer_ari": round(peer_ari, 4),
    }


def against_partitions(graph, y, repeats):
    """One round of the search and whole fits against other partitions of the same graph."""
    searches = (igraph_leiden, infomap_two_level, leidenalg, sknetwork_louvain)
    peers = {name: search(graph) for name, search in zip(TARGETS, searches, strict=True)}
    ours = {
        "one multilevel round": lambda: multilevel(graph, max_rounds=1).labels,
        "whole fit, automatic scale": lambda: fitted(graph),
        f"whole fit, {BLOBS} clusters": lambda: fitted(graph, n_clusters=BLOBS),
    }
    rows = []
    for k, (task, search) in enumerate(ours.items()):
        seconds, labels = least(search, repeats)
        for name, found in peers.items():
            if found is not None:
                aris = (adjusted_rand_score(y, labels), adjusted_rand_score(y, found[1]))
                target = TARGETS[name][min(k, 1)]
                rows.append(
                    row(task, graph.n, graph.n_edges, seconds, name, found[0], target, *aris)
                )
    return rows


def against_fixed_labels(graph, y, repeats, kind):
    """A fit with the labels of every tenth vertex, which must also be better for the others."""
    held_out = np.random.default_rng(0).permutation(graph.n)[graph.n // 10 :]
    labels = y.copy()
    labels[held_out] = -1
    peer = leidenalg(graph, labels)
    if peer is None:
        return []
    seconds, found = least(lambda: fitted(graph, labels, n_clusters=BLOBS), repeats)
    ari, peer_ari = (adjusted_rand_score(y[held_out], x[held_out]) for x in (found, peer[1]))
    task, name = f"whole fit, 10 % labels, {kind}", "leidenalg, the labelled fixed"
    made = row(task, graph.n, graph.n_edges, seconds, name, peer[0], 1 / 15, ari, peer_ari)
    made["met"] &= ari > peer_ari or ari == 1
    return [made]


def against_paris(graph, repeats):
    """Merging, stretching and the level-wise tree against scikit-network's Paris."""
    paris = sknetwork_paris(graph)
    if paris is None:
        return []
    seconds, binary = least(lambda: stretch(graph), repeats)
    timed = {
        "merge": (least(lambda: merge(graph), repeats)[0], np.nan),
        "stretch": (seconds, np.nan),
        "compress": (least(lambda: compress(binary.tree, 2), repeats)[0], np.nan),
        "one multilevel round": (
            least(lambda: multilevel(graph, max_rounds=1), repeats)[0],
            np.nan,
        ),
    }
    timed["level-wise tree"] = (least(lambda: grow(graph, max_grafts=0), repeats)[0], 1 / 10)
    timed["level-wise tree, subtrees moved"] = (least(lambda: grow(graph), 1)[0], np.nan)
    return [
        row(task, graph.n, graph.n_edges, seconds, "scikit-network Paris", paris[0], target)
        for task, (seconds, target) in timed.items()
    ]


def tree_growth(small, large, repeats):
    """The level-wise tree of a graph against that of a smaller one."""
    before, after = (least(lambda g=g: grow(g, max_grafts=0), repeats)[0] for g in (small, large))
    peer = f"level-wise tree of {small.n} vertices"
    return [row("level-wise tree", large.n, large.n_edges, after, peer, before, 12.0)]


def fit_memory(graph, folder):
    """Peak memory of a whole fit in a fresh process, interpreter and graph included."""
    gigabytes = peak_memory("fit", graph.n, folder)["gigabytes"]
    limit = 3.0 if graph.n == 1_000_000 else np.nan
    return {
        "task": "whole fit, peak memory",
        "n": graph.n,
        "edges": graph.n_edges,
        "gigabytes": round(gigabytes, 3),
        "target": limit,
        "met": "" if np.isnan(limit) else gigabytes < limit,
    }


def growth(sizes, folder):
    """Time of merge and stretch by size, and the exponent of growth between neighbours."""
    rows, before = [], {}
    for n in sizes:
        graph = blob_graph(n, folder)
        for name, search in (("merge", merge), ("stretch", stretch)):
            seconds, _ = least(lambda search=search, graph=graph: search(graph), 1)
            exponent = np.nan
            if name in before:
                n0, t0 = before[name]
                exponent = np.log(seconds / t0) / np.log(n / n0)
            before[name] = (n, seconds)
            memory = peak_memory(name, n, folder)["over_csr"]
            rows.append(
                {
                    "task": name,
                    "n": n,
                    "edges": graph.n_edges,
                    "seconds": round(seconds, 3),
                    "exponent": round(exponent, 2),
                    "csr_mb": round(csr_bytes(graph) / 1e6, 1),
                    "peak_over_csr": round(memory, 2),
                }
            )
            print(pd.DataFrame(rows[-1:]).to_string(index=False), flush=True)
    return rows


def manifest():
    peers = ("igraph", "infomap", "leidenalg", "scikit-network")
    names = ("numpy", "scipy", "scikit-learn", *peers, "sentree")
    versions = {}
    for name in names:
        try:
            versions[name] = version(name)
        except ImportError:
            versions[name] = None
    return {
        "python": platform.python_version(),
        "machine": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "versions": versions,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=100_000, help="vertices of the last graph")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure")
    parser.add_argument("--out", type=Path, help="folder for speed.csv, growth.csv, speed.json")
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="keeps the graphs")
    options = parser.parse_args()
    tables = measure(options.parts, options.largest, options.repeats, options.cache)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            table.to_csv(options.out / f"{name}.csv", index=False)
        (options.out / "speed.json").write_text(json.dumps(manifest(), indent=2) + "\n")


def measure(parts, largest, repeats, folder):
    """Return the tables of the parts asked for, printing each as it is done."""
    sizes = [n for n in (100_000, 1_000_000) if n <= largest]
    rows, memory, tables = [], [], {}

    def add(new):
        rows.extend(new)
        if new:
            print(pd.DataFrame(new).to_string(index=False), "\n", flush=True)

    if "paper" in parts:
        add(paper_run(repeats))
    for n in sizes if "fit" in parts else []:
        graph, y = blob_graph(n, folder), blobs(n)[1]
        add(against_partitions(graph, y, repeats))
        add(against_fixed_labels(graph, y, repeats, "blobs"))
        memory.append(fit_memory(graph, folder))
        print(pd.DataFrame(memory[-1:]).to_string(index=False), "\n", flush=True)
    if "fit" in parts and sizes:
        graph, y = blob_graph(sizes[0], folder, OVERLAPPING), blobs(sizes[0], OVERLAPPING)[1]
        add(against_fixed_labels(graph, y, repeats, "overlapping blobs"))
    if "tree" in parts and sizes:
        add(against_paris(blob_graph(sizes[0], folder), repeats))
        if len(sizes) > 1:
            add(tree_growth(*(blob_graph(n, folder) for n in sizes), repeats))
    if rows:
        tables["speed"] = pd.DataFrame(rows)
    if memory:
        tables["memory"] = pd.DataFrame(memory)
    if "growth" in parts:
        steps = [n for n in (10_000, 30_000, 100_000, 300_000, 1_000_000) if n <= largest]
        tables["growth"] = pd.DataFrame(growth(steps, folder))
        for name, part in tables["growth"].groupby("task"):
            slope = np.polyfit(np.log(part["n"]), np.log(part["seconds"]), 1)[0]
            print(f"{name}: time grows with n^{slope:.2f}")
    return tables


if __name__ == "__main__":
    main()
