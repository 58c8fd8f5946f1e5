"""What a file holds: a table of samples, a graph, a tree, constraints or a model."""

from __future__ import annotations

import zipfile

from sentree.io import text
from sentree.io.lines import parse_json
from sentree.io.sources import TEXT, InputFile

__all__ = ["tell"]

#: Formats that hold one kind of thing only.
_SURE = {"newick": "tree", "graphml": "graph", "parquet": "table", "mat": "table"}
_SURE |= {"h5ad": "table", "zarr": "table"}


def tell(source: InputFile, into: str, separator: str | None = None) -> str:
    """Tell what a file holds from its format, its first lines, and the format to write."""
    if source.format in _SURE:
        return _SURE[source.format]
    if source.format == "npz" and _is_model(source):
        return "model"
    if into in ("newick", "graphml"):
        return _SURE[into]
    if source.format == "xlsx":
        source = source.as_csv()
    if source.format == "json":
        data = parse_json(source)
        return "tree" if isinstance(data, dict) and "parent" in data else "constraints"
    if source.format in TEXT:
        first = {
            name.lower() for name in text.sniff(source, header=True, separator=separator).names
        }
        if {"kind", "a", "b"} <= first:
            return "constraints"
        if {"parent", "volume", "cut"} <= first:
            return "tree"
        if {"source", "target"} <= first:
            return "graph"
    return "table"


def _is_model(source: InputFile) -> bool:
    with source.open() as stream:
        if not zipfile.is_zipfile(stream):
            return False
        with zipfile.ZipFile(stream) as archive:
            return {"header.npy", "labels.npy"} <= set(archive.namelist())
