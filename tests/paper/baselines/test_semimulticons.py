import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from toy import easy_blobs

from paper_data import oracle, paper_data
from sentree import ConstraintConflict, Constraints
from sentree._util.labels import renumber
from sentree.datasets import sample_pairs
from sentree.metrics import dendrogram_purity
from sentree.paper.baselines import SemiMultiCons
from sentree.paper.baselines.multicons import consensus_levels
from sentree.paper.baselines.trees import meets, nested_parents
from sentree.tree import EncodingTree


@parametrize_with_checks([SemiMultiCons(base_clusters=(2, 3), base_iterations=3)])
def test_scikit_learn_contract(estimator, check):
    assert check(estimator) is None  # a check that fails raises


def slow_patterns(base):
    """All intersections of clusters as (samples, number of clusterings that agree), in order."""
    items = [
        frozenset(np.flatnonzero(labels == c).tolist())
        for labels in base
        for c in np.unique(labels)
    ]
    family = set()
    for item in items:
        family |= {item} | {item & other for other in family}
    family.discard(frozenset())

    def places(pattern):
        return [k for k, item in enumerate(items) if pattern <= item]

    order = sorted(family, key=lambda p: (len(p), len(places(p)), places(p)))
    return [(set(p), len(places(p))) for p in order]


def slow_consensus(base, M, threshold, plain=False):
    """The consensus as it is specified, on Python sets of samples."""
    m = len(base)
    patterns = slow_patterns(base)
    L = [p for p, size in patterns if size == m]
    levels = [list(L)]
    for agreed in range(m - 1, 0, -1):
        L = [set(s) for s in L] + [set(p) for p, size in patterns if size == agreed]
        for i in range(len(L)):
            X = L[i]
            for j in range(i + 1 if plain else 0, len(L)):
                Y = L[j]
                K = X & Y
                if i == j or not K:
                    continue
                a, b = X - K, Y - K
                sm = sum(M[p, q] for p in a for q in b)
                sx = -sum(M[p, q] for p in K for q in a)
                sy = -sum(M[p, q] for p in K for q in b)
                if sm == sx == sy == 0:
                    if K == X:
                        L[i] = set()
                        break
                    if K == Y:
                        L[j] = set()
                    elif len(K) >= threshold * len(X) or len(K) >= threshold * len(Y):
                        L[j], L[i] = X | Y, set()
                        break
                    elif len(X) <= len(Y):
                        L[j] = b
                    else:
                        X = L[i] = a
                    continue
                sm /= len(a) + len(b)
                sx /= len(X)
                sy /= len(Y)
                if sm >= sx and sm >= sy:
                    L[j], L[i] = X | Y, set()
                    break
                if sx <= sy:
                    L[j] = b
                else:
                    X = L[i] = a
        L = [s for k, s in enumerate(L) if s and s not in L[:k]]
        levels.insert(0, list(L))
    first = [[next(k for k, s in enumerate(L) if p in s) for p in range(len(M))] for L in levels]
    return np.array([renumber(row) for row in first])


def signs(constraints, n):
    """+1 for samples that belong together, -1 for those apart."""
    M = np.zeros((n, n))
    closure = constraints.closure(n)
    for sign, (i, j, _) in ((1, closure.must_pairs()), (-1, closure.cannot_pairs())):
        M[i, j] = M[j, i] = sign
    return M


def random_clusterings(random, n, m):
    """Clusterings that disagree in places, with an unlike number of clusters."""
    truth = random.integers(0, 3, n)
    noise = random.integers(0, 6, (m, n)) % (2 + np.arange(m)[:, None])
    rows = np.where(random.random((m, n)) < 0.6, truth % (2 + np.arange(m)[:, None]), noise)
    return np.array([renumber(row) for row in rows])


@settings(max_examples=150)
@given(
    st.integers(2, 30), st.integers(1, 5), st.integers(0, 12), st.integers(0, 12),
    st.sampled_from([0.3, 0.5, 0.8, 1.0]), st.integers(0, 10**6),
)  # fmt: skip
def test_consensus_is_the_slow_one(n, m, n_must, n_cannot, threshold, seed):
    random = np.random.default_rng(seed)
    base = random_clusterings(random, n, m)
    classes = np.arange(n) % 2 if n < 4 else random.permutation(np.arange(n) % 3)
    pairs = sample_pairs(classes, n_must if n > 3 else 0, n_cannot, seed)
    found = consensus_levels(base, pairs.closure(n), threshold)
    assert np.array_equal(found, slow_consensus(base, signs(pairs, n), threshold))
    # Every level unites blocks of the last one, which holds apart what any clustering does.
    assert len(set(zip(*base.tolist(), strict=True))) == found[-1].max() + 1
    for level in found:
        assert len(set(zip(level, found[-1], strict=True))) == found[-1].max() + 1
        assert level.min() == 0


@settings(max_examples=60)
@given(st.integers(2, 40), st.integers(1, 5), st.integers(0, 10**6))
def test_without_constraints_it_is_multicons(n, m, seed):
    """The unsupervised method compares each set with the later ones only."""
    base = random_clusterings(np.random.default_rng(seed), n, m)
    found = consensus_levels(base, Constraints().closure(n), 0.5)
    assert np.array_equal(found, slow_consensus(base, np.zeros((n, n)), 0.5, plain=True))


def test_clusterings_that_agree_are_the_consensus():
    labels = np.array([0, 0, 1, 1, 2, 2, 0], dtype=np.int32)
    pairs = Constraints.from_pairs(must_link=[(0, 2)], cannot_link=[(0, 1)])  # against all of them
    levels = consensus_levels(np.tile(labels, (4, 1)), pairs.closure(7), 0.5)
    assert np.array_equal(levels, np.tile(labels, (4, 1)))


def test_constraints_turn_the_consensus():
    base = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]], dtype=np.int32)
    apart = Constraints.from_pairs(must_link=[(1, 2)], cannot_link=[(2, 3)])
    joined = Constraints.from_pairs(must_link=[(2, 3)], cannot_link=[(1, 2)])
    assert consensus_levels(base, apart.closure(6), 0.5)[0].tolist() == [0, 0, 0, 1, 1, 1]
    assert consensus_levels(base, joined.closure(6), 0.5)[0].tolist() == [0, 0, 1, 1, 1, 1]


def test_nested_partitions_make_a_tree_without_chains():
    rows = np.array([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 2, 2], [0, 0, 1, 2, 3, 3]], dtype=np.int32)
    parent = nested_parents(meets(rows))
    # {0,1} and {4,5} are nodes once; 2 and 3 are leaves of {0,1,2} and {0,1,2,3}.
    assert parent.tolist() == [6, 6, 8, 9, 7, 7, 8, 10, 9, 10, -1]


@settings(max_examples=60)
@given(st.integers(2, 25), st.integers(1, 4), st.integers(0, 10**6))
def test_samples_meet_where_the_partitions_part_them(n, m, seed):
    rows = random_clusterings(np.random.default_rng(seed), n, m)
    nested = meets(rows)
    tree = EncodingTree(nested_parents(nested), *np.zeros((3, nested_parents(nested).size)))
    assert tree.n_leaves == n
    i, j = np.triu_indices(n, 1)
    size = np.full(i.size, n)
    for block in nested:
        size = np.where(block[i] == block[j], np.bincount(block)[block[i]], size)
    assert np.array_equal(tree.sizes[tree.lca(i, j)], size)
    for t in range(m):  # meets of the first rows
        same = (rows[: t + 1, :, None] == rows[: t + 1, None, :]).all(axis=0)
        assert np.array_equal(nested[t][:, None] == nested[t], same)


def test_blobs_with_pairs_are_found():
    X, y = easy_blobs()
    model = SemiMultiCons().fit(X, constraints=sample_pairs(y, 0.3, 0.3, 0))
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.n_clusters_ == 3
    assert dendrogram_purity(model.tree_, y) == 1
    assert model.levels_.shape == model.base_labels_.shape == (5, 90)
    assert np.array_equal(model.levels_[0], model.labels_)
    assert np.array_equal(model.tree_.labels_at(1), model.labels_)
    assert model.labels_.dtype == np.int32


def test_labels_count():
    X, y = easy_blobs()
    known = np.where(np.arange(90) % 4 == 0, y, -1)
    assert adjusted_rand_score(y, SemiMultiCons().fit_predict(X, known)) == 1


def test_plain_kmeans_below_the_consensus():
    X, y = easy_blobs()
    model = SemiMultiCons(base="kmeans").fit(X, constraints=sample_pairs(y, 0.3, 0.3, 0))
    assert adjusted_rand_score(y, model.labels_) == 1


def test_one_base_clustering_is_the_answer():
    X, y = easy_blobs()
    model = SemiMultiCons(base_clusters=[3]).fit(X)
    assert np.array_equal(model.labels_, model.base_labels_[0])
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.tree_.height == 2


def test_dominated_clusterings_are_dropped_unless_all_are():
    X = np.concatenate((np.random.default_rng(0).normal(size=(95, 2)), np.full((5, 2), 50.0)))
    links = {"must_link": [(95, 96), (0, 1)], "cannot_link": [(0, 95)]}
    two = SemiMultiCons(base_clusters=(2, 2)).fit(X, **links)
    assert len(two.levels_) == 2
    assert sorted(np.bincount(two.labels_)) == [5, 95]
    mixed = SemiMultiCons(base_clusters=(2, 4)).fit(X, **links)
    assert len(mixed.levels_) == 1
    assert len(SemiMultiCons(base_clusters=(2, 4), dominant=1.0).fit(X, **links).levels_) == 2


def test_two_samples():
    model = SemiMultiCons().fit([[0.0], [1.0]])
    assert model.labels_.tolist() == [0, 1]
    assert model.tree_.parent.tolist() == [2, 2, -1]


def test_equal_samples():
    model = SemiMultiCons().fit(np.ones((7, 2)), must_link=[(0, 1)], cannot_link=[(2, 3)])
    assert model.tree_.n_leaves == 7
    assert model.n_clusters_ == model.labels_.max() + 1


def test_one_class_of_labels():
    X, _ = easy_blobs()
    known = np.where(np.arange(90) < 10, 0, -1)
    labels = SemiMultiCons().fit_predict(X, known)
    assert len(set(labels[:10])) == 1


@pytest.mark.parametrize("sizes", [(1, 2), (2.5,), [[2, 3]], (-2,), ()])
def test_base_clusters_are_whole_numbers(sizes):
    with pytest.raises(ValueError, match="must be a list of whole numbers >= 2"):
        SemiMultiCons(base_clusters=sizes).fit(np.eye(5))


@pytest.mark.parametrize("sizes", [(6, 7), (9,)])
def test_some_base_clustering_must_fit(sizes):
    with pytest.raises(ValueError, match="has no number up to n_samples=5"):
        SemiMultiCons(base_clusters=sizes).fit(np.eye(5))


def test_a_seed_repeats():
    X, y = paper_like(150)
    pairs = sample_pairs(y, 0.2, 0.2, 1)
    fits = [SemiMultiCons(random_state=s).fit(X, constraints=pairs) for s in (3, 3, 4)]
    assert np.array_equal(fits[0].tree_.parent, fits[1].tree_.parent)
    assert np.array_equal(fits[0].levels_, fits[1].levels_)
    assert not np.array_equal(fits[0].base_labels_, fits[2].base_labels_)


def paper_like(n):
    """Three classes that overlap."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, n)
    return random.normal(size=(n, 4)) + 1.5 * np.eye(3, 4)[y], y


def test_contradictions_are_refused():
    with pytest.raises(ConstraintConflict):
        SemiMultiCons().fit(np.eye(3), must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


@pytest.mark.golden
@pytest.mark.parametrize("name", ["wine", "heart", "breast-cancer", "australian"])
def test_figures_of_the_independent_port(name):
    """Means over draws within three standard errors of both means."""
    stored = oracle("semimulticons.json")[f"python_port/{name}"]
    X, y = paper_data(name)
    scores = []
    for seed in range(6):
        model = SemiMultiCons(random_state=seed).fit(X, constraints=sample_pairs(y, 0.2, 0.2, seed))
        scores.append(
            (
                dendrogram_purity(model.tree_, y),
                adjusted_rand_score(y, model.labels_),
                normalized_mutual_info_score(y, model.labels_),
            )
        )
    mean = np.mean(scores, axis=0)
    error = np.sqrt(1 / len(scores) + 1 / stored["runs"])
    assert mean[0] == pytest.approx(stored["DP"], abs=3 * error * stored["DP_std"])
    assert mean[1] == pytest.approx(stored["ARI_top"], abs=3 * error * stored["ARI_top_std"])
    assert mean[2] == pytest.approx(stored["NMI_top"], abs=3 * error * stored["ARI_top_std"])
