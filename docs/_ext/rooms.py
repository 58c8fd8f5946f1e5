"""Who imports whom in the package, read from its sources; the tests and the drawing share it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

__all__ = ["INSIDE", "MODULES", "ROOMS", "arrows", "imported", "imports", "room", "without_detours"]

ROOT = Path(__file__).parents[2] / "src"
#: From the ground up. A room may import those above it in this list, never those below.
ROOMS = (
    "_util",
    "graph",
    "prepare",
    "profiles",
    "tree",
    "constraints",
    "relation",
    "search",
    "estimators",
    "distributed",
    "active",
    "datasets",
    "metrics",
    "plots",
    "io",
    "report",
    "tl",
    "pl",
    "paper",
    "demo",
    "app",
    "widget",
    "cli",
)


def _module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


#: The file of each module.
MODULES = {_module_name(path): path for path in sorted((ROOT / "sentree").rglob("*.py"))}


def room(name: str) -> str | None:
    """Return the room of a module; the package itself is in none."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 else None


#: The modules that are in a room.
INSIDE = [name for name in MODULES if room(name) not in (None, "__main__")]


def imports(path: Path) -> Iterator[tuple[str, str | None]]:
    """List what a file imports, late and for types included: modules, and names of modules."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)


#: Where the names of the package itself are.
HOME = {
    alias.name: node.module
    for node in ast.parse((ROOT / "sentree/__init__.pyi").read_text()).body
    if isinstance(node, ast.ImportFrom) and node.module
    for alias in node.names
}


def imported(name: str) -> Iterator[str]:
    """List the modules of the package that one imports, once for each name."""
    for module, one in imports(MODULES[name]):
        if module.split(".")[0] != "sentree":
            continue
        inner = f"{module}.{HOME.get(one, one) if module == 'sentree' else one}"
        yield inner if inner in MODULES else module


def arrows() -> dict[tuple[str, str], int]:
    """Count the modules of a room that import another room."""
    found: Counter[tuple[str, str]] = Counter()
    for name in INSIDE:
        found.update({(str(room(name)), str(room(one))) for one in imported(name) if room(one)})
    return {(one, other): n for (one, other), n in found.items() if one != other}


def without_detours(found: Collection[tuple[str, str]]) -> list[tuple[str, str]]:
    """Leave out the arrows that follow from others: what a room's rooms import, it may import."""
    below: dict[str, set[str]] = {}
    for name in ROOMS:  # from the ground up
        direct = {other for one, other in found if one == name}
        below[name] = direct.union(*(below[other] for other in direct))
    return [
        (one, other)
        for one, other in found
        if not any((one, via) in found and other in below[via] for via in ROOMS)
    ]
