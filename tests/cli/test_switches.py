"""What Python can do, the command line can do, or knowingly does not."""

import inspect

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

import sentree
from command import sentree_command
from flowers import IDS, IRIS, SPECIES, call, rows_of, write_csv
from sentree.cli.outputs import levels_of

#: Options by the parameters of the estimators and of ``fit``.
OPTIONS = {
    "n_clusters": "--n-clusters",
    "min_size": "--min-size",
    "max_size": "--max-size",
    "size_penalty": "--size-penalty",
    "size_weight": "--size-weight",
    "resolution": "--resolution",
    "height": "--height",
    "penalty": "--penalty",
    "leaf_penalty": "--leaf-penalty",
    "selection": "--selection",
    "affinity": "--affinity",
    "n_neighbors": "--neighbors",
    "neighbors": "--search",
    "n_init": "--n-init",
    "hard": "--hard",
    "n_jobs": "--jobs",
    "random_state": "--seed",
    "verbose": "--verbose",
    "X": "DATA",
    "y": "--labels",
    "must_link": "--must-link",
    "cannot_link": "--cannot-link",
    "constraints": "--constraints",
    "init": "--init",
    "locked": "--locked",
}
#: Parts of the package by the command that does the same.
COMMANDS = {
    **{"SSEPartition": "cluster", "SSEHierarchy": "tree", "load": "predict", "save": "cluster"},
    **{"Constraints": "cluster", "ConstraintConflict": "check", "ConstraintReport": "cluster"},
    **{"audit_constraints": "check", "Graph": "cluster", "EncodingTree": "tree"},
    **{"dendrogram_purity": "score", "structural_entropy": "score", "dasgupta_cost": "score"},
    **{"metrics": "score", "io": "convert", "report": "cluster", "plots": "cluster"},
    **{"paper": "reproduce", "TablePreparer": "cluster", "prepare": "cluster"},
    **{"profile": "describe", "profiles": "describe", "Profile": "describe"},
    **{"active": "ask", "ActiveSession": "ask"},
}
#: What has no command, and why.
LEFT_OUT = {
    "knn_graph": "the graph of a table is a step, not a result; 'cluster' makes it",
    "KNNTransformer": "a step for other libraries in Python; 'cluster' finds neighbours itself",
    "datasets": "sets and draws for studies, which are written in Python",
    "tl": "AnnData objects in memory; 'cluster' and 'tree' read H5AD files",
    "pl": "pictures of AnnData objects in memory",
}


@pytest.mark.parametrize(
    ("command", "kind"), [("cluster", sentree.SSEPartition), ("tree", sentree.SSEHierarchy)]
)
def test_every_parameter_has_an_option(command, kind):
    told = sentree_command(command, "--help").stdout.split()
    fitted = [name for name in inspect.signature(kind.fit).parameters if name != "self"]
    without = {name for name in (*kind().get_params(), *fitted) if name not in OPTIONS}
    assert without <= {"prepare"}
    for name in (*kind().get_params(), *fitted):
        if name != "prepare":
            assert any(OPTIONS[name] in word for word in told), name


def test_every_public_name_has_a_command_or_a_reason():
    there = {name for name in dir(sentree) if not name.startswith("_")}
    assert there - {*COMMANDS, *LEFT_OUT} == set()
    assert not COMMANDS.keys() & LEFT_OUT.keys()


def test_the_options_reach_the_estimators(flowers):
    common = (
        *("--penalty", "2", "--selection", "off", "--affinity", "gaussian", "--neighbors", "7"),
        *("--search", "exact", "--hard", "--jobs", "1", "--seed", "5", "--model", "m.npz"),
    )
    expected = {
        **{"penalty": 2.0, "selection": "off", "affinity": "gaussian", "n_neighbors": 7},
        **{"neighbors": "exact", "hard": True, "n_jobs": 1, "random_state": 5},
    }
    call(flowers, "cluster", "flowers.csv", "-l", "species", *common, "--n-init", "2", "-r", "1.5")
    found = sentree.load(flowers / "m.npz").get_params()
    assert expected.items() <= found.items()
    assert (found["n_init"], found["resolution"]) == (2, 1.5)
    more = ("-k", "4", "--height", "3", "--no-leaf-penalty")
    call(flowers, "tree", "flowers.csv", "-l", "species", *common, *more)
    found = sentree.load(flowers / "m.npz").get_params()
    assert expected.items() <= found.items()
    assert (found["n_clusters"], found["height"], found["leaf_penalty"]) == (4, 3, False)


def test_clusters_to_start_from(flowers):
    call(flowers, "cluster", "flowers.csv", "-k", "4", "--drop", "species", "--out", "start.csv")
    start = [int(row["cluster"]) for row in rows_of(flowers / "start.csv")]
    (flowers / "stay.csv").write_text("flower050\nflower140\nflower149\n")
    said = ("--init", "start.csv", "--locked", "stay.csv", "-l", "species")
    call(flowers, "cluster", "flowers.csv", *said, "--out", "end.csv")
    end = [int(row["cluster"]) for row in rows_of(flowers / "end.csv")]
    known = np.array([row["species"] or None for row in rows_of(flowers / "flowers.csv")])
    model = sentree.SSEPartition().fit(IRIS.data, known, init=start, locked=[50, 140, 149])
    assert end == model.labels_.tolist()
    assert [end[k] for k in (50, 140, 149)] == [start[k] for k in (50, 140, 149)]
    done = call(flowers, "cluster", "flowers.csv", "--locked", "stay.csv", code=2)
    assert "--init" in done.stderr
    (flowers / "stay.csv").write_text("flower05\n")
    done = call(flowers, "cluster", "flowers.csv", *said, "--out", "end.csv", code=1)
    assert "stay.csv, line 1: there is no sample 'flower05'" in done.stderr


def test_distances(tmp_path):
    np.save(tmp_path / "d.npy", cdist(IRIS.data, IRIS.data))
    done = call(tmp_path, "cluster", "d.npy", "--distances", "-k", "3", "--report", "r.html")
    assert "d.npy: distances between 150 samples" in done.stdout
    assert "features" not in done.stdout
    found = [int(row["cluster"]) for row in rows_of(tmp_path / "d-clusters.csv")]
    assert adjusted_rand_score(IRIS.target, found) > 0.5
    call(tmp_path, "cluster", "d.npy", "--distances", "--affinity", "cosine", code=2)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "features: scaled to variance 1\n"),
        (["--affinity", "cosine"], "features: as they are\n"),
    ],
)
def test_it_says_how_features_were_scaled(flowers, arguments, told):
    done = call(flowers, "cluster", "flowers.csv", "--drop", "species", "-k", "3", *arguments)
    assert told in done.stdout


def test_scores_of_trees_and_appended_tables(flowers):
    write_csv(flowers / "truth.csv", ["id", "true"], IDS, SPECIES)
    call(flowers, "tree", "flowers.csv", "-l", "species", "-k", "3", "--model", "m.npz", "--append")
    model = sentree.load(flowers / "m.npz")
    purity = sentree.dendrogram_purity(model.tree_, IRIS.target)
    for name in ("flowers-tree.nwk", "t.json", "t.csv"):
        if name != "flowers-tree.nwk":
            call(flowers, "convert", "flowers-tree.nwk", name)
        told = call(flowers, "score", name, "truth.csv").stdout
        assert f"dendrogram_purity  {purity:.4f}\n" in told
        assert "samples            150" in told
    told = call(flowers, "score", "flowers-tree.nwk", "flowers.csv", "--truth-column", "species")
    assert "samples            15" in told.stdout  # those with a class
    assert "dendrogram_purity  1.0000" in told.stdout
    told = call(flowers, "score", "flowers-clusters.csv", "--truth-column", "species").stdout
    assert "samples            15" in told
    assert "no classes" in call(flowers, "score", "flowers-tree.nwk", code=2).stderr
    assert "--truth-column" in call(flowers, "score", "flowers-clusters.csv", code=2).stderr


def test_scores_on_a_graph(tmp_path):
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "e"), ("c", "d")]
    (tmp_path / "g.csv").write_text("source,target\n" + "".join(f"{i},{j}\n" for i, j in edges))
    call(tmp_path, "tree", "g.csv", "--graph", "-k", "2", "--model", "m.npz", "--clusters", "c.csv")
    model = sentree.load(tmp_path / "m.npz")
    told = call(tmp_path, "score", "g-tree.nwk", "--graph", "g.csv").stdout
    cost = sentree.dasgupta_cost(model.graph_, model.tree_)
    assert f"dasgupta_cost      {cost:.4f}" in told
    assert f"structural_entropy {model.entropy_:.4f}" in told
    told = call(tmp_path, "score", "c.csv", "--graph", "g.csv").stdout
    entropy = sentree.structural_entropy(model.graph_, model.labels_)
    assert f"structural_entropy {entropy:.4f}" in told
    assert list(levels_of(model.tree_)) == list(rows_of(tmp_path / "c.csv")[0])[3:]
