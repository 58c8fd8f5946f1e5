"""What the commands that fit a model say about it and write of it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentree._util.wording import remedies
from sentree.cli.console import Console, Misuse
from sentree.cli.inputs import split
from sentree.cli.options import Results

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHOWN_CLUSTERS = 20
_SHOWN_BROKEN = 5
_SHOWN_NEW = 5
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


#: Ends of names of tables that are written.
_TABLES = (".csv", ".tsv", ".txt", ".json", ".xlsx", ".parquet", ".csv.gz", ".tsv.gz", ".txt.gz")


def check_table(option: str, name: str | None) -> None:
    """Refuse the name of a table that we cannot write, before any work."""
    if name != "-":
        check_suffix(option, name, _TABLES)


def check_suffix(option: str, name: str | None, allowed: Sequence[str]) -> None:
    """Refuse a name that does not tell a format we write, before any work."""
    if name is not None and not name.lower().endswith(tuple(allowed)):
        raise Misuse(f"{option} {name}: the name must end with {', '.join(allowed)}")


def check_illustrations(wanted: Results, *more: str) -> None:
    """Refuse names of pictures, reports and models that we cannot write, before any work."""
    map = wanted.map
    check_suffix("--plot", wanted.plot, (".png", ".svg", ".pdf", *more))
    check_suffix("--report", wanted.report, (".html", ".htm"))
    check_suffix("--model", wanted.model, (".npz",))
    if map is not None and wanted.plot is None and wanted.report is None:
        raise Misuse("--map is about pictures: give --plot or --report as well")
    if map is not None and not Path(map).is_file() and len(split([map])) != 2:
        raise Misuse(f"--map must be a file or two columns, such as umap1,umap2; got {map!r}")


def tell(model: Any, data: Any, console: Console) -> None:
    """Say what was found."""
    import numpy as np

    found = model.n_clusters_
    console.say(f"{found} cluster{'s' if found > 1 else ''}{_why(model)}")
    sizes = np.bincount(model.labels_, minlength=len(model.cluster_names_))
    strength = np.bincount(model.labels_, model.membership_strength_, len(sizes)) / sizes.clip(1)
    support = model.cluster_support_
    named = any(one.labels for one in support)
    console.say("  cluster     size  strength" + ("  label" if named else ""))
    largest = np.argsort(-sizes, kind="stable")
    for k in largest[:_SHOWN_CLUSTERS].tolist():
        one = support[k]
        label = f"  {one.name} ({one.counts})" if one.labels else ""
        console.say(f"  {k:>7}  {sizes[k]:>7}      {strength[k]:.2f}{label}")
    if sizes.size > _SHOWN_CLUSTERS:
        console.say(f"  and {sizes.size - _SHOWN_CLUSTERS} more, none of them larger")
    new = [one for one in support if one.new is not None]
    for one in sorted(new, key=lambda one: -one.size)[:_SHOWN_NEW]:
        console.say(str(one))
    if len(new) > _SHOWN_NEW:
        console.say(f"{len(new) - _SHOWN_NEW} more clusters have no label")
    if model.features_:
        console.say(f"features: {model.features_}")
    report = model.constraint_report_
    if report.n_given:
        kept = report.n_given - report.n_broken
        console.say(f"constraints kept: {kept} of {report.n_given}")
        _tell_broken(model, data, console)


def _why(model: Any) -> str:
    """Say where the number of clusters comes from, unless it was given."""
    if model.n_clusters is not None:
        return ""
    if getattr(model, "height", None) is not None and not model.constraints_.label_index.size:
        return " (the branches at the top of the tree; -k asks for a number)"
    if getattr(model, "resolution", None) is not None:
        return " (at this resolution)"
    if model.scale_ is not None:
        perhaps = " or ".join(map(str, model.scale_.alternatives))
        others = f"or perhaps {perhaps}; " if perhaps else ""
        return f" ({others}{model.scale_.reason})"
    known = " and what is known" if model.constraint_report_.n_given else ""
    return f" (their number was found from the data{known})"


def _tell_broken(model: Any, data: Any, console: Console) -> None:
    """Say the first broken constraints."""
    n_broken = model.constraint_report_.n_broken
    if not n_broken or console.quiet:
        return
    from sentree.report import broken_statements

    for sample, said, found in islice(broken_statements(model, data.ids), _SHOWN_BROKEN):
        console.say(f"  broken: {sample} was said to be {said}; it is in {found}")
    if n_broken > _SHOWN_BROKEN:
        console.say(f"  and {n_broken - _SHOWN_BROKEN} more (--report lists them)")


def write_clusters(
    target: str,
    labels: NDArray[Any],
    strength: NDArray[Any],
    names: Sequence[Any],
    data: Any,
    console: Console,
    more: dict[str, Any] | None = None,
    told: str = "",
) -> None:
    """Write a row per sample: id or row, cluster, strength, label if any, and more columns."""
    import numpy as np

    from sentree import io

    unnamed = data.id_name is None or data.id_name.startswith("Unnamed:")
    called = "row" if data.ids is None else "id" if unnamed else data.id_name
    table = {
        called: data.key(),
        "cluster": labels,
        "strength": np.round(strength, 4),
    }
    if any(name is not None for name in names):
        table["label"] = np.array(["" if c is None else c for c in names], dtype=object)[labels]
    io.write_table(target, table | (more or {}))
    console.wrote(target, f"cluster of each sample{told}")


def places_of(wanted: str | None, data: Any) -> Any:
    """Return where the user wants the samples drawn: columns of the data, or a file."""
    import numpy as np

    from sentree import io

    if wanted is None:
        return None
    if not Path(wanted).is_file():
        columns = [data.columns[name] for name in split([wanted])]
        try:
            return np.column_stack([column.astype(float) for column in columns])
        except (TypeError, ValueError) as error:
            raise io.InputError(f"--map {wanted} must be two columns of numbers: {error}") from None
    with remedies({}):
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
    mapped: Any,
    wanted: Results,
    console: Console,
) -> None:
    """Draw the picture and write the report, where they are asked for."""
    plot, report = wanted.plot, wanted.report
    if plot is None and report is None:
        return
    from sentree import SSEHierarchy
    from sentree.report import write_report

    is_tree = isinstance(model, SSEHierarchy)
    title = "standard input" if source == "-" else Path(source).name
    if plot is not None:
        with console.step("drawing", "drawing"):
            _draw(model, is_tree, mapped, title, plot)
        console.wrote(plot, "the tree" if is_tree else "the clusters on a map")
    if report is not None:
        with console.step("writing the report", "report"):
            write_report(
                report,
                model,
                ids=data.ids,
                places=mapped,
                table=getattr(data, "X", None),
                source=title,
                warnings=console.warnings,
                command=shlex.join(["sentree", *sys.argv[1:]]),
            )
        console.wrote(report, "everything on one page")


def _draw(model: Any, is_tree: bool, places: Any, title: str, target: str) -> None:
    """Draw a partition on its map, or a tree."""
    import matplotlib

    matplotlib.use("Agg")
    from sentree import plots
    from sentree.plots.style import save
    from sentree.report.subject import Subject

    if not is_tree:
        drawn = plots.map(model, places, title=title)
    else:
        labels = Subject(model).named_labels
        page = Path(target).suffix.lower() == ".html"
        drawn = plots.tree(model, labels, title=title, interactive=page)
    save(drawn, target)


def write_model(model: Any, target: str | None, console: Console) -> None:
    """Write the fitted model where one is asked for."""
    if target is not None:
        model.save(target)
        of_graph = model.affinity == "precomputed"
        console.wrote(target, "the model" + ("" if of_graph else ", for 'sentree predict'"))
