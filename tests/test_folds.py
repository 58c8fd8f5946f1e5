import numpy as np
from hypothesis import given as examples
from hypothesis import strategies as st

from sentree import Constraints
from sentree.folds import FOLDS, Folds

N = 30
PAIRS = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)).filter(lambda p: p[0] != p[1]),
    max_size=12,
)


@examples(PAIRS, PAIRS)
def test_every_pair_is_hidden_once_and_seen_else(must, cannot):
    given = Constraints.from_pairs(must, cannot)
    folds = Folds(N, given)
    hidden = [folds.hidden_pairs(fold) for fold in range(FOLDS)]
    for kind, statements in enumerate((given.must_link, given.cannot_link)):
        all_hidden = np.concatenate([pairs[kind] for pairs in hidden])
        assert sorted(all_hidden.tolist()) == sorted(statements.tolist())
    for fold, (own_must, own_cannot) in enumerate(hidden):
        visible = folds.visible(fold)
        assert len(visible.must_link) == len(must) - len(own_must)
        assert len(visible.cannot_link) == len(cannot) - len(own_cannot)


def test_pairs_of_labels_begin_with_a_hidden_one():
    labels = np.arange(N) % 4
    given = Constraints.from_labels(labels)
    folds = Folds(N, given)
    seen = [set(folds.visible(fold).label_index.tolist()) for fold in range(FOLDS)]
    for fold in range(FOLDS):
        must, cannot = folds.hidden_pairs(fold)
        assert len(must) > 100
        assert not seen[fold] & set(must[:, 0]) | seen[fold] & set(cannot[:, 0])
        assert (labels[must[:, 0]] == labels[must[:, 1]]).all()
        assert (labels[cannot[:, 0]] != labels[cannot[:, 1]]).all()
    assert set.union(*seen) == set(range(N))
