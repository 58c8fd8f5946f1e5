"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Samples: CSV, TSV, Parquet, NPY, NPZ, MTX, MAT, H5AD; with --graph a graph: edge "
        "list, GraphML, MTX, NPZ, NPY, H5AD. '-' reads standard input.",
    ),
]
SampleFile = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Samples: CSV, TSV, Parquet, NPY, NPZ, MTX, MAT, H5AD. '-' reads standard input.",
    ),
]
Id = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="Column with the names of the samples."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Leave this column out; may be repeated, or A,B."),
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
    str | None, typer.Option(help="What separates the cells of a text file; found out if not said.")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", help="Whether the first line names the columns; else found out."
    ),
]
IsGraph = Annotated[bool, typer.Option("--graph", help="DATA is a graph, not a table.")]

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
        help="Anything of this in one file: JSON with must_link, cannot_link, labels, "
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
Resolution = Annotated[
    float | None, typer.Option("--resolution", "-r", help="Scale: larger gives more clusters.")
]
Neighbors = Annotated[
    int | None, typer.Option(min=1, help="Neighbours of a sample in the graph; else chosen.")
]
Affinity = Annotated[
    str, typer.Option(help="How the graph is weighed: auto, gaussian, cosine, correlation, binary.")
]
Seed = Annotated[
    int, typer.Option(min=0, max=2**32 - 1, help="Seed of the search; same seed, same result.")
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Threads; the result is the same.")]

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
    typer.Option(metavar="FILE", help="A page that tells everything, as one HTML file."),
]
Model = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The fitted model (.npz), for 'sentree predict'."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but warnings and errors.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Say what happens inside, with times.")
]
