"""Samples out of files: features, ids, and columns beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree.graph.large import is_finite, is_large
from sentree.io import annotated, arrays, columns, large, text
from sentree.io.errors import Elsewhere, InputError, Param, listed, optional
from sentree.io.ids import Choice, candidates_of, check_ids, first_ids
from sentree.io.names import Named
from sentree.io.sources import TEXT, InputFile, open_source

if TYPE_CHECKING:
    import pandas

__all__ = ["SAMPLE_FORMATS", "Samples", "by_row", "read_samples", "read_whole_table"]

#: Formats that samples are read from.
SAMPLE_FORMATS = (*TEXT, "xlsx", "parquet", "npy", "npz", "mtx", "mat", "h5ad", "zarr")


@dataclass(frozen=True, eq=False)
class Samples(Named):
    """Samples read from a file.

    Parameters
    ----------
    X : float array, CSR array or data frame of floats
        The features; a data frame where the columns have names.
    ids : object array, optional
        One text per row, all different; without them rows are known by number, counted from 0.
    id_name : str, optional
        Name of the column that the ids come from.
    columns : dict of object arrays
        Columns that are no features on request, by name. In large tables columns of numbers that
        are nearly all different are arrays of numbers.
    source : str
        Where the samples come from, for messages.
    layer : str, optional
        In H5AD files the matrix that was read, as one names it: "X", "X_pca", or a layer.
    features : list of str, optional
        Names of the features, where they have any; a sparse matrix does not hold them.
    origin : optional
        What was read, where it is to be read again.
    """

    X: Any
    ids: NDArray[Any] | None = None
    id_name: str | None = None
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    source: str = "the data"
    layer: str | None = None
    features: list[str] | None = None
    origin: Any = None

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of samples."""
        return int(self.X.shape[0])


def read_samples(
    source: str | Path,
    *,
    id_column: str | None = None,
    drop: Sequence[str] = (),
    take: Sequence[str] = (),
    features: Sequence[str] | None = None,
    as_text: Sequence[str] = (),
    layer: str | None = None,
    header: text.Header = "auto",
    separator: str | None = None,
    format: str | None = None,
    text_aside: bool = False,
    raw: bool = False,
    sheet: str | None = None,
) -> Samples:
    """Read samples from a file.

    A column that is neither numbers nor named in one of the parameters is an error, which says what
    can be done about it.

    Parameters
    ----------
    source : path or "-"
        A file (``.csv``, ``.tsv``, ``.txt``, each also with ``.gz``; ``.xlsx``, ``.parquet``,
        ``.npy``, ``.npz``, ``.mtx``, ``.mat``, ``.h5ad``), a folder (``.zarr``: an array, arrays
        by name, or AnnData), or standard input.
    id_column : str, optional
        The column of ids. By default the first column named like ids (id, sample_id, PassengerId,
        sample, name, index, ...) whose values are all different, else the first text column whose
        values are all different, else none: then rows are numbered. ``id_name`` of the result
        tells. Numbers with leading zeros are text; numbers with fractions are no ids by default.
    drop, take : sequences of str
        Columns that are no features; both are in ``columns`` of the result. Columns without names
        are known by number, counted from 0. In NPZ and MAT files ``take`` also names other arrays
        of one value per sample, in H5AD files columns of ``obs``.
    features : sequence of str, optional
        The features, in this order, of a table with names of columns; all other columns are
        dropped. Files of other kinds have their own.
    as_text : sequence of str
        Features of a text file that are kept as they are written, such as "007", with ``raw``.
    layer : str, optional
        In H5AD files ``X``, one of the layers, or an embedding such as ``X_pca``, which is the
        default where it is there. In NPZ and MAT files the array of the samples.
    header : {"auto", True, False}
        Whether the first line of a text holds the names of the columns; by default if a cell of
        it is no number.
    separator : str, optional
        What stands between cells of a text; by default a comma in CSV files, a tab in TSV files,
        and else whatever splits the first lines alike.
    format : str, optional
        The format, where the file name does not tell.
    text_aside : bool
        Whether columns of text are in ``columns`` of the result instead of being an error; of H5AD
        files all of ``obs``.
    raw : bool
        Whether ``X`` is the table as it is, with text, dates and gaps, for ``prepare`` of the
        estimators or :class:`~sentree.TablePreparer`.
    sheet : str, optional
        In XLSX files the sheet; by default the first that is not empty.

    Returns
    -------
    Samples

    Raises
    ------
    InputError
        Where the file cannot be read as samples, with the place and the remedy.

    Notes
    -----
    Numbers in text are read as :func:`pandas.read_csv` reads them: quickly, and exact to twelve
    digits or more.

    Arrays in ``.npy`` files of more than 64 MB are mapped to memory: do not change the file while
    they are in use. Tables and arrays of more than 33 million numbers keep their precision, single
    or double, and are not copied.
    """
    if format is None and str(source).lower().endswith((".graphml", ".graphml.gz")):
        raise InputError(
            f"{source} holds a graph, not a table of samples",
            (": ", Elsewhere("sentree.io.read_graph", "read it with sentree.io.read_graph")),
        )
    found = open_source(source, SAMPLE_FORMATS, format, sheet=sheet)
    if layer is not None and found.format not in ("h5ad", "npz", "mat", "zarr"):
        raise InputError(
            f"{found.name}: only H5AD, Zarr, NPZ and MAT files have layers (", Param("layer"), ")"
        )
    if found.format in TEXT:
        dialect = text.sniff(found, header=header, separator=separator)
        choice = columns.choose(
            dialect.names, found.name, id_column, take, drop, features, dialect.texts
        )
        kept = (*choice.candidates, *choice.aside, *(() if choice.id is None else (choice.id,)))
        frame = text.parse(dialect, (*kept, *as_text))
        if dialect.decimal == ",":
            frame = text.with_points(frame, choice.candidates)
        try:
            samples = _from_frame(
                frame,
                choice,
                found.name,
                lambda row: f"line {dialect.line(row)}",
                dialect.header,
                text_aside,
                True,
                raw,
            )
        except InputError:
            text.check_lines(dialect)  # a line of too few cells is why the last ones are missing
            raise
    elif found.format == "parquet" and (
        opened := large.open_numbers(found, id_column, take, drop, features)
    ):
        samples = _from_numbers(opened, found.name, raw)
    elif found.format == "parquet":
        frame = _read_parquet(found)
        choice = columns.choose(
            list(frame), found.name, id_column, take, drop, features, columns.texts_of(frame)
        )
        samples = _from_frame(frame, choice, found.name, by_row, True, text_aside, raw=raw)
    elif found.format == "xlsx":
        frame, numbers, named = _sheet_frame(found, header)
        choice = columns.choose(
            list(frame), found.name, id_column, take, drop, features, columns.texts_of(frame)
        )
        samples = _from_frame(
            frame, choice, found.name, lambda row: f"row {numbers[row]}", named, text_aside, raw=raw
        )
    elif found.format == "h5ad" or (found.format == "zarr" and annotated.is_annotated(found)):
        samples = _from_h5ad(found, layer, id_column, take, drop, text_aside)
    else:
        samples = _from_arrays(found, layer, id_column, take, drop, raw)
    if samples.n < 2:
        raise InputError(f"{found.name} has {samples.n} row{'s' * (samples.n != 1)}, expected more")
    return samples


def by_row(row: int) -> str:
    """Say where a row stands that is no line."""
    return f"row {row} (counted from 0)"


def _from_frame(
    frame: pandas.DataFrame,
    choice: Choice,
    source: str,
    where: Callable[[int], str],
    named: bool,
    text_aside: bool = False,
    from_text: bool = False,
    raw: bool = False,
) -> Samples:
    """Make samples of a table; one that comes from text may have words for missing values."""
    import pandas as pd

    id_name = first_ids(frame, choice.candidates) if choice.id is None else choice.id
    ids = None
    if id_name is not None:
        values = frame[id_name].to_numpy(dtype=object)
        ids = check_ids(values, id_name, source, where)
    if from_text:
        frame = text.with_numbers(frame, {*choice.candidates} - {id_name, *choice.aside})
    texts = columns.text_columns(frame, choice.features) if text_aside else []
    others = {id_name, *texts}
    features = [name for name in choice.features if name not in others]

    def place(row: int) -> str:
        return where(row) if ids is None else f"{where(row)} ({ids[row]!r})"

    X: Any
    if choice.exact and not features:
        X = np.empty((len(frame), 0))
    else:
        make = columns.raw_features if raw else columns.feature_array
        X = make(frame, features, source, place)
    if named:
        X = pd.DataFrame(X, columns=features, copy=False)
    kept = (name for name in (*choice.aside, *texts) if name != id_name)
    aside = {name: columns.objects(frame[name]) for name in kept}
    return Samples(X, ids, id_name, aside, source, features=features if named else None)


def _from_numbers(table: large.NumberTable, source: str, raw: bool) -> Samples:
    """Make samples of a large table of numbers."""
    import pandas as pd

    id_name, features = table.id_name, table.features
    ids = None
    if id_name is not None:
        values = table.frame([id_name])[id_name].to_numpy(dtype=object)
        ids = check_ids(values, id_name, source, by_row)
    X: Any = table.numbers()
    frame = pd.DataFrame(X, columns=features, copy=False)
    if not raw and not is_finite(X):
        columns.feature_array(frame, features, source, by_row)  # says what is wrong
    kept = (name for name in table.choice.aside if name != id_name)
    aside = {name: large.column_values(table.frame([name])[name]) for name in kept}
    return Samples(frame, ids, id_name, aside, source, features=features)


def _read_parquet(source: InputFile) -> pandas.DataFrame:
    """Return a table with its index, if it has one, as the first column."""
    import pandas as pd

    optional("pyarrow", f"{source.name}: Parquet files")
    try:
        with source.open() as stream:
            frame = pd.read_parquet(stream, engine="pyarrow")
    except Exception as error:  # pyarrow raises a dozen kinds for damaged files
        raise source.damaged(error) from None
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    frame.columns = [str(name) for name in frame.columns]
    if frame.empty:
        raise InputError(f"{source.name} has no {'rows' if frame.shape[1] else 'columns'}")
    return frame


def _sheet_frame(source: InputFile, header: text.Header = "auto") -> tuple[Any, list[int], bool]:
    """Return a sheet as a table of typed columns, the row of each sample, and if it has names.

    Numbers, dates, true and false are what they are in the sheet; numbers that are stored as text
    are numbers where the whole column is.
    """
    import pandas as pd

    sheet = source.sheet_cells()
    dialect = text.sniff(source.as_csv(sheet.rows[: text.PREVIEW + 1]), header=header)
    body, numbers = sheet.rows[dialect.header :], sheet.numbers[dialect.header :]
    if not body:
        raise InputError(f"{source.name} has no rows below the names of its columns")
    columns = zip(dialect.names, zip(*body, strict=True), strict=True)
    frame = pd.DataFrame({name: _typed(cells) for name, cells in columns})
    return frame, numbers, dialect.header


def _typed(cells: Sequence[Any]) -> pandas.Series[Any]:
    """Return cells as a column of numbers, dates, true and false, or of anything."""
    import pandas as pd

    kinds = {type(cell) for cell in cells if cell is not None}
    column = pd.Series(cells, dtype=object)
    if not kinds:
        return column
    if kinds <= {int, float}:
        return pd.to_numeric(column)
    if kinds == {bool}:
        return column.astype("boolean" if column.isna().any() else bool)
    if kinds <= {datetime, date}:
        return pd.to_datetime(column)
    if kinds == {str}:
        return text.with_numbers(column.to_frame("x"), ["x"])["x"]
    return column


def read_whole_table(
    source: InputFile,
    separator: str | None = None,
    *,
    as_text: bool = False,
    id_column: str | None = None,
    header: text.Header = "auto",
) -> pandas.DataFrame:
    """Return all columns of a table as they are; ids that are names as text."""
    if source.format == "parquet":
        return _read_parquet(source)
    if source.format == "xlsx":
        if not as_text:
            frame, _, named = _sheet_frame(source, header)
            return frame if named else frame.add_prefix("x")
        source = source.as_csv()
    dialect = text.sniff(source, header=header, separator=separator)
    if id_column is not None and id_column not in dialect.names:
        columns.missing_column(id_column, dialect.names, source.name)
    kept = [*dialect.texts, *([] if id_column is None else [id_column])]
    frame = text.parse(dialect, dialect.names if as_text else kept)
    if not as_text:
        ids = id_column or first_ids(frame, candidates_of(dialect.texts, dialect.texts))
        frame = text.without_missing(frame, {*dialect.texts} - {ids})
    return frame if dialect.header else frame.add_prefix("x")


def _from_arrays(
    source: InputFile,
    layer: str | None,
    id_column: str | None,
    take: Sequence[str],
    drop: Sequence[str],
    raw: bool,
) -> Samples:
    """Make samples of an array, whose columns are known by number."""
    stored = arrays.read_arrays(source)
    matrix = arrays.the_matrix(stored, source, layer)
    if len(matrix.shape) != 2 or matrix.shape[0] < 2:
        matrix = arrays.check_matrix(matrix, source.name)
    n = int(matrix.shape[0])
    beside: dict[str, NDArray[Any]] = {}
    for name in take:
        column = arrays.as_column(stored[name], n) if name in stored else None
        if column is not None:
            beside[name] = column
    left = [name for name in take if name not in beside]
    if left or drop or id_column is not None:
        return _with_columns(source, matrix, beside, id_column, left, drop, raw)
    checked = arrays.check_matrix(matrix, source.name, gaps=raw)
    return Samples(checked, columns=beside, source=source.name)


def _with_columns(
    source: InputFile,
    matrix: Any,
    beside: dict[str, NDArray[Any]],
    id_column: str | None,
    take: Sequence[str],
    drop: Sequence[str],
    raw: bool,
) -> Samples:
    """Set columns of a dense array aside."""
    import pandas as pd

    if sp.issparse(matrix):
        raise InputError(
            f"{source.name} is sparse: its columns have no names, so that there is none to "
            "take, drop or have as ids; give labels in a file of their own"
        )
    frame = pd.DataFrame(matrix, copy=False)
    frame.columns = [str(name) for name in frame.columns]
    choice = columns.choose(list(frame.columns), source.name, id_column, take, drop)
    if is_large(matrix) and id_column is None and choice.features:
        kept = large.without_columns(matrix, list(frame.columns), choice.features)
        aside = {name: large.column_values(frame[name]) for name in choice.aside}
        checked = arrays.check_matrix(kept, source.name, gaps=raw)
        return Samples(checked, columns=beside | aside, source=source.name)
    if id_column is not None and frame[id_column].dtype.kind == "f":
        frame[id_column] = frame[id_column].convert_dtypes()
    made = _from_frame(frame, choice, source.name, by_row, False, raw=raw)
    return Samples(made.X, made.ids, made.id_name, beside | made.columns, source.name)


def _from_h5ad(
    source: InputFile,
    layer: str | None,
    id_column: str | None,
    take: Sequence[str],
    drop: Sequence[str],
    all_of_obs: bool,
) -> Samples:
    """Make samples of a matrix of an H5AD file."""
    import pandas as pd

    matrix, ids, obs, names, layer = annotated.read_parts(source, layer)
    obs.columns = [str(name) for name in obs.columns]
    if all_of_obs:
        others = (name for name in obs.columns if name not in (id_column, *drop))
        take = list(dict.fromkeys((*take, *others)))
        drop = [name for name in drop if name not in obs.columns]
    for name in (*take, *([] if id_column is None else [id_column])):
        if name not in obs.columns:
            columns.missing_column(name, list(obs.columns), f"the table obs of {source.name}")
    id_name = "obs_names"
    if id_column is not None:
        ids, id_name = obs[id_column].to_numpy(dtype=object), id_column
    ids = check_ids(ids, id_name, source.name, by_row, in_table=False)
    aside = {name: columns.objects(obs[name]) for name in take}
    if isinstance(matrix, pd.DataFrame):
        names, matrix = [str(name) for name in matrix.columns], matrix.to_numpy()
    X = arrays.check_matrix(matrix, source.name)
    unknown = [name for name in drop if name not in (names or ())]
    if unknown:
        there = f"its features are {listed(names)}" if names else "its features have no names"
        raise InputError(f"{source.name} has no feature {unknown[0]!r} to drop: {there}")
    if names is not None:
        if drop:
            kept = np.flatnonzero(~np.isin(names, list(drop)))
            X, names = X[:, kept], [names[k] for k in kept]
        if not sp.issparse(X):
            X = pd.DataFrame(X, columns=names, copy=False)
    return Samples(X, ids, id_name, aside, source.name, layer, names)
