"""The paper's figures and the stored oracles, on the paper's data sets."""

import functools

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from paper_data import oracle, paper_data
from sentree import (
    Constraints,
    dendrogram_purity,
)
from sentree.datasets import PAPER_SETS, sample_labels, sample_pairs
from sentree.paper import (
    PaperHierarchy,
    PaperPartition,
    estimators,
    paper_graph,
    paper_neighbors,
)
from sentree.paper.lowest import lowest
from sentree.paper.relation import relation_by_similarity
from sentree.search.objective import tree_objective, vertex_entropy

pytestmark = pytest.mark.golden


def paper_partition(name, **options):
    record = PAPER_SETS[name]
    rna = record.kind == "rna"
    return PaperPartition(
        affinity="cosine" if rna else "gaussian",
        n_neighbors=paper_neighbors(record.n, record.k),
        must_link_first=rna,
        **options,
    )


@functools.cache
def graph_of(name):
    """The graph of a set, and its similarities: tests of a set differ in what they do with it."""
    model = paper_partition(name)
    return paper_graph(paper_data(name)[0], model.n_neighbors, model.affinity)


@pytest.fixture
def one_graph(monkeypatch, name):
    """Let fits take the graph that was built for the set."""
    monkeypatch.setattr(estimators, "paper_graph", lambda *_, **__: graph_of(name))


# modules, ARI, NMI of plain SE by merging alone, as printed (human_kidney's NMI is printed as
# 72.86; the stored run of an independent implementation gives 72.09)
SE = {
    "Yale": (17, 28.12, 54.78),
    "ORL": (52, 59.15, 85.31),
    "COIL20": (18, 68.22, 86.34),
    "Isolet1": (18, 56.01, 83.14),
    "OpticalDigits": (8, 69.89, 79.69),
    "10X_PBMC": (4, 63.89, 74.80),
    "mouse_bladder": (11, 67.41, 77.13),
    "worm_neuron": (76, 20.90, 41.70),
    "human_kidney": (11, 54.20, 72.09),
}


@pytest.mark.parametrize("name", SE)
def test_plain_entropy_to_both_decimals(name):
    X, y = paper_data(name)
    model = paper_partition(name, moving=False).fit(X)
    modules, ari, nmi = SE[name]
    assert model.n_clusters_ == modules
    assert round(100 * adjusted_rand_score(y, model.labels_), 2) == ari
    assert round(100 * normalized_mutual_info_score(y, model.labels_), 2) == nmi


@pytest.mark.parametrize("record", range(4))
def test_plain_entropy_of_the_rna_sets(record):
    stored = oracle("se_partition_rnaseq.json")[record]
    X, _ = paper_data(stored["dataset"])
    model = paper_partition(stored["dataset"], moving=False).fit(X)
    assert model.graph_.n_edges == stored["edges"]
    assert model.graph_.volume == pytest.approx(stored["volume"], rel=1e-12)
    assert model.entropy_ == pytest.approx(stored["H"], rel=1e-12)


@pytest.mark.parametrize("record", range(17))
def test_stored_constraints(record):
    stored = oracle("se_partition.json")["sets"][record]
    X, y = paper_data(stored["dataset"])
    given = Constraints.from_pairs(stored["must_link"], stored["cannot_link"])
    closure = given.closure(stored["n"])
    assert 2 * len(closure.must_pairs()[0]) == stored["closure_must_ordered"]
    assert 2 * len(closure.cannot_pairs()[0]) == stored["closure_cannot_ordered"]
    model = PaperPartition(n_neighbors=stored["p"], moving=False).fit(X, constraints=given)
    expected = stored["merge"]
    assert abs(model.n_clusters_ - expected["modules"]) <= 1
    assert model.objective_ == pytest.approx(expected["L"], rel=0.005)
    # Far closer in fact: the stored program differs by single precision alone.
    assert model.objective_ == pytest.approx(expected["L"], rel=2e-4)
    ari = adjusted_rand_score(y, model.labels_)
    assert ari == pytest.approx(expected["ari"], abs=2e-3)


# DP, ARI, NMI of Table 3's SE row with more digits, height of the binary tree, objectives
HIERARCHY = {
    "wine": (0.848677, 0.738453, 0.741890, 42, 7.4002656, 4.6644355, 6.1224996),
    "heart": (0.619669, 0.077033, 0.212962, 48, 8.0281940, 4.9645616, 6.4087440),
    "breast-cancer": (0.957525, 0.879967, 0.809347, 122, 9.3619564, 5.1810927, 8.5537818),
    "australian": (0.570174, 0.019484, 0.080320, 72, 9.3890974, 5.2023735, 8.1433038),
}


@pytest.mark.parametrize("name", HIERARCHY)
def test_plain_hierarchy(name):
    X, y = paper_data(name)
    model = PaperHierarchy().fit(X)
    dp, ari, nmi, height, star, binary, flat = HIERARCHY[name]
    assert dendrogram_purity(model.binary_tree_, y) == pytest.approx(dp, abs=1e-6)
    assert adjusted_rand_score(y, model.labels_) == pytest.approx(ari, abs=1e-6)
    assert normalized_mutual_info_score(y, model.labels_) == pytest.approx(nmi, abs=1e-6)
    assert model.binary_tree_.height == height
    # The stored objectives count self-loops as cuts, which adds a constant.
    graph = model.graph_
    loops = np.sum((graph.degree - graph.strength) * np.log2(graph.volume / graph.degree))
    loops /= graph.volume
    assert vertex_entropy(graph) == pytest.approx(star, abs=1e-6)
    assert tree_objective(model.binary_tree_).value + loops == pytest.approx(binary, abs=1e-6)
    assert model.objective_ + loops == pytest.approx(flat, abs=1e-6)


def test_the_self_loops_matter():
    X, y = paper_data("heart")
    preset = PaperHierarchy().fit(X)
    plain = PaperHierarchy(affinity="precomputed").fit(preset.graph_.to_scipy())
    assert dendrogram_purity(plain.binary_tree_, y) == pytest.approx(0.621491, abs=1e-6)
    assert plain.n_clusters_ == 41


# Mean ARI over draws of the authors' program (pairs, labels), run elsewhere. For mouse_bladder that
# run gave 69.6 with pairs where the paper prints 62.33; the same steps repeated give 65.7, so
# the printed figure is the one to hold there, and no figure was measured for its labels.
PROGRAM = {
    "Yale": (37.1, 30.9),
    "ORL": (65.0, 60.5),
    "COIL20": (76.8, 76.5),
    "Isolet1": (60.2, 60.7),
    "OpticalDigits": (80.8, 65.7),
    "10X_PBMC": (75.2, 70.5),
    "mouse_bladder": (62.33, 63.11),
    "worm_neuron": (29.5, 15.8),
    "human_kidney": (62.8, 57.7),
}


@pytest.mark.slow
@pytest.mark.usefixtures("one_graph")
@pytest.mark.parametrize("kind", ["pairs", "labels"])
@pytest.mark.parametrize("name", PROGRAM)
def test_constrained_partition_is_as_accurate_as_the_authors(name, kind):
    X, y = paper_data(name)
    scores = []
    for draw in range(10):
        sample, share = (sample_pairs, 0.2) if kind == "pairs" else (sample_labels, 0.1)
        given = sample(y, share, share, draw)
        model = paper_partition(name).fit(X, constraints=given)
        scores.append(100 * adjusted_rand_score(y, model.labels_))
    assert np.mean(scores) > PROGRAM[name][kind == "labels"] - 3


@pytest.mark.usefixtures("one_graph")
@pytest.mark.parametrize("kind", ["pairs", "labels"])
@pytest.mark.parametrize("name", PROGRAM)
def test_multilevel_ends_no_higher_than_the_paper(name, kind):
    X, y = paper_data(name)
    sample, share = (sample_pairs, 0.2) if kind == "pairs" else (sample_labels, 0.1)
    given = sample(y, share, share, 0)
    model = paper_partition(name).fit(X, constraints=given)
    graph, similarity = graph_of(name)
    relation = relation_by_similarity(given, len(y), similarity)
    found = lowest(graph, relation, must_link_first=model.must_link_first)
    assert found.objective <= model.objective_ + 1e-12


@pytest.mark.parametrize(
    ("name", "printed"),
    [("wine", 92.9), ("heart", 71.9), ("breast-cancer", 96.5), ("australian", 74.5)],
)
def test_constrained_hierarchy_is_as_pure_as_printed(name, printed):
    X, y = paper_data(name)
    scores = []
    for draw in range(10):
        given = sample_pairs(y, 0.2, 0.2, draw)
        model = PaperHierarchy().fit(X, constraints=given)
        scores.append(100 * dendrogram_purity(model.binary_tree_, y))
    assert np.mean(scores) > printed - 1.5


def test_leaf_penalty_variant_steadies_breast_cancer():
    X, y = paper_data("breast-cancer")
    scores = {}
    for leaf_penalty in (False, True):
        runs = []
        for draw in range(10):
            given = sample_pairs(y, 0.2, 0.2, draw)
            model = PaperHierarchy(leaf_penalty=leaf_penalty)
            runs.append(adjusted_rand_score(y, model.fit(X, constraints=given).labels_))
        scores[leaf_penalty] = runs
    assert np.std(scores[True]) < np.std(scores[False])
    assert np.mean(scores[True]) == pytest.approx(0.876, abs=0.02)
