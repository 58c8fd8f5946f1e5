"""The rooms of the package: who may import whom, read from the sources."""

import ast
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from rooms import INSIDE, MODULES, ROOMS, imported, room


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
    arrows["sentree.estimators.fitted"].remove("sentree.estimators.persistence")
    for name, found in arrows.items():  # a room is what its modules are, to those outside
        arrows[name] = {one for one in found if not name.startswith(f"{one}.")}
    assert set(TopologicalSorter(arrows).static_order()) == set(INSIDE)


def test_every_package_has_its_tests_and_the_reverse():
    tests = Path(__file__).parent
    packages = {room(name) for name in INSIDE if name.count(".") > 1}
    assert {path.name for path in tests.iterdir() if any(path.glob("**/test_*.py"))} == packages


@pytest.mark.parametrize("name", [name for name in INSIDE if room(name) != "cli"])
def test_public_names_are_listed(name):
    """Where there is an ``__all__``, it has every public name, and each is there."""
    written = ast.parse(MODULES[name].read_text()).body
    named = {one.name for one in written if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    module = import_module(name)
    listed = getattr(module, "__all__", named)
    assert {one for one in named if not one.startswith("_")} <= set(listed)
    assert [one for one in listed if not hasattr(module, one)] == []
