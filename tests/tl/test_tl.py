"""sentree.tl on real scanpy data and graphs."""

import doctest
import json
import re
import subprocess
import sys
from itertools import pairwise

import anndata
import numpy as np
import pandas as pd
import pytest
import scanpy as sc
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

import sentree
from sentree import Constraints, EncodingTree, SSEHierarchy, SSEPartition
from sentree.metrics import dendrogram_purity
from sentree.tl.adata import natural_order

# Warnings of other packages about themselves; ours stay errors.
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning:(scanpy|anndata|legacy_api_wrap|treedata)"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:(scanpy|anndata|numba|umap|treedata)"),
]
UNSTABLE = "ignore:.*[Zz]arr.*"


@pytest.fixture(scope="module")
def pbmc():
    return sc.datasets.pbmc68k_reduced()


def with_known(pbmc, seed):
    """Cells of which a tenth have a known type."""
    cells = pbmc.copy()
    known = np.random.default_rng(seed).random(cells.n_obs) < 0.1
    types = cells.obs["bulk_labels"].astype(str)
    cells.obs["known"] = pd.Categorical(np.where(known, types, "Unknown"))
    return cells


@pytest.fixture
def adata(pbmc):
    return with_known(pbmc, 1)


@pytest.fixture
def small():
    """Thirty cells in three blocks that hang together, two of each labelled."""
    blocks = np.kron(np.eye(3), np.ones((10, 10)))
    for a, b in ((9, 10), (19, 20)):
        blocks[a, b] = blocks[b, a] = 0.5
    cells = anndata.AnnData(np.zeros((30, 1)))
    cells.obs_names = [f"cell {row}" for row in range(30)]
    cells.obsp["connectivities"] = sp.csr_matrix(blocks - np.diag(np.diag(blocks)))
    cells.obs["known"] = "Unknown"
    for row in (0, 1, 10, 11, 20, 21):
        cells.obs.loc[f"cell {row}", "known"] = "ABC"[row // 10]
    cells.obs["block"] = pd.Categorical(np.repeat(["a", "b", "c"], 10))
    return cells


def test_held_out_types_are_found_better_with_labels_than_without(pbmc):
    """On the graph of sc.pp.neighbors that comes with the cells; both know how many types."""
    scores = []
    for seed in range(5):
        cells = with_known(pbmc, seed)
        held = (cells.obs["known"] == "Unknown").to_numpy()
        truth = cells.obs["bulk_labels"].astype(str)[held]
        n_types = cells.obs["known"].nunique() - 1
        sentree.tl.sse(cells, key_added="free", n_clusters=n_types)
        sentree.tl.sse(cells, labels_key="known", n_clusters=n_types)
        ari = [adjusted_rand_score(truth, cells.obs[key][held]) for key in ("free", "sse")]
        scores.append([*ari, np.mean(truth == cells.obs["sse_label"].astype(str)[held])])
        assert cells.uns["sse"]["params"]["graph"] == "obsp['connectivities']"
    free, labelled, accuracy = np.mean(scores, axis=0)
    assert labelled > free
    assert accuracy > 0.7


def test_columns_look_like_those_of_leiden(adata):
    sc.tl.leiden(adata, flavor="igraph", n_iterations=2)
    assert sentree.tl.sse(adata) is None
    ours, theirs = adata.obs["sse"], adata.obs["leiden"]
    assert isinstance(ours.dtype, pd.CategoricalDtype)
    assert ours.cat.categories.dtype == theirs.cat.categories.dtype
    k = ours.nunique()
    assert k > 10  # so that natural order differs from the alphabetical one
    assert list(ours.cat.categories) == [str(i) for i in range(k)]
    sizes = ours.value_counts().reindex(ours.cat.categories).to_numpy()
    assert (np.diff(sizes) <= 0).all()
    assert set(adata.uns["leiden"]) <= set(adata.uns["sse"])
    assert adata.uns["sse"]["params"]["random_state"] == 0
    assert "sse_label" not in adata.obs
    model = SSEPartition(affinity="precomputed", random_state=0).fit(adata.obsp["connectivities"])
    assert adjusted_rand_score(model.labels_, ours) == 1
    np.testing.assert_array_equal(adata.obs["sse_strength"], model.membership_strength_)
    assert adata.uns["sse"]["objective"] == model.objective_


def test_a_copy_leaves_the_original_alone(adata):
    before = adata.obs.columns.tolist()
    made = sentree.tl.sse(adata, copy=True)
    assert "sse" in made.obs
    assert adata.obs.columns.tolist() == before
    assert "sse" not in adata.uns


def test_statements_of_every_kind_count_and_are_listed_by_name(adata):
    names = adata.obs_names
    adata.obs["metacell"] = None
    adata.obs.loc[names[[10, 11, 12]], "metacell"] = "a"
    adata.obs.loc[names[20], "metacell"] = "b"
    adata.obs.loc[names[[30, 31]], "metacell"] = "Unknown"
    sentree.tl.sse(
        adata,
        labels_key="known",
        must_link=[(names[0], names[1]), (5, 9)],
        cannot_link=pd.DataFrame({"x": names[[3]], "y": names[[4]]}),
        not_label=[(names[7], "CD19+ B")],
        groups_key="metacell",
        constraints=Constraints.from_groups(apart=[(100, 200, 300)]),
    )
    found = adata.uns["sse"]
    labelled = int((adata.obs["known"] != "Unknown").sum())
    given = {"must_link": 2, "cannot_link": 1, "together": 3, "apart": 1}
    given |= {"labels": labelled, "negative_labels": 1}
    assert found["constraints"]["given"].to_dict() == given
    tables = found["statements"]
    assert tables["must_link"][["cell", "other"]].to_numpy().tolist() == [
        [names[0], names[1]],
        [names[5], names[9]],
    ]
    assert set(tables["together"]["cell"]) == set(names[[10, 11, 12]])
    cluster = adata.obs["sse"]
    for kind, same in (("must_link", True), ("cannot_link", False)):
        for row in tables[kind].itertuples():
            assert row.kept == ((cluster[row.cell] == cluster[row.other]) == same)
    for kind, table in tables.items():
        assert table.loc[~table["kept"], "cell"].tolist() == found["broken"][kind]["cell"].tolist()
        if kind != "apart":  # counted in groups, listed by member
            kept = int(found["constraints"].loc[kind, "kept"])
            assert int(table["kept"].sum()) == kept
    read = sentree.tl.get_constraints(adata)
    assert {k: v for k, v in read.counts.items() if v} == given | {"together": 1}


def test_hard_constraints_all_hold(adata):
    sentree.tl.sse(adata, labels_key="known", hard=True)
    counts = adata.uns["sse"]["constraints"]
    assert (counts["given"] == counts["kept"]).all()
    assert len(adata.uns["sse"]["broken"]["labels"]) == 0
    known = adata.obs["known"] != "Unknown"
    assert (adata.obs["sse_label"].astype(str) == adata.obs["known"].astype(str))[known].all()


def test_pairs_from_obsp_are_weighted_and_count_once(adata):
    n = adata.n_obs
    linked = sp.csr_matrix(([2.0, 2.0, 0.5], ([0, 1, 2], [1, 0, 3])), shape=(n, n))
    adata.obsp["linked"] = linked
    sentree.tl.sse(adata, must_link="linked")
    table = adata.uns["sse"]["statements"]["must_link"]
    names = adata.obs_names
    assert table[["cell", "other"]].to_numpy().tolist() == [
        [names[0], names[1]],
        [names[2], names[3]],
    ]
    weighted = Constraints.from_pairs([(0, 1), (2, 3)], weights=[2.0, 0.5])
    model = SSEPartition(affinity="precomputed", random_state=0)
    model.fit(adata.obsp["connectivities"], constraints=weighted)
    assert adata.uns["sse"]["objective"] == model.objective_


def test_clusters_without_a_label_are_new(adata):
    types = adata.obs["bulk_labels"].astype(str)
    adata.obs["known"] = np.where(types == "CD19+ B", types, None)
    sentree.tl.sse(adata, labels_key="known", n_clusters=4)
    label, cluster = adata.obs["sse_label"], adata.obs["sse"]
    assert label.cat.categories[0] == "CD19+ B"
    new = [name for name in label.cat.categories if name.startswith("new ")]
    assert len(new) == 3
    for name in new:
        assert set(cluster[label == name]) == {name.removeprefix("new ")}


def test_a_class_called_new_is_not_taken_for_a_new_cluster(adata):
    b_cells = adata.obs["bulk_labels"] == "CD19+ B"
    for name in ("new 0", "new 1", "new 2", "new 3"):
        adata.obs["known"] = np.where(b_cells, name, None)
        sentree.tl.sse(adata, labels_key="known", n_clusters=4)
        assert adata.obs["sse_label"].nunique() == 4


def test_labels_of_an_earlier_call_do_not_stay(adata):
    sentree.tl.sse(adata, labels_key="known")
    assert "sse_label" in adata.obs
    sentree.tl.sse(adata)
    assert "sse_label" not in adata.obs


def test_restrict_to_names_clusters_as_leiden_does(adata):
    chosen = ("louvain", ["1", "3"])
    sc.tl.leiden(adata, restrict_to=chosen, flavor="igraph", n_iterations=2)
    sentree.tl.sse(adata, restrict_to=chosen)
    ours, theirs = adata.obs["sse_R"], adata.obs["leiden_R"]
    inside = adata.obs["louvain"].isin(chosen[1])
    assert ours[~inside].astype(str).tolist() == theirs[~inside].astype(str).tolist()
    assert ours[inside].str.fullmatch(r"1-3,\d+").all()
    assert theirs[inside].str.fullmatch(r"1-3,\d+").all()
    outside = [c for c in theirs.cat.categories if "," not in c]
    assert [c for c in ours.cat.categories if "," not in c] == outside
    strength = adata.obs["sse_R_strength"]
    assert strength[~inside].isna().all()
    assert strength[inside].notna().all()
    part = adata[inside.to_numpy()].copy()
    sentree.tl.sse(part)
    assert adjusted_rand_score(part.obs["sse"], ours[inside]) == 1
    sentree.tl.sse(adata, restrict_to=chosen, key_added="mine")
    assert "mine" in adata.obs


def test_restrict_to_reduces_constraints_and_counts_those_outside(adata):
    inside = adata.obs["louvain"].isin(["1", "3"]).to_numpy()
    here, there = np.flatnonzero(inside)[:4], np.flatnonzero(~inside)[:2]
    with pytest.warns(UserWarning, match="2 of 3 constraints are about cells outside"):
        sentree.tl.sse(
            adata,
            restrict_to=("louvain", ["1", "3"]),
            must_link=[here[:2], (here[2], there[0])],
            cannot_link=[there],
            labels_key="known",
        )
    found = adata.uns["sse_R"]["statements"]
    assert found["must_link"]["cell"].tolist() == [adata.obs_names[here[0]]]
    assert "cannot_link" not in found
    assert set(found["labels"]["cell"]) <= set(adata.obs_names[inside])
    assert len(found["labels"]) == int((adata.obs["known"] != "Unknown")[inside].sum())


def everything(adata):
    inside = adata.obs["louvain"].isin(["1", "3"]).to_numpy()
    sentree.tl.sse(adata, labels_key="known", must_link=[(0, 1)], not_label=[(5, "CD19+ B")])
    rows = np.flatnonzero(inside)
    sentree.tl.sse(adata, restrict_to=("louvain", ["1", "3"]), cannot_link=[rows[:2]])
    sentree.tl.sse_tree(adata, labels_key="known")


def same(first, second):
    """Compare nested dicts of arrays, tables and numbers."""
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for key in first:
            same(first[key], second[key])
    elif isinstance(first, pd.DataFrame):
        pd.testing.assert_frame_equal(
            first, second, check_dtype=False, check_names=False, check_index_type=False
        )
    else:
        np.testing.assert_array_equal(first, second)


@pytest.mark.filterwarnings(UNSTABLE)
@pytest.mark.parametrize("kind", ["h5ad", "zarr"])
def test_results_survive_a_file(adata, tmp_path, kind):
    everything(adata)
    path = tmp_path / f"cells.{kind}"
    getattr(adata, f"write_{kind}")(path)
    read = getattr(anndata, f"read_{kind}")(path)
    for key in ("sse", "sse_R", "sse_tree"):
        same(adata.uns[key], read.uns[key])
    ours = [name for name in adata.obs if str(name).startswith("sse")]
    assert len(ours) == 3 + 2 + 3 + 4
    pd.testing.assert_frame_equal(adata.obs[ours], read.obs[ours], check_names=False)
    assert sentree.tl.get_tree(read).to_json() == sentree.tl.get_tree(adata).to_json()
    before, after = (sentree.tl.get_constraints(a) for a in (adata, read))
    assert repr(before) == repr(after)
    report = after.satisfaction(read.obs["sse"].astype(str))
    assert report.kept["labels"] == adata.uns["sse"]["constraints"].loc["labels", "kept"]


@pytest.mark.parametrize("mode", ["r", "r+"])
@pytest.mark.parametrize("sparse", [False, True])
def test_backed_and_sparse(pbmc, tmp_path, mode, sparse):
    cells = anndata.AnnData(
        sp.csr_matrix(pbmc.X) if sparse else pbmc.X, obs=pbmc.obs[["bulk_labels"]]
    )
    with pytest.warns(UserWarning, match="made its own from X "):
        sentree.tl.sse(cells)
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = sc.read_h5ad(tmp_path / "cells.h5ad", backed=mode)
    with pytest.warns(UserWarning, match="made its own from X "):
        sentree.tl.sse(backed, key_added="again")
    assert backed.isbacked
    assert backed.obs["again"].tolist() == cells.obs["sse"].tolist()
    backed.obsp["connectivities"] = pbmc.obsp["connectivities"]
    sentree.tl.sse(backed, labels_key="bulk_labels", key_added="third")
    assert "third_label" in backed.obs
    backed.file.close()


def test_views_become_copies_as_with_scanpy(adata):
    view = adata[adata.obs["louvain"].isin(["1", "3"])]
    assert view.is_view
    with pytest.warns(anndata.ImplicitModificationWarning):
        sentree.tl.sse(view)
    assert not view.is_view
    assert "sse" in view.obs
    assert "sse" not in adata.obs


def test_a_graph_is_made_where_there_is_none(adata):
    bare = anndata.AnnData(adata.X, obs=adata.obs, obsm={"X_pca": adata.obsm["X_pca"]})
    with pytest.warns(UserWarning, match=r"no neighbours graph.*obsm\['X_pca'\].*sc.pp.neighbors"):
        sentree.tl.sse(bare)
    assert not bare.obsp
    assert bare.uns["sse"]["params"]["graph"] == "obsm['X_pca']"
    model = SSEPartition(affinity="gaussian", random_state=0).fit(adata.obsm["X_pca"])
    assert adjusted_rand_score(model.labels_, bare.obs["sse"]) == 1


def test_which_graph_is_used(adata):
    # The default method of scanpy would compile for half a minute.
    sc.pp.neighbors(adata, 5, key_added="few", method="gauss", transformer="sklearn")
    few = adata.obsp["few_connectivities"]
    expected = SSEPartition(affinity="precomputed", random_state=0).fit(few).labels_
    for choice in ({"neighbors_key": "few"}, {"obsp": "few_connectivities"}, {"adjacency": few}):
        sentree.tl.sse(adata, **choice)
        assert adjusted_rand_score(adata.obs["sse"], expected) == 1
    sentree.tl.sse(adata)
    assert adjusted_rand_score(adata.obs["sse"], expected) < 1


def test_graphs_of_old_files(adata):
    old = anndata.AnnData(adata.X, obs=adata.obs)
    old.uns["neighbors"] = {"connectivities": adata.obsp["connectivities"]}
    sentree.tl.sse(old)
    sentree.tl.sse(adata)
    assert old.obs["sse"].tolist() == adata.obs["sse"].tolist()


def test_cells_without_neighbours_are_alone(adata):
    graph = sp.lil_matrix(adata.obsp["connectivities"])
    graph[7, :] = 0
    graph[:, 7] = 0
    with pytest.warns(UserWarning, match="1 of 700 samples have no neighbour"):
        sentree.tl.sse(adata, adjacency=graph.tocsr())
    assert (adata.obs["sse"] == adata.obs["sse"].iloc[7]).sum() == 1


def test_wrong_keys_name_near_ones(adata):
    def fails(error, match, **arguments):
        with pytest.raises(error, match=match):
            sentree.tl.sse(adata, **arguments)

    fails(KeyError, "did you mean 'bulk_labels'", labels_key="bulk_label")
    fails(KeyError, "did you mean 'phase'", groups_key="Phase")
    fails(KeyError, "did you mean 'connectivities'", obsp="connectivitys")
    fails(KeyError, "did you mean 'neighbors'", neighbors_key="neighbours")
    fails(KeyError, "did you mean 'distances'", must_link="distance")
    fails(ValueError, "can't specify both obsp, neighbors_key", obsp="a", neighbors_key="b")
    fails(KeyError, "did you mean 'louvain'", restrict_to=("louvian", ["1"]))
    fails(ValueError, "'99' is not a valid category for 'louvain'", restrict_to=("louvain", ["99"]))
    fails(ValueError, "strings", restrict_to=("louvain", [1]))
    fails(ValueError, "strings", restrict_to=("louvain", "1"))
    fails(ValueError, "not categorical", restrict_to=("n_genes", ["1"]))
    fails(ValueError, r"shape \(3, 3\), but there are 700", adjacency=sp.eye(3, format="csr"))
    near = re.escape(adata.obs_names[0])
    fails(ValueError, near, must_link=[(adata.obs_names[0][:-1] + "X", 1)])
    fails(ValueError, "row 1 is .*expected two cells", cannot_link=[(0, 1), (1, 2, 3)])
    fails(ValueError, "an obs name or a row number", must_link=[(0, 1.5)])
    fails(ValueError, "only 700 samples", must_link=[(0, 700)])
    fails(TypeError, "sentree.Constraints", constraints=[(0, 1)])
    fails(ValueError, "continuous", labels_key="percent_mito")
    fails(ValueError, r"\(column, list of categories\)", restrict_to="louvain")
    fails(ValueError, r"\(column, list of categories\)", restrict_to=("louvain", []))
    fails(
        TypeError, r"labels_key must be the name of one column.*\['known'\]", labels_key=["known"]
    )
    fails(ValueError, "cell True, expected an obs name or a row number", must_link=[(True, False)])
    dense = np.zeros((adata.n_obs, adata.n_obs))
    fails(ValueError, r"shape \(700, 700\), expected two columns.*sparse", must_link=dense)
    below = sp.csr_matrix(([-1.0], ([0], [1])), shape=dense.shape)
    fails(ValueError, "holds -1 for cells .*weights must be > 0", must_link=below)
    assert "sse" not in adata.obs


def test_contradictions_name_the_cells(adata):
    a, b = adata.obs_names[[3, 5]]
    with pytest.raises(sentree.ConstraintConflict, match=f"{a} and {b} must link"):
        sentree.tl.sse(adata, must_link=[(a, b)], cannot_link=[(a, b)])


def test_what_is_not_anndata_is_refused():
    with pytest.raises(TypeError, match="expected an AnnData, got ndarray.*SSEPartition"):
        sentree.tl.sse(np.zeros((3, 3)))


def test_names_must_be_unique_to_be_used(adata):
    adata.obs_names = ["twice"] * 2 + list(adata.obs_names[2:])
    with pytest.raises(ValueError, match="obs_names_make_unique"):
        sentree.tl.sse(adata, must_link=[("twice", adata.obs_names[5])])
    sentree.tl.sse(adata, must_link=[(0, 5)])


def test_a_near_miss_of_the_unknown_category_is_named(adata):
    adata.obs["known"] = adata.obs["known"].cat.rename_categories({"Unknown": "unknown"})
    with pytest.warns(UserWarning, match="pass unlabeled_category='unknown'"):
        sentree.tl.sse(adata, labels_key="known", n_clusters=10)
    sentree.tl.sse(adata, labels_key="known", unlabeled_category="unknown")
    assert "unknown" not in set(adata.obs["sse_label"])


def test_an_unknown_category_that_does_not_occur_is_fine(adata):
    sentree.tl.sse(adata, labels_key="bulk_labels", unlabeled_category="nobody")
    assert adata.uns["sse"]["constraints"].loc["labels", "given"] == 700
    adata.obs["none"] = "Unknown"
    with pytest.warns(UserWarning, match="no known label"):
        sentree.tl.sse(adata, labels_key="none")


@pytest.mark.filterwarnings("ignore:the clusters break")
@pytest.mark.parametrize("kind", [int, float, str])
def test_a_column_of_numbers_that_all_differ_is_taken_for_a_measurement(adata, kind):
    n = adata.n_obs
    adata.obs["n_counts"] = (np.random.default_rng(0).permutation(n) + 1000).astype(kind)
    adata.obs["seventh"] = (np.arange(n) % 70).astype(kind)  # many classes, but shared ones
    warning = f"'n_counts'.* {n} different numbers for {n} cells, which looks like a measurement"
    for cluster in (sentree.tl.sse, sentree.tl.sse_tree):
        with pytest.warns(UserWarning, match=warning):
            cluster(adata, labels_key="n_counts")
    sentree.tl.sse(adata, labels_key="seventh")


@pytest.mark.parametrize("kind", [int, float, object])
def test_minus_one_is_unknown(small, kind):
    code = np.where(small.obs["known"] == "Unknown", -1, small.obs["block"].cat.codes)
    small.obs["code"] = code.astype(kind)
    sentree.tl.sse(small, labels_key="code")
    assert small.uns["sse"]["constraints"].loc["labels", "given"] == 6
    assert set(small.obs["sse_label"]) == {"0", "1", "2"}
    sentree.tl.sse(small, groups_key="code")
    assert small.uns["sse"]["constraints"].loc["together", "given"] == 6
    small.obs["code"] = code + 1
    sentree.tl.sse(small, labels_key="code", unlabeled_category="0")  # as text, whatever it is
    assert small.uns["sse"]["constraints"].loc["labels", "given"] == 6


@pytest.mark.parametrize("word", ["unassigned", "?", "nan", "", "-1", "NA"])
def test_words_for_unknown_are_classes_with_a_warning(small, word):
    small.obs["known"] = small.obs["known"].replace("Unknown", word)
    advice = re.escape(f"pass unlabeled_category={word!r}, or")
    with pytest.warns(UserWarning, match=advice) as caught:
        sentree.tl.sse(small, labels_key="known")
    assert [found.filename for found in caught] == [__file__]
    assert word in small.obs["sse_label"].cat.categories
    sentree.tl.sse(small, labels_key="known", unlabeled_category=word)
    assert set(small.obs["sse_label"]) == {"A", "B", "C"}


def test_mistyped_classes_are_doubted(small):
    small.obs["known"] = ["Dendritic"] * 9 + ["dendritic "] + ["Monocyte"] * 20
    with pytest.warns(UserWarning, match="'dendritic ' in row 9 .* 'Dendritic' 9 times"):
        sentree.tl.sse(small, labels_key="known")
    small.obs.loc["cell 9", "known"] = "Dendritic"
    with pytest.warns(UserWarning, match="not to be 'Monocyt'.*did you mean 'Monocyte'"):
        sentree.tl.sse(small, labels_key="known", not_label=[(0, "Monocyt")])
    sentree.tl.sse(small, labels_key="known", not_label=[(0, "Monocyte")])


def test_columns_that_are_read_are_not_written(small):
    small.obs["ct_label"] = small.obs["known"]
    small.obs["sse_tree_L1"] = small.obs["known"]
    before = small.obs.copy()

    def refused(function, **arguments):
        with pytest.raises(ValueError, match=r"would take the place of obs\['.*other key_added"):
            function(small, **arguments)

    refused(sentree.tl.sse, labels_key="known", key_added="known")
    refused(sentree.tl.sse, labels_key="ct_label", key_added="ct")
    refused(sentree.tl.sse, groups_key="block", key_added="block")
    refused(sentree.tl.sse, restrict_to=("block", ["a"]), key_added="block")
    refused(sentree.tl.sse_tree, labels_key="sse_tree_L1")
    pd.testing.assert_frame_equal(small.obs, before)


def test_only_our_own_columns_are_removed(small):
    small.uns["leiden"] = {"params": {"resolution": 1.0}}  # of scanpy
    small.obs["leiden_label"] = "mine"
    sentree.tl.sse(small, key_added="leiden")
    assert set(small.obs["leiden_label"]) == {"mine"}
    sentree.tl.sse_tree(small, labels_key="known")
    small.obs["sse_tree_Large"] = 1
    sentree.tl.sse(small, key_added="sse_tree")  # has neither levels nor labels
    left = {name for name in small.obs if name.startswith("sse_tree")}
    assert left == {"sse_tree", "sse_tree_strength", "sse_tree_Large"}


def test_names_of_clusters_do_not_depend_on_hashes():
    names = ["01", "1", "a1", "a01", "001"]
    assert [natural_order(order) for order in (names, names[::-1])] == [
        ["001", "01", "1", "a01", "a1"]
    ] * 2


def test_clusters_and_the_first_level_have_the_same_numbers(pbmc):
    cells = pbmc.copy()
    sentree.tl.sse_tree(cells, height=2)
    sizes = cells.obs["sse_tree"].value_counts()
    assert sizes.duplicated().any()  # else there is nothing to tell
    assert cells.obs["sse_tree"].tolist() == cells.obs["sse_tree_L1"].tolist()


def test_seeds_that_files_cannot_hold_are_refused(small, tmp_path):
    with pytest.raises(TypeError, match="random_state must be an int or None, got RandomState"):
        sentree.tl.sse(small, random_state=np.random.RandomState(0))
    sentree.tl.sse(small, random_state=np.int64(3))
    small.write_h5ad(tmp_path / "cells.h5ad")


def test_a_run_can_be_repeated_from_its_file(small, tmp_path):
    parents = {"A": "top", "B": "top", "C": None}
    sentree.tl.sse_tree(
        small, labels_key="known", ontology=pd.DataFrame(parents.items()), penalty=0.5, height=3
    )
    small.obs["known"] = small.obs["known"].replace("Unknown", "later")
    sentree.tl.sse(small, labels_key="known", unlabeled_category="later", penalty=2.0)
    small.write_h5ad(tmp_path / "cells.h5ad")
    read = anndata.read_h5ad(tmp_path / "cells.h5ad")
    read.obs["known"] = read.obs["known"].astype(str).replace("later", "Unknown")
    stored = dict(read.uns["sse_tree"]["params"])
    assert stored.pop("graph") == "obsp['connectivities']"
    parents_read = json.loads(stored.pop("ontology"))
    again = sentree.tl.sse_tree(read, ontology=parents_read, copy=True, **stored)
    same(again.uns["sse_tree"], read.uns["sse_tree"])
    params = read.uns["sse"]["params"]
    assert (params["unlabeled_category"], params["penalty"]) == ("later", 2.0)


def test_a_low_penalty_lets_the_graph_win(small):
    wrong = [("cell 0", "cell 25")]
    sentree.tl.sse(small, must_link=wrong, n_clusters=3, penalty=0.0)
    assert small.uns["sse"]["constraints"].loc["must_link", "kept"] == 0
    sentree.tl.sse(small, must_link=wrong, n_clusters=3, penalty=10.0)
    assert small.uns["sse"]["constraints"].loc["must_link", "kept"] == 1


def test_a_resolution_beside_a_number_is_doubted_at_the_line_of_the_user(small):
    with pytest.warns(UserWarning, match="resolution is ignored") as caught:
        sentree.tl.sse(small, n_clusters=3, resolution=2.0)
    assert caught[0].filename == __file__


def test_cells_outside_have_no_label_and_those_without_a_category_no_cluster(small):
    small.obs.loc["cell 29", "block"] = np.nan
    sentree.tl.sse(small, restrict_to=("block", ["a", "b"]), labels_key="known")
    assert small.obs["sse_R_label"].isna().tolist() == [False] * 20 + [True] * 10
    assert set(small.obs["sse_R_label"].cat.categories) == {"A", "B"}
    assert list(small.obs["sse_R"].cat.categories) == ["a-b,0", "a-b,1", "c"]
    assert small.obs["sse_R"].isna().tolist() == [False] * 29 + [True]


def test_a_view_of_a_file_is_refused_at_once(small, tmp_path):
    small.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    view = backed[:20]
    with pytest.raises(ValueError, match=r"view of a file.*to_memory\(\), or copy=True"):
        sentree.tl.sse(view, adjacency="not looked at")
    made = sentree.tl.sse(view, labels_key="known", copy=True)
    assert not made.isbacked
    assert made.obs["sse_label"].nunique() == 2
    backed.file.close()


def test_nothing_is_copied_before_the_arguments_are_checked(small, monkeypatch):
    monkeypatch.setattr(anndata.AnnData, "copy", lambda self: pytest.fail("copied"))
    with pytest.raises(KeyError, match="labels_key"):
        sentree.tl.sse(small, labels_key="nobody", copy=True)
    with pytest.raises(KeyError, match="nobody"):
        sentree.tl.sse_tree(small, obsp="nobody", copy=True)


def test_a_graph_of_sentree(small):
    graph = sentree.Graph.from_scipy(small.obsp["connectivities"])
    sentree.tl.sse(small)
    sentree.tl.sse(small, adjacency=graph, key_added="own")
    assert small.obs["own"].tolist() == small.obs["sse"].tolist()
    sentree.tl.sse(small, adjacency=graph, restrict_to=("block", ["a", "b"]))
    assert small.obs["sse_R"].nunique() == 3
    with pytest.raises(ValueError, match=r"shape \(30, 30\), but there are 20 cells"):
        sentree.tl.sse(small[:20].copy(), adjacency=graph)


def test_cells_without_room_are_named(small):
    apart = Constraints.from_groups(apart=[(0, 10, 20)])
    message = "samples cell 0, cell 10, cell 20 are of 3 classes"
    with pytest.raises(sentree.ConstraintConflict, match=message) as caught:
        sentree.tl.sse(small, constraints=apart, hard=True, n_clusters=2)
    assert "cell 0 and cell 10" in str(caught.value)
    with pytest.raises(sentree.ConstraintConflict, match="cell 0 and cell 1") as caught:
        sentree.tl.sse(small, must_link=[(0, 1), (2, 3)], cannot_link=[(0, 1), (2, 3)])
    assert str(caught.value).endswith("(1 more: see the attribute conflicts of this error)")
    assert caught.value.__suppress_context__


def test_a_label_outside_the_ontology_is_told_how_to_enter(small):
    with pytest.raises(ValueError, match="'C', is not in the table of parents.*without a parent"):
        sentree.tl.sse_tree(small, labels_key="known", ontology={"A": "top", "B": "top"})


def test_rows_may_be_whole_numbers_of_any_kind(small):
    sentree.tl.sse(small, must_link=np.array([[0.0, 1.0]]))
    assert small.uns["sse"]["statements"]["must_link"]["other"].tolist() == ["cell 1"]


def test_levels_are_nested_and_the_clusters_are_nodes(adata):
    sentree.tl.sse_tree(adata, labels_key="known", n_levels=3)
    tree = sentree.tl.get_tree(adata)
    assert isinstance(tree, EncodingTree)
    assert tree.names == tuple(adata.obs_names)
    levels = [adata.obs[f"sse_tree_L{i}"].astype(str) for i in (1, 2, 3)]
    assert "sse_tree_L4" not in adata.obs
    for coarse, fine in pairwise(levels):
        assert (fine.str.rsplit(".", n=1).str[0] == coarse)[fine != coarse].all()
        assert fine.nunique() > coarse.nunique()
    depth = tree.depth[: adata.n_obs]
    for level, names in enumerate(levels, start=1):
        held = depth > level  # other cells hang on the node above, and have its name
        assert held.mean() > 0.9
        assert adjusted_rand_score(tree.labels_at(level)[held], names[held]) == 1
        assert (names.str.count(r"\.") == np.minimum(depth - 1, level) - 1).all()
        for _, sizes in names.value_counts().groupby(lambda name: name.rpartition(".")[0]):
            by_number = sorted(sizes.index, key=lambda name: int(name.rpartition(".")[2]))
            assert (np.diff(sizes[by_number]) <= 0).all()
    for _, rows in adata.obs.reset_index().groupby("sse_tree", observed=True):
        top = tree.lca(np.full(len(rows), rows.index[0]), rows.index.to_numpy()).max()
        assert tree.sizes[top] == len(rows)
    sentree.tl.sse_tree(adata, n_levels=1)
    assert [c for c in adata.obs if str(c).startswith("sse_tree_L")] == ["sse_tree_L1"]


def test_cells_that_no_deeper_node_holds_keep_the_name_above():
    cells = anndata.AnnData(np.zeros((9, 1)))
    blocks = np.kron(np.eye(3), np.ones((3, 3)))
    blocks[2, 3] = blocks[3, 2] = 0.5
    sentree.tl.sse_tree(cells, adjacency=sp.csr_matrix(blocks), height=3)
    depth = sentree.tl.get_tree(cells).depth[:9]
    coarse, fine = (cells.obs[f"sse_tree_L{i}"].astype(str) for i in (1, 2))
    assert set(depth.tolist()) == {2, 3}
    np.testing.assert_array_equal(coarse == fine, depth == 2)
    assert coarse.value_counts().tolist() == [3, 3, 3]


def test_trees_follow_cells_that_move_or_go(adata):
    sentree.tl.sse_tree(adata)
    tree = sentree.tl.get_tree(adata)
    order = np.random.default_rng(0).permutation(adata.n_obs)
    mixed = adata[order].copy()
    again = sentree.tl.get_tree(mixed)
    i, j = np.random.default_rng(1).integers(0, 700, (2, 200))
    np.testing.assert_array_equal(again.lca(i, j)[i != j], tree.lca(order[i], order[j])[i != j])
    np.testing.assert_allclose(again.volume[:700], tree.volume[order])
    part = adata[order[:100]].copy()
    some = sentree.tl.get_tree(part)
    assert some.names == tuple(part.obs_names)
    label = part.obs["sse_tree"].astype(str)
    whole = EncodingTree.from_newick(some.to_newick(), some.names)
    assert dendrogram_purity(some, label) == pytest.approx(dendrogram_purity(whole, label))
    assert dendrogram_purity(some, label) == 1
    adata.obs_names = [f"other {name}" for name in adata.obs_names]
    with pytest.raises(ValueError, match="is not in the tree"):
        sentree.tl.get_tree(adata)
    with pytest.raises(KeyError, match="did you mean 'sse_tree'"):
        sentree.tl.get_tree(adata, "sse-tree")
    with pytest.raises(KeyError, match="not written by sentree"):
        sentree.tl.get_tree(adata, "neighbors")


PARENTS = {
    "Dendritic": "Myeloid",
    "CD14+ Monocyte": "Myeloid",
    "CD4+/CD25 T Reg": "T",
    "CD8+ Cytotoxic T": "T",
    "CD19+ B": None,
}


def test_labels_of_mixed_depth_by_ontology_and_by_path(adata):
    types = adata.obs["bulk_labels"].astype(str)
    adata = adata[types.isin(list(PARENTS)).to_numpy()].copy()
    types = adata.obs["bulk_labels"].astype(str)
    above = types.map(PARENTS).fillna("B")
    rng = np.random.default_rng(0).random(adata.n_obs)
    fine, coarse = (rng < 0.1).tolist(), (rng < 0.2).tolist()
    adata.obs["mixed"] = [
        t if f and PARENTS[t] else (a if c and a != "B" else ("CD19+ B" if c else "Unknown"))
        for t, a, f, c in zip(types, above, fine, coarse, strict=True)
    ]
    paths = {t: f"{a}|{t}" for t, a in PARENTS.items() if a}
    adata.obs["path"] = [paths.get(name, name) for name in adata.obs["mixed"]]
    sentree.tl.sse_tree(adata, labels_key="mixed", ontology=PARENTS)
    assert set(adata.obs["sse_tree_label"]) == {"Myeloid", "T", "CD19+ B"}
    tree = sentree.tl.get_tree(adata)
    sentree.tl.sse_tree(adata, labels_key="path", sep="|", key_added="by_path")
    np.testing.assert_array_equal(sentree.tl.get_tree(adata, "by_path").parent, tree.parent)
    told = Constraints.from_ontology(adata.obs["mixed"], PARENTS, unknown="Unknown")
    assert len(told.levels) == 2
    model = SSEHierarchy(affinity="precomputed", random_state=0)
    model.fit(adata.obsp["connectivities"], constraints=told)
    np.testing.assert_array_equal(model.tree_.parent, tree.parent)
    named = adata.obs["sse_tree_label"].astype(str).replace("CD19+ B", "B")
    assert (named == above)[adata.obs["mixed"] == "Unknown"].mean() > 0.9
    with pytest.raises(ValueError, match="give one of them"):
        sentree.tl.sse_tree(adata, labels_key="mixed", ontology=PARENTS, sep="|")


def test_treedata_gets_the_tree(adata, tmp_path):
    import treedata as td

    cells = td.TreeData(adata, allow_overlap=False)
    sentree.tl.sse_tree(cells)
    graph = cells.obst["sse_tree"]
    assert {node for node in graph if graph.out_degree(node) == 0} == set(cells.obs_names)
    assert graph.number_of_nodes() == sentree.tl.get_tree(cells).n_nodes
    sentree.tl.sse_tree(cells)  # takes the place of the first
    with pytest.warns(UserWarning, match="in uns but not in obst.*allow_overlap"):
        sentree.tl.sse_tree(cells, key_added="second")
    cells.write_h5td(tmp_path / "cells.h5td")
    read = td.read_h5td(tmp_path / "cells.h5td")
    assert set(read.obst["sse_tree"].nodes) == set(graph.nodes)


def test_docstring_examples():
    result = doctest.testmod(sys.modules[sentree.tl.sse.__module__])
    assert result.attempted
    assert not result.failed


def test_without_anndata_an_error_says_what_to_install():
    code = (
        "import sys; sys.modules['anndata'] = None; import sentree\n"
        "try: sentree.tl.sse(None)\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install anndata" in done.stdout


def test_neither_scanpy_nor_igraph_is_loaded():
    code = (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "import numpy as np, anndata, sentree\n"
        "cells = anndata.AnnData(np.random.default_rng(0).normal(size=(50, 3)))\n"
        "sentree.tl.sse(cells); sentree.tl.sse_tree(cells); sentree.pl\n"
        "print([m for m in ('scanpy', 'igraph', 'leidenalg') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
