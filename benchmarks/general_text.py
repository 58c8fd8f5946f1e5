"""Short texts as vectors: 77 kinds of questions to a bank, from ``text/`` in the data folder.

Single words and pairs of neighbouring words are counted, logarithms of counts are weighed by
rarity (TF-IDF) and rows brought to unit length: sparse rows, or their 40, 100 or 300 leading
directions (truncated SVD), again of unit length. Nothing is standardised.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from general_sets import folder

SET = "banking77"
ROWS = 6_000
QUICK_ROWS = 2_000
ALL_ROWS = 13_083


def names(large=False, quick=False):
    """Names of the forms: rows, and directions or the sparse counts."""
    if quick:
        return [f"{SET}-{QUICK_ROWS}-svd100"]
    sizes = (ROWS, ALL_ROWS) if large else (ROWS,)
    forms = ("svd40", "svd100", "svd300", "tfidf")
    return [f"{SET}-{rows}-{form}" for rows in sizes for form in forms]


def load(name, data_dir=None, seed=0):
    """Return the rows of a form and their classes; the seed draws the texts."""
    _, rows, form = name.split("-")
    counts, y = weighed(int(rows), data_dir, seed)
    if form == "tfidf":
        return counts, y
    search = TruncatedSVD(int(form.removeprefix("svd")), random_state=0)
    return normalize(search.fit_transform(counts)), y


@lru_cache(maxsize=1)
def weighed(rows, data_dir, seed):
    """Draw so many texts and weigh their words."""
    table = pd.read_csv(folder("text", data_dir) / f"{SET}.csv.gz")
    drawn = np.sort(np.random.default_rng(seed).permutation(len(table))[:rows])
    table = table.iloc[drawn]
    counts = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit_transform(table["text"])
    return counts, np.unique(table["class"], return_inverse=True)[1]
