"""sentree.pl: pictures of clustered AnnData."""

import numpy as np
import pandas as pd
import pytest
import scanpy as sc
from matplotlib.colors import to_hex

import sentree
from sentree.plots.style import COLOURS, shortened

# Warnings of other packages about themselves; ours stay errors.
pytestmark = [
    pytest.mark.usefixtures("pyplot"),
    pytest.mark.filterwarnings("ignore::FutureWarning:(scanpy|anndata|legacy_api_wrap)"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:(scanpy|anndata|numba|umap)"),
]


def closest(cells, among):
    """Two cells that nothing keeps apart: no cannot-link between them can hold."""
    edges = cells.obsp["connectivities"].tocoo()
    inside = np.asarray(among)
    weights = np.where(inside[edges.row] & inside[edges.col], edges.data, 0)
    return edges.row[weights.argmax()], edges.col[weights.argmax()]


@pytest.fixture(scope="module")
def clustered():
    cells = sc.datasets.pbmc68k_reduced()
    types = cells.obs["bulk_labels"].astype(str)
    known = np.random.default_rng(0).random(cells.n_obs) < 0.1
    cells.obs["known"] = np.where(known, types, "Unknown")
    first = np.flatnonzero(types == "CD19+ B")[:2]
    second = np.flatnonzero(types == "CD34+")[:2]
    sentree.tl.sse(
        cells,
        labels_key="known",
        must_link=[first, (first[0], second[0])],
        cannot_link=[(first[1], second[1]), closest(cells, (types == "CD14+ Monocyte") & ~known)],
    )
    sentree.tl.sse_tree(cells, labels_key="known")
    return cells


@pytest.fixture
def adata(clustered):
    return clustered.copy()


def texts(legend):
    return [text.get_text() for text in legend.get_texts()]


def legends(ax):
    return [a for a in ax.get_children() if type(a).__name__ == "Legend"]


@pytest.fixture
def shown(monkeypatch, pyplot):
    """How often pictures were shown."""
    calls = []
    monkeypatch.setattr(pyplot, "show", lambda: calls.append(1))
    return calls


@pytest.mark.parametrize("name", ["tree", "constraints", "agreement"])
def test_show_save_and_ax(adata, name, shown, pyplot, tmp_path):
    draw = getattr(sentree.pl, name)
    other = {"other": "bulk_labels"} if name == "agreement" else {}
    assert draw(adata, **other) is None
    assert len(shown) == 1
    ax = draw(adata, show=False, **other)
    assert ax.get_figure() is not None
    assert draw(adata, save=tmp_path / "picture.png", **other) is not None
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    draw(adata, save=str(tmp_path / "picture.pdf"), **other)
    assert (tmp_path / "picture.pdf").read_bytes().startswith(b"%PDF")
    _, mine = pyplot.subplots()
    assert draw(adata, ax=mine, **other) is mine
    assert len(shown) == 1
    assert draw(adata, show=True, save=tmp_path / "again.png", **other) is None
    assert len(shown) == 2
    assert (tmp_path / "again.png").exists()


def test_constraints_are_drawn_as_kept_and_broken(adata):
    ax = sentree.pl.constraints(adata, show=False)
    counts = adata.uns["sse"]["constraints"]
    below = next(texts(x) for x in legends(ax) if "cluster" not in x.get_title().get_text())
    assert counts.loc["labels"].tolist() == [64, 64]
    assert "label kept (64)" in below
    assert counts.loc["cannot_link"].tolist() == [2, 1]
    assert "cannot-link kept (1)" in below
    assert "cannot-link broken (1)" in below
    assert any(text.startswith("must-link") for text in below)
    beside = next(texts(x) for x in legends(ax) if "cluster" in x.get_title().get_text())
    largest = adata.obs["sse_label"][adata.obs["sse"] == "0"].iloc[0]
    size = int((adata.obs["sse"] == "0").sum())
    assert beside[0] == f"0: {largest} ({size})"


def test_broken_labels_are_counted_in_the_legend(adata):
    sentree.tl.sse(adata, labels_key="known", penalty=0.0)
    ax = sentree.pl.constraints(adata, show=False)
    given, kept = adata.uns["sse"]["constraints"].loc["labels"].tolist()
    assert 0 < kept < given
    below = next(texts(x) for x in legends(ax) if "cluster" not in x.get_title().get_text())
    assert f"label kept ({kept})" in below
    assert f"label broken ({given - kept})" in below


def test_without_labels_or_constraints_clusters_have_numbers(adata):
    sentree.tl.sse(adata, key_added="plain")
    ax = sentree.pl.constraints(adata, "plain", show=False)
    assert len(legends(ax)) == 1
    assert texts(legends(ax)[0])[0] == f"0 ({int((adata.obs['plain'] == '0').sum())})"


def test_constraints_about_cells_that_have_gone_are_not_drawn(adata):
    part = adata[adata.obs["known"] == "Unknown"].copy()
    ax = sentree.pl.constraints(part, show=False)
    assert not any("label" in text for legend in legends(ax) for text in texts(legend)[1:])


def test_other_embeddings(adata):
    ax = sentree.pl.constraints(adata, basis="pca", show=False)
    drawn = np.concatenate([c.get_offsets() for c in ax.collections])
    assert drawn[:, 0].max() == pytest.approx(adata.obsm["X_pca"][:, 0].max())
    with pytest.raises(KeyError, match="did you mean 'X_umap'"):
        sentree.pl.constraints(adata, basis="umpa", show=False)
    with pytest.raises(KeyError, match="did you mean 'sse'"):
        sentree.pl.constraints(adata, "see", show=False)


def colours_drawn(ax):
    faces = (c.get_facecolor() for c in ax.collections)
    return {to_hex(face[0]).upper() for face in faces if len(face)}


def test_colours_of_scanpy_are_used_where_there_are_any(adata):
    ours = colours_drawn(sentree.pl.constraints(adata, max_constraints=0, show=False))
    assert set(COLOURS) <= ours
    k = adata.obs["sse"].nunique()
    chosen = [f"#{40 + i:02X}{200 - i:02X}80" for i in range(k)]
    adata.uns["sse_colors"] = np.array(chosen)
    theirs = colours_drawn(sentree.pl.constraints(adata, max_constraints=0, show=False))
    assert set(chosen) <= theirs
    adata.uns["sse_colors"] = chosen[:2]  # of other clusters
    assert colours_drawn(sentree.pl.constraints(adata, max_constraints=0, show=False)) == ours
    ax = sentree.pl.tree(adata, color="bulk_labels", show=False)
    legend = {
        text.get_text(): to_hex(patch.get_facecolor())
        for patch, text in zip(ax.get_legend().get_patches(), ax.get_legend().texts, strict=True)
    }
    categories = adata.obs["bulk_labels"].cat.categories
    stored = dict(zip(categories, adata.uns["bulk_labels_colors"], strict=True))
    assert legend["CD19+ B"] == to_hex(stored["CD19+ B"])


def test_trees_are_coloured_by_type_by_default(adata):
    ax = sentree.pl.tree(adata, show=False)
    named = texts(ax.get_legend())
    assert set(named[:-1]) <= set(shortened(adata.obs["sse_tree_label"]))
    assert sum(bar.get_width() for bar in ax.patches if bar.get_y() == -1) == adata.n_obs
    sentree.tl.sse_tree(adata, key_added="plain")
    ax = sentree.pl.tree(adata, "plain", style="dendrogram", title="no types", show=False)
    assert ax.get_title() == "no types"
    with pytest.raises(KeyError, match="did you mean 'bulk_labels'"):
        sentree.pl.tree(adata, color="bulklabels", show=False)


def test_an_interactive_tree(adata, tmp_path, pyplot):
    figure = sentree.pl.tree(adata, interactive=True, save=tmp_path / "tree.html")
    assert figure.data[0].values[0] == adata.n_obs
    assert "plotly" in (tmp_path / "tree.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="must end with .html"):
        sentree.pl.tree(adata, interactive=True, save=tmp_path / "tree.png")
    with pytest.raises(ValueError, match="leave ax and style out"):
        sentree.pl.tree(adata, interactive=True, ax=pyplot.subplots()[1])
    assert [path.name for path in tmp_path.iterdir()] == ["tree.html"]


@pytest.mark.parametrize("name", ["picture", ".pdf", "picture.jpgg", "picture.html"])
def test_a_name_that_tells_no_format_is_refused(adata, tmp_path, name):
    with pytest.raises(ValueError, match=r"does not tell a format.*\.pdf, .*\.png"):
        sentree.pl.agreement(adata, other="louvain", save=tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_save_is_a_path(adata):
    with pytest.raises(TypeError, match=r"path of a file, such as 'picture\.png', got True"):
        sentree.pl.agreement(adata, other="louvain", save=True)


def test_measurements_do_not_colour_a_tree(adata):
    for name in ("percent_mito", "n_genes"):
        with pytest.raises(ValueError, match=f"'{name}'.* holds measurements.*categories"):
            sentree.pl.tree(adata, color=name, show=False)
    adata.obs["few"] = adata.obs["louvain"].astype(int)
    assert sentree.pl.tree(adata, color="few", show=False).get_legend() is not None


def cluster_names(ax):
    legend = next(x for x in legends(ax) if "cluster" in x.get_title().get_text())
    return [text.rpartition(" (")[0] for text in texts(legend)]


def test_new_clusters_have_their_number_alone(adata):
    b_cells = (adata.obs["bulk_labels"] == "CD19+ B").to_numpy()
    adata.obs["known"] = np.where(b_cells, "new idea", None)
    sentree.tl.sse(adata, labels_key="known", n_clusters=4)
    names = cluster_names(sentree.pl.constraints(adata, show=False))
    assert sum(name.isdecimal() for name in names) == 3
    assert sum(name.endswith(": new idea") for name in names) == 1


def test_names_in_the_picture_are_whole_and_do_not_overlap(adata):
    few = adata.obs["known"].isin(["CD19+ B", "CD34+"])  # other cells may be many clusters
    adata.obs["known"] = adata.obs["known"].where(few, "Unknown")
    sentree.tl.sse(adata, labels_key="known", resolution=4.0)
    ax = sentree.pl.constraints(adata, show=False)
    names = [text.get_text() for text in ax.texts]
    assert adata.obs["sse"].nunique() > 20
    assert not any("new" in name or "\N{HORIZONTAL ELLIPSIS}" in name for name in names)
    assert any(": CD" in name for name in names)
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_cells_without_a_cluster_are_grey(adata):
    k = adata.obs["sse"].nunique()
    adata.uns["sse_colors"] = [f"#{40 + i:02X}{200 - i:02X}80" for i in range(k)]
    adata.obs.loc[adata.obs_names[:30], "sse"] = np.nan
    ax = sentree.pl.constraints(adata, max_constraints=0, show=False)
    assert "no cluster" in cluster_names(ax)
    assert "#C8C8C8" in colours_drawn(ax)


def test_cells_of_one_name_cannot_be_told_apart(adata):
    adata.obs_names = ["twice"] * 2 + list(adata.obs_names[2:])
    with pytest.raises(ValueError, match=r"not unique.*obs_names_make_unique\(\)"):
        sentree.pl.constraints(adata, show=False)


def test_agreement_leaves_out_cells_without_a_value(adata):
    adata.obs["part"] = adata.obs["bulk_labels"].where(np.arange(adata.n_obs) < 300)
    ax = sentree.pl.agreement(adata, other="part", show=False)
    assert sum(int(text.get_text()) for text in ax.texts) == 300
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("sse", "part")
    adata.obs["nothing"] = pd.Series(np.nan, index=adata.obs_names)
    with pytest.raises(ValueError, match="no cell has a value in both"):
        sentree.pl.agreement(adata, other="nothing", show=False)
    with pytest.raises(KeyError, match="did you mean 'louvain'"):
        sentree.pl.agreement(adata, other="louvian", show=False)


def test_genes_that_set_clusters_apart(adata):
    ax = sentree.pl.profile(adata, "bulk_labels", n_genes=2, show=False)
    genes = [text.get_text() for text in ax.get_yticklabels()]
    assert {"CD79A", "CST3"} & {*genes}
    assert len(genes) <= 20
    assert set(genes) <= set(adata.raw.var_names)
    assert len(ax.get_xticklabels()) == 10
    adata.obs["some"] = adata.obs["bulk_labels"].where(adata.obs["phase"] == "G1")
    dense = sentree.pl.profile(adata, "some", use_raw=False, show=False)
    total = sum(int(t.get_text().split("(")[1][:-1]) for t in dense.get_xticklabels())
    assert total == adata.obs["some"].notna().sum()


def test_layers_of_genes(adata):
    adata.layers["counts"] = adata.raw.X[:, : adata.n_vars]
    sentree.pl.profile(adata, layer="counts", show=False)
    with pytest.raises(KeyError, match="layer: adata.layers has no 'count'"):
        sentree.pl.profile(adata, layer="count", show=False)
    with pytest.raises(ValueError, match="contradict"):
        sentree.pl.profile(adata, layer="counts", use_raw=True, show=False)
    del adata.raw
    with pytest.raises(ValueError, match=r"adata\.raw is not set"):
        sentree.pl.profile(adata, use_raw=True, show=False)
