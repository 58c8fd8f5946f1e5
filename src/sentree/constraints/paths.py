"""Labels of mixed depth: paths from coarse to fine, as given or out of a table of parents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sentree._util.suggestions import did_you_mean
from sentree.constraints.parsing import is_missing, plain_value

__all__ = ["ontology_paths", "parent_table", "shared_removed", "split_paths"]


def split_paths(paths: Iterable[Any], sep: str, unknown: Any) -> dict[int, tuple[Any, ...]]:
    """Return the path of each sample that has one, as a tuple from coarse to fine."""
    if isinstance(paths, str) or not isinstance(paths, Iterable):
        raise ValueError(f"expected one path per sample, got {paths!r}")
    found = {}
    for row, value in enumerate(paths):
        if not isinstance(value, (tuple, list)):
            value = plain_value(value)
            if is_missing(value) or value == unknown:
                continue
            value = value.split(sep) if isinstance(value, str) else [value]
        steps = tuple(x.strip() if isinstance(x, str) else plain_value(x) for x in value)
        if not steps or any(is_missing(step) or step == "" for step in steps):
            raise ValueError(f"row {row} has path {value!r}: a step of it is empty")
        found[row] = steps
    return found


def ontology_paths(
    labels: Iterable[Any], parents: Mapping[Any, Any] | Iterable[Any], unknown: Any
) -> list[tuple[Any, ...] | None]:
    """Return the path of each label, from a table of parents; None where it is unknown."""
    above = parent_table(parents)
    known = dict.fromkeys((*above, *(p for p in above.values() if p is not None)))
    paths: dict[Any, tuple[Any, ...]] = {}
    found: list[tuple[Any, ...] | None] = []
    for row, value in enumerate(labels):
        label = plain_value(value)
        if is_missing(label) or label == unknown:
            found.append(None)
            continue
        if label not in known:
            raise ValueError(
                f"the label of row {row}, {label!r}, is not in the table of parents: add it, "
                f"without a parent if nothing is above it{did_you_mean(label, known)}"
            )
        if label not in paths:
            steps = dict.fromkeys([label])
            while (upper := above.get(next(reversed(steps)))) is not None:
                if upper in steps:
                    raise ValueError(f"the parents of {label!r} form a cycle")
                steps[upper] = None
            paths[label] = tuple(reversed(steps))
        found.append(paths[label])
    return found


def shared_removed(paths: dict[int, tuple[Any, ...]]) -> dict[int, tuple[Any, ...]]:
    """Leave out the first steps that all paths share, since they distinguish no samples."""
    while paths and len({path[0] for path in paths.values()}) == 1:
        if max(map(len, paths.values())) == 1:
            break
        paths = {row: path[1:] for row, path in paths.items() if len(path) > 1}
    return paths


def parent_table(parents: Any) -> dict[Any, Any]:
    """Return the parent of each class, None for those at the top."""
    if hasattr(parents, "itertuples"):
        parents = parents.itertuples(index=False)
    above: dict[Any, Any] = {}
    for pair in parents.items() if isinstance(parents, Mapping) else parents:
        if isinstance(pair, str) or len(pair) != 2:
            raise ValueError(f"the table of parents holds {pair!r}, expected (child, parent)")
        child, parent = map(plain_value, pair)
        parent = None if is_missing(parent) or parent == "" else parent
        if above.setdefault(child, parent) != parent:
            raise ValueError(f"{child!r} has two parents, {above[child]!r} and {parent!r}")
    return above
