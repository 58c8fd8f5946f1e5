"""Options that several commands share, each declared once, and the groups that they come in."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from sentree.cli.console import Console, Misuse, console

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Samples: CSV, TSV, XLSX, Parquet, NPY, NPZ, MTX, MAT, H5AD, Zarr; with --graph a "
        "graph: edge list, GraphML, MTX, NPZ, NPY, H5AD. '-' reads standard input.",
    ),
]
SampleFile = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Samples: CSV, TSV, XLSX, Parquet, NPY, NPZ, MTX, MAT, H5AD, Zarr. '-' reads "
        "standard input.",
    ),
]
Id = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="Column with the names of the samples."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="Leave this column out; may be repeated, or A,B (a name with a comma in quotes).",
    ),
]
Layer = Annotated[
    str | None,
    typer.Option(
        help="In an H5AD file: X, or which layer, obsm or obsp entry; X_pca if there is one."
    ),
]
Format = Annotated[
    str | None,
    typer.Option("--format", help="Format of DATA where its name does not tell, such as csv."),
]
Separator = Annotated[
    str | None, typer.Option(help="What separates the cells of a text file; else detected.")
]
Sheet = Annotated[
    str | None, typer.Option(metavar="NAME", help="Sheet of an XLSX file; else the first.")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", help="Whether the first line names the columns; else detected."
    ),
]
IsGraph = Annotated[bool, typer.Option("--graph", help="DATA is a graph, not a table.")]
AreDistances = Annotated[
    bool,
    typer.Option("--distances", help="DATA is a square matrix of distances between samples."),
]

Labels = Annotated[
    str | None,
    typer.Option(
        "--labels",
        "-l",
        metavar="COLUMN|FILE",
        help="Known classes: a column of DATA, or a file of ids and classes. Empty, NA, '?', "
        "'unknown' and -1 are unknown.",
    ),
]
MustLink = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Pairs that belong together: CSV of two columns, or JSON."),
]
CannotLink = Annotated[
    str | None, typer.Option(metavar="FILE", help="Pairs that do not belong together.")
]
NotLabel = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Classes that samples are not of: CSV of id and class."),
]
ConstraintFile = Annotated[
    str | None,
    typer.Option(
        "--constraints",
        "-c",
        metavar="FILE",
        help="Constraints of all kinds in one file: JSON with must_link, cannot_link, labels, "
        "not_labels, together, apart, triplets; or CSV of kind, a, b.",
    ),
]
Classes = Annotated[
    str | None,
    typer.Option(metavar="A,B,C", help="All classes there are; another one is then an error."),
]
By = Annotated[
    str,
    typer.Option(
        help="How files name samples: 'id', 'row' (counted from 0), or 'auto': by id where DATA "
        "has ids."
    ),
]
Hard = Annotated[bool, typer.Option("--hard", help="Every constraint must hold in the result.")]
Penalty = Annotated[
    float,
    typer.Option(min=0, help="Weight of the constraints against the data, at most 10."),
]
NClusters = Annotated[
    int | None,
    typer.Option("--n-clusters", "-k", min=1, help="Number of clusters; else the data decide."),
]
MinSize = Annotated[
    str | None,
    typer.Option(metavar="N|SHARE", help="Least size of a cluster: 20 samples, or 5% of all."),
]
MaxSize = Annotated[
    str | None, typer.Option(metavar="N|SHARE", help="Largest size of a cluster, likewise.")
]
SizePenalty = Annotated[
    float | None,
    typer.Option(
        min=0,
        help="Sizes may be exceeded, for this many bits per sample: 1 keeps to sizes at borders, "
        "10 nearly everywhere. Else they always hold.",
    ),
]
SizeWeight = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column of DATA, no feature, that sizes of clusters are sums of."
    ),
]
Resolution = Annotated[
    float | None, typer.Option("--resolution", "-r", help="Scale: larger gives more clusters.")
]
Neighbors = Annotated[
    int | None, typer.Option(min=1, help="Neighbours of a sample in the graph; else chosen.")
]
Affinity = Annotated[
    str, typer.Option(help="How the graph is weighed: auto, gaussian, cosine, correlation, binary.")
]
FindNeighbors = Annotated[
    str,
    typer.Option(
        "--search", help="How neighbours are found: auto, exact, faiss (approximate), sklearn."
    ),
]
Selection = Annotated[
    str,
    typer.Option(
        help="Whether constraints choose how they are followed, by hiding some in turn: auto "
        "(labels do), on (pairs, too; about fifteen searches), off."
    ),
]
NInit = Annotated[
    int, typer.Option("--n-init", min=1, help="Searches from different seeds; the best counts.")
]
Init = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Clusters to start from, as 'sentree cluster' writes them; they keep their numbers.",
    ),
]
Locked = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Samples that stay in their cluster of --init: a list."),
]
Seed = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, help="Seed of the search; same seed, same result.")
]
Jobs = Annotated[
    int | None, typer.Option(min=1, help="Threads, else one for each core; the result is the same.")
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS|local[:N]",
        help="Work on a Dask cluster: the address of its scheduler, such as tcp://host:8786, or N "
        "workers on this machine. Parquet, NPY and Zarr are read by the workers.",
    ),
]

Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Cluster of each sample: CSV, TSV, XLSX, Parquet or JSON, '-' for standard output. "
        "Else a CSV file in this folder, named after DATA ('-' for DATA '-').",
    ),
]
Work = Annotated[
    str | None,
    typer.Option(
        "--work",
        metavar="FOLDER",
        help="Keep finished parts of the work here: after an interruption the same command goes on "
        "from there. Else, for more than 2,000,000 samples, beside the output until it is there.",
    ),
]
Append = Annotated[
    bool,
    typer.Option(
        "--append", help="Write the clusters beside all columns of DATA, whose cells stay as is."
    ),
]
Plot = Annotated[
    str | None, typer.Option(metavar="FILE", help="A picture: PNG, SVG or PDF, by its suffix.")
]
Map = Annotated[
    str | None,
    typer.Option(
        "--map",
        metavar="A,B|FILE",
        help="Places of the samples in --plot and --report: two columns of DATA, such as "
        "umap1,umap2, which then are no features; or a file. Else a map is made.",
    ),
]
Report = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="A report of the results, as one HTML file."),
]
Model = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The fitted model (.npz), for 'sentree predict'."),
]
Prepare = Annotated[
    str,
    typer.Option(
        help="'auto' makes numbers of text and dates, fills gaps and leaves out ids and the like; "
        "with 'none' all columns must be numbers."
    ),
]
Encode = Annotated[
    bool | None,
    typer.Option("--encode/--no-encode", help="Whether to encode categories; else an error."),
]
Impute = Annotated[
    bool | None,
    typer.Option("--impute/--no-impute", help="Whether to fill gaps; else an error."),
]
Log = Annotated[
    bool | None,
    typer.Option("--log/--no-log", help="Whether to take logarithms of long tails; else chosen."),
]
DropText = Annotated[
    bool, typer.Option("--drop-text", help="Leave out all columns of text that are categories.")
]
SkipMissing = Annotated[
    bool,
    typer.Option("--skip-missing", help="Leave out rows with gaps; they get no cluster."),
]
SaveCommand = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="This command in a .toml file; 'sentree run' repeats it."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but warnings and errors.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Tell each step, with times.")]


def is_file(name: str) -> bool:
    """Tell whether a name is one of a file, or standard input."""
    return name == "-" or Path(name).is_file()


@dataclass(frozen=True)
class Table:
    """How a table is read."""

    id_column: Id = None
    drop: Drop = None
    layer: Layer = None
    format: Format = None
    separator: Separator = None
    header: Header = None
    sheet: Sheet = None


@dataclass(frozen=True)
class Preparation:
    """How a table is made ready."""

    prepare: Prepare = "auto"
    encode: Encode = None
    impute: Impute = None
    log: Log = None
    drop_text: DropText = False
    skip_missing: SkipMissing = False

    def check(self, table: bool) -> None:
        """Refuse words that are not known, and options about what is not prepared."""
        if self.prepare not in ("auto", "none"):
            raise Misuse(f"--prepare must be 'auto' or 'none', got {self.prepare!r}")
        if self.switches and (self.prepare == "none" or not table):
            flag = f"--{next(iter(self.switches))}".replace("_", "-")
            why = "--prepare none" if table else "DATA that is no table"
            raise Misuse(f"{flag} is about how a table is prepared, and does not go with {why}")

    @property
    def switches(self) -> dict[str, Any]:
        """The options that differ from what is usual."""
        usual = Preparation()
        names = [one.name for one in fields(self) if one.name != "prepare"]
        return {
            name: getattr(self, name)
            for name in names
            if getattr(self, name) != getattr(usual, name)
        }

    def preparer(self) -> Any:
        """Return what an estimator is given as ``prepare``."""
        if self.prepare == "none":
            return None
        given = {name: on for name, on in self.switches.items() if name != "skip_missing"}
        if not given:
            return "auto"
        from sentree import TablePreparer

        return TablePreparer(**given)


@dataclass(frozen=True)
class Statements:
    """What is known about the samples; commands set the fields that are no options here."""

    labels: Labels = None
    must_link: MustLink = None
    cannot_link: CannotLink = None
    not_label: NotLabel = None
    classes: Classes = None
    by: By = "auto"
    constraints: str | None = None
    paths: bool = False
    ontology: str | None = None

    @property
    def label_column(self) -> str | None:
        """The column of the data that holds labels: a name that is no file."""
        return self.labels if self.labels and not is_file(self.labels) else None

    @property
    def files(self) -> list[str]:
        """The files that are read."""
        named = (self.must_link, self.cannot_link, self.not_label, self.constraints, self.ontology)
        label_file = None if self.label_column else self.labels
        return [name for name in (label_file, *named) if name]

    def check(self) -> None:
        """Refuse options that contradict each other."""
        if self.by not in ("auto", "id", "row"):
            raise Misuse(f"--by must be 'auto', 'id' or 'row', got {self.by!r}")
        for option, given in (("--paths", self.paths), ("--ontology", self.ontology)):
            if given and not self.labels:
                raise Misuse(f"{option} tells how labels nest, but there are no --labels")
        if self.paths and self.ontology:
            raise Misuse("--paths and --ontology both tell how labels nest: give one of them")
        if self.classes and not (self.labels or self.not_label or self.constraints):
            raise Misuse("--classes names the classes of labels, but there are none: give --labels")


@dataclass(frozen=True)
class Search:
    """How the search is run."""

    hard: Hard = False
    penalty: Penalty = 1.0
    n_clusters: NClusters = None
    min_size: MinSize = None
    max_size: MaxSize = None
    size_penalty: SizePenalty = None
    size_weight: SizeWeight = None
    neighbors: Neighbors = None
    affinity: Affinity = "auto"
    search: FindNeighbors = "auto"
    distances: AreDistances = False
    selection: Selection = "auto"
    init: Init = None
    locked: Locked = None
    seed: Seed = 0
    jobs: Jobs = None

    @property
    def files(self) -> list[str]:
        """The files that are read."""
        return [name for name in (self.init, self.locked) if name]

    def check(self, graph: bool) -> None:
        """Refuse words that are not known, and to make a graph of a graph."""
        for option, given, known in (
            ("affinity", self.affinity, ("auto", "gaussian", "cosine", "correlation", "binary")),
            ("search", self.search, ("auto", "exact", "faiss", "cells", "sklearn")),
            ("selection", self.selection, ("auto", "on", "off")),
        ):
            if given not in known:
                raise Misuse(f"--{option} must be one of {', '.join(known)}; got {given!r}")
        bounds = _size("--min-size", self.min_size), _size("--max-size", self.max_size)
        if bounds == (None, None) and (self.size_penalty, self.size_weight) != (None, None):
            raise Misuse(
                "--size-penalty and --size-weight are about --min-size and --max-size: give one of "
                "these as well"
            )
        makes_graph = self.affinity != "auto" or self.search != "auto"
        if graph and (makes_graph or self.neighbors is not None):
            raise Misuse(
                "--neighbors, --affinity and --search make a graph of samples; DATA is one "
                "(--graph)"
            )
        if self.distances and (graph or makes_graph):
            raise Misuse("--distances says what DATA are: leave out --graph, --affinity, --search")
        if self.locked is not None and self.init is None:
            raise Misuse("--locked samples stay in their cluster of --init: give it as well")

    def on_dask(self, kind: Any, graph: bool, **more: Any) -> Any:
        """Make an estimator that works on a Dask cluster with these options."""
        return kind(
            n_clusters=self.n_clusters,
            min_size=_size("--min-size", self.min_size),
            max_size=_size("--max-size", self.max_size),
            size_penalty=self.size_penalty,
            penalty=self.penalty,
            affinity="precomputed" if graph else self.affinity,
            n_neighbors=self.neighbors or "auto",
            hard=self.hard,
            selection=self.selection,
            random_state=self.seed,
            **more,
        )

    def estimator(self, kind: Any, graph: bool, **more: Any) -> Any:
        """Make an estimator of a class with these options."""
        given = "precomputed" if graph else "precomputed_distances" if self.distances else None
        return kind(
            n_clusters=self.n_clusters,
            min_size=_size("--min-size", self.min_size),
            max_size=_size("--max-size", self.max_size),
            size_penalty=self.size_penalty,
            penalty=self.penalty,
            affinity=given or self.affinity,
            n_neighbors=self.neighbors or "auto",
            neighbors=self.search,
            hard=self.hard,
            selection=self.selection,
            n_jobs=-1 if self.jobs is None else self.jobs,
            random_state=self.seed,
            **more,
        )


def _size(option: str, said: str | None) -> float | None:
    """Read a size: a whole number, or a share such as 0.05 or 5%."""
    if said is None:
        return None
    try:
        size = float(said.removesuffix("%")) / (100 if said.endswith("%") else 1)
    except ValueError:
        size = -1.0
    if not 0 < size < float("inf") or (said.endswith("%") and size >= 1):
        raise Misuse(
            f"{option} must be a number of samples, such as 20, or a share of all, such as 5% or "
            f"0.05; got {said!r}"
        )
    return int(said) if said.strip().isdecimal() else size


@dataclass(frozen=True)
class Results:
    """What is written beside the main result."""

    plot: Plot = None
    map: Map = None
    report: Report = None
    model: Model = None


@dataclass(frozen=True)
class Verbosity:
    """How much is said."""

    quiet: Quiet = False
    verbose: Verbose = False

    def console(self, to_stderr: bool = False) -> AbstractContextManager[Console]:
        """Give a console that says as much."""
        return console(self.quiet, self.verbose, to_stderr)


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Let the options in the groups among a command's parameters be options of the command.

    It also gets ``--save-command``, which :class:`sentree.cli.command.Command` sees to. Typer
    reads one option from each parameter. What it is shown has, in place of a group, the fields of
    the group that are annotated as options.
    """
    parameters: list[Parameter] = []
    groups: dict[str, tuple[type, list[str]]] = {}
    hints = get_type_hints(command, include_extras=True)
    for one in signature(command).parameters.values():
        kind = hints[one.name]
        if not is_dataclass(kind):
            parameters.append(one.replace(kind=Parameter.KEYWORD_ONLY, annotation=kind))
            continue
        inner = get_type_hints(kind, include_extras=True)
        options = [f for f in fields(kind) if hasattr(inner[f.name], "__metadata__")]
        groups[one.name] = kind, [option.name for option in options]  # type: ignore[assignment]
        parameters += [
            Parameter(f.name, Parameter.KEYWORD_ONLY, default=f.default, annotation=inner[f.name])
            for f in options
        ]

    annotation: Any = SaveCommand
    save = Parameter("save_command", Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
    parameters.append(save)

    @wraps(command)
    def run(**given: Any) -> None:
        given.pop("save_command", None)
        for name, (kind, options) in groups.items():
            given[name] = kind(**{option: given.pop(option) for option in options})
        command(**given)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run
