"""Whole fits on one and on more threads, against other programs on the same graph.

Wall-clock and CPU seconds, each the least of ``--repeats`` runs (fewer if they take minutes): a
program that needs its own graph is told with the making of it and without. The clusters must be the
same for 1, 2 and 5 threads; ``same`` says whether they are. Every program runs in a process of its
own, on as many cores as it has threads, and is ended after ``--timeout`` seconds. On a busy machine
the seconds say little: the manifest has its load.

    python benchmarks/threads.py --out benchmarks/results
    python benchmarks/threads.py --sizes 100000 1000000 --repeats 3
"""

from __future__ import annotations

import argparse
import hashlib
import random
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from alone import Clock, alone, tell, versions, write
from peers import as_igraph
from shared import blob_graph, blobs, fitted
from speed import manifest

SIZES = [100_000, 1_000_000]
OURS = "sentree"
#: A search is not repeated once its runs have taken this many seconds.
LONG = 120
#: Iterations of all Leiden searches.
ITERATIONS = 2


# A program returns the making of its graph and the search of that graph, as functions.


def sentree(graph, threads):
    """A whole fit, automatic scale; the graph is checked in it."""
    return lambda: graph, lambda made: fitted(made, n_jobs=threads)


def networkit_graph(graph, threads):
    import networkit as nk

    nk.setNumberOfThreads(threads)
    i, j, weight = graph.edges()
    ends = i.astype(np.uint64), j.astype(np.uint64)
    return nk.GraphFromCoo((weight, ends), n=graph.n, weighted=True, directed=False)


def parallel_leiden(graph, threads):
    from networkit.community import ParallelLeiden

    def search(made):
        return ParallelLeiden(made, iterations=ITERATIONS).run().getPartition().getVector()

    return lambda: networkit_graph(graph, threads), search


def parallel_louvain(graph, threads):
    from networkit.community import PLM

    return (
        lambda: networkit_graph(graph, threads),
        lambda made: PLM(made).run().getPartition().getVector(),
    )


def igraph_leiden(graph, threads):
    random.seed(0)  # igraph draws from Python's generator
    options = {"objective_function": "modularity", "n_iterations": ITERATIONS}

    def search(made):
        return made.community_leiden(weights="weight", **options).membership

    return lambda: as_igraph(graph), search


def leidenalg(graph, threads):
    import leidenalg

    kind = leidenalg.ModularityVertexPartition
    options = {"weights": "weight", "n_iterations": ITERATIONS, "seed": 0}
    return (
        lambda: as_igraph(graph),
        lambda made: leidenalg.find_partition(made, kind, **options).membership,
    )


def infomap(graph, threads):
    from infomap import Infomap

    def make():
        made = Infomap("--two-level --silent --num-trials 1 --seed 1")
        made.add_nodes(range(graph.n))
        made.add_links(np.column_stack(graph.edges()))
        return made

    def search(made):
        made.run()
        modules = made.get_modules()
        return [modules[i] for i in range(graph.n)]

    return make, search


def of_scikit_network(name):
    def program(graph, threads):
        from sknetwork import clustering

        model = getattr(clustering, name)(random_state=0)
        return lambda: sp.csr_matrix(graph.to_scipy()), model.fit_predict

    return program


#: What each is called, how it is run, and on how many threads.
PROGRAMS = {
    OURS: (sentree, [1, 2, 5]),
    f"NetworKit ParallelLeiden, {ITERATIONS} iterations": (parallel_leiden, [1, 2]),
    "NetworKit PLM": (parallel_louvain, [1, 2]),
    f"igraph Leiden, {ITERATIONS} iterations": (igraph_leiden, [1]),
    f"leidenalg, {ITERATIONS} iterations": (leidenalg, [1]),
    "Infomap, two levels": (infomap, [1]),
    "scikit-network Louvain": (of_scikit_network("Louvain"), [1]),
    "scikit-network Leiden": (of_scikit_network("Leiden"), [1]),
}
PACKAGES = ("networkit", "igraph", "leidenalg", "infomap", "scikit-network")


def measure_one(program, n, threads, folder, repeats):
    """Measure one program, and tell."""
    graph, y = blob_graph(n, folder), blobs(n)[1]
    make, search = PROGRAMS[program][0](graph, threads)
    with Clock() as making:
        made = make()
    clocks = []
    for _ in range(repeats):
        with Clock() as clock:
            labels = np.asarray(search(made), dtype=np.int64)
        clocks.append(clock)
        if sum(clock.seconds for clock in clocks) > LONG:
            break
        made = make() if program.startswith("Infomap") else made  # it keeps what it found
    tell(
        edges=graph.n_edges,
        seconds=round(min(clock.seconds for clock in clocks), 3),
        with_graph=round(min(clock.seconds for clock in clocks) + making.seconds, 3),
        cpu_seconds=round(min(clock.cpu_seconds for clock in clocks), 3),
        ari=round(adjusted_rand_score(y, labels), 4),
        labels=hashlib.sha256(labels.tobytes()).hexdigest(),
    )


def measure(n, options):
    """Return a row for each program and number of threads."""
    rows, first, ours = [], None, None
    for program in options.programs:
        for threads in PROGRAMS[program][1]:
            found = alone(
                *(__file__, "--one", program, "--sizes", n),
                *("--cache", options.cache, "--repeats", options.repeats),
                threads=threads,
                timeout=options.timeout,
            )
            labels = found.pop("labels", None)
            row = {"n": n, "program": program, "threads": threads, **found}
            if program == OURS:
                first = labels if first is None else first
                row["same"] = labels == first
                ours = found.get("with_graph") if threads == 2 else ours
            rows.append(row)
            print(row, flush=True)
    for row in rows:
        if ours and "with_graph" in row:
            row["ours_over_it"] = round(ours / row["with_graph"], 3)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--timeout", type=float, default=1200, help="seconds for each program")
    parser.add_argument("--out", type=Path, help="folder for threads.csv and threads.json")
    parser.add_argument("--cache", type=Path, default=Path("build/bench"), help="keeps the graphs")
    parser.add_argument("--one", choices=PROGRAMS, help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        [n] = options.sizes
        measure_one(options.one, n, options.threads, options.cache, options.repeats)
        return
    record, rows = manifest() | {"rivals": versions(*PACKAGES)}, []
    for n in options.sizes:
        blob_graph(n, options.cache)  # made once
        rows += measure(n, options)
        table = write(rows, record, options.out, "threads")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
