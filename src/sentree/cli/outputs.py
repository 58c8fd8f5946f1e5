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
from sentree.cli.options import Results, Table

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


def table_named(word: str, source: str, append: bool) -> str:
    """End the name of a table with its format: CSV, or that of the data that it is appended to."""
    end = Path(source.removesuffix(".gz")).suffix.lower()
    return f"{word}{end if append and end in _TABLES else '.csv'}"


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
    if model.preparation_ is not None:
        console.say(f"prepared: {model.preparation_.summary()}")
        console.detail(model.preparation_.report().to_string(index=False))
    found = model.n_clusters_
    console.say(f"{found} cluster{'s' if found > 1 else ''}{_why(model)}")
    support = model.cluster_support_
    names = [f"{one.name} ({one.counts})" if one.labels else None for one in support]
    tell_sizes(model.labels_, model.membership_strength_, names, console)
    new = [one for one in support if one.new is not None]
    for one in sorted(new, key=lambda one: -one.size)[:_SHOWN_NEW]:
        console.say(str(one))
    if len(new) > _SHOWN_NEW:
        console.say(f"{len(new) - _SHOWN_NEW} more clusters have no label")
    if scaled := _scaling(model):
        console.say(f"features: {scaled}")
    report = model.constraint_report_
    if report.n_given:
        kept = report.n_given - report.n_broken
        console.say(f"constraints kept: {kept} of {report.n_given}")
        _tell_broken(model, data, console)


def tell_sizes(
    labels: NDArray[Any], strength: NDArray[Any], names: Sequence[Any], console: Console
) -> None:
    """Say how many samples each cluster has, how firmly, and its name; the largest first."""
    import numpy as np

    sizes = np.bincount(labels, minlength=len(names))
    mean = np.bincount(labels, strength, len(sizes)) / sizes.clip(1)
    named = any(name is not None for name in names)
    console.say("  cluster     size  strength" + ("  label" if named else ""))
    largest = np.argsort(-sizes, kind="stable")
    for k in largest[:_SHOWN_CLUSTERS].tolist():
        label = "" if names[k] is None else f"  {names[k]}"
        console.say(f"  {k:>7}  {sizes[k]:>7}  {f'{mean[k]:.2f}' if sizes[k] else '':>8}{label}")
    if sizes.size > _SHOWN_CLUSTERS:
        console.say(f"  and {sizes.size - _SHOWN_CLUSTERS} more, none of them larger")


def _scaling(model: Any) -> str:
    """Say how features were scaled and weighed before samples were compared."""
    if model.affinity in ("precomputed", "precomputed_distances"):
        return ""
    settings = model.graph_settings_
    parts = ["as they are" if settings is None else settings.scaling]
    if settings is not None and not settings.is_table:
        parts.append(f"compared by the {settings.metric} distance, as {settings.kind}")
    if model.features_:
        parts.append(str(model.features_))
    return "; ".join(parts)


def _why(model: Any) -> str:
    """Say where the number of clusters comes from, unless it was given."""
    if model.n_clusters is not None:
        return ""
    sized = model.min_size is not None or model.max_size is not None
    is_top = not model.constraints_.label_index.size and not sized
    if getattr(model, "height", None) is not None and is_top:
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


def cluster_columns(
    labels: NDArray[Any], strength: NDArray[Any], names: Sequence[Any]
) -> dict[str, Any]:
    """Return the columns of a result: cluster, strength, and label if there are any."""
    import numpy as np

    columns: dict[str, Any] = {"cluster": labels, "strength": np.round(strength, 4)}
    if any(name is not None for name in names):
        columns["label"] = np.array(["" if c is None else c for c in names], dtype=object)[labels]
    return columns


def write_clusters(
    target: str, columns: dict[str, Any], data: Any, console: Console, table: Table | None = None
) -> None:
    """Write a row per sample: its id or row and these columns, or all columns of the table."""
    from sentree import io

    what = "cluster of each sample"
    if "level_1" in columns:
        what += ", and its branch on each level"
    with console.step(f"writing {target}", "writing"):
        if table is None:
            unnamed = data.id_name is None or data.id_name.startswith("Unnamed:")
            called = "row" if data.ids is None else "id" if unnamed else data.id_name
            io.write_table(target, {called: data.key()} | columns)
        else:
            what += f", beside all columns of {data.source}"
            given = io.append_columns(
                data.origin,
                target,
                columns,
                header="auto" if table.header is None else table.header,
                separator=table.separator,
            )
            other = [f"{new} (there is a column {old})" for old, new in given.items() if new != old]
            what += f"; named {', '.join(other)}" * bool(other)
    console.wrote(target, what)


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
