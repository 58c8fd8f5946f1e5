"""Rules about the package as a whole."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import sentree

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "sentree").rglob("*.py"))
HEAVY = ("sklearn", "pandas", "matplotlib", "faiss", "typer", "networkx")


def python(code):
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_package_loads_nothing_heavy():
    code = f"import sys, sentree; print([m for m in {HEAVY} if m in sys.modules])"
    assert python(code) == "[]"


def test_graphs_trees_constraints_and_kernels_need_none_of_it():
    code = (
        "import sys; from sentree import Constraints, EncodingTree, Graph; "
        "from sentree.search import kernels; "
        "g = Graph.from_edges([(0, 1), (1, 2)]); kernels.merge(g); kernels.stretch(g); "
        f"Constraints.from_pairs([(0, 1)]); print([m for m in {HEAVY} if m in sys.modules])"
    )
    assert python(code) == "[]"


def test_fitting_small_data_loads_nothing_heavy_that_scikit_learn_does_not():
    code = (
        "import sys, numpy as np, sklearn.base; before = set(sys.modules); import sentree; "
        "X = np.random.default_rng(0).normal(size=(150, 4)); sentree.SSEPartition().fit(X); "
        "sentree.SSEPartition(n_clusters=3).fit(X, np.arange(150) % 4 - 1); "
        f"print([m for m in {HEAVY} if m in set(sys.modules) - before])"
    )
    assert python(code) == "[]"


def test_importing_the_package_prints_and_opens_nothing():
    assert python("import sentree") == ""


@pytest.mark.parametrize("name", sentree.__all__)
def test_every_public_name_is_there(name):
    assert getattr(sentree, name) is not None
    assert name in dir(sentree)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="No sentree attribute nonsense"):
        _ = sentree.nonsense


def test_three_modules_import_the_extension():
    """The graph, for its sums, the cells of the neighbour search, and the module of searches."""
    importers = [
        path.name
        for path in SOURCES
        if re.search(r"^\s*(from|import)\s.*_kernels", path.read_text(), re.M)
    ]
    assert sorted(importers) == ["cells.py", "graph.py", "kernels.py"]


def test_only_the_bindings_know_python():
    native = sorted((ROOT / "native").iterdir())
    assert [
        p.name for p in native if "nanobind" in p.read_text() or "Python.h" in p.read_text()
    ] == ["bindings.cpp"]


def test_the_bindings_hold_no_formula():
    text = (ROOT / "native" / "bindings.cpp").read_text()
    assert "log2" not in text


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.name)
def test_only_progress_and_the_command_line_print(path):
    if path.name not in ("cli.py", "progress.py"):
        assert not re.search(r"^\s*print\(", path.read_text(), re.M)


def test_no_hypothesis_test_depends_on_time():
    for name in ("repeatable", "random"):
        profile = settings.get_profile(name)
        assert profile.deadline is None
        assert HealthCheck.too_slow in profile.suppress_health_check
    own = [
        path.name
        for path in (ROOT / "tests").rglob("*.py")
        if path.name not in ("conftest.py", "test_package.py")
        and re.search(
            r"deadline=|suppress_health_check=\[(?!HealthCheck.too_slow)", path.read_text()
        )
    ]
    assert own == []  # a deadline, or a list without that check, would undo the profile
