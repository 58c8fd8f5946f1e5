"""Input files, compressed files and standard input, and their formats."""

from __future__ import annotations

import difflib
import gzip
import io
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from sentree.io.errors import InputError, Param, listed
from sentree.io.spreadsheets import Sheet, csv_bytes, read_sheet

__all__ = ["FORMATS", "TEXT", "InputFile", "format_of", "open_source"]

#: What the end of a file name says, besides ".gz".
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "txt",
    ".dat": "txt",
    ".data": "txt",
    ".edges": "txt",
    ".edgelist": "txt",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".npy": "npy",
    ".npz": "npz",
    ".mtx": "mtx",
    ".mat": "mat",
    ".h5ad": "h5ad",
    ".zarr": "zarr",
    ".json": "json",
    ".graphml": "graphml",
    ".nwk": "newick",
    ".newick": "newick",
    ".tree": "newick",
}
#: Formats of lines with a separator.
TEXT = ("csv", "tsv", "txt")
#: How the files of binary formats begin.
_MAGIC = {
    "npy": (b"\x93NUMPY",),
    "xlsx": (b"PK\x03\x04",),
    "npz": (b"PK\x03\x04", b"PK\x05\x06"),
    "parquet": (b"PAR1",),
    "h5ad": (b"\x89HDF",),
    "mtx": (b"%%MatrixMarket", b"%MatrixMarket"),
}
_GZIP = b"\x1f\x8b"
#: What is in the zip archives that are spreadsheets.
_SHEETS = b"[Content_Types].xml"
_SHEET = Param("sheet", of="sentree.io.read_samples")
#: This much of a text is looked at before it is read.
_HEAD = 1 << 16


@dataclass(frozen=True, eq=False)
class InputFile:
    """A file or standard input, of a known format."""

    name: str
    format: str
    path: Path | None
    data: bytes | None
    sheet: str | None = None  # the one to read of a spreadsheet

    @property
    def is_uncompressed(self) -> bool:
        """Whether this is a file that is not compressed."""
        return self.path is not None and not self._is_compressed()

    @property
    def size(self) -> int:
        """Number of bytes, as they are stored."""
        return len(self.data or b"") if self.path is None else self.path.stat().st_size

    def _is_compressed(self) -> bool:
        assert self.path is not None
        with open(self.path, "rb") as raw:
            return raw.read(2) == _GZIP

    def open(self) -> IO[bytes]:
        """Open the content, decompressed."""
        if self.data is not None:
            return io.BytesIO(self.data)
        assert self.path is not None
        compressed = self._is_compressed()
        return gzip.open(self.path) if compressed else open(self.path, "rb")  # type: ignore[return-value]

    def head(self, size: int = _HEAD) -> bytes:
        """Return the first bytes."""
        try:
            with self.open() as stream:
                return stream.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self.damaged(error) from None
        except OSError as error:
            raise InputError(f"cannot read {self.name}: {error.strerror or error}") from None

    def read(self) -> bytes:
        """Return all bytes."""
        return self.head(-1)

    def text(self) -> str:
        """Return the content as text."""
        return self.decoded(self.read())

    def decoded(self, content: bytes) -> str:
        """Return bytes of this source as text, without a byte order mark."""
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.not_utf8(error) from None

    def sheet_cells(self) -> Sheet:
        """Return the cells of a spreadsheet."""
        try:
            with self.open() as stream:
                return read_sheet(stream, self.name, self.sheet)
        except (InputError, MemoryError):
            raise
        except Exception as error:  # zipfile, XML and openpyxl raise a dozen kinds
            raise self.damaged(error) from None

    def as_csv(self, rows: Sequence[Sequence[Any]] | None = None) -> InputFile:
        """Return a spreadsheet, or some rows of it, as CSV, for readers of lines."""
        rows = self.sheet_cells().rows if rows is None else rows
        return replace(self, format="csv", path=None, data=csv_bytes(rows))

    def not_utf8(self, error: UnicodeDecodeError) -> InputError:
        """Return an error for text in another encoding."""
        return InputError(
            f"{self.name} is not UTF-8 text (byte {error.object[error.start]:#04x}): save it as "
            f"UTF-8, for example with: iconv -f latin1 -t utf-8"
        )

    def damaged(self, error: BaseException) -> InputError:
        """Return an error for content that cannot be decoded."""
        return InputError(
            f"{self.name} is damaged or cut off, it cannot be read as {self.format} "
            f"({type(error).__name__}: {error}): make or copy it again"
        )


def format_of(path: Path, allowed: Sequence[str], given: str | None = None) -> str:
    """Return the format that is given or that the end of the file name says."""
    if given is not None:
        found = FORMATS.get(f".{given.lower().lstrip('.')}", given.lower())
        if found not in allowed:
            raise InputError(
                f"there is no format {given!r} for this: choose from {', '.join(allowed)}"
            )
        return found
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    if FORMATS.get(suffix) in allowed:
        return FORMATS[suffix]
    known = [end for end, name in FORMATS.items() if name in allowed]
    if suffix in (".xlsx", ".xls", ".xlsb", ".ods"):
        raise InputError(f"{path} is a spreadsheet: save it as {_instead(allowed)} and use that")
    what = f"ends with {suffix}" if suffix else "has no ending"
    raise InputError(
        f"{path} {what}, which tells no format: known endings are {' '.join(known)}",
        (
            "; for a file of another name say what it holds with ",
            Param("format", ...),
            f" ({', '.join(dict.fromkeys(allowed))})",
        ),
    )


def open_source(
    source: str | Path | InputFile,
    allowed: Sequence[str],
    format: str | None = None,
    text: str = "txt",
    sheet: str | None = None,
) -> InputFile:
    """Find a file or standard input ("-"), and check that its content is of its format.

    ``text`` is the format of text on standard input where none is given. ``sheet`` is which one to
    read of a spreadsheet. An InputFile is returned as it is. Where CSV is allowed and XLSX is not,
    a spreadsheet comes as CSV.
    """
    known = (*allowed, "xlsx") if "csv" in allowed else allowed
    found = _opened(source, known, format, text)
    if sheet is not None:
        if found.format != "xlsx":
            raise InputError(f"{found.name} is no XLSX file and has no sheets (", _SHEET, ")")
        found = replace(found, sheet=sheet)
    if found.format == "xlsx" and "xlsx" not in allowed:
        return found.as_csv()
    return found


def _opened(
    source: str | Path | InputFile, allowed: Sequence[str], format: str | None, text: str
) -> InputFile:
    """Find a file or standard input."""
    if isinstance(source, InputFile):
        format_of(Path(source.name), allowed, source.format)
        return source
    if str(source) == "-":
        return _standard_input(allowed, format, text)
    path = Path(source).expanduser()
    if path.is_dir():
        if "zarr" in allowed and (path.suffix.lower() == ".zarr" or format == "zarr"):
            return InputFile(str(source), "zarr", path, None)
        raise InputError(f"{path} is a folder, expected a file")
    if not path.exists():
        raise InputError(f"there is no file {path}{_nearest(path)}")
    found = InputFile(str(source), format_of(path, allowed, format), path, None)
    _check_content(found)
    return found


def _instead(allowed: Sequence[str]) -> str:
    """Say what a spreadsheet of another format is to be saved as."""
    return "XLSX or CSV (UTF-8)" if "xlsx" in allowed else "CSV (UTF-8)"


def _nearest(path: Path) -> str:
    """Return what the file name may have been meant to be."""
    folder = path.parent
    if not folder.is_dir():
        return f" (nor a folder {folder})"
    files = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    stems = {name.split(".")[0].lower(): name for name in files}
    near = difflib.get_close_matches(path.name.split(".")[0].lower(), stems, 1)
    if near:
        return f"; did you mean {stems[near[0]]!r}?"
    return f"; in {folder} there are {listed(files, 6)}" if 0 < len(files) <= 12 else ""


def _standard_input(allowed: Sequence[str], format: str | None, text: str) -> InputFile:
    """Read all of standard input; its first bytes tell binary formats."""
    if sys.stdin is None:
        raise InputError("standard input is closed: give the name of a file")
    data = sys.stdin.buffer.read()
    name = "standard input"
    if data[:2] == _GZIP:
        data = gzip.decompress(data)
    if format is None:
        begins = (kind for kind, magic in _MAGIC.items() if data.startswith(magic))
        found = [kind for kind in begins if kind in allowed]
        if "xlsx" in found and _SHEETS not in data:
            found.remove("xlsx")
        format = found[0] if found else text
    made = InputFile(name, format_of(Path(name), allowed, format), None, data)
    _check_content(made)
    return made


def _check_content(source: InputFile) -> None:
    """Refuse content that is not of the format that the name says."""
    head = source.head()
    if not head.strip():
        raise InputError(f"{source.name} is empty")
    magic = _MAGIC.get(source.format)
    if magic is not None:
        if not head.startswith(magic):
            looks = "text" if _is_text(head) else "something else"
            raise InputError(
                f"{source.name} is no {source.format.upper()} file: its content looks like "
                f"{looks}; rename it",
                (", or say what it holds with ", Param("format", ...)),
            )
    elif source.format != "mat":
        _check_text(source, head)


def _check_text(source: InputFile, head: bytes) -> None:
    """Refuse binary content where text is expected."""
    for kind, magic in _MAGIC.items():
        if kind != "mtx" and head.startswith(magic):
            if kind == "xlsx" and _SHEETS not in head:
                continue
            names = {"npz": "a zip archive (NPZ)", "xlsx": "a spreadsheet (XLSX)"}
            holds = names.get(kind, kind.upper())
            raise InputError(
                f"{source.name} is not text: it begins like {holds}; give the file its "
                "right ending",
                (", or say ", Param("format", kind)),
            )
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{source.name} is text in UTF-16: save it as UTF-8 (CSV UTF-8)")
    if b"\0" in head:
        line = head[: head.index(b"\0")].count(b"\n") + 1
        raise InputError(
            f"{source.name} is not text: there is a NUL byte in line {line}",
            ("; if it is a binary file of another kind, say which with ", Param("format", ...)),
        )


def _is_text(head: bytes) -> bool:
    """Tell whether bytes look like text."""
    try:
        head[:-4].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in head
