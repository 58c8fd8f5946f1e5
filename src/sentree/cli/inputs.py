"""From the options of a command to data and constraints."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentree._util.wording import remedies
from sentree.cli.console import Console, Misuse
from sentree.cli.options import Search, Statements, Table, is_file

if TYPE_CHECKING:
    from sentree import Constraints

#: What one statement of a kind is called, and several.
WORDS = {
    "must_link": ("must-link", "must-links"),
    "cannot_link": ("cannot-link", "cannot-links"),
    "together": ("group together", "groups together"),
    "apart": ("group apart", "groups apart"),
    "labels": ("label", "labels"),
    "negative_labels": ("negative label", "negative labels"),
    "triplets": ("triplet", "triplets"),
}
#: What the columns are called that are still to be prepared, and those that are ready.
_COLUMNS = (("column", "columns"), ("feature", "features"))
#: Options about the data, by the parameters of what reads them.
_DATA = {
    name: name for name in ("id_column", "drop", "layer", "format", "separator", "header", "sheet")
}
_DATA["take"] = "labels"


def read_data(
    source: Any,
    options: Table,
    take: Sequence[str],
    console: Console,
    *,
    graph: bool = False,
    again: bool = False,
    distances: bool = False,
    features: Sequence[str] | None = None,
    as_text: Sequence[str] = (),
    names_only: bool = False,
    raw: bool = False,
) -> Any:
    """Read samples or a graph, and say what was found.

    ``names_only`` is for commands that need no features: a table may then hold anything.
    ``raw`` is for those that prepare it.
    ``again`` is for those that read all columns of a table again, to write them beside others.
    """
    from sentree import io
    from sentree.estimators.inputs import is_plain
    from sentree.prepare.ids import named_like_ids

    text: dict[str, Any] = {
        "format": options.format,
        "separator": options.separator,
        "header": "auto" if options.header is None else options.header,
    }
    data: Any
    if again:
        source = _table_to_read_again(source, options)
    with console.step(f"reading {getattr(source, 'name', source)}", "reading"):
        if graph:
            if options.id_column or options.drop or options.sheet:
                raise Misuse("--id, --drop and --sheet are about tables; DATA is a graph")
            data = io.read_graph(source, layer=options.layer, **text)
            _check_attributes(data, take)
            what = f"a graph of {data.n} vertices and {data.graph.n_edges} edges"
        else:
            with remedies(_DATA):
                data = io.read_samples(
                    source,
                    id_column=options.id_column,
                    drop=split(options.drop),
                    take=take,
                    features=() if names_only else features,
                    as_text=as_text,
                    layer=options.layer,
                    sheet=options.sheet,
                    raw=raw,
                    **text,
                )
            width, plain = data.X.shape[1], not raw or is_plain(data.X)
            what = (
                f"distances between {data.n} samples"
                if distances
                else f"{data.n} samples" + (f", {_many(width, *_COLUMNS[plain])}" if width else "")
            )
    if again:
        data = replace(data, origin=source)
    named = f"; ids from {data.id_name}"
    if data.ids is None:
        named = f"; {'vertices' if graph else 'rows'} are numbered"
    console.say(f"{data.source}: {what}{_layer_of(data, options)}{named}")
    if not graph and data.layer is None and features is None and plain:
        for name in filter(named_like_ids, data.features or ()):
            console.warn(f"{name} is a feature (--drop {name} leaves it out)")
    if not graph and features is None and {"cluster", "strength"} <= set(data.features or ()):
        console.warn(
            "the columns cluster and strength are features, and look like earlier results "
            "(--drop cluster,strength leaves them out)"
        )
    if features is not None and (unused := [name for name in data.columns if name not in take]):
        console.say(f"not used, since the model does not know them: {', '.join(unused)}")
    return data


def _table_to_read_again(source: str, options: Table) -> Any:
    """Open a table that can be read twice, standard input included."""
    from sentree import io
    from sentree.io.appended import WHOLE_TABLES
    from sentree.io.samples import SAMPLE_FORMATS
    from sentree.io.sources import open_source

    found = open_source(source, SAMPLE_FORMATS, options.format, sheet=options.sheet)
    if found.format not in WHOLE_TABLES:
        raise io.InputError(
            f"{found.name} has no columns to append to: --append is for CSV, TSV, XLSX and Parquet"
        )
    return found


def read_start(search: Search, data: Any, by: Any) -> dict[str, Any]:
    """Read the clusters to start from, and the samples that stay in them."""
    if search.init is None:
        return {}
    import numpy as np

    from sentree import io

    with remedies({"by": "by"}):
        there = io.read_columns(search.init).columns
        column = "cluster" if "cluster" in there and len(there) > 1 else None
        values = io.read_labels(search.init, data, by=by, column=column)
        locked = None if search.locked is None else io.read_names(search.locked, data, by=by)
    numbers = {value: value for value in values if value is not None}
    if not all(isinstance(value, int) and value >= 0 for value in numbers):
        numbers = {value: k for k, value in enumerate(numbers)}
    init = np.array([-1 if value is None else numbers[value] for value in values])
    return {"init": init, "locked": locked}


def columns_wanted(
    said: Statements, map: str | None, console: Console, size: str | None = None
) -> list[str]:
    """The columns of the data that are not features: labels, places in pictures, sizes."""
    places = split([map]) if map and not is_file(map) else []
    if places:
        console.say(f"on the map, and no features: {', '.join(places)}")
    return [name for name in (said.label_column, *places, size) if name]


def read_size_weight(column: str | None, data: Any) -> dict[str, Any]:
    """Return the column that sizes of clusters are sums of, as numbers."""
    from sentree.io import InputError

    if column is None:
        return {}
    try:
        return {"size_weight": data.columns[column].astype(float)}
    except (TypeError, ValueError) as error:
        raise InputError(f"--size-weight {column} must be a column of numbers: {error}") from None


def _layer_of(data: Any, options: Table) -> str:
    """Say which part of a file was read, where it was not the user who said it."""
    layer = getattr(data, "layer", None)
    if layer is None or options.layer is not None or layer == "X":
        return ""
    return f" of {layer} (--layer X for X itself)"


def _check_attributes(data: Any, take: Sequence[str]) -> None:
    """Refuse columns that the vertices of a graph do not have."""
    from sentree._util.suggestions import did_you_mean
    from sentree.io import InputError

    for name in take:
        if name not in data.columns:
            there = ", ".join(data.columns) or "none"
            raise InputError(
                f"{name!r} is neither a file nor an attribute of the vertices of {data.source} "
                f"(there: {there}){did_you_mean(name, data.columns)}"
            )


def split(values: Sequence[str] | None) -> list[str]:
    """Let A,B stand for two names; a name with a comma is put in quotes."""
    rows = csv.reader(values or (), skipinitialspace=True)
    return [name.strip() for names in rows for name in names if name.strip()]


def read_constraints(
    said: Statements,
    data: Any,
    console: Console,
    hard: bool = False,
    n_clusters: int | None = None,
) -> Constraints:
    """Read all constraints, refuse contradictions by name, and say what was read."""
    from sentree.search.hard import check_room

    given, names = gather(said, data, console), data.key()
    for level in given.levels:
        level.closure(data.n, names=names)
    if len(given):
        console.say(f"known: {describe(given)}")
    given = given.hardened() if hard else given
    if given.hard is not None and n_clusters is not None:
        check_room(given.hard.closure(data.n), n_clusters, names)
    return given


@remedies({"by": "by"})  # options about the form of a file are about the data
def gather(said: Statements, data: Any, console: Console) -> Constraints:
    """Add up what all options say."""
    from sentree import Constraints, io

    by: Any = said.by
    given = Constraints.empty()
    if said.labels:
        given += _labels(said, data, console)
    if said.must_link:
        pairs, weights = io.read_pairs(said.must_link, data, "must-link", by=by)
        given += Constraints.from_pairs(must_link=pairs, weights=weights)
    if said.cannot_link:
        pairs, weights = io.read_pairs(said.cannot_link, data, "cannot-link", by=by)
        given += Constraints.from_pairs(cannot_link=pairs, weights=weights)
    if said.constraints:
        given += io.read_constraints(said.constraints, data, by=by)
    if said.not_label:
        negative = _alike(io.read_not_labels(said.not_label, data, by=by), given)
        _check_negative_classes(negative, said, given, console)
        given += Constraints.from_negative_labels(negative)
    return _declared(said, given)


def _labels(said: Statements, data: Any, console: Console) -> Constraints:
    """Read the labels, and warn of those that look mistyped."""
    from sentree import Constraints, io

    if said.label_column:
        values = io.clean_labels(data.columns[said.label_column])
    else:
        by: Any = said.by
        values = io.read_labels(str(said.labels), data, by=by)
    known = [value for value in values if value is not None]
    if not known:
        raise io.InputError(f"--labels {said.labels}: no sample has a label; all are unknown")
    if said.ontology:
        return Constraints.from_ontology(values, io.read_parents(said.ontology))
    if said.paths:
        return Constraints.from_paths(values)
    key = data.key()
    if said.classes is None:
        counts = io.count_classes(values)
        for rare, count, row, likely in io.near_misses(counts):
            console.warn(
                f"label {rare!r} occurs {_times(count)} (sample {key[row]}), {likely!r} "
                f"{_times(counts[likely][0])}: is it mistyped? --classes names those there are"
            )
    else:
        _check_classes(values, split([said.classes]), lambda k: f"sample {key[k]}")
    if len(known) == data.n:
        console.warn("every sample has a label: nothing is left to be found but better labels")
    return Constraints.from_labels(values, unknown=None)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _alike(negative: Sequence[tuple[int, Any]], given: Constraints) -> list[tuple[int, Any]]:
    """Make classes text where the labels are; a file of numbers alone is read as numbers."""
    text = any(isinstance(name, str) for name in given.classes)
    return [(row, str(value) if text else value) for row, value in negative]


def _check_classes(
    values: Iterable[Any], declared: Sequence[str], where: Callable[[int], str]
) -> None:
    """Refuse a class that was not declared."""
    from sentree._util.suggestions import did_you_mean
    from sentree.io import InputError

    allowed = set(declared)
    for k, value in enumerate(values):
        if value is not None and str(value) not in allowed:
            raise InputError(
                f"{where(k)} is {value!r}, which is not among --classes {','.join(declared)}"
                f"{did_you_mean(str(value), declared)}"
            )


def _check_negative_classes(
    negative: Sequence[tuple[int, Any]], said: Statements, given: Constraints, console: Console
) -> None:
    """Refuse negative labels with unknown classes, or warn of them."""
    from sentree._util.suggestions import did_you_mean

    classes = [value for _, value in negative]
    if said.classes:
        where = f"{said.not_label}: statement"
        _check_classes(classes, split([said.classes]), lambda k: f"{where} {k}")
    elif given.classes:
        for value in dict.fromkeys(c for c in classes if c not in given.classes):
            console.warn(
                f"{said.not_label} names the class {value!r}, which no sample is labelled with"
                f"{did_you_mean(str(value), given.classes)}"
            )


def _declared(said: Statements, given: Constraints) -> Constraints:
    """Let --classes be all the classes there are."""
    from sentree import Constraints

    if not said.classes:
        return given
    named = {str(value): value for value in given.classes}
    classes = [named.get(value, value) for value in split([said.classes])]
    return given + Constraints.from_negative_labels([], classes=classes)


def describe(given: Constraints) -> str:
    """Say how many statements of each kind there are."""
    counts = given.counts
    parts = [_many(count, *WORDS[kind]) for kind, count in counts.items() if count]
    if counts["labels"]:
        levels = f" on {len(given.levels)} levels" if given.finer is not None else ""
        parts.append(_many(len(given.classes), "class", "classes") + levels)
    return ", ".join(parts) or "nothing"


def _many(count: int, one: str, several: str) -> str:
    """Count things."""
    return f"{count} {one if count == 1 else several}"


def refuse_overwriting(inputs: Sequence[str], outputs: Sequence[str | None]) -> None:
    """Refuse to write over what is read, two results into one file, or into no folder."""
    if inputs.count("-") > 1:
        raise Misuse("standard input ('-') can be read once, and is named twice")
    read = {Path(name).resolve() for name in inputs if name != "-"}
    seen: set[Path | str] = set()
    for name in outputs:
        if name is None:
            continue
        path = name if name == "-" else Path(name).resolve()
        if path in read:
            raise Misuse(f"{name} is read by this command; give the result another name")
        if path in seen:
            raise Misuse(f"{name} is the name of two results; give them different names")
        if name != "-" and not Path(name).absolute().parent.is_dir():
            raise Misuse(f"cannot write {name}: there is no folder {Path(name).parent}")
        if isinstance(path, Path) and path.is_dir():
            raise Misuse(f"cannot write {name}: it is a folder")
        seen.add(path)
