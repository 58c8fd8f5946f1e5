"""The rooms of the package: who may import whom, read from the sources."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src"
#: From the ground up. A room may import those above it in this list, never those below.
ROOMS = (
    "_util",
    "graph",
    "tree",
    "constraints",
    "relation",
    "search",
    "estimators",
    "datasets",
    "metrics",
    "plots",
    "document",
    "io",
    "report",
    "tl",
    "pl",
    "paper",
    "demo",
    "cli",
)


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted((ROOT / "sentree").rglob("*.py"))}


#: Where the names of the package itself are.
HOME = {
    alias.name: node.module
    for node in ast.parse((ROOT / "sentree/__init__.pyi").read_text()).body
    if isinstance(node, ast.ImportFrom) and node.module
    for alias in node.names
}


def home(module, name):
    """Return where a name is; the package itself has names of other modules."""
    return HOME.get(name, name) if module == "sentree" else name


def imported(name):
    """List the modules of the package that one imports, late and for types included."""
    for node in ast.walk(ast.parse(MODULES[name].read_text())):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = [f"{node.module}.{home(node.module, alias.name)}" for alias in node.names]
            found = [one if one in MODULES else node.module for one in inner]
        else:
            continue
        yield from (one for one in found if one.split(".")[0] == "sentree")


def room(name):
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else None


INSIDE = [name for name in MODULES if room(name) not in (None, "__main__")]


def test_every_module_has_a_room():
    assert {room(name) for name in INSIDE} == set(ROOMS)


@pytest.mark.parametrize("name", INSIDE)
def test_imports_go_down(name):
    floor = ROOMS.index(room(name))
    up = [one for one in imported(name) if room(one) and ROOMS.index(room(one)) > floor]
    assert up == []


def test_every_room_says_what_it_is():
    for one in ROOMS:
        assert ast.get_docstring(ast.parse(MODULES[f"sentree.{one}"].read_text())), one


def test_no_module_imports_itself_by_a_detour():
    arrows = {name: {one for one in imported(name) if one in INSIDE} - {name} for name in INSIDE}
    # A model saves itself, and reading one makes a model.
    arrows["sentree.estimators.base"].remove("sentree.estimators.persistence")
    for name, found in arrows.items():  # a room is what its modules are, to those outside
        arrows[name] = {one for one in found if not name.startswith(f"{one}.")}
    assert set(TopologicalSorter(arrows).static_order()) == set(INSIDE)
