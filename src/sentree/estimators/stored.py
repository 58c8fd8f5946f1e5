"""The file of a model as a container: arrays and a header of JSON in one ``.npz``."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from sentree import __version__
from sentree._util.files import replacing

__all__ = ["FORMAT_VERSION", "Arrays", "Stored", "get", "put", "read", "whole_numbers", "write"]

#: Version of the format that is written, and the newest that is read.
FORMAT_VERSION = 5

_FORMAT = "sentree model"
#: Arrays of a compressed file may take at most this many times the bytes of the file.
_MOST_EXPANSION = 100
#: Entries that files of version 1 do not have, and what they mean there.
_NOT_IN_1: dict[str, dict[str, Any]] = {
    "fitted": {"graph_settings": None, "features": None},
    "extension": {"logarithm": False, "tamed": False, "weighed": False, "directed": False},
}

Arrays = dict[str, NDArray[Any]]


class Stored(dict[str, Any]):
    """Entries of a file; a missing one is named in the error."""

    def __missing__(self, name: str) -> NoReturn:
        raise ValueError(f"the file is damaged: {name!r} is missing")


def write(target: Path, entries: dict[str, Any], arrays: Arrays) -> None:
    """Write arrays and the entries of a header. If writing fails, an old file stays as it was."""
    header = {
        "format": _FORMAT,
        "format_version": FORMAT_VERSION,
        "sentree_version": __version__,
        **entries,
    }
    text = json.dumps(header, default=_plain)
    with replacing(target) as part, open(part, "wb") as file:
        np.savez(file, header=np.array(text.encode("ascii")), **arrays)  # type: ignore[arg-type]


def _plain(value: Any) -> Any:
    """Return a NumPy scalar as a Python number."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is not a plain value")


def read(path: Path) -> tuple[Stored, Stored]:
    """Return the header and the arrays of a file."""
    with open(path, "rb") as stream:
        if stream.read(4) != b"PK\x03\x04":
            raise ValueError("this is no file of sentree.save (no .npz at all)")
        if not zipfile.is_zipfile(stream):
            raise ValueError("the file is damaged: its end is missing; save the model again")
        stream.seek(0)
        try:
            with np.load(stream, allow_pickle=False) as file:
                claimed = sum(member.file_size for member in file.zip.infolist())
                if claimed > _MOST_EXPANSION * path.stat().st_size:
                    raise ValueError(f"it claims to hold {claimed:,} bytes, far more than it has")
                names = [name for name in file.files if name != "header"]
                return _header(file), Stored((name, _array(file, name)) for name in names)
        except (MemoryError, _Refused):
            raise
        except Exception as error:  # zipfile and NumPy raise a dozen kinds for damaged files
            raise ValueError(f"the file is damaged ({error}); save the model again") from None


def _array(file: Any, name: str) -> NDArray[Any]:
    """Read an array after checking its shape, for which NumPy would allocate memory at once."""
    member = file.zip.getinfo(f"{name}.npy")
    with file.zip.open(member) as start:
        version = np.lib.format.read_magic(start)
        old = version == (1, 0)
        read = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(start)
        size = start.tell() + math.prod(shape) * dtype.itemsize
    if not dtype.hasobject and (dtype.itemsize == 0 or size != member.file_size):
        raise ValueError(f"{name} claims shape {shape} of {dtype}, which is not what is there")
    found: NDArray[Any] = file[name]
    return found


class _Refused(ValueError):
    """The file is intact, but not a model that this version can read."""


def _header(file: Any) -> Stored:
    """Return the header of a file, if it is a model that this version can read."""
    header = None
    if "header" in file.files and (text := _array(file, "header")).dtype.kind == "S":
        header = json.loads(text.item(), object_hook=Stored)
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise _Refused("this .npz is no file of sentree.save: it holds other arrays")
    version = header["format_version"]
    if not isinstance(version, int) or version < 1:
        raise _Refused(f"the file has format version {version!r}, which does not exist")
    if version > FORMAT_VERSION:
        raise _Refused(
            f"the file has format version {version} and this sentree ({__version__}) reads up to "
            f"{FORMAT_VERSION}: install sentree {header['sentree_version']} or newer"
        )
    return Stored(header if version > 1 else _from_1(header))


def _from_1(header: dict[str, Any]) -> dict[str, Any]:
    """Add the entries that a header of version 1 does not have."""
    for part, unknown in _NOT_IN_1.items():
        if isinstance(header.get(part), dict):
            header[part].update({**unknown, **header[part]})
    return header


def put(arrays: Arrays, prefix: str, part: Any, names: tuple[str, ...]) -> None:
    """Add the arrays of one part."""
    arrays |= {f"{prefix}.{name}": getattr(part, name) for name in names}


def get(arrays: Stored, prefix: str, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """Return the arrays of one part, read-only, so that the part need not copy them."""
    found = {name: arrays[f"{prefix}.{name}"] for name in names}
    for array in found.values():
        array.flags.writeable = False
    return found


def whole_numbers(arrays: Stored, name: str) -> NDArray[np.int32]:
    """Return an array that must hold whole numbers."""
    if arrays[name].dtype.kind != "i":
        raise ValueError(f"{name} holds {arrays[name].dtype}, not whole numbers")
    return np.asarray(arrays[name], dtype=np.int32)
