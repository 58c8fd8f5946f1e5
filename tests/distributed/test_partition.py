"""Clusters found on a Dask cluster."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from distributed import Client, Event, LocalCluster
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from sentree import ConstraintConflict, Constraints, Graph, SSEPartition, knn_graph
from sentree.distributed import DaskPartition, building, coarse, partition, running, shards
from sentree.distributed.running import Crowd
from sentree.search.objective import partition_objective


def rows_of(model):
    return model.labels_.compute()


@pytest.fixture(scope="module")
def usual():
    """What a fit of the array found first: computed once."""
    return {}


@pytest.fixture
def wanted(usual, client, array):
    """The clusters of the array on two workers."""
    if not usual:
        usual["labels"] = rows_of(DaskPartition(client=client).fit(array))
    return usual["labels"]


@pytest.fixture
def seen(monkeypatch):
    """The graph that the last fit worked on, put together, in the order of rows."""
    kept = {}
    found = partition.moved

    def watched(crowd, graph, *args, **more):
        whole = crowd.gather(graph.shards)
        rows, columns, weights = [], [], []
        for shard in whole:
            number = np.concatenate((np.arange(shard.start, shard.stop), shard.ghosts))
            rows.append(np.repeat(number[: shard.rows.n], np.diff(shard.rows.indptr)))
            columns.append(number[shard.rows.indices])
            weights.append(shard.rows.weights)
        i, j, w = map(np.concatenate, (rows, columns, weights))
        once = i < j
        row = np.arange(graph.n) if graph.vertex is None else np.argsort(graph.vertex)
        edges = np.column_stack((row[i[once]], row[j[once]]))
        kept["graph"] = Graph.from_edges(edges, w[once], n=graph.n)
        kept["both"] = 2 * once.sum() == i.size
        kept["shards"] = len(whole)
        return found(crowd, graph, *args, **more)

    monkeypatch.setattr(partition, "moved", watched)
    return kept


def test_objective_is_that_of_the_whole_graph(client, array, blobs, seen):
    model = DaskPartition(client=client).fit(array)
    labels = rows_of(model)
    assert seen["shards"] > 2
    assert seen["both"]
    assert model.n_edges_ == seen["graph"].n_edges
    assert model.objective_ == pytest.approx(partition_objective(seen["graph"], labels).value)
    assert model.n_clusters_ == 5
    assert adjusted_rand_score(blobs[1], labels) > 0.95
    assert labels.dtype == np.int32
    assert model.labels_.chunks == (array.chunks[0],)
    assert model.n_parts_ < 1500


def test_graph_is_that_of_one_machine(client, array, seen):
    DaskPartition(client=client, affinity="gaussian", n_neighbors=10).fit(array)
    one = knn_graph(array.compute().astype(np.float32), 10, neighbors="exact")
    found, whole = seen["graph"].to_scipy(), one.to_scipy()
    both = found.multiply(whole > 0)
    assert both.nnz >= 0.95 * whole.nnz
    wrong = abs(both - whole.multiply(found > 0)) > 1e-4
    assert wrong.nnz <= 0.1 * both.nnz  # a bandwidth differs where a neighbour was missed


def test_as_low_as_one_machine(client, array, blobs):
    model = DaskPartition(client=client).fit(array)
    one = SSEPartition().fit(blobs[0])
    assert model.objective_ <= one.objective_ * 1.01
    assert adjusted_rand_score(one.labels_, rows_of(model)) > 0.98


@pytest.mark.parametrize(("workers", "threads"), [(3, 1), (1, 4)])
def test_workers_threads_and_chunks_do_not_matter(array, wanted, workers, threads):
    more = {"processes": False, "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(n_workers=workers, threads_per_worker=threads, **more) as cluster,
        Client(cluster) as other,
    ):
        found = DaskPartition(client=other).fit(array.rechunk((700 // workers, 6)))
        assert (rows_of(found) == wanted).all()


def test_levels_of_parts(client, array, blobs, monkeypatch, seen):
    """Parts of parts, where one worker could not hold the parts of samples."""
    monkeypatch.setattr(coarse, "_MOST_PARTS", 100)
    monkeypatch.setattr(coarse, "_FURTHER", 4)
    model = DaskPartition(n_clusters=5, client=client).fit(array)
    labels = rows_of(model)
    assert model.n_parts_ <= 300
    assert model.objective_ == pytest.approx(partition_objective(seen["graph"], labels).value)
    assert adjusted_rand_score(blobs[1], labels) > 0.95


def test_number_and_resolution(client, array):
    assert DaskPartition(n_clusters=7, client=client).fit(array).n_clusters_ == 7
    few = DaskPartition(resolution=0.2, client=client).fit(array).n_clusters_
    assert few <= DaskPartition(resolution=3.0, client=client).fit(array).n_clusters_


def test_labels_give_names(client, array, blobs):
    y = np.full(1500, "", dtype=object)
    y[::20] = [f"kind {k}" for k in blobs[1][::20]]
    y[y == ""] = None
    model = DaskPartition(client=client).fit(array, y)
    assert sorted(model.cluster_names_) == [f"kind {k}" for k in range(5)]
    named = np.array(model.cluster_names_)[rows_of(model)]
    assert np.mean(named == [f"kind {k}" for k in blobs[1]]) > 0.95
    assert model.constraint_report_.share > 0.95


def test_hard_constraints_of_every_kind_hold(client, array, blobs):
    y = blobs[1]
    same, other = np.flatnonzero(y == 0)[:4], np.flatnonzero(y == 1)[:4]
    given = (
        Constraints.from_pairs([(same[0], other[0])], [(same[1], same[2])])
        + Constraints.from_groups([other[1:3]], [[same[3], other[3]]])
        + Constraints.from_negative_labels([(int(other[0]), "b")], classes=["a", "b"])
        + Constraints.from_labels(["a" if k == same[3] else None for k in range(1500)])
    )
    model = DaskPartition(hard=True, client=client).fit(array, constraints=given)
    assert model.constraint_report_.n_given >= 6
    assert model.constraint_report_.n_broken == 0


def test_soft_pairs_are_followed(client, array, blobs):
    y = blobs[1]
    first, second = (np.flatnonzero(y == k)[:60] for k in (0, 1))
    model = DaskPartition(client=client).fit(array, must_link=np.column_stack((first, second)))
    assert model.n_clusters_ == 4
    assert model.constraint_report_.share > 0.9


def test_sizes_hold(client, array):
    model = DaskPartition(n_clusters=4, min_size=300, max_size=420, client=client).fit(array)
    sizes = np.bincount(rows_of(model))
    assert sizes.min() >= 300
    assert sizes.max() <= 420


def test_size_weights_are_sums(client, array):
    weight = np.where(np.arange(1500) % 2, 1.0, 3.0)
    model = DaskPartition(n_clusters=4, max_size=900.0, client=client)
    sizes = np.bincount(rows_of(model.fit(array, size_weight=weight)), weight)
    assert sizes.max() <= 900


def test_locked_samples_stay(client, array, blobs):
    init = np.full(1500, -1)
    init[:300] = (blobs[1][:300] + 2) % 5
    locked = np.arange(5)
    init[locked] = [4, 3, 2, 1, 0]
    model = DaskPartition(client=client).fit(array, init=init, locked=locked)
    assert (rows_of(model)[locked] == init[locked]).all()
    assert model.n_clusters_ == 5


def test_shapes_in_a_plane(client):
    X, y = make_moons(1200, noise=0.06, random_state=0)
    model = DaskPartition(client=client).fit(X)
    assert model.n_clusters_ == 2
    assert model.n_parts_ == 1200
    assert adjusted_rand_score(y, rows_of(model)) > 0.98


def test_tree_over_parts(client, array, wanted, seen, tmp_path):
    model = DaskPartition(tree=True, client=client).fit(array)
    leaf = model.leaf_.compute()
    assert model.leaf_.chunks == model.labels_.chunks
    model.to_parquet(tmp_path / "found")
    assert (
        (
            pd.read_parquet(tmp_path / "found")[["cluster", "leaf"]]
            == np.column_stack((wanted, leaf))
        )
        .all()
        .all()
    )
    assert (rows_of(model) == wanted).all()
    assert model.tree_.n_leaves == leaf.max() + 1 < 1500
    cluster = np.zeros(leaf.max() + 1, dtype=np.int64)
    cluster[leaf] = wanted
    assert (cluster[leaf] == wanted).all()  # no leaf is in two clusters
    nodes = model.tree_.volume[model.tree_.n_leaves :]
    degree = np.bincount(wanted, seen["graph"].degree)
    assert all(np.isclose(nodes, volume).any() for volume in degree)


def test_conflicts_are_found_first(client, array):
    with pytest.raises(ConstraintConflict):
        DaskPartition(client=client).fit(array, must_link=[(0, 1)], cannot_link=[(0, 1)])


def test_unknown_chunks(client, array, wanted):
    """Small and empty ones, too."""
    unknown = array.rechunk((37, 6))
    unknown = da.concatenate([unknown[:740], unknown[:740][unknown[:740, 0] > 1e9], unknown[740:]])
    unknown = unknown[unknown[:, 0] > -np.inf]
    assert np.isnan(unknown.shape[0])
    model = DaskPartition(client=client).fit(unknown)
    assert 0 in model.labels_.chunks[0]
    assert len(model.labels_.chunks[0]) == unknown.numblocks[0]
    assert (rows_of(model) == wanted).all()


@pytest.mark.parametrize("kind", ["float64", "Float64"])
def test_data_frames(client, blobs, wanted, kind):
    frame = pd.DataFrame(blobs[0], columns=list("abcdef")).astype(kind)
    model = DaskPartition(client=client).fit(dd.from_pandas(frame, npartitions=3))
    assert (rows_of(model) == wanted).all()
    assert len(model.labels_.chunks[0]) == 3


def test_files(client, array, blobs, wanted, tmp_path):
    np.save(tmp_path / "rows.npy", blobs[0])
    pd.DataFrame(blobs[0], columns=list("abcdef")).to_parquet(tmp_path / "rows.parquet")
    da.to_zarr(array.rechunk((500, 6)), str(tmp_path / "rows.zarr"))
    for name in ("rows.npy", "rows.parquet", "rows.zarr"):
        model = DaskPartition(client=client).fit(tmp_path / name)
        assert (rows_of(model) == wanted).all()
    model.to_parquet(tmp_path / "clusters")
    assert (pd.read_parquet(tmp_path / "clusters")["cluster"].to_numpy() == wanted).all()


def test_anndata(client, array, blobs):
    anndata = pytest.importorskip("anndata")
    kind = pd.Categorical.from_codes(np.where(np.arange(1500) % 20, -1, blobs[1]), list("abcde"))
    obs = pd.DataFrame({"kind": kind}, index=[f"cell {k}" for k in range(1500)])
    data = anndata.AnnData(array, obs=obs, obsm={"X_pca": array * 2})
    model = DaskPartition(client=client).fit(data, data.obs["kind"])
    assert adjusted_rand_score(blobs[1], rows_of(model)) > 0.95
    assert sorted(model.cluster_names_) == list("abcde")
    assert model.labels_.chunks == (array.chunks[0],)


@pytest.mark.filterwarnings("ignore:Writing zarr v2")
def test_anndata_as_zarr(client, blobs, wanted, tmp_path):
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(sp.csr_array(blobs[0]))
    data.write_zarr(tmp_path / "cells.zarr")
    with pytest.raises(TypeError, match="sparse X and no obsm"):
        DaskPartition(client=client).fit(tmp_path / "cells.zarr")
    data.obsm["X_pca"] = blobs[0]
    data.write_zarr(tmp_path / "cells.zarr")
    model = DaskPartition(client=client).fit(tmp_path / "cells.zarr")
    assert (rows_of(model) == wanted).all()


def test_edge_list(client, blobs, seen):
    order = np.argsort(blobs[1], kind="stable")
    graph = knn_graph(blobs[0][order], 10)
    i, j, weight = graph.edges()
    table = pd.DataFrame({"i": i, "j": j, "weight": weight}).sample(frac=1, random_state=0)
    half = table.copy()
    half["weight"] /= 2  # twice half an edge
    frame = dd.from_pandas(pd.concat([half, half]), npartitions=4, sort=False)
    model = DaskPartition(affinity="precomputed", client=client).fit(frame)
    assert abs(seen["graph"].to_scipy() - graph.to_scipy()).max() < 1e-12
    labels = rows_of(model)
    assert model.objective_ == pytest.approx(partition_objective(graph, labels).value)
    assert adjusted_rand_score(blobs[1][order], labels) > 0.9


def test_edges_in_several_files(client, tmp_path):
    """Two rings, in three files, and a vertex without an edge, of which y tells."""
    ring = np.arange(30)
    ends = (
        np.concatenate((ring, ring + 30)),
        np.concatenate(((ring + 1) % 30, (ring + 1) % 30 + 30)),
    )
    table = pd.DataFrame({"source": ends[0], "target": ends[1]})
    paths = [tmp_path / f"edges-{k}.parquet" for k in range(3)]
    for k, path in enumerate(paths):
        table.iloc[k::3].to_parquet(path)
    y = np.full(61, -1)
    y[[0, 30]] = 0, 1
    for files in (paths, tmp_path, str(tmp_path / "edges-*.parquet")):
        model = DaskPartition(n_clusters=3, affinity="precomputed", client=client)
        with pytest.warns(UserWarning, match=r"1 of 61 samples have no neighbour \(rows 60\)"):
            labels = rows_of(model.fit(files, y))
        assert (labels == np.repeat([0, 1, 2], [30, 30, 1])).all()


def test_equal_rows_are_one_vertex(client):
    """As on one machine, where copies share the edges of their row."""
    X, y = make_blobs(150, 4, centers=4, cluster_std=1.0, random_state=1)
    times = np.random.default_rng(0).integers(1, 12, 150)
    order = np.random.default_rng(1).permutation(times.sum())
    X, y = np.repeat(X, times, axis=0)[order], np.repeat(y, times)[order]
    one = SSEPartition().fit(X)
    model = DaskPartition(client=client).fit(X)
    labels = rows_of(model)
    assert adjusted_rand_score(one.labels_, labels) > 0.98
    assert model.objective_ == pytest.approx(one.objective_, rel=0.01)
    _, same = np.unique(X, axis=0, return_inverse=True)
    assert np.unique(np.column_stack((same.ravel(), labels)), axis=0).shape[0] == 150
    with pytest.raises(ValueError, match="n_clusters=151 is more than the 150 samples that differ"):
        DaskPartition(n_clusters=151, client=client).fit(X)


def test_equal_rows_may_be_told_apart(client):
    X, _ = make_blobs(200, 4, centers=2, random_state=1)
    X = np.repeat(X, 3, axis=0)
    model = DaskPartition(n_clusters=3, hard=True, client=client).fit(X, cannot_link=[(0, 1)])
    assert model.constraint_report_.n_broken == 0
    same = DaskPartition(client=client).fit(np.ones((50, 2)))
    assert same.n_clusters_ == 1


def test_little_memory_makes_blocks_small(client, array, wanted, monkeypatch):
    """Not fewer rows than a strip, on which sums are made; the result is the same."""
    monkeypatch.setattr(building, "_LEAST", 100)
    monkeypatch.setattr(Crowd, "room", lambda crowd: 40_000)
    seen = []
    monkeypatch.setattr(
        partition, "block_rows", lambda *args: seen.append(building.block_rows(*args)) or seen[-1]
    )
    assert (rows_of(DaskPartition(client=client).fit(array)) == wanted).all()
    assert set(seen) == {100}


def test_too_little_memory_is_refused_with_the_arithmetic(array, monkeypatch):
    more = {"processes": False, "dashboard_address": "127.0.0.1:0", "memory_limit": "300 kB"}
    with (
        dask.config.set({"distributed.worker.memory.pause": False}),
        LocalCluster(n_workers=1, threads_per_worker=1, **more) as cluster,
        Client(cluster) as small,
        pytest.raises(MemoryError, match=r"rows x \d+ bytes = .*limit of 293 KiB.*more memory"),
    ):
        DaskPartition(client=small).fit(array)


@pytest.mark.parametrize(
    ("X", "kind", "told"),
    [
        (np.zeros((4, 2, 2)), ValueError, "2-D"),
        (np.array([["a", "b"], ["c", "d"]]), ValueError, "real numbers"),
        (np.zeros((1, 3)), ValueError, "at least 2 samples"),
        ("nowhere.npy", FileNotFoundError, "no nowhere.npy"),
        (np.full((9, 2), np.nan), ValueError, "nan in row 0, column 0.*leave such rows out"),
        (np.zeros((9, 0)), ValueError, "no columns"),
        (["nowhere.parquet", "here.parquet"], FileNotFoundError, "no nowhere.parquet"),
    ],
)
def test_input_that_is_wrong(client, X, kind, told, caplog):
    with pytest.raises(kind, match=told):
        DaskPartition(client=client).fit(X)


def test_text_columns_are_named(client):
    frame = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), npartitions=1)
    with pytest.raises(ValueError, match="not numbers: 'b'"):
        DaskPartition(client=client).fit(frame)


def test_sparse_blocks_are_refused(client, array):
    with pytest.raises(TypeError, match="dask array of sparse blocks"):
        DaskPartition(client=client).fit(array.rechunk((500, 6)).map_blocks(sp.csr_matrix))


def test_another_sentree_is_refused(client, array, monkeypatch):
    monkeypatch.setattr(running, "__version__", "9.9")
    told = r"sentree 9.9 is here, but the scheduler has .*, worker .* has .*: install the same"
    with pytest.raises(ValueError, match=told):
        DaskPartition(client=client).fit(array)


def test_no_sentree_is_told(client, monkeypatch):
    monkeypatch.setattr(client, "run", lambda *args, **more: {"tcp://a:1": ModuleNotFoundError()})
    with pytest.raises(ValueError, match="worker tcp://a:1 has none: install"):
        Crowd(client).check_versions()


def test_no_worker_is_not_waited_for_long(client, monkeypatch):
    monkeypatch.setattr(running, "_PATIENCE", 0.01)
    monkeypatch.setattr(client, "scheduler_info", lambda **more: {"workers": {}})
    monkeypatch.setattr(client, "wait_for_workers", late)
    with pytest.raises(TimeoutError, match=r"no worker for 0.01 seconds: start some"):
        Crowd(client).check_versions()


def late(number, timeout):
    raise TimeoutError


def test_no_worker_left(client, monkeypatch):
    go, crowd = Event(client=client), Crowd(client)
    task = crowd.submit("wait", go.wait)
    with monkeypatch.context() as alone:
        alone.setattr(running, "_LOOK", 0.01)
        alone.setattr(running, "_LONELY", 0.02)
        alone.setattr(client, "scheduler_info", lambda **more: {"workers": {}})
        with pytest.raises(TimeoutError, match="all workers are gone"):
            crowd.gather([task])
    go.set()
    assert crowd.gather([task]) == [True]


def test_what_workers_do_not_see(client, tmp_path):
    crowd = Crowd(client)
    with pytest.raises(FileNotFoundError, match=r"a worker finds no .*rows.npy: put it where all"):
        crowd.gather([crowd.submit("read", open, str(tmp_path / "rows.npy"))])


def test_threads_share_the_memory(client, monkeypatch):
    workers = {"a": {"name": "a", "memory_limit": 1 << 30, "nthreads": 4}}
    monkeypatch.setattr(client, "scheduler_info", lambda **more: {"workers": workers})
    crowd = Crowd(client)
    assert crowd.room() == 1 << 27
    crowd.require("rows", 1 << 20, 128, "")
    crowd.require("rows", 1 << 20, 512, "", alone=True)
    told = r"1,048,576 rows x 200 bytes = 200 MiB for a task, 800 MiB for its 4 threads, but"
    with pytest.raises(MemoryError, match=told):
        crowd.require("rows", 1 << 20, 200, "")


def test_without_a_client(monkeypatch):
    def nobody():
        raise ValueError("No global client found")

    monkeypatch.setattr("distributed.get_client", nobody)
    with pytest.raises(ValueError, match="no Dask client"):
        DaskPartition().fit(np.zeros((9, 2)))


def test_parameters_are_checked_and_cloned(client, array):
    assert clone(DaskPartition(n_clusters=3)).n_clusters == 3
    with pytest.raises(ValueError, match="affinity"):
        DaskPartition(affinity="cosine", client=client).fit(array)
    with pytest.raises(ValueError, match="more than the 1500 samples"):
        DaskPartition(n_clusters=2000, client=client).fit(array)
    with pytest.raises(ValueError, match="min_size or max_size"):
        DaskPartition(client=client).fit(array, size_weight=np.ones(1500))


def test_shards_are_at_most_two_hundred(monkeypatch):
    monkeypatch.setattr(shards, "SHARD", 1 << 17)
    for n, size in ((1, 17), (200 << 17, 17), ((200 << 17) + 1, 18), (10**8, 19), (10**9, 23)):
        assert shards.shard_size(n) == 1 << size


def test_shards_depend_on_the_number_of_samples_alone():
    vertex, homes, bounds = building._numbered(np.arange(1000, dtype=np.int32) % 50, 1000, 60)
    assert (np.sort(vertex) == np.arange(1000)).all()
    assert homes[0] == 0
    assert homes[-1] == 1000
    assert bounds[-1] == 60
    assert homes.size == 4
