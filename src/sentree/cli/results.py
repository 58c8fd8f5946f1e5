"""What the commands that fit a model say about it and write of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentree.cli.console import Console

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sentree import Constraints

__all__ = [
    "check_suffix",
    "default_name",
    "illustrate",
    "levels_of",
    "table_of",
    "tell",
    "write_model",
]

_SHOWN_CLUSTERS = 20
_SHOWN_BROKEN = 5
#: Most levels of a tree that become columns.
_MOST_LEVELS = 50


def default_name(source: str, ending: str) -> str:
    """Name a result after the data, in the current folder; standard output after standard input."""
    if source == "-":
        return "-"
    path = Path(source)
    while path.suffix in (".gz", ".bz2", ".xz"):
        path = path.with_suffix("")
    return f"{path.stem}-{ending}"


def check_suffix(option: str, name: str | None, allowed: Sequence[str]) -> None:
    """Refuse a name that does not tell a format we write, before any work."""
    from sentree.io import InputError

    if name is not None and name != "-" and Path(name).suffix.lower() not in allowed:
        raise InputError(f"{option} {name}: the name must end with {' or '.join(allowed)}")


def tell(model: Any, data: Any, console: Console) -> None:
    """Say what was found."""
    import numpy as np

    chosen = "" if model.n_clusters is not None else " (their number was found from the data)"
    console.say(f"{model.n_clusters_} clusters{chosen}")
    sizes = np.bincount(model.labels_, minlength=len(model.cluster_names_))
    strength = np.bincount(model.labels_, model.membership_strength_, len(sizes)) / sizes.clip(1)
    named = any(name is not None for name in model.cluster_names_)
    console.say("  cluster     size  strength" + ("  label" if named else ""))
    largest = np.argsort(-sizes, kind="stable")
    for k in largest[:_SHOWN_CLUSTERS].tolist():
        name = model.cluster_names_[k]
        label = "" if name is None else f"  {name}"
        console.say(f"  {k:>7}  {sizes[k]:>7}      {strength[k]:.2f}{label}")
    if sizes.size > _SHOWN_CLUSTERS:
        console.say(f"  and {sizes.size - _SHOWN_CLUSTERS} smaller ones")
    report = model.constraint_report_
    if report.n_given:
        kept = report.n_given - report.n_broken
        console.say(f"constraints kept: {kept} of {report.n_given}")
        for line in _broken(model.constraints_, report, data.key()):
            console.say(f"  broken: {line}")


def _broken(given: Constraints, report: Any, key: NDArray[Any]) -> list[str]:
    """Name the first broken constraints."""
    lines = [
        f"{key[i]} and {key[j]} are {'not ' if kind in ('must_link', 'together') else ''}in one "
        f"cluster ({kind.replace('_', '-')})"
        for kind in ("must_link", "cannot_link", "together", "apart")
        for i, j in report.broken_pairs(kind).tolist()
    ]
    known = dict(zip(given.label_index.tolist(), given.label_code.tolist(), strict=True))
    lines += [
        f"{key[i]}, labelled {given.classes[known[i]]}, is in another cluster than its class"
        for i in report.broken["labels"].tolist()
    ]
    negative = list(zip(given.negative_index.tolist(), given.negative_code.tolist(), strict=True))
    lines += [
        f"{key[negative[k][0]]} is in a cluster with {given.classes[negative[k][1]]}, which it is "
        "not"
        for k in report.broken["negative_labels"].tolist()
    ]
    triplets = report.broken.get("triplets", [])
    lines += [
        "{} and {} do not join below {}".format(*key[given.triplets[k]]) for k in list(triplets)
    ]
    hidden = len(lines) - _SHOWN_BROKEN
    return lines if hidden <= 0 else [*lines[:_SHOWN_BROKEN], f"{hidden} more (--report lists all)"]


def table_of(
    labels: NDArray[Any], strength: NDArray[Any], names: Sequence[Any], data: Any
) -> dict[str, Any]:
    """Return the result by sample as columns: id or row, cluster, strength, and label if any."""
    import numpy as np

    unnamed = data.id_name is None or data.id_name.startswith("Unnamed:")
    called = "row" if data.ids is None else "id" if unnamed else data.id_name
    table = {
        called: data.key(),
        "cluster": labels,
        "strength": np.round(strength, 4),
    }
    if any(name is not None for name in names):
        table["label"] = np.array(["" if c is None else c for c in names], dtype=object)[labels]
    return table


def _shown_labels(model: Any) -> Any:
    """Return for each sample what its cluster is called in pictures: number, and class if known."""
    import numpy as np

    names = [
        str(k) if name is None else f"{k} {name}" for k, name in enumerate(model.cluster_names_)
    ]
    return np.array(names, dtype=object)[model.labels_]


def _places(wanted: str, data: Any) -> Any:
    """Return where the user wants the samples drawn: columns of the data, or a file."""
    import numpy as np

    from sentree import io

    if not Path(wanted).is_file():
        columns = [data.columns[name] for name in wanted.split(",")]
        if len(columns) != 2:
            raise io.InputError(f"--map {wanted} names {len(columns)} columns, expected two")
        try:
            return np.column_stack([column.astype(float) for column in columns])
        except (TypeError, ValueError) as error:
            raise io.InputError(f"--map {wanted}: {error}") from None
    found = io.read_samples(wanted)
    places = np.asarray(found.X, dtype=float)
    if places.shape[1] != 2:
        raise io.InputError(f"--map {wanted} has {places.shape[1]} columns of numbers, not two")
    if found.ids is not None and data.ids is not None:
        return places[found.rows(data.ids, data.source)]
    if found.n != data.n:
        raise io.InputError(f"--map {wanted} has {found.n} rows, {data.source} has {data.n}")
    return places


def levels_of(tree: Any) -> dict[str, Any]:
    """Return the branch of each sample on every level between the root and the samples."""
    return {f"level_{k}": tree.labels_at(k) for k in range(1, min(tree.height, _MOST_LEVELS))}


def illustrate(
    model: Any,
    data: Any,
    source: str,
    map: str | None,
    plot: str | None,
    report: str | None,
    console: Console,
) -> None:
    """Draw the picture and write the report, where they are asked for."""
    if plot is None and report is None:
        return
    from sentree import SSEHierarchy, summary

    is_tree = isinstance(model, SSEHierarchy)
    places = None if map is None else _places(map, data)
    title = "standard input" if source == "-" else Path(source).name
    if plot is not None:
        with console.step("drawing"):
            if places is None and not is_tree:
                places = summary.places(model, getattr(data, "X", None))
            _draw(model, is_tree, places, title, plot)
        console.wrote(plot, "the tree" if is_tree else "the clusters on a map")
    if report is not None:
        with console.step("writing the report"):
            summary.write_report(
                report,
                model,
                ids=data.ids,
                places=None if map is None else places,
                source=title,
                warnings=console.warnings,
            )
        console.wrote(report, "everything on one page")


def _draw(model: Any, is_tree: bool, places: Any, title: str, target: str) -> None:
    """Draw a partition on its map, or a tree."""
    import matplotlib

    matplotlib.use("Agg")
    from sentree import plots
    from sentree.plots.style import save

    if not is_tree:
        drawn = plots.partition(places, _shown_labels(model), model.constraints_, title=title)
    else:
        page = Path(target).suffix.lower() == ".html"
        drawn = plots.tree(model, _shown_labels(model), title=title, interactive=page)
    save(drawn, target)


def write_model(model: Any, target: str | None, console: Console) -> None:
    """Write the fitted model where one is asked for."""
    if target is not None:
        model.save(target)
        console.wrote(target, "the model, for 'sentree predict'")
