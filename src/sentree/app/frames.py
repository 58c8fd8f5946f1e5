"""Numbers as bytes: a header in JSON, then arrays that a browser reads without copying."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Frame"]

_TYPES: dict[str, np.dtype[Any]] = {
    "float32": np.dtype("<f4"),
    "int32": np.dtype("<i4"),
    "uint8": np.dtype("u1"),
}


@dataclass(frozen=True, eq=False)
class Frame:
    """A header and arrays of numbers.

    As bytes: the length of the header (4 bytes, little endian), the header in JSON with spaces at
    its end, then the arrays, each begun at a multiple of 8 bytes.

    Examples
    --------
    >>> import numpy as np
    >>> frame = Frame({"n": 2}, {"cluster": np.array([0, 1], dtype=np.int32)})
    >>> Frame.from_bytes(frame.to_bytes()).arrays["cluster"].tolist()
    [0, 1]
    """

    header: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]

    def to_bytes(self) -> bytes:
        """Return the bytes."""
        listed = [
            {"name": name, "type": array.dtype.name, "length": array.size}
            for name, array in self.arrays.items()
        ]
        head = json.dumps({**self.header, "arrays": listed}, ensure_ascii=False).encode()
        head += b" " * (-(4 + len(head)) % 8)
        parts = [len(head).to_bytes(4, "little"), head]
        for array in self.arrays.values():
            raw = np.ascontiguousarray(array, dtype=_TYPES[array.dtype.name]).tobytes()
            parts += [raw, bytes(-len(raw) % 8)]
        return b"".join(parts)

    @classmethod
    def from_bytes(cls, data: bytes) -> Frame:
        """Return the frame that bytes hold."""
        start = 4 + int.from_bytes(data[:4], "little")
        header = json.loads(data[4:start])
        arrays = {}
        for one in header.pop("arrays"):
            kind = _TYPES[one["type"]]
            arrays[one["name"]] = np.frombuffer(data, kind, one["length"], start)
            size = kind.itemsize * one["length"]
            start += size + -size % 8
        return cls(header, arrays)
