import io
import json
import pickle
import re
import subprocess
import sys
import tracemalloc
import zipfile
from dataclasses import fields
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph

import sentree
from sentree import Constraints, SSEHierarchy, SSEPartition, knn_graph, load, save
from sentree.estimators.persistence import FORMAT_VERSION
from sentree.graph.extend import DistanceExtension
from sentree.graph.kernels import Weigher

#: Written by format version 1, with what its models predicted; every later version loads them.
OLD = Path(__file__).parent / "data"

EVERYTHING = (
    Constraints.from_pairs([(0, 1), (2, 3)], [(4, 50)], weights=([1.0, 2.5], [0.5]))
    + Constraints.from_groups(together=[(5, 6, 7), (8, 9)], apart=[(10, 30, 61)], hard=True)
    + Constraints.from_triplets([(11, 12, 40)], [3.0])
    + Constraints.from_labels([*["é"] * 2, *[None] * 58, 7, 7, True], classes=["é", 7, True, "z"])
    + Constraints.from_negative_labels([(30, "z")], classes=["é", 7, True, "z"])
)


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(130, 4, centers=3, random_state=1, cluster_std=2.0)
    return X[:100], X[100:], y[:100]


def rewritten(source, target, change):
    """Copy a model with another header or other arrays."""
    with np.load(source) as file:
        arrays = dict(file)
    header = json.loads(arrays.pop("header").item())
    change(header, arrays)
    with open(target, "wb") as file:
        np.savez(file, header=np.array(json.dumps(header).encode()), **arrays)
    return target


def plain(constraints):
    """All that constraints say, comparable."""
    if constraints is None:
        return None
    told = dict(vars(constraints))
    told["hard"], told["finer"] = plain(told["hard"]), plain(told["finer"])
    for name in ("together", "apart"):
        told[name] = [group.tolist() for group in told[name]]
    return {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in told.items()}


def assert_same(model, again):
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    for name in ("labels_", "trace_", "membership_strength_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
        assert getattr(again, name).dtype == getattr(model, name).dtype
    for name in ("n_clusters_", "objective_", "entropy_", "n_features_in_", "selection_"):
        assert getattr(again, name) == getattr(model, name)
    parts = {
        "graph_": ("indptr", "indices", "weights", "degree"),
        "tree_": ("parent", "volume", "cut", "relation_cut"),
    }
    for part, names in parts.items():
        for name in names:
            one, two = (getattr(getattr(m, part), name) for m in (model, again))
            np.testing.assert_array_equal(one, two)
            assert one.dtype == two.dtype
            assert not two.flags.writeable
    assert plain(again.constraints_) == plain(model.constraints_)
    assert again.constraint_report_.to_dict() == model.constraint_report_.to_dict()
    made_anew = {
        "_unconstrained",
        "_resumes",
        "_edited",
        "_more_clusters",
        "_counted_from",
    }  # or of the class
    assert set(vars(again)) - made_anew == set(vars(model)) - made_anew


def assert_predicts_the_same(model, again, X):
    for one, two in zip(
        model.predict(X, return_strength=True), again.predict(X, return_strength=True), strict=True
    ):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    "model",
    [
        SSEPartition(),
        SSEPartition(np.int64(3), n_init=2, penalty=np.float32(1.5), random_state=4),
        SSEPartition(n_clusters=3, affinity="cosine"),
        SSEPartition(affinity="binary", neighbors="sklearn", n_neighbors=5, n_jobs=1),
        SSEPartition(affinity="correlation", neighbors="faiss", resolution=2.0),
        SSEHierarchy(),
        SSEHierarchy(3, height=3),
        SSEHierarchy(leaf_penalty=False),
    ],
    ids=str,
)
def test_round_trip(model, blobs, tmp_path):
    X, new, y = blobs
    known = np.where(np.arange(100) % 5 == 0, y, -1)
    model.fit(X, known, must_link=[(1, 2)], cannot_link=[(3, 4)])
    again = load(save(model, tmp_path / "model.npz"))
    assert_same(model, again)
    assert_predicts_the_same(model, again, new)
    assert_same(again, load(again.save(tmp_path / "twice.npz")))


@pytest.mark.parametrize("estimator", [SSEPartition, SSEHierarchy])
def test_every_kind_of_constraint_survives(estimator, blobs, tmp_path):
    X, new, _ = blobs
    model = estimator(penalty=2)
    if estimator is SSEPartition:
        with pytest.warns(UserWarning, match="triplets"):
            model.fit(X, constraints=EVERYTHING)
    else:
        model.fit(X, constraints=EVERYTHING)
    again = load(model.save(tmp_path / "model"))
    assert_same(model, again)
    assert [type(value) for value in again.constraints_.classes] == [str, int, bool, str]
    assert again.constraints_.hard.together[0].tolist() == [5, 6, 7]
    assert_predicts_the_same(model, again, new)


def test_classes_that_are_tuples_and_empty_hard_constraints(blobs, tmp_path):
    labels = [("T", "CD4"), ("T", ("CD8", 1)), "B"]
    given = Constraints.from_labels(labels) + Constraints(hard=Constraints())
    model = SSEPartition().fit(blobs[0], constraints=given)
    again = load(model.save(tmp_path / "model"))
    assert set(again.constraints_.classes) == set(labels)
    assert len(again.constraints_.hard) == 0


@pytest.mark.parametrize("affinity", ["auto", "cosine", "binary"])
def test_refit_goes_on(affinity, blobs, tmp_path):
    X, new, _ = blobs
    model = SSEPartition(n_clusters=3, affinity=affinity)
    model.fit(X, must_link=[(0, 1), (2, 30)])
    again = load(model.save(tmp_path / "model"))
    for one in (model, again):
        one.refit(cannot_link=[(0, 7), (3, 9), (20, 40)])
    assert len(again.constraints_) == 5
    assert_same(model, again)
    assert_predicts_the_same(model, again, new)


def test_a_selection_survives_and_refit_follows_it(blobs, tmp_path):
    X, new, y = blobs
    pairs = np.random.default_rng(0).integers(0, 100, (400, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    model = SSEPartition(n_clusters=3, selection="on")
    model.fit(X, must_link=pairs[same], cannot_link=pairs[~same])
    again = load(model.save(tmp_path / "model"))
    assert model.selection_ is not None
    assert repr(again.selection_) == repr(model.selection_)
    for one in (model, again):
        one.refit(cannot_link=[(0, 7)])
    assert_same(model, again)
    assert_predicts_the_same(model, again, new)


def test_a_graph_with_weights_of_its_own(blobs, tmp_path):
    model = SSEPartition(affinity="precomputed").fit(knn_graph(blobs[0], 8, self_loops=True))
    again = load(model.save(tmp_path / "model"))
    assert_same(model, again)
    new = np.abs(np.random.default_rng(0).normal(size=(7, 100)))
    assert_predicts_the_same(model, again, new)


def test_distances(blobs, tmp_path):
    X, new, _ = blobs
    model = SSEPartition(affinity="precomputed_distances")
    model.fit(kneighbors_graph(X, 9, mode="distance"))
    again = load(model.save(tmp_path / "model", with_samples=False))  # there are none to leave out
    assert_same(model, again)
    apart = np.linalg.norm(new[:, None] - X[None], axis=2)
    assert_predicts_the_same(model, again, apart)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array, sp.coo_array])
def test_sparse_samples(form, blobs, tmp_path):
    X, new, _ = blobs
    sparse = form(np.where(np.abs(X) > 3, X, 0.0))
    model = SSEPartition(n_clusters=3).fit(sparse, must_link=[(0, 1)])
    again = load(model.save(tmp_path / "model"))
    assert_same(model, again)
    assert_predicts_the_same(model, again, new)
    assert_predicts_the_same(model, again, sp.csr_array(new))


@pytest.mark.parametrize("change", [np.float32, np.asfortranarray], ids=["float32", "columns"])
def test_samples_are_stored_as_they_came(change, blobs, tmp_path):
    X, new, _ = blobs
    given = change(X)
    model = SSEPartition().fit(given)
    path = model.save(tmp_path / "model")
    with np.load(path) as file:
        assert file["samples"].dtype == given.dtype
        np.testing.assert_array_equal(file["samples"], given)
    assert_predicts_the_same(model, load(path), new)


def test_feature_names(blobs, tmp_path):
    X, new, _ = blobs
    names = ["a", "β", "c d", "e"]
    model = SSEPartition().fit(pd.DataFrame(X, columns=names))
    again = load(model.save(tmp_path / "model"))
    assert again.feature_names_in_.dtype == object
    assert again.feature_names_in_.tolist() == names
    assert_predicts_the_same(model, again, pd.DataFrame(new, columns=names))
    with pytest.raises(ValueError, match="feature names"):
        again.predict(pd.DataFrame(new, columns=names[::-1]))


def test_a_graph_has_no_feature_names(blobs, tmp_path):
    model = SSEPartition().fit(pd.DataFrame(blobs[0], columns=list("abcd")))
    model.set_params(affinity="precomputed").fit(model.graph_)
    assert not hasattr(load(model.save(tmp_path / "model")), "feature_names_in_")


def test_many_features_are_scaled_and_compared_as_before(tmp_path):
    X, _ = make_blobs(90, 60, centers=3, random_state=0, cluster_std=6.0)
    X[:, 5] = 1.0  # a constant feature has an infinite spread
    model = SSEPartition().fit(X[:70])
    assert_predicts_the_same(model, load(model.save(tmp_path / "model")), X[70:])


def test_without_samples(blobs, tmp_path):
    X, new, _ = blobs
    model = SSEPartition(n_clusters=3).fit(X, must_link=[(0, 1)])
    path = model.save(tmp_path / "model", with_samples=False)
    with np.load(path) as file:
        assert not [name for name in file.files if name.startswith(("samples", "scale"))]
    again = load(path)
    assert_same(model, again)
    with pytest.raises(ValueError, match="saved without its samples .* with_samples=True"):
        again.predict(new)
    again.refit(cannot_link=[(0, 9)])
    np.testing.assert_array_equal(again.labels_, model.refit(cannot_link=[(0, 9)]).labels_)
    with pytest.raises(ValueError, match="saved without its samples"):
        load(again.save(tmp_path / "twice")).predict(new)


def test_nothing_is_pickled(blobs, tmp_path):
    labels = pd.Series(["x", *[None] * 99])
    frame = pd.DataFrame(blobs[0], columns=list("abcd"))
    path = SSEPartition().fit(frame, labels, constraints=EVERYTHING.hard).save(tmp_path / "m.npz")
    with np.load(path, allow_pickle=False) as file:
        kinds = {file[name].dtype.kind for name in file.files}
        header = json.loads(file["header"].item())
    assert kinds == {"S", "b", "i", "f"}
    assert header["format"] == "sentree model"
    assert header["format_version"] == FORMAT_VERSION
    assert header["sentree_version"] == sentree.__version__


@pytest.mark.parametrize(
    ("part", "names"),
    [
        (sentree.Graph, "indptr indices weights degree"),
        (sentree.EncodingTree, "parent volume cut relation_cut names"),
        (Weigher, "kernel widths negative silent"),
        (DistanceExtension, "weigher p local_rank self_loops"),
        (
            Constraints,
            "must_link must_weight cannot_link cannot_weight together apart label_index label_code "
            "negative_index negative_code classes declared hard triplets triplet_weight finer",
        ),
    ],
)
def test_a_new_field_is_not_forgotten(part, names):
    """Who adds one has to store it, and to say what it is where a file has none."""
    assert names.split() == [field.name for field in fields(part)]


def test_the_name_of_the_file(blobs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = SSEPartition().fit(blobs[0])
    assert save(model, "model") == Path("model.npz")
    assert save(model, "model.npz") == Path("model.npz")
    assert model.save("model.v2") == Path("model.v2.npz")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model.npz", "model.v2.npz"]
    assert_same(model, load("model"))
    Path("model.npz").rename("renamed.bin")
    assert_same(model, load("renamed.bin"))


def test_the_same_model_gives_the_same_file(blobs, tmp_path):
    model = SSEPartition().fit(blobs[0])
    one, two = model.save(tmp_path / "one"), load(tmp_path / "one").save(tmp_path / "two")
    assert one.read_bytes() == two.read_bytes()


def test_a_failed_save_leaves_the_old_file(blobs, tmp_path, monkeypatch):
    model = SSEPartition().fit(blobs[0])
    path = model.save(tmp_path / "model")
    before = path.read_bytes()

    def full(file, **arrays):
        file.write(b"half")
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="no space"):
        model.save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["model.npz"]


def test_what_cannot_be_saved(blobs, tmp_path):
    X = blobs[0]
    path = tmp_path / "model.npz"
    with pytest.raises(NotFittedError):
        save(SSEPartition(), path)
    with pytest.raises(TypeError, match="only SSEPartition and SSEHierarchy .* got list"):
        save([1, 2], path)
    with pytest.raises(TypeError, match="affinity is <function .* affinity='precomputed'"):
        SSEPartition(affinity=lambda X: knn_graph(X, 9)).fit(X).save(path)
    with pytest.raises(TypeError, match="random_state is RandomState.* set_params"):
        SSEPartition(random_state=np.random.RandomState(0)).fit(X).save(path)
    with pytest.raises(TypeError, match="class datetime.date.* strings, numbers"):
        SSEPartition().fit(X, [date(2020, 1, 1), *[None] * 99]).save(path)
    with pytest.raises(FileNotFoundError, match="no folder .*nowhere"):
        SSEPartition().fit(X).save(tmp_path / "nowhere" / "model")
    assert list(tmp_path.iterdir()) == []


def test_a_neighbours_transformer_cannot_be_saved_but_its_clusters_can(blobs, tmp_path):
    search = KNeighborsTransformer(n_neighbors=8)
    model = SSEPartition(affinity="gaussian", neighbors=search).fit(blobs[0])
    with pytest.raises(TypeError, match="neighbors is KNeighborsTransformer.*precomputed_dist"):
        model.save(tmp_path / "model")
    model.set_params(neighbors="auto")
    with pytest.raises(TypeError, match="with_samples=False"):
        model.save(tmp_path / "model")
    assert_same(model, load(model.save(tmp_path / "model", with_samples=False)))


def test_a_model_whose_last_fit_failed_is_saved_as_it_was_before(blobs, tmp_path):
    model = SSEPartition().fit(blobs[0])
    with pytest.raises(ValueError, match="n_clusters"):
        model.set_params(n_clusters=60).fit(blobs[0][:50])
    again = load(save(model, tmp_path / "model"))
    assert again.labels_.tolist() == SSEPartition().fit(blobs[0]).labels_.tolist()
    assert again.predict(blobs[0]).tolist() == model.predict(blobs[0]).tolist()


@pytest.mark.parametrize(
    "old", [{"method": "paper"}, {"weights": "paper"}, {"affinity": "paper-cosine"}]
)
def test_models_of_the_paper_s_method_are_refused_with_where_it_is_now(old, stored, tmp_path):
    path = rewritten(stored, tmp_path / "m.npz", lambda h, a: h["parameters"].update(old))
    with pytest.raises(ValueError, match="by the paper.s method.* sentree.paper.PaperPartition"):
        load(path)


def test_parameters_of_before_that_say_nothing_are_left_out(stored, tmp_path):
    before = {"method": "multilevel", "weights": "degree", "moving": True, "penalty": None}
    path = rewritten(stored, tmp_path / "m.npz", lambda h, a: h["parameters"].update(before))
    assert load(path).penalty == 1.0


@pytest.fixture(scope="module")
def stored(blobs, tmp_path_factory):
    model = SSEPartition(n_clusters=3)
    with pytest.warns(UserWarning, match="triplets"):
        model.fit(blobs[0], constraints=EVERYTHING)
    return model.save(tmp_path_factory.mktemp("stored") / "model")


def test_files_of_others_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.npz"):
        load(tmp_path / "nothing")
    text = tmp_path / "text.npz"
    text.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="cannot load .*text.npz: this is no file of sentree"):
        load(text)
    text.write_bytes(b"")
    with pytest.raises(ValueError, match="this is no file of sentree"):
        load(text)
    np.savez(tmp_path / "other.npz", header=np.arange(3), objects=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match=r"other.npz: .* holds other arrays"):
        load(tmp_path / "other.npz")
    for content in (b"[1]", b'{"format": "another"}'):
        np.savez(tmp_path / "header.npz", header=np.array(content))
        with pytest.raises(ValueError, match="holds other arrays"):
            load(tmp_path / "header.npz")
    with zipfile.ZipFile(tmp_path / "archive.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(ValueError, match="holds other arrays"):
        load(tmp_path / "archive.npz")


def test_pickles_are_never_read(stored, tmp_path):
    path = rewritten(
        stored, tmp_path / "m.npz", lambda h, a: a.update(labels=np.array([{}], dtype=object))
    )
    with pytest.raises(ValueError, match="damaged .*allow_pickle=False"):
        load(path)


def test_newer_formats_say_what_reads_them(stored, tmp_path):
    def newer(header, arrays):
        header.update(format_version=99, sentree_version="7.5", fitted=None)

    with pytest.raises(ValueError, match="format version 99 .*install sentree 7.5 or newer"):
        load(rewritten(stored, tmp_path / "newer.npz", newer))
    for version in (0, "x", None):
        path = rewritten(
            stored, tmp_path / "odd.npz", lambda h, a, v=version: h.update(format_version=v)
        )
        with pytest.raises(ValueError, match="which does not exist"):
            load(path)


def test_parameters_come_and_go(stored, tmp_path):
    path = rewritten(stored, tmp_path / "older.npz", lambda h, a: h["parameters"].pop("n_init"))
    assert load(path).n_init == 1
    path = rewritten(stored, tmp_path / "other.npz", lambda h, a: h["parameters"].update(magic=1))
    with pytest.raises(ValueError, match="SSEPartition of sentree .* no parameter 'magic'"):
        load(path)
    path = rewritten(stored, tmp_path / "class.npz", lambda h, a: h.update({"class": "Other"}))
    with pytest.raises(ValueError, match="no estimator 'Other'"):
        load(path)


#: Entries that files of before do not have.
LATER = {"finer", "scale", "resumes", "edited", "more_clusters", "preparation"}
LATER |= {"neighbor_recall", "single"}


def test_every_array_and_entry_is_needed(stored, tmp_path):
    with np.load(stored) as file:
        names = [name for name in file.files if name != "header"]
        header = json.loads(file["header"].item())
    assert len(names) > 40
    for name in names:
        path = rewritten(stored, tmp_path / "m.npz", lambda h, a, name=name: a.pop(name))
        with pytest.raises(ValueError, match=f"cannot load .*m.npz: .*'{name}' is missing"):
            load(path)
    for part in ("fitted", "constraints", "extension"):
        for entry in (None, *(set(header[part]) - LATER)):

            def drop(h, a, part=part, entry=entry):
                del (h if entry is None else h[part])[part if entry is None else entry]

            with pytest.raises(ValueError, match=f"'{entry or part}' is missing"):
                load(rewritten(stored, tmp_path / "m.npz", drop))


def test_files_of_format_version_1_lack_what_was_not_there(blobs, tmp_path):
    model = SSEPartition(n_clusters=3).fit(blobs[0])

    def drop(header, arrays):
        header["format_version"] = 1
        for name in ("graph_settings", "features"):
            del header["fitted"][name]
        for name in ("logarithm", "tamed", "weighed", "directed"):
            del header["extension"][name]

    older = load(rewritten(model.save(tmp_path / "m"), tmp_path / "older.npz", drop))
    assert older.graph_settings_ is None
    assert older.features_ is None
    assert np.array_equal(older.labels_, model.labels_)
    assert np.array_equal(older.predict(blobs[1]), model.predict(blobs[1]))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("labels", lambda a: a[:-1], r"labels_ has shape \(99,\), expected \(100,\)"),
        ("labels", lambda a: a + 0.5, "labels holds float64"),
        ("labels", lambda a: a - 1, "labels_ holds a number below 0"),
        ("trace", lambda a: a[None], "trace_ has shape"),
        ("graph.indptr", lambda a: a[:-1], "indptr must start at 0"),
        ("graph.degree", lambda a: a[:-1], "degree has shape"),
        ("graph.weights", lambda a: -a, "weights must be finite and positive"),
        ("tree.parent", lambda a: a[1:], "a node precedes its parent|EncodingTree"),
        ("tree.cut", lambda a: a[1:], "cut has shape"),
        ("constraints.apart.members", lambda a: a + 50, "member 111, but there are|111"),
        ("constraints.apart.starts", lambda a: a[:-1], "apart.starts does not fit"),
        ("samples", lambda a: a[:, 1:], r"samples has shape \(100, 3\), expected \(100, 4\)"),
        ("samples", lambda a: a[1:], r"samples has shape \(99, 4\)"),
        ("scale.spread", lambda a: a[1:], r"scale of the features has shape \(3,\)"),
        ("weigher.widths", lambda a: a[1:], "bandwidths has shape"),
        ("weigher.silent", lambda a: a[1:], "silent samples has shape"),
    ],
)
def test_shapes_that_do_not_fit(stored, tmp_path, name, change, message):
    path = rewritten(stored, tmp_path / "m.npz", lambda h, a: a.update({name: change(a[name])}))
    with pytest.raises(ValueError, match=f"cannot load .*m.npz: .*({message})"):
        load(path)


def test_trees_and_names_that_do_not_fit(stored, blobs, tmp_path):
    other = SSEHierarchy().fit(blobs[0][:40]).save(tmp_path / "other")
    with np.load(other) as file:
        trees = {name: file[name] for name in file.files if name.startswith("tree.")}
    with pytest.raises(ValueError, match="tree_ has 40 leaves for 100 samples"):
        load(rewritten(stored, tmp_path / "m.npz", lambda h, a: a.update(trees)))

    def named(header, arrays):
        header["fitted"]["feature_names_in"] = ["a"]

    with pytest.raises(ValueError, match="feature_names_in_ has shape"):
        load(rewritten(stored, tmp_path / "m.npz", named))


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("extension", {"kind": "magic"}),
        ("extension", {"kernel": "magic"}),
        ("fitted", {"selection": {"chosen": 1}}),
        ("fitted", {"objective": "much"}),
        ("constraints", {"classes": 5}),
        ("constraints", {"hard": [1]}),
    ],
)
def test_headers_that_do_not_fit(stored, tmp_path, part, change):
    path = rewritten(stored, tmp_path / "m.npz", lambda h, a: h[part].update(change))
    with pytest.raises(ValueError, match="cannot load .*m.npz: "):
        load(path)


def test_truncated_files(stored, tmp_path):
    content = stored.read_bytes()
    path = tmp_path / "cut.npz"
    for size in (0, 3, 4, 100, len(content) // 2, len(content) - 30, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match="cannot load .*cut.npz: "):
            load(path)


def test_a_changed_byte_is_noticed_or_harmless(stored, tmp_path):
    """Whatever byte is wrong: an error of ours, or a byte of the archive that tells nothing."""
    content = stored.read_bytes()
    model, path = load(stored), tmp_path / "changed.npz"
    noticed = harmless = 0
    for at in np.random.default_rng(0).integers(4, len(content), 300):
        changed = bytearray(content)
        changed[at] ^= 0xFF
        path.write_bytes(changed)
        try:
            assert_same(model, load(path))
            harmless += 1
        except ValueError as error:
            noticed += str(error).startswith(f"cannot load {path}: ")
    assert noticed > 250
    assert noticed + harmless == 300


def test_files_of_format_version_1_load():
    with pytest.raises(ValueError, match="by the paper.s method.* sentree.paper.PaperHierarchy"):
        load(OLD / "hierarchy-v1.npz")
    model = load(OLD / "partition-v1.npz")
    expected = json.loads((OLD / "partition-v1.json").read_text())
    assert model.get_params()["n_clusters"] == expected["n_clusters"]
    assert model.labels_.tolist() == expected["labels"]
    assert model.tree_.parent.tolist() == expected["parent"]
    assert model.constraints_.classes == tuple(expected["classes"])
    assert len(model.constraints_) == expected["constraints"]
    assert len(model.constraints_.hard or ()) == expected["hard"]
    labels, strength = model.predict(expected["new"], return_strength=True)
    assert labels.tolist() == expected["predicted"]
    np.testing.assert_array_equal(strength, model.predict_proba(expected["new"]).max(axis=1))


@pytest.mark.parametrize("dtype", ["<i8", "|V0"])
@pytest.mark.parametrize("name", ["header", "labels", "constraints.must_link", "samples"])
def test_an_array_that_claims_more_than_there_is_takes_no_memory(stored, tmp_path, name, dtype):
    shape = (10**9, 2) if name == "constraints.must_link" else (10**9,)
    path = tmp_path / "crafted.npz"
    with zipfile.ZipFile(stored) as source, zipfile.ZipFile(path, "w") as target:
        for member in source.namelist():
            content = source.read(member)
            if member == f"{name}.npy":
                start = io.BytesIO()
                claim = {"descr": dtype, "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(start, claim)
                content = start.getvalue() + content[:80]
            target.writestr(member, content)
    assert_refused_cheaply(path, f"{name} claims shape {re.escape(str(shape))}")


def test_a_file_that_claims_far_more_bytes_than_it_has_takes_no_memory(stored, tmp_path):
    with np.load(stored) as file:
        arrays = {**dict(file), "trace": np.zeros(5 * 10**6)}
    np.savez_compressed(tmp_path / "bomb.npz", **arrays)
    arrays.clear()
    assert_refused_cheaply(tmp_path / "bomb.npz", "bytes, far more than it has")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("labels", lambda a: np.where(a == 0, 2**31 - 1, a), "labels_ holds 2147483647, but"),
        ("copies", lambda a: np.where(a == 0, 10**9, a), "copies does not number"),
        ("constraints.must_link", lambda a: a + 10**8, "must-link 0 is .*only 100 samples"),
        ("constraints.label_index", lambda a: a + 2**40, "label 0 is .*numbered from 0"),
    ],
)
def test_large_numbers_in_a_file_take_no_memory(blobs, tmp_path, name, change, message):
    X = np.concatenate((blobs[0][:90], blobs[0][:10]))
    model = SSEPartition(n_clusters=3).fit(X, blobs[2] * 0, must_link=[(0, 1)])
    path = rewritten(
        model.save(tmp_path / "m"),
        tmp_path / "crafted.npz",
        lambda h, a: a.update({name: change(a[name])}),
    )
    assert_refused_cheaply(path, message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h, a: h["parameters"].update(affinity="best"), "'affinity' parameter"),
        (lambda h, a: h["parameters"].update(n_clusters=-1), "'n_clusters' parameter"),
        (lambda h, a: h["fitted"].update(n_features_in=1e308), ""),
        (lambda h, a: a.update({"weigher.widths": a["weigher.widths"] * np.nan}), "bandwidths"),
        (lambda h, a: a.update({"scale.spread": a["scale.spread"].astype("S3")}), "layout"),
        (lambda h, a: a.update({"scale.offset": a["scale.offset"] * np.nan}), "layout"),
    ],
)
def test_what_would_fail_or_be_nonsense_later_is_refused_at_once(blobs, tmp_path, change, message):
    stored = SSEPartition(n_clusters=3).fit(blobs[0]).save(tmp_path / "m")
    path = rewritten(stored, tmp_path / "crafted.npz", change)
    assert_refused_cheaply(path, message)


def assert_refused_cheaply(path, message):
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=f"cannot load .*{message}"):
            load(path)
        assert tracemalloc.get_traced_memory()[1] < 10**7
    finally:
        tracemalloc.stop()


def test_loading_in_a_new_process(stored):
    code = f"import sentree; print(sentree.load({str(stored)!r}).n_clusters_)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "3"


def test_a_model_is_read_from_what_numpy_writes_compressed(stored, tmp_path):
    """The format is NumPy's: other tools may write it too."""
    with np.load(stored) as file:
        arrays = dict(file)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    (tmp_path / "small.npz").write_bytes(buffer.getvalue())
    assert_same(load(stored), load(tmp_path / "small.npz"))


def test_labels_of_mixed_depth_survive(blobs, tmp_path):
    paths = ["a/x", "a/y", "b", None] * 25
    model = SSEHierarchy().fit(blobs[0], constraints=Constraints.from_paths(paths))
    again = load(model.save(tmp_path / "model"))
    assert_same(model, again)
    kept = again.constraints_.finer
    assert kept.classes == model.constraints_.finer.classes
    assert np.array_equal(kept.label_index, model.constraints_.finer.label_index)


def test_a_model_that_was_pickled_can_be_saved(blobs, tmp_path):
    X, new, _ = blobs
    model = pickle.loads(pickle.dumps(SSEPartition(n_clusters=3).fit(X)))
    again = load(model.save(tmp_path / "model.npz"))
    assert np.array_equal(again.predict(new), model.predict(new))
