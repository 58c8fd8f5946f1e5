from collections import Counter

import numpy as np
from hypothesis import given as examples
from hypothesis import strategies as st

from sentree import Constraints
from sentree.search.holdout import FOLDS, Folds

N = 30
PAIRS = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda p: p[0] != p[1]),
    max_size=12,
)


@examples(PAIRS, PAIRS)
def test_every_pair_is_hidden_once_and_seen_else(must, cannot):
    given = Constraints.from_pairs(must, cannot)
    folds = Folds(N, given)
    visible = [folds.visible(fold) for fold in range(FOLDS)]
    for name, pairs in (("must_link", must), ("cannot_link", cannot)):
        seen = Counter(tuple(p) for part in visible for p in getattr(part, name).tolist())
        given_pairs = Counter(tuple(p) for p in getattr(given, name).tolist())
        assert seen == {pair: (FOLDS - 1) * count for pair, count in given_pairs.items()}
        assert sum(given_pairs.values()) == len(pairs)


def test_every_label_is_hidden_once():
    folds = Folds(N, Constraints.from_labels(np.arange(N) % 4))
    seen = [folds.visible(fold).label_index.tolist() for fold in range(FOLDS)]
    assert Counter(np.concatenate(seen).tolist()) == dict.fromkeys(range(N), FOLDS - 1)
