"""Large tables of numbers: read block by block into one array, without a data frame in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sentree.graph import large
from sentree.io import columns
from sentree.io.errors import optional
from sentree.io.ids import Choice, first_ids
from sentree.io.sources import InputFile
from sentree.io.text import PREVIEW

if TYPE_CHECKING:
    import pandas

__all__ = ["NumberTable", "column_values", "open_numbers", "without_columns"]

#: Rows that are decoded at a time.
_ROWS = 1 << 17
#: A column of at least this many values keeps one Python object for each different value.
_MANY_VALUES = 1 << 20


class NumberTable:
    """A large Parquet file whose features are numbers.

    Attributes
    ----------
    choice : Choice
        What each column is used for.
    id_name : str or None
        The column of ids.
    features : list of str
        The columns of numbers.
    """

    def __init__(self, file: Any, choice: Choice) -> None:
        self._file, self.choice = file, choice
        self.id_name = choice.id
        if self.id_name is None and choice.candidates:
            self.id_name = first_ids(self.frame(choice.candidates), choice.candidates)
        self.features = [name for name in choice.features if name != self.id_name]

    def frame(self, names: Sequence[str]) -> pandas.DataFrame:
        """Return some columns as a data frame."""
        return self._file.read(columns=list(names)).to_pandas()

    @property
    def is_plain(self) -> bool:
        """Whether all features are numbers, and too many for a data frame."""
        kinds = self._kinds()
        count = self._file.metadata.num_rows * len(kinds)
        return count > large.LARGE and all(map(_is_number, kinds))

    def _kinds(self) -> list[Any]:
        schema = self._file.schema_arrow
        return [schema.field(name).type for name in self.features]

    def numbers(self) -> NDArray[Any]:
        """Return the features as one array, NaN where values are missing.

        Of single precision if that holds all their numbers exactly.
        """
        small = {"halffloat", "float", "int8", "int16", "uint8", "uint16", "bool"}
        single = {str(kind) for kind in self._kinds()} <= small
        shape = self._file.metadata.num_rows, len(self.features)
        made = np.empty(shape, dtype=np.float32 if single else np.float64)
        start = 0
        for batch in self._file.iter_batches(_ROWS, columns=self.features):
            stop = start + batch.num_rows
            for k, name in enumerate(self.features):
                made[start:stop, k] = _values(batch.column(name), made.dtype)
            start = stop
        return made


def open_numbers(
    source: InputFile,
    id_column: str | None,
    take: Sequence[str],
    drop: Sequence[str],
    features: Sequence[str] | None,
) -> NumberTable | None:
    """Open a Parquet file that is large and whose features are numbers; None for any other."""
    if source.path is None:
        return None
    optional("pyarrow", f"{source.name}: Parquet files")
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(source.path, pre_buffer=False)
        names = file.schema_arrow.names
        if file.metadata.num_rows * len(names) <= large.LARGE or len(set(names)) < len(names):
            return None
        index = (file.schema_arrow.pandas_metadata or {}).get("index_columns", [])
        if any(isinstance(one, str) for one in index):  # a column that pandas makes the index
            return None
        first = next(file.iter_batches(PREVIEW)).to_pandas()
        texts = columns.texts_of(first)
        choice = columns.choose(names, source.name, id_column, take, drop, features, texts)
        found = NumberTable(file, choice)
    except (OSError, ValueError) as error:
        if type(error).__module__.startswith("sentree"):
            raise
        raise source.damaged(error) from None
    return found if found.is_plain else None


def column_values(column: pandas.Series[Any]) -> NDArray[Any]:
    """Return a column as Python values, None where they are missing.

    Equal values of a long column are one object. Numbers that are nearly all different stay as
    they are, NaN where they are missing.
    """
    import pandas as pd

    if len(column) < _MANY_VALUES:
        return columns.objects(column)
    codes, found = pd.factorize(column)
    if len(found) > len(column) // 8:
        return column.to_numpy() if column.dtype.kind in "iuf" else columns.objects(column)
    values = np.empty(len(found) + 1, dtype=object)
    values[:-1] = np.asarray(found, dtype=object)
    values[-1] = None  # where the code is -1
    return np.asarray(values[codes])


def without_columns(
    matrix: NDArray[Any], names: Sequence[str], features: Sequence[str]
) -> NDArray[Any]:
    """Return some columns of a large array, of the same precision."""
    place = {name: k for k, name in enumerate(names)}
    return np.asarray(matrix[:, [place[name] for name in features]])


def _is_number(kind: Any) -> bool:
    """Tell whether a type of Arrow holds real numbers, or true and false."""
    import pyarrow.types as types

    return bool(types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind))


def _values(column: Any, dtype: Any) -> NDArray[Any]:
    """Return a column of numbers of Arrow, NaN where they are missing."""
    if column.null_count or column.type == "bool":
        import pyarrow as pa

        kind = pa.float32() if dtype == np.float32 else pa.float64()
        column = column.cast(pa.int8()) if column.type == "bool" else column
        column = column.cast(kind, safe=False)
    return np.asarray(column.to_numpy(zero_copy_only=False))
