"""Units: small groups of samples on a tree, and beliefs that are passed along it."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from reference import path_products, random_edges, slow_beliefs
from sentree import Graph, SSEPartition
from sentree._util.labels import follow, renumber
from sentree.search import units as module
from sentree.search.kernels import UnitEdges
from sentree.search.units import Units

X, Y = make_blobs(90, centers=[(0, 0), (3, 0), (9, 0)], random_state=0)


@pytest.mark.parametrize("seed", range(12))
def test_beliefs_are_those_of_all_that_may_have_happened(seed):
    rng = np.random.default_rng(seed)
    n, k = [(1, 3), (2, 2), (4, 4), (5, 3), (6, 2), (6, 3)][seed % 6]
    edges = UnitEdges(*random_edges(rng, n))
    cut, share = rng.random(n - 1), rng.dirichlet(np.ones(k), size=2)
    evidence = rng.random((n, k)) * (rng.random((n, k)) < 0.8) + 1e-6
    if seed >= 6 and n > 2:
        cut[:2] = 0.0, 1.0  # never, and always
    belief, cuts, likelihood = slow_beliefs(edges, cut, share, evidence)
    found = edges.beliefs(cut, share, evidence)
    np.testing.assert_allclose(found.belief, belief, atol=1e-12)
    np.testing.assert_allclose(found.cut, cuts, atol=1e-12)
    assert edges.log_likelihood(cut, share, evidence) == pytest.approx(likelihood, abs=1e-9)


@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_values_reach_along_the_only_way(n):
    rng = np.random.default_rng(n)
    edges = UnitEdges(*random_edges(rng, n))
    kept, value = rng.random(n - 1), rng.random(n)
    product = path_products(edges, kept)
    np.testing.assert_allclose(edges.reached(kept, value), product @ value)
    np.testing.assert_allclose(edges.nearest(kept, value), (product * value).max(axis=1))


def test_evidence_that_nearly_excludes_everything_gives_beliefs():
    edges = UnitEdges(*random_edges(np.random.default_rng(0), 20))
    evidence = np.full((20, 4), 1e-200)
    share = np.tile([0.5, 0.3, 0.2 - 1e-9, 1e-9], (2, 1))
    found = edges.beliefs(np.full(19, 1e-12), share, evidence)
    np.testing.assert_allclose(found.belief.sum(axis=1), 1.0)
    assert np.isfinite(found.cut).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"root": 3}, "root"),
        ({"heavy": np.array([0, 5], dtype=np.int32)}, "out of range"),
        ({"light": np.array([1, -1], dtype=np.int32)}, "out of range"),
        ({"light": np.array([1], dtype=np.int32)}, "differ in number"),
    ],
)
def test_broken_trees_are_refused(change, message):
    ends = np.array([0, 0], dtype=np.int32), np.array([2, 1], dtype=np.int32)
    good = UnitEdges(*ends, 0, np.zeros(2, dtype=bool))
    bad = good._replace(**change)
    with pytest.raises(ValueError, match=message):
        bad.reached(np.ones(2), np.ones(3))
    with pytest.raises(ValueError, match=message):
        bad.beliefs(np.ones(2), np.ones((2, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match="differ in number"):
        good.beliefs(np.ones(1), np.ones((2, 2)), np.ones((3, 2)))


def cliques(*groups, n=None):
    """A graph whose parts do not touch."""
    pairs = [(a, b) for group in groups for a in group for b in group if a < b]
    return Graph.from_edges(pairs, n=n or max(map(max, groups)) + 1)


def free(X, **settings):
    """What is found without constraints."""
    return SSEPartition(**settings).fit(X)._unconstrained


def check(units, result):
    """Check what holds for all trees of units, and that positive odds part the natural clusters."""
    m = units.size.size
    heavy, light, root, between = units.edges
    assert units.size.tolist() == np.bincount(units.unit, minlength=m).tolist()
    assert units.unit[units.typical].tolist() == list(range(m))
    assert sorted([*light.tolist(), root]) == list(range(m))
    parted = set()
    for a, b in zip(heavy.tolist(), light.tolist(), strict=True):
        assert a not in parted
        assert b not in parted
        parted.add(b)
    assert ((units.logit > 0) == between).all()
    assert np.isfinite(units.logit).all()
    up = np.arange(m, dtype=np.int32)
    joined = units.logit < 0
    up[light[joined]] = heavy[joined]
    assert renumber(units.cluster[units.unit]).tolist() == renumber(result.natural).tolist()
    found = renumber(follow(up)[units.unit])
    assert found.tolist() == renumber(result.natural).tolist()


@pytest.mark.filterwarnings("ignore:.*no neighbour", "ignore:.*do not touch")
@pytest.mark.parametrize(
    ("X", "settings"),
    [
        pytest.param(X, {}, id="samples"),
        pytest.param(np.repeat(X[::3], 4, axis=0), {}, id="copies"),
        pytest.param([[0.0], [1.0]], {}, id="two samples"),
        pytest.param([[0.0], [1.0], [1.0]], {}, id="three samples"),
        pytest.param(np.ones((6, 2)), {}, id="one row"),
        pytest.param(
            cliques(range(5), range(5, 12), [12, 13], n=16), {"affinity": "precomputed"}, id="parts"
        ),
    ],
)
def test_units_are_a_tree_over_the_natural_clusters(X, settings):
    result = free(X, **settings)
    units = Units.of(result)
    check(units, result)
    assert units.single
    assert units.size.size == np.unique(result.vertex).size
    # Copies, and nothing else, share a unit.
    assert renumber(units.unit).tolist() == renumber(result.vertex).tolist()


@pytest.mark.parametrize("few_modules", [0, 2_000])
def test_parts_of_modules_are_units_where_samples_are_many(few_modules, monkeypatch):
    monkeypatch.setattr(module, "_MOST_SINGLE", 50)
    monkeypatch.setattr(module, "_FEW_MODULES", few_modules)
    result = free(X)
    units = Units.of(result)
    check(units, result)
    assert not units.single
    n_modules = int(result.found.labels.max()) + 1
    assert n_modules <= units.size.size < 90
    homes = {
        (unit, (one, other))
        for unit, one, other in zip(units.unit, result.modules, result.natural, strict=True)
    }
    assert len(homes) == units.size.size  # a unit lies in one module and one natural cluster
    if not few_modules:
        assert len({home for _, home in homes}) == units.size.size


def test_the_odds_of_a_cut_fall_with_the_contact():
    bridged = [(0, 3, 0.1), (0, 4, 2.0)]
    odds = []
    for a, b, weight in bridged:
        pairs = [(i, j) for i in range(3) for j in range(i)]
        pairs += [(i, j) for i in range(3, 6) for j in range(3, i)]
        weights = [1.0] * len(pairs) + [weight]
        graph = Graph.from_edges([*pairs, (a, b)], weights)
        units = Units.of(free(graph, affinity="precomputed"))
        odds.append(units.logit[-1])  # the last union is that of the two triangles
    assert odds[0] > odds[1]
