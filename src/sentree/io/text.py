"""Tables in text: lines of cells with a separator between them, read by pandas' C parser."""

from __future__ import annotations

import csv
import gzip
import io
import re
import warnings
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from operator import methodcaller
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from sentree.io.errors import Either, InputError, Param
from sentree.io.sources import InputFile

if TYPE_CHECKING:
    import pandas

__all__ = ["MISSING", "PREVIEW", "Dialect", "Header", "check_lines", "holds_text", "is_number"]
__all__ += ["is_padded", "parse", "sniff", "with_numbers", "with_points", "without_missing"]

Header = Literal["auto", True, False]

_SEPARATORS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";"}
#: Separators in the order in which they are tried; a comma may be a decimal comma.
_TRIED = ("\t", ";", ",", "|", " ")
#: Words that pandas reads as missing.
MISSING = (
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
)
#: Records that are examined before the whole file is read.
PREVIEW = 20


@dataclass(frozen=True)
class Dialect:
    """How a text is written: its separator, its columns and whether the first line names them."""

    source: InputFile
    separator: str
    names: tuple[str, ...]
    header: bool
    decimal: str = "."
    texts: tuple[str, ...] = ()  # columns that hold text
    skipped: int = 0  # lines before the first

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line number and the cells of each record that is data; for messages."""
        rows = _records(_after(self.source.text(), self.skipped), self.separator)
        rows = ((line + self.skipped, cells) for line, cells in rows)
        if self.header:
            next(rows)
        return rows

    def line(self, row: int) -> int:
        """Return the line in which a row of data begins."""
        return next(line for k, (line, _) in enumerate(self.records()) if k == row)


def is_number(cell: str) -> bool:
    """Tell whether a cell is a number, or missing."""
    cell = cell.strip()
    if cell in MISSING:
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def is_padded(cell: object) -> bool:
    """Tell whether a cell is a whole number with leading zeros, which is a name."""
    if not isinstance(cell, str) or cell.lstrip()[:1] != "0":
        return False
    return bool(re.fullmatch(r"\s*0[0-9]+\s*", cell))


def holds_text(cells: Iterable[object]) -> bool:
    """Tell whether cells hold text: only words, or some whole number with leading zeros."""
    given = [cell for cell in cells if isinstance(cell, str) and cell.strip() not in MISSING]
    return any(map(is_padded, given)) or (bool(given) and all(map(_is_word, given)))


def _is_word(cell: str) -> bool:
    """Tell whether a cell has a letter and is neither a number nor true or false."""
    letters = re.search(r"[^\W\d_]", cell) is not None
    return letters and not is_number(cell) and cell.strip().lower() not in ("true", "false")


def without_missing(frame: pandas.DataFrame, names: Collection[str]) -> pandas.DataFrame:
    """Return a table whose text columns of these names have no value where the text says so."""
    found = {name: frame[name].where(~frame[name].isin(MISSING)) for name in names}
    return frame.assign(**found) if found else frame


def with_points(frame: pandas.DataFrame, names: Collection[str]) -> pandas.DataFrame:
    """Return a table whose text columns of these names have points for decimal commas."""
    return frame.assign(**{name: frame[name].map(_with_point) for name in names})


def with_numbers(frame: pandas.DataFrame, names: Collection[str]) -> pandas.DataFrame:
    """Return a table whose text columns of these names are numbers where all their cells are."""
    import pandas as pd

    frame = without_missing(frame, names)
    found = {}
    for name in names:
        column = frame[name]
        numbers = pd.to_numeric(column, errors="coerce")
        if (numbers.notna() == column.notna()).all() and not column.map(is_padded).any():
            found[name] = numbers
    return frame.assign(**found) if found else frame


def sniff(
    source: InputFile,
    *,
    header: Header = "auto",
    separator: str | None = None,
    spaces: bool = True,
    comments: bool = False,
) -> Dialect:
    """Find the dialect of a text from its beginning.

    With ``spaces``, spaces may separate cells where nothing else does. With ``comments``, lines at
    the top that begin with "# " or "% " are left out.
    """
    skipped = _count_comments(source) if comments else 0
    text = _after(_first_lines(source, skipped + 3), skipped)
    found = _separator(source, text, separator, spaces)
    preview = _preview(text, found)
    first = preview[0]
    decimal = _decimal(preview)
    if decimal == ",":
        preview = [[_with_point(cell) for cell in cells] for cells in preview]
        first = preview[0]
    _check_separator(source, first, found)
    _check_title(source, preview)
    named = _has_header(source, preview) if header == "auto" else bool(header)
    if not named:
        numbers = tuple(map(str, range(len(first))))
        texts = _texts(numbers, preview)
        return Dialect(source, found, numbers, False, decimal, texts, skipped)
    if len(preview) > 1 and len(preview[1]) == len(first) + 1:  # as R writes row names
        first = ["", *first]
    names = [name.strip() or f"Unnamed: {k}" for k, name in enumerate(first)]
    seen: dict[str, int] = {}
    for k, name in enumerate(names):
        if seen.setdefault(name, k) != k:
            raise InputError(
                f"{source.name}: columns {seen[name] + 1} and {k + 1} are both called {name!r}: "
                "give each column a name of its own"
            )
    texts = _texts(names, preview[1:])
    return Dialect(source, found, tuple(names), True, decimal, texts, skipped)


def parse(dialect: Dialect, text: Collection[str] = ()) -> pandas.DataFrame:
    """Read the whole table; columns in ``text`` as the text they are, the others as they seem."""
    import pandas as pd

    text = set(text)
    kept = [name for name in dialect.names if name in text]
    read: dict[str, Any] = {
        "sep": r"\s+" if dialect.separator == " " else dialect.separator,
        "header": 0 if dialect.header else None,
        "names": list(dialect.names),
        "decimal": dialect.decimal,
        "encoding": "utf-8-sig" if dialect.source.head(3) == b"\xef\xbb\xbf" else "utf-8",
    }
    if len(kept) == len(dialect.names):
        read |= {"dtype": object, "na_filter": False}
    elif kept:
        others = [name for name in dialect.names if name not in text]
        read |= {
            "dtype": dict.fromkeys(kept, object),
            "keep_default_na": False,
            "na_values": {name: list(MISSING) for name in others},
        }
    try:
        with warnings.catch_warnings(), dialect.source.open() as stream:
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            for _ in range(dialect.skipped):  # a quote in a comment must not open a cell
                stream.readline()
            frame = pd.read_csv(stream, **read)
    except UnicodeDecodeError as error:
        raise dialect.source.not_utf8(error) from None
    except pd.errors.ParserError as error:
        if opened := re.search(r"EOF inside string starting at row (\d+)", str(error)):
            raise InputError(
                f'{dialect.source.name}: a quote (") in line {int(opened[1]) + 1} or after it is '
                "never closed"
            ) from None
        check_lines(dialect)
        raise InputError(f"{dialect.source.name} cannot be read: {error}") from None
    except pd.errors.EmptyDataError:
        raise _no_rows(dialect) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise dialect.source.damaged(error) from None
    if not isinstance(frame.index, pd.RangeIndex):  # pandas took the first cells for an index
        check_lines(dialect)
    if frame.empty:
        raise _no_rows(dialect)
    if dialect.names[-1] in text:
        _check_last_cells(dialect, int((frame[dialect.names[-1]].to_numpy() == "").sum()))
    return frame


def _ragged(dialect: Dialect, line: int, found: int) -> NoReturn:
    """Raise for a line of too many or too few cells."""
    raise InputError(
        f"{dialect.source.name}, line {line}: expected {len(dialect.names)} cells as in the first "
        f"line, found {found}; put quotes around cells that hold the separator "
        f"({_shown(dialect.separator)})",
        (", or name another one with ", Param("separator", ...)),
    )


def check_lines(dialect: Dialect) -> None:
    """Raise for the first line with a wrong number of cells."""
    for line, cells in dialect.records():
        if len(cells) != len(dialect.names):
            _ragged(dialect, line, len(cells))


def _check_last_cells(dialect: Dialect, n_empty: int) -> None:
    """Distinguish empty last cells from lines with too few cells, without parsing them again."""
    if n_empty:
        ends = tuple(dialect.separator.encode() + end for end in (b"\n", b"\r\n", b""))
        with dialect.source.open() as stream:
            n_ended = sum(map(methodcaller("endswith", ends), stream))
        if n_ended != n_empty:
            check_lines(dialect)


def _no_rows(dialect: Dialect) -> InputError:
    names = ", ".join(dialect.names[:6])
    return InputError(
        f"{dialect.source.name} has no rows"
        + (f", only the names of its columns ({names})" if dialect.header else "")
    )


def _texts(names: Sequence[str], preview: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the columns that hold text."""
    columns = zip(names, zip_longest(*preview), strict=False)
    return tuple(name for name, cells in columns if holds_text(cells))


def _count_comments(source: InputFile) -> int:
    """Return the number of lines before the first that begin with "# " or "% "."""
    count = 0
    with source.open() as stream:
        for line in stream:
            if not re.match(rb"(\xef\xbb\xbf)?(\s*$|[#%]([\s#]|$))", line):
                return count
            count += 1
    raise InputError(f"{source.name} holds comments alone")


def _after(text: str, skipped: int) -> str:
    """Return a text without its first lines."""
    return text.split("\n", skipped)[skipped] if skipped else text


def _first_lines(source: InputFile, count: int) -> str:
    """Return the beginning of a text, up to the end of a line; at least some lines."""
    size = 1 << 16
    while len(head := source.head(size)) == size:
        if head.count(b"\n") >= count:
            return source.decoded(head[: head.rindex(b"\n") + 1])
        size *= 4
    return source.decoded(head)


def _records(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of each record; empty lines are none."""
    if separator == " ":
        for line, content in enumerate(text.splitlines(), start=1):
            if content.strip():
                yield line, content.split()
        return
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"line {line} cannot be read: {error}") from None


def _preview(text: str, separator: str) -> list[list[str]]:
    """Return the cells of the first records."""
    return [cells for _, cells in islice(_records(text, separator), PREVIEW)]


def _separator(source: InputFile, text: str, given: str | None, spaces: bool) -> str:
    """Return the separator: given, of the format, or the first that splits all lines alike."""
    if given is not None:
        found = _SEPARATORS.get(given.lower(), given)
        if len(found) != 1 or found in '"\n\r':
            raise InputError(f"the separator must be one character or 'tab', got {given!r}")
        return found
    if source.format == "tsv":
        return "\t"
    if source.format == "csv":  # some programs write semicolons or tabs into CSV files
        first = re.sub(r'"[^"]*"|[0-9],[0-9]+(?=[;\t])', "", text.split("\n", 1)[0])
        return next((other for other in (",", ";", "\t") if other in first), ",")
    for separator in _TRIED if spaces else _TRIED[:-1]:
        width, *others = map(len, _preview(text, separator))
        if width > 1 and set(others) in (set(), {width}, {width + 1}):
            return separator
    for separator in _TRIED[:-1]:  # no separator splits all lines alike: some line is wrong
        if separator in text.split("\n", 1)[0]:
            return separator
    return ","


def _decimal(preview: Sequence[Sequence[str]]) -> str:
    """Return the decimal separator: a comma if some numbers have one and none has a point.

    Where three digits follow every comma, these may be thousands, and the cells stay text.
    """
    cells = [cell.strip() for cells in preview for cell in cells]
    commas = [cell for cell in cells if re.fullmatch(r"[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?", cell)]
    points = any(re.fullmatch(r"[-+]?[0-9]*[.][0-9]+([eE][-+]?[0-9]+)?", cell) for cell in cells)
    told = any(not re.fullmatch(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}", cell) for cell in commas)
    return "," if told and not points else "."


def _with_point(cell: str) -> str:
    """Write a number with a decimal point."""
    changed = cell.replace(",", ".", 1)
    return changed if is_number(changed) else cell


def _check_title(source: InputFile, preview: Sequence[Sequence[str]]) -> None:
    """Refuse a first line that is no part of the table."""
    first, second = preview[0], preview[1] if len(preview) > 1 else preview[0]
    alone = len(first) == 1 and len(second) > 2
    comment = first[0].startswith("#") and (first[0][1:2] in ("", " ") or len(first) != len(second))
    if alone or comment or first[0].startswith(("sep=", "%%")):
        raise InputError(
            f"{source.name}, line 1 is {first[0][:60]!r}, no part of the table: take out such "
            "lines, so that the names of the columns or the first sample come first"
        )


def _check_separator(source: InputFile, first: Sequence[str], separator: str) -> None:
    """Refuse a single column that another separator would split."""
    if len(first) > 1:
        return
    for other in ("\t", ";", ",", "|"):
        if other != separator and other in first[0]:
            name = "tab" if other == "\t" else other
            raise InputError(
                f"{source.name}, line 1 is {first[0][:60]!r}: there is no separator "
                f"{_shown(separator)} in it, but {_shown(other)}",
                Either(
                    ("; say ", Param("separator", name)),
                    f"; put {_shown(separator)} between the cells",
                ),
            )


def _has_header(source: InputFile, preview: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first line names the columns, or raise where that is unclear."""
    first = [cell.strip() for cell in preview[0]]
    whole = [cell for cell in first if re.fullmatch("[0-9]+", cell)]
    in_order = len(whole) > 2 and whole == [str(k) for k in range(len(whole))]
    numbers = [is_number(cell) for cell in first]
    fix = Either(
        (
            "; say whether the first line holds the names of the columns with ",
            Param("header", True),
            " or ",
            Param("header", False),
        ),
        "; give the columns names that are no numbers",
    )
    if all(numbers):
        if in_order and len(whole) == len(first):
            raise InputError(
                f"{source.name}: the first line is {','.join(first[:4])},...: these may be the "
                "names of columns or the first sample",
                fix,
            )
        return in_order and first[0] == "" and len(whole) == len(first) - 1
    full = [bool(cell) and number for cell, number in zip(first, numbers, strict=True)]
    if any(full) and not in_order and len(preview) > 1:
        second = [is_number(cell) for cell in preview[1]]
        if second == numbers:
            raise InputError(
                f"{source.name}: the first line has numbers ({first[full.index(True)]!r}) and text "
                f"({first[numbers.index(False)]!r}) where the second has",
                fix,
            )
    return True


def _shown(separator: str) -> str:
    return {"\t": "(tab)", " ": "(space)"}.get(separator, f"'{separator}'")
