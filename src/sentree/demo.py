"""What ``sentree demo`` does: the embedded digits, without and with constraints."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from sentree import plots
from sentree._util import files
from sentree.constraints import Constraints
from sentree.datasets import held_out, load_embedded, sample_labels, sample_pairs
from sentree.estimators.hierarchy import SSEHierarchy
from sentree.estimators.partition import SSEPartition
from sentree.plots.style import save

__all__ = ["run"]


def run(out: Path, seed: int) -> Iterator[str]:
    """Cluster the digits in four ways, write the last result, and tell about it line by line."""
    X, y = load_embedded("digits")
    n, k = len(y), len(set(y.tolist()))
    labels = sample_labels(y, 0.1, 0, random_state=seed)
    pairs = sample_pairs(y, 0.2, 0.2, random_state=seed)
    scored = held_out(labels, n)
    yield f"{n} handwritten digits (8 x 8 pixels), {k} classes, clustered four ways."
    yield f"Known: nothing; {labels.label_index.size} labels (10 %); {len(pairs)} pairs; both."
    yield f"Scores are on the {scored.sum()} digits that were never labelled.\n"
    yield "  known             clusters    ARI    NMI   constraints kept   seconds"
    ways = {
        "nothing": Constraints(),
        "labels": labels,
        "pairs": pairs,
        "labels and pairs": labels + pairs,
    }
    for name, given in ways.items():
        start = perf_counter()
        model = SSEPartition(n_clusters=k).fit(X, constraints=given)
        seconds = perf_counter() - start
        found = model.labels_[scored]
        ari = adjusted_rand_score(y[scored], found)
        nmi = normalized_mutual_info_score(y[scored], found)
        kept = f"{model.constraint_report_.share:.1%}" if given else "-"
        row = f"  {name:<17} {model.n_clusters_:>8}  {ari:.3f}  {nmi:.3f}   {kept:>16}"
        yield row + f"   {seconds:.2f}"

    tree = SSEHierarchy().fit(X, constraints=given).tree_
    out.mkdir(parents=True, exist_ok=True)
    newick = tree.to_newick([f"{i}_digit{c}" for i, c in enumerate(y)])
    written = [
        files.write(out / "labels.csv", _table(model.labels_, y, scored)),
        files.write(out / "tree.nwk", newick + "\n"),
        _draw(out / "partition.png", model),
    ]
    yield "\nWritten (from labels and pairs):"
    for path, what in zip(
        written,
        (
            "cluster of each digit, its true class, whether it was labelled",
            f"binary tree over all digits, height {tree.height}",
            "the partition on a map of the digits",
        ),
        strict=True,
    ):
        yield f"  {path}: {what}"
    yield "\nTry next, in Python:"
    yield "  from sentree import SSEPartition"
    yield "  model = SSEPartition().fit(X, y)        # y: known classes, -1 where unknown"
    yield "  model = SSEPartition(n_clusters=5).fit(X, must_link=[(0, 7)], cannot_link=[(0, 3)])"
    yield "  print(model.labels_, model.constraint_report_)"
    yield "  sentree.plots.map(model); sentree.report.write_report('report.html', model)"


def _table(found: Any, y: Any, scored: Any) -> str:
    """Return the labels as CSV."""
    rows = zip(found.tolist(), y.tolist(), (~scored).tolist(), strict=True)
    lines = [
        f"{i},{cluster},{c},{str(known).lower()}" for i, (cluster, c, known) in enumerate(rows)
    ]
    return "\n".join(["sample,cluster,class,labelled", *lines]) + "\n"


def _draw(path: Path, model: SSEPartition) -> Path:
    """Draw the partition on a map of the digits."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    save(plots.map(model, max_constraints=60, title="Handwritten digits"), path)
    plt.close()
    return path
