"""Whole fits on one and on more threads, against parallel rivals on the same graph.

Wall-clock seconds, each the least of ``--repeats`` runs: a rival on all threads, NetworKit, is told
with the making of its graph and without it. The clusters must be the same for 1, 2 and 5 threads;
``same`` says whether they are. On a busy machine the seconds say little: the manifest has its load.

    python benchmarks/threads.py --out benchmarks/results
    python benchmarks/threads.py --sizes 100000 1000000 --repeats 3
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from peers import as_igraph, skipped_if_missing
from shared import blob_graph, blobs, fitted, least
from speed import manifest

SIZES = [100_000, 1_000_000]
THREADS = [1, 2, 5]


#: The least wall-clock seconds of several calls, and the last result.
fastest = partial(least, clock=time.perf_counter)


@skipped_if_missing
def networkit(graph, threads, repeats):
    """Seconds to make the graph, and to run ParallelLeiden and PLM; and their labels."""
    import networkit as nk

    nk.setNumberOfThreads(threads)
    i, j, weight = graph.edges()
    ends = i.astype(np.uint64), j.astype(np.uint64)
    making, made = fastest(
        lambda: nk.GraphFromCoo((weight, ends), n=graph.n, weighted=True, directed=False), 1
    )
    found = {}
    for name, search in (
        ("ParallelLeiden, 2 iterations", nk.community.ParallelLeiden),
        ("PLM", nk.community.PLM),
    ):
        options = {"iterations": 2} if "Leiden" in name else {}
        seconds, labels = fastest(
            lambda search=search, options=options: (
                search(made, **options).run().getPartition().getVector()
            ),
            repeats,
        )
        found[f"NetworKit {name}"] = (seconds, seconds + making, np.array(labels))
    return found


@skipped_if_missing
def leiden(graph):
    """Seconds to make igraph's graph, and to run its Leiden; and the labels."""
    making, made = fastest(lambda: as_igraph(graph), 1)
    options = {"objective_function": "modularity", "weights": "weight", "n_iterations": 2}
    seconds, found = fastest(lambda: made.community_leiden(**options), 1)
    return {"igraph Leiden, 2 iterations": (seconds, seconds + making, np.array(found.membership))}


def measure(n, folder, repeats):
    """Return a row for each program and number of threads."""
    graph, y = blob_graph(n, folder), blobs(n)[1]
    rows, first = [], None
    for threads in THREADS:
        seconds, labels = fastest(lambda threads=threads: fitted(graph, n_jobs=threads), repeats)
        first = labels if first is None else first
        rows.append(["sentree", threads, seconds, seconds, labels, np.array_equal(first, labels)])
    for threads in THREADS[:2]:
        for name, found in (networkit(graph, threads, repeats) or {}).items():
            rows.append([name, threads, *found, np.nan])
    rows += [[name, 1, *found, np.nan] for name, found in (leiden(graph) or {}).items()]
    table = pd.DataFrame(
        rows, columns=["program", "threads", "seconds", "with_graph", "labels", "same"]
    )
    ours = table.query("program == 'sentree' and threads == 2")["seconds"].iloc[0]
    table["ours_over_it"] = (ours / table["with_graph"]).round(3)
    table["ari"] = [round(adjusted_rand_score(y, labels), 4) for labels in table["labels"]]
    table.insert(0, "edges", graph.n_edges)
    table.insert(0, "n", n)
    return table.drop(columns="labels").round({"seconds": 3, "with_graph": 3})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--out", type=Path, help="folder for threads.csv and threads.json")
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="keeps the graphs")
    options = parser.parse_args()
    record, tables = manifest(), []
    for n in options.sizes:
        tables.append(measure(n, options.cache, options.repeats))
        print(tables[-1].to_string(index=False), "\n", flush=True)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        pd.concat(tables).to_csv(options.out / "threads.csv", index=False)
        (options.out / "threads.json").write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
