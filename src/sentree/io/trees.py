"""Trees in and out of files: Newick, JSON, tables and linkage matrices."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree._util.wording import own_remedies
from sentree.io import arrays, text
from sentree.io.errors import InputError
from sentree.io.sources import TEXT, InputFile, format_of, open_source
from sentree.io.tables import write_bytes, write_table
from sentree.tree import EncodingTree

__all__ = ["TREE_FORMATS", "read_tree", "write_tree"]

#: Formats of trees.
TREE_FORMATS = ("newick", "json", "csv", "tsv", "npy")


def write_tree(
    target: str | Path,
    tree: EncodingTree,
    ids: Sequence[Any] | NDArray[Any] | None = None,
    *,
    lengths: str | None = "height",
    format: str | None = None,
) -> None:
    """Write a tree to a file, by the end of its name.

    Parameters
    ----------
    target : path or "-"
        ``.nwk`` or ``.newick``; ``.json`` (everything, read back exactly); ``.csv`` or ``.tsv`` (a
        row per node); ``.npy`` (a SciPy linkage, without names). "-" is standard output, as
        Newick. The file is written whole or not at all.
    tree : EncodingTree
        The tree.
    ids : sequence, optional
        What to call the samples; by default the names that the tree has, or numbers.
    lengths : {"height", "bits", None}
        Branch lengths in Newick; see :meth:`sentree.EncodingTree.to_newick`.
    format : str, optional
        The format, where the file name does not tell.
    """
    standard = str(target) == "-" and format is None
    kind = format_of(Path(target), TREE_FORMATS, "newick" if standard else format)
    if ids is not None:
        tree = tree.with_names([str(name) for name in ids])
    if kind == "newick":
        write_bytes(target, (tree.to_newick(lengths=lengths) + "\n").encode("utf-8"))
    elif kind == "json":
        write_bytes(target, (tree.to_json() + "\n").encode("utf-8"))
    elif kind == "npy":
        write_bytes(target, arrays.matrix_bytes(tree.to_linkage(), "npy"))
    else:
        table = tree.to_pandas().reset_index()
        write_table(target, {name: table[name].to_numpy() for name in table}, format=kind)


@own_remedies
def read_tree(
    source: str | Path,
    ids: Sequence[Any] | NDArray[Any] | None = None,
    *,
    format: str | None = None,
) -> EncodingTree:
    """Read a tree that :func:`write_tree` wrote, any Newick tree, or a SciPy linkage as NPY.

    Parameters
    ----------
    source : path or "-"
        The file; text on standard input is Newick.
    ids : sequence, optional
        The samples in their order; the tree must have them as leaves.
    format : str, optional
        The format, where the file name does not tell.
    """
    found = open_source(source, TREE_FORMATS, format, text="newick")
    names = None if ids is None else [str(name) for name in ids]
    try:
        tree = _parsed(found, names)
    except InputError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise InputError(f"{found.name} is no tree: {error}") from None
    if names is not None and tree.names is not None and list(tree.names) != names:
        row = next((k for k, name in enumerate(names) if tree.names[k : k + 1] != (name,)), 0)
        raise InputError(
            f"{found.name}: leaf {row} is {tree.names[row]!r}, but sample {row} is {names[row]!r}; "
            "samples and leaves must be the same, in the same order (Newick takes any order)"
        )
    if names is not None and tree.n_leaves != len(names):
        raise InputError(
            f"{found.name} has {tree.n_leaves} leaves, but there are {len(names)} samples"
        )
    return tree


def _parsed(source: InputFile, names: list[str] | None) -> EncodingTree:
    """Read a tree; leaves of a Newick tree come in the order of the names."""
    if source.format == "newick":
        return EncodingTree.from_newick(source.text(), names)
    if source.format == "json":
        return EncodingTree.from_json(source.text())
    if source.format == "npy":
        linkage = np.asarray(arrays.read_arrays(source)["X"])
        return EncodingTree.from_linkage(linkage, names=names)
    assert source.format in TEXT
    return EncodingTree.from_pandas(text.parse(text.sniff(source, header=True), ("name",)))
