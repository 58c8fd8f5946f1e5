"""Topics of short texts: SSEPartition beside HDBSCAN as the clustering step of BERTopic.

Embeddings are TF-IDF reduced by SVD, since no language model is fetched, of all words and without
common ones; the latter also after UMAP with the settings of BERTopic. BERTopic takes the clusters
as topics, so that they are scored as they come: the number of topics, the share of texts in none,
the ARI with the classes (texts in no topic count as one more), and that of the texts in a topic
alone. The last rows know the class of every 20th text, and are scored on the others. Reads
../shared/data/text. Prints a table; --out writes CSV.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from sentree import SSEPartition

TEXTS = Path("../shared/data/text/banking77.csv.gz")
#: Every so many texts have a known class.
KNOWN = 20


class Row(NamedTuple):
    """One line of the result."""

    embedding: str
    method: str
    seconds: float
    topics: int
    no_topic: float  # share of the texts
    ari: float
    ari_in_topics: float


def embeddings(texts: pd.Series, seed: int) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield the SVD of TF-IDF, with and without common words, and UMAP of it as BERTopic has it."""
    from umap import UMAP

    for name, left_out in [("SVD, all words", None), ("SVD", "english")]:
        count = TfidfVectorizer(sublinear_tf=True, stop_words=left_out, min_df=2)
        svd = TruncatedSVD(100, random_state=seed)
        reduced = normalize(svd.fit_transform(count.fit_transform(texts)))
        yield name, reduced
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        places = UMAP(15, n_components=5, min_dist=0.0, metric="cosine", random_state=42)
        yield "UMAP", places.fit_transform(reduced)


def scored(X: Any, y: NDArray[Any], known: NDArray[Any] | None, model: Any) -> tuple[Any, ...]:
    """Cluster, and return what a row tells."""
    start = time.perf_counter()
    labels = model.fit(X, known).labels_
    seconds = time.perf_counter() - start
    asked = np.ones(len(y), bool) if known is None else known < 0
    inside = asked & (labels >= 0)
    return (
        seconds,
        int(np.unique(labels[labels >= 0]).size),
        float((labels < 0).mean()),
        adjusted_rand_score(y[asked], labels[asked]),
        adjusted_rand_score(y[inside], labels[inside]),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="take every so many texts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="write the table as CSV")
    options = parser.parse_args()
    table = pd.read_csv(TEXTS)[:: options.every]
    y = pd.factorize(table["class"])[0]
    k, seed = int(y.max()) + 1, options.seed
    known = np.where(np.arange(len(y)) % KNOWN == 0, y, -1)
    methods: dict[str, tuple[Any, Any]] = {
        "HDBSCAN": (HDBSCAN(min_cluster_size=10, copy=True), None),
        "k-means, k given": (KMeans(k, n_init=10, random_state=seed), None),
        "SSEPartition": (SSEPartition(random_state=seed), None),
        "SSEPartition, k given": (SSEPartition(k, random_state=seed), None),
        "SSEPartition, 1 in 20 known": (SSEPartition(random_state=seed), known),
    }
    rows = []
    print(f"{len(y)} texts, {k} classes")
    print(f"{'':<16}{'method':<28}{'seconds':>8}{'topics':>8}{'none':>7}{'ARI':>7}{'inside':>8}")
    for name, X in embeddings(table["text"], seed):
        for method, (model, labels) in methods.items():
            rows.append(Row(name, method, *scored(X, y, labels, model)))
            row = rows[-1]
            print(
                f"{name:<16}{method:<28}{row.seconds:>8.1f}{row.topics:>8}{row.no_topic:>7.3f}"
                f"{row.ari:>7.3f}{row.ari_in_topics:>8.3f}"
            )
    if options.out:
        with options.out.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(Row._fields)
            writer.writerows(rows)


if __name__ == "__main__":
    main()
