"""What the README, the pages and the docstrings show really runs."""

import doctest
import os
import re
import shlex
import subprocess
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import pytest

import sentree
from command import executable, sentree_command
from examples import as_shown, blocks, run, workplace
from sentree.datasets import load_paper
from sentree.paper import baselines

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text()
PAGES = sorted((*DOCS.glob("*.md"), *DOCS.glob("guide/*.md")))
pytestmark = pytest.mark.slow


def name_of(page):
    return str(page.relative_to(DOCS))


@pytest.fixture
def figures():
    """Figures are drawn without a screen and closed afterwards."""
    matplotlib.use("Agg")
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.mark.parametrize(
    "block",
    [block for block in blocks(README) if block.language == "python"],
    ids=lambda block: block.code.splitlines()[0],
)
def test_readme_example(block):
    if "load_paper" in block.code:
        try:
            load_paper("Yale")
        except FileNotFoundError:
            pytest.skip("the paper's data sets are not here")
    names = {}
    run(block, names, "README.md")
    assert {"model", "adata"} & set(names) or ">>>" in block.code


@pytest.mark.usefixtures("figures")
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_page(page):
    """All examples of a page, top to bottom, in one namespace and one folder."""
    names, skipped, n_run = {}, [], 0
    with workplace() as folder:
        for block in blocks(page.read_text()):
            if block.reason is not None:
                skipped.append(f"line {block.line}: {block.reason}")
            elif block.language == "python":
                run(block, names, name_of(page))
                n_run += 1
            elif block.language == "sh" and not block.code.startswith(("pip ", "make ")):
                output = run_shell(block, folder)
                n_run += 1
            elif block.language == "text":
                assert as_shown(block.code, output), f"line {block.line}, but got:\n{output}"
    if skipped and not n_run:
        pytest.skip("; ".join(skipped))


def run_shell(block, folder):
    """Run a block of commands as a reader would, with this sentree, and return what it prints.

    Plain calls of sentree are made here, which saves the time to start it. Every line is a command
    by itself.
    """
    output = ""
    for command in block.code.replace("\\\n", " ").splitlines():
        plain = re.fullmatch(r"sentree ([^|<>$;&*#]*)(#.*)?", command)
        if plain:
            done = sentree_command(*shlex.split(plain[1]), cwd=folder)
        else:
            done = run_line(command, folder)
        assert done.returncode == 0, f"line {block.line}: {command}: {done.output}"
        output += done.output
    return output


def run_line(command, folder):
    """Run a command in a shell."""
    program = " ".join(f"'{part}'" for part in executable())
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", f'sentree() {{ {program} "$@"; }}\n{command}'],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(sentree.__file__).parents[1])},
    )
    return SimpleNamespace(returncode=done.returncode, output=done.stdout)


def test_pages_show_and_are_found():
    """The pages are there, most of them run something, and no example hides in another language."""
    assert {"index.md", "tutorial.md", "theory.md", "faq.md"} <= set(map(name_of, PAGES))
    for page in PAGES:
        text = page.read_text()
        fences = re.findall(r"^\s*```(\S+)", text, re.M)
        assert not set(fences) & {"pycon", "py", "python3", "bash", "shell", "console"}, page
        shown = sum(fence in ("python", "sh", "text", "{picture}") for fence in fences)
        assert shown == len(list(blocks(text))), f"{page}: a block is indented or misspelled"


def test_marked_blocks_are_skipped_with_their_reason():
    page = "<!-- not run: no data -->\n```python\n1 / 0\n```\n\n```python\n>>> 1 + 1\n3\n```\n"
    first, second = blocks(page)
    assert first.reason == "no data"
    with pytest.raises(AssertionError, match=r"Expected:\n    3\nGot:\n    2"):
        run(second, {}, "page")
    (needy,) = blocks("<!-- needs: sentree, no_such_package -->\n```python\n1\n```\n")
    assert needy.reason == "needs no_such_package"
    (served,) = blocks("<!-- needs: sentree -->\n```python\n1\n```\n")
    assert served.reason is None


def test_every_page_is_in_the_contents():
    listed = set()
    for toctree in re.findall(r"```\{toctree\}\n(.*?)```", (DOCS / "index.md").read_text(), re.S):
        listed |= {line for line in toctree.splitlines() if line and not line.startswith(":")}
    pages = {name_of(page).removesuffix(".md") for page in PAGES} - {"index"}
    assert pages == listed - {"api/index", "gallery/index"}


def test_links_between_files_resolve():
    """Links and pictures of Markdown files lead to files; Sphinx checks roles and anchors."""
    for page in (*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"):
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page}: {target}"
        for target in re.findall(r"\{doc\}`(?:[^`<]*<)?([^`>]+)>?`", page.read_text()):
            found = DOCS / target.lstrip("/") if target.startswith("/") else page.parent / target
            if found.parent.name == "gallery":  # made from the examples
                found = ROOT / "examples" / found.name.replace("index", "README")
            assert list(found.parent.glob(f"{found.name}.*")), f"{page}: {target}"


def test_the_api_pages_are_of_public_names_and_the_reverse():
    """A page of a module lists its whole ``__all__``; ``make docs`` fails where a name has none."""
    listed = re.findall(r"^   (sentree[\w.]*)$", (DOCS / "api" / "index.rst").read_text(), re.M)
    assert len(listed) == len(set(listed))
    assert {f"sentree.{name}" for name in sentree.__all__} <= set(listed)
    modules = [name for name in listed if find_module(name)]
    for name in set(listed) - set(modules):
        module, _, one = name.rpartition(".")
        assert one in import_module(module).__all__, f"{name} is not public"
        assert module not in modules, f"{name} is on the page of {module}"
    for module in modules:
        for name in import_module(module).__all__:
            shown = getattr(import_module(module), name)
            assert shown.__doc__ or not callable(shown), f"{module}.{name} has no docstring"


def find_module(name):
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None


@pytest.mark.parametrize(
    "name",
    [
        *("estimators.partition", "estimators.hierarchy", "estimators.membership"),
        "estimators.support",
        *("estimators.persistence", "constraints.constraints", "constraints.audit"),
        *("graph.graph", "graph.build", "tree.tree", "datasets", "metrics"),
        *sorted({getattr(baselines, name).__module__[8:] for name in baselines.__all__}),
        "paper.baselines.mpckmeans",
        *("io.names", "io.labels", "_util.wording"),
        *("plots.agreement", "plots.scatter", "plots.icicle", "plots.summaries"),
        *("report.broken", "plots.layout", "report.assemble"),
    ],
)
def test_docstring_examples(name):
    result = doctest.testmod(import_module(f"sentree.{name}"))
    assert result.failed == 0


def test_the_readme_names_the_two_commands():
    assert "make demo" in README
    assert "make test" in README
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "test", "lint", "docs", "bench", "sanitize"):
        assert re.search(rf"^{target}:", makefile, re.M)
    assert "make test" in (ROOT / ".ci" / "run").read_text()
