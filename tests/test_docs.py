"""What the README and the docstrings show really runs."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest

from sentree.baselines import _HOME
from sentree.datasets import load_paper

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.S)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0])
def test_readme_example(block):
    if "load_paper" in block:
        try:
            load_paper("Yale")
        except FileNotFoundError:
            pytest.skip("the paper's data sets are not here")
    if block.startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block, {}, "README", None, 0)
        assert doctest.DocTestRunner().run(test).failed == 0
    else:
        names = {}
        exec(compile(block, "README.md", "exec"), names)
        assert "model" in names


@pytest.mark.parametrize(
    "name",
    [
        *(
            "partition",
            "hierarchy",
            "metrics",
            "constraints",
            "affinity",
            "assign",
            "audit",
            "graph",
        ),
        *(
            "tree",
            "datasets",
            "persistence",
            *(f"baselines.{file}" for file in sorted(set(_HOME.values()))),
        ),
        "baselines.mpckmeans",
        *("io.names", "io.labels"),
        *("plots.agreement", "plots.scatter", "plots.icicle", "plots.strengths", "plots.summaries"),
        *("summary.map", "summary.report"),
    ],
)
def test_docstring_examples(name):
    result = doctest.testmod(import_module(f"sentree.{name}"))
    assert result.failed == 0


def test_the_readme_names_the_two_commands():
    assert "make demo" in README
    assert "make test" in README
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "test", "lint", "bench", "sanitize"):
        assert re.search(rf"^{target}:", makefile, re.M)
    assert "make test" in (ROOT / ".ci" / "run").read_text()
