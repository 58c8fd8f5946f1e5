"""Files from one format to another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.files import replacing
from sentree._util.wording import own_remedies, remedies
from sentree.io import arrays, kinds
from sentree.io.columns import missing_column
from sentree.io.errors import InputError, Param, listed, optional
from sentree.io.graphs import read_graph, write_graph
from sentree.io.names import By, Named, Names
from sentree.io.samples import Samples, read_samples, read_whole_table
from sentree.io.sources import FORMATS, TEXT, InputFile, format_of, open_source
from sentree.io.statements import read_constraints, write_constraints
from sentree.io.tables import table_bytes, write_bytes, write_table
from sentree.io.trees import read_tree, write_tree

__all__ = ["convert"]

#: Sparse matrices with more cells than this are not written as text.
_DENSE = 1 << 27
#: Formats of a table that may hold text.
_WITH_TEXT = (*TEXT, "xlsx", "parquet", "json")


@own_remedies
def convert(
    source: str | Path,
    target: str | Path,
    *,
    kind: str | None = None,
    id_column: str | None = None,
    drop: Sequence[str] = (),
    take: Sequence[str] = (),
    layer: str | None = None,
    separator: str | None = None,
    source_format: str | None = None,
    target_format: str | None = None,
    sheet: str | None = None,
) -> str:
    """Bring a file into another format.

    Tables go to tables (CSV, TSV, XLSX, Parquet, JSON, NPY, NPZ, MAT, MTX, H5AD), graphs to graphs
    (lists of edges, GraphML, MTX, NPZ), trees to trees (Newick, JSON, CSV, TSV, NPY), constraints
    to constraints (CSV, TSV, XLSX, JSON), and a model of :func:`sentree.save` to the labels, the
    tree or the constraints in it.

    Parameters
    ----------
    source, target : path or "-"
        The files, with formats by their names.
    kind : {"table", "graph", "tree", "constraints", "model"}, optional
        What the file holds, where its name and its first lines do not tell.
    id_column, drop, take, layer, separator
        For tables and graphs, as in :func:`~sentree.io.read_samples`, but the default layer of an
        H5AD file is ``X``. Between formats that can hold text all columns are kept, with those of
        ``obs`` of an H5AD file; into those of numbers go the features alone, and into H5AD also
        the ids, the columns of text and those of ``take``.
    source_format, target_format : str, optional
        The formats, where the file names do not tell.
    sheet : str, optional
        In XLSX files the sheet; by default the first that is not empty.

    Returns
    -------
    str
        What was written, in a sentence.
    """
    formats = tuple(dict.fromkeys(FORMATS.values()))
    with remedies({"format": "source_format"}):
        found = open_source(source, formats, source_format, sheet=sheet)
    default = {"-": "csv"}.get(str(target)) if target_format is None else target_format
    with remedies({"format": "target_format"}):
        into = format_of(Path(target), formats, default)
    kind = kind or kinds.tell(found, into, separator)
    if kind != "table" and (id_column is not None or drop or take):
        raise InputError(
            f"{found.name} holds a {kind}: ",
            Param("id_column"),
            (", ", Param("take")),
            " and ",
            Param("drop"),
            " are about columns of tables",
        )
    origin: Any = found  # standard input can be read only once
    if found.format == "xlsx" and kind != "table":
        origin = found = found.as_csv()
    if kind == "graph":
        graph = read_graph(origin, format=found.format, separator=separator, layer=layer)
        write_graph(target, graph.graph, graph.ids, format=into)
        return f"wrote {target}: a graph of {graph.n} vertices and {graph.graph.n_edges} edges"
    if kind == "tree":
        tree = read_tree(origin, format=found.format)
        write_tree(target, tree, format=into)
        note = ""
        if into == "npy" and tree.names is not None:
            note = f" (npy holds no names: leaves are numbered as they come in {found.name})"
        return f"wrote {target}: a tree of {tree.n_leaves} leaves and {tree.n_nodes} nodes{note}"
    if kind == "constraints":
        names = _AnyNames()
        given = read_constraints(origin, names, separator=separator, format=found.format)
        write_constraints(target, given, names, format=into)
        return f"wrote {target}: {len(given)} constraints about {names.n} samples"
    if kind == "model":
        return _from_model(found, target, into)
    if kind != "table":
        raise InputError(
            f"{kind!r} is no kind of file: choose table, graph, tree, constraints or model (",
            Param("kind"),
            ")",
        )
    if found.format in (*TEXT, "xlsx", "parquet") and into in _WITH_TEXT and layer is None:
        frame = read_whole_table(found, separator, as_text=into in TEXT, id_column=id_column)
        for name in drop:
            if name not in frame:
                missing_column(name, list(frame), found.name)
        frame = frame.drop(columns=list(drop))
        write_table(target, {name: frame[name].to_numpy() for name in frame}, format=into)
        return f"wrote {target}: a table of {frame.shape[0]} rows and {frame.shape[1]} columns"
    samples = read_samples(
        origin,
        id_column=id_column,
        drop=drop,
        take=take,
        layer="X" if found.format == "h5ad" and layer is None else layer,
        separator=separator,
        format=found.format,
        text_aside=True,
    )
    beside = {name: column for name, column in samples.columns.items() if name not in drop}
    return _write_samples(target, samples, into, beside, take)


def _write_samples(
    target: str | Path,
    samples: Samples,
    into: str,
    beside: dict[str, NDArray[Any]],
    asked: Sequence[str],
) -> str:
    """Write samples to a file of any format that holds numbers."""
    matrix = samples.X
    names = samples.features or [f"x{k}" for k in range(matrix.shape[1])]
    if hasattr(matrix, "to_numpy"):
        matrix = matrix.to_numpy()
    size = f"{samples.n} samples and {matrix.shape[1]} features"
    if samples.layer is not None:
        size += f" ({samples.layer} of {samples.source})"
    if into == "h5ad":
        _write_h5ad(Path(target), samples, matrix, names, beside)
    elif into in ("npy", "npz", "mat", "mtx"):
        size += _left_out(samples, into, beside, asked)
        write_bytes(target, arrays.matrix_bytes(matrix, into))
    elif into in _WITH_TEXT:
        if sp.issparse(matrix):
            if matrix.shape[0] * matrix.shape[1] > _DENSE:
                raise InputError(f"{samples.source} is sparse and too large to write {into}")
            matrix = matrix.toarray()
        ids = {} if samples.ids is None else {samples.id_name or "id": samples.ids}
        features = {name: matrix[:, k] for k, name in enumerate(names)}
        whole = ids | features | beside
        if len(whole) < len(ids) + len(names) + len(beside):
            twice = next(n for n in (*ids, *beside) if n in features or (n in ids and n in beside))
            raise InputError(
                f"{samples.source} has two columns called {twice!r}, which {into} cannot hold: "
                "give one of them another name"
            )
        write_bytes(target, table_bytes(whole, into))
    else:
        raise InputError(
            f"{samples.source} holds a table, which does not go into {into}: for a graph say ",
            Param("kind", "graph"),
            ", for a tree ",
            Param("kind", "tree"),
        )
    return f"wrote {target}: {size}"


def _left_out(
    samples: Samples, into: str, beside: dict[str, NDArray[Any]], asked: Sequence[str]
) -> str:
    """Say what a file of numbers cannot hold; refuse to lose a column of a table."""
    lost = [name for name in beside if name not in asked]
    if lost and samples.layer is None:
        raise InputError(
            f"{samples.source}: column {lost[0]!r} holds text, which {into} cannot hold: leave it "
            "out with ",
            Param("drop", [lost[0]]),
            ", say ",
            Param("id_column", lost[0]),
            " if it names the samples, or write .h5ad, .parquet or .csv",
        )
    parts = [f"column{'s' * (len(beside) > 1)} {listed(list(beside))}"] if beside else []
    if samples.ids is not None:
        parts.insert(0, f"the ids of column {samples.id_name!r}")
    return f" (without {' and '.join(parts)}, which {into} cannot hold)" if parts else ""


def _write_h5ad(
    path: Path, samples: Samples, matrix: Any, names: list[str], beside: dict[str, NDArray[Any]]
) -> None:
    import pandas as pd

    anndata = optional("anndata", "H5AD files")
    if str(path) == "-" or not path.parent.is_dir():
        raise InputError(f"cannot write H5AD to {path}: give a file in a folder that there is")
    obs = pd.DataFrame(
        {name: _obs_column(values) for name, values in beside.items()},
        index=[str(name) for name in samples.key()],
    )
    var = pd.DataFrame(index=names)
    matrix = sp.csr_matrix(matrix) if sp.issparse(matrix) else matrix
    with replacing(path) as part:
        anndata.AnnData(matrix, obs=obs, var=var).write_h5ad(part)


def _obs_column(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers as numbers, anything else as text."""
    import pandas as pd

    if pd.api.types.infer_dtype(values) in ("integer", "floating", "mixed-integer-float"):
        return values.astype(float if None in values.tolist() else type(values[0]))
    return np.array(["" if value is None else str(value) for value in values], dtype=object)


def _from_model(source: InputFile, target: str | Path, into: str) -> str:
    """Write what is in a model: its labels, its tree, or its constraints."""
    from sentree.estimators.persistence import load

    if source.path is None:
        raise InputError("a model is read from a file, not from standard input")
    try:
        model = load(source.path)
    except ValueError as error:
        raise InputError(str(error)) from None
    if into in ("newick", "npy"):
        write_tree(target, model.tree_, format=into)
        return f"wrote {target}: the tree of the model, of {model.tree_.n_leaves} leaves"
    if into == "json":
        write_constraints(target, model.constraints_, Names(model.labels_.size), format=into)
        return f"wrote {target}: the {len(model.constraints_)} constraints of the model"
    write_table(
        target, {"row": np.arange(model.labels_.size), "cluster": model.labels_}, format=into
    )
    return f"wrote {target}: the clusters of {model.labels_.size} samples"


class _AnyNames(Named):
    """Accepts any name, and numbers names in order of appearance."""

    source = "the file"

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of names so far."""
        return len(self._numbers)

    @property
    def ids(self) -> NDArray[Any]:  # type: ignore[override]
        """The names so far."""
        return np.array(list(self._numbers), dtype=object)

    def rows(self, values: Any, what: str = "", *, by: By = "auto", where: Any = None) -> Any:
        """Return the number of each name, new ones for new names."""
        names = [str(value) for value in values]
        return np.array(
            [self._numbers.setdefault(name, len(self._numbers)) for name in names], dtype=np.int64
        )
