"""Graphs in and out of files: lists of edges, GraphML, matrices."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sentree._util.warnings import warn
from sentree.graph import Graph
from sentree.io import annotated, arrays, columns, text
from sentree.io.errors import InputError, Param, listed, optional
from sentree.io.names import Named
from sentree.io.sources import TEXT, InputFile, format_of, open_source
from sentree.io.tables import write_bytes, write_table

if TYPE_CHECKING:
    import pandas

__all__ = ["GRAPH_FORMATS", "GraphFile", "read_graph", "write_graph"]

#: Formats that graphs are read from.
GRAPH_FORMATS = (*TEXT, "graphml", "mtx", "npz", "npy", "h5ad")

#: Names of the two ends of an edge and of its weight, as programs write them.
_FROM = ("source", "from", "src", "node1", "node_1", "id1", "sample1", "start")
_TO = ("target", "to", "dst", "node2", "node_2", "id2", "sample2", "end")
_ENDS = (_FROM, _TO)
_WEIGHT = ("weight", "w", "similarity", "value", "score")


@dataclass(frozen=True, eq=False)
class GraphFile(Named):
    """A graph read from a file.

    Parameters
    ----------
    graph : Graph
        The graph.
    ids : object array, optional
        One text per vertex, all different; without them vertices are known by number.
    id_name : str
        What the ids are called.
    source : str
        Where the graph comes from, for messages.
    columns : dict of object arrays
        What is said about the vertices, by name: attributes of the nodes of a GraphML file, columns
        of ``obs`` of an H5AD file; None where it is missing.
    """

    graph: Graph
    ids: NDArray[Any] | None = None
    id_name: str | None = "id"
    source: str = "the graph"
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    id_hint = ()

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of vertices."""
        return self.graph.n


def read_graph(
    source: str | Path,
    *,
    format: str | None = None,
    separator: str | None = None,
    header: text.Header = "auto",
    layer: str | None = None,
) -> GraphFile:
    """Read an undirected graph from a file.

    Parameters
    ----------
    source : path or "-"
        A list of edges (``.csv``, ``.tsv``, ``.txt``, each also with ``.gz``) with two columns, or
        three with weights, after lines of comments that begin with "# " or "% "; ``.graphml``; a
        symmetric matrix as ``.mtx``, ``.npz`` or ``.npy``; ``.h5ad``; or standard input.
    format : str, optional
        The format, where the file name does not tell.
    separator : str, optional
        What stands between the cells of a list of edges.
    header : {"auto", True, False}
        Whether the first line of a list of edges names its columns; by default if it says
        something like "source,target", or holds no numbers where the others do.
    layer : str, optional
        In H5AD files which graph of ``obsp``; by default ``connectivities``.

    Returns
    -------
    GraphFile

    Raises
    ------
    InputError
        Where the file cannot be read as a graph.

    Notes
    -----
    Each line of a list, and each edge of a GraphML file, is a statement of its own: an edge given
    twice, in the same or in the other direction, counts with the sum of its weights. Directed
    edges lose their direction, with a warning. Vertices are in order of their first appearance;
    where their names are whole numbers without gaps, in the order of these, and numbers from 0
    are no ids but the numbers of the rows. An edge of a vertex to itself is an error in a list of
    edges and in GraphML, as is a GraphML node that is declared twice or not at all; the diagonal of
    a matrix is left out. Weights are at least 0, and 0 is no edge.
    """
    found = open_source(source, GRAPH_FORMATS, format)
    if layer is not None and found.format not in ("h5ad", "npz"):
        raise InputError(
            f"{found.name}: only H5AD and NPZ files have several graphs (", Param("layer"), ")"
        )
    if found.format in TEXT:
        return _from_list(found, header, separator)
    if found.format == "graphml":
        return _from_graphml(found)
    if found.format == "h5ad":
        matrix, ids, obs = annotated.read_obsp(found, layer)
        about = {str(name): columns.objects(obs[name]) for name in obs}
        return GraphFile(_from_matrix(matrix, found.name), ids, "obs_names", found.name, about)
    matrix = arrays.the_matrix(arrays.read_arrays(found), found, layer)
    return GraphFile(_from_matrix(matrix, found.name), source=found.name)


def _from_matrix(matrix: Any, source: str) -> Graph:
    if matrix.dtype.kind not in "buif":
        raise InputError(f"{source} holds values of type {matrix.dtype}, expected real numbers")
    try:
        return Graph.from_scipy(matrix) if sp.issparse(matrix) else Graph.from_dense(matrix)
    except ValueError as error:
        raise InputError(f"{source}: {error}") from None


def _from_list(source: InputFile, header: text.Header, separator: str | None) -> GraphFile:
    """Read a list of edges."""
    dialect = text.sniff(source, header=False, separator=separator, comments=True)
    frame = text.parse(dialect, dialect.names)
    first = [str(cell).strip() for cell in frame.iloc[0]]
    named = _names_columns(first, frame) if header == "auto" else bool(header)
    chosen = _ends(first, named, source.name)
    cells = frame.to_numpy(dtype=object)[int(named) :]
    if not len(cells):
        raise InputError(f"{source.name} has no edges, only the names of its columns")

    def line(row: int) -> str:
        text.check_lines(dialect)  # a line of too few cells is why one is empty
        return f"{source.name}, line {dialect.line(row + named)}"

    ends = cells[:, chosen[:2]]
    empty = np.argwhere(ends == "")
    if empty.size:
        raise InputError(f"{line(int(empty[0, 0]))}: an id is empty")
    weights = _weights(cells[:, chosen[2]], line) if len(chosen) == 3 else None
    pairs, ids = _numbered(ends)
    loops = np.flatnonzero(pairs[:, 0] == pairs[:, 1])
    if loops.size:
        raise InputError(
            f"{line(int(loops[0]))}: an edge joins {ends[loops[0], 0]!r} to itself; take such "
            f"lines out ({loops.size} in all)"
        )
    n = int(pairs.max()) + 1
    return GraphFile(Graph.from_edges(pairs, weights, n=n), ids, source=source.name)


def _names_columns(first: Sequence[str], frame: pandas.DataFrame) -> bool:
    """Tell whether the first line of a list of edges names its columns.

    It does if it says something like "source,target" and these are no vertices of other edges,
    has text where a weight should be, or text where all others have numbers.
    """
    words = [cell.lower() for cell in first]
    place = [next((k for k, word in enumerate(words) if word in kind), None) for kind in _ENDS]
    if None not in place:
        others = frame.iloc[1:, place].to_numpy(dtype=object)
        return not any((others == first[k]).any() for k in place if k is not None)
    if len(first) == 3 and not text.is_number(first[2]):
        return True
    some = frame.iloc[1:1000, :2].to_numpy(dtype=object).ravel().tolist()
    return bool(some) and all(map(text.is_number, some)) and not any(map(text.is_number, first[:2]))


def _ends(first: Sequence[str], named: bool, source: str) -> list[int]:
    """Return the columns of the two ends of an edge and, if there is one, of its weight."""
    if len(first) in (2, 3):
        return list(range(len(first)))
    words = [cell.lower() for cell in first]
    if named:
        wanted = (*_ENDS, _WEIGHT)
        found = [next((k for k, word in enumerate(words) if word in kind), None) for kind in wanted]
        if found[0] is not None and found[1] is not None:
            return [k for k in found if k is not None]
    raise InputError(
        f"{source} has {len(first)} column{'s' * (len(first) != 1)} ({listed(first)}); a list of "
        "edges has two, or three with weights, or columns called source, target and weight"
    )


def _weights(cells: NDArray[Any], line: Callable[[int], str]) -> NDArray[np.float64]:
    """Return weights, finite and at least 0."""
    import pandas as pd

    numbers = pd.to_numeric(pd.Series(cells), errors="coerce")
    weights: NDArray[np.float64] = numbers.to_numpy(dtype=np.float64)
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        row = int(bad[0])
        raise InputError(
            f"{line(row)}: the weight is {cells[row]!r}; weights must be finite numbers, at least "
            "0 (clip or shift negative similarities first)"
        )
    return weights


def _numbered(ends: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any] | None]:
    """Return edges between numbers, and what the numbers stand for."""
    import pandas as pd

    code, names = pd.factorize(ends.ravel())
    if all(
        name.isascii() and name.isdecimal() and (name == "0" or name[0] != "0") for name in names
    ):
        number = np.array([int(name) for name in names])
        low = int(number.min())
        if int(number.max()) - low + 1 == number.size:
            code = (number - low)[code]
            names = None if low == 0 else np.sort(number).astype(str).astype(object)
    return code.reshape(-1, 2).astype(np.int64), names


def _from_graphml(source: InputFile) -> GraphFile:
    """Read GraphML; nodes are known by their attribute "name" if all have one, all different."""
    nx = optional("networkx", f"{source.name}: GraphML files")
    try:
        with warnings.catch_warnings(), source.open() as stream:
            warnings.simplefilter("ignore")  # keys without a type are text
            read = nx.read_graphml(stream, force_multigraph=True)
    except Exception as error:  # of XML, of GraphML, and of values of the wrong type
        raise InputError(f"{source.name} cannot be read as GraphML: {error}") from None
    if not len(read):
        raise InputError(f"{source.name} holds no nodes")
    _check_elements(source, read)
    if read.is_directed():
        warn(
            f"{source.name} is a directed graph: its edges lose their direction, and weights of "
            "both directions add up"
        )
    usual = read.graph.get("node_default", {})
    nodes = [usual | attributes for _, attributes in read.nodes(data=True)]
    about = {name: np.empty(len(nodes), dtype=object) for node in nodes for name in node}
    for name, column in about.items():
        column[:] = [node.get(name) for node in nodes]
    ids, id_name = np.array(list(read), dtype=object), "id"
    names = [None if name is None else str(name) for name in about.get("name", [None])]
    if None not in names and len(set(names)) == len(read):
        del about["name"]
        ids, id_name = np.array(names, dtype=object), "name"
    row = {node: k for k, node in enumerate(read)}
    edges = list(read.edges(data="weight", default=read.graph["edge_default"].get("weight", 1)))
    for a, b, weight in edges:
        if a == b:
            raise InputError(f"{source.name}: an edge joins {a!r} to itself; take it out")
        if not 0 <= _number(weight) < math.inf:
            raise InputError(
                f"{source.name}: the edge from {a!r} to {b!r} has weight {weight!r}; weights must "
                "be finite numbers, at least 0"
            )
    pairs = np.array([(row[a], row[b]) for a, b, _ in edges], dtype=np.int64).reshape(-1, 2)
    graph = Graph.from_edges(pairs, np.array([_number(w) for *_, w in edges]), n=len(read))
    return GraphFile(graph, ids, id_name, source.name, about)


def _number(weight: Any) -> float:
    """Return a weight, which is text where its key has no type; NaN where it is no number."""
    try:
        return float(weight)
    except (TypeError, ValueError):
        return math.nan


def _check_elements(source: InputFile, read: Any) -> None:
    """Refuse what networkx passes over: more graphs, nodes declared twice or never, equal edges."""
    declared: set[str | None] = set()
    counts = {"graph": 0, "edge": 0}
    with source.open() as stream:
        for _, element in ElementTree.iterparse(stream):
            tag = element.tag.rpartition("}")[2]
            if tag in counts:
                counts[tag] += 1
            if tag == "node":
                name = element.get("id")
                if name in declared:
                    raise InputError(f"{source.name}: two nodes have the id {name!r}")
                declared.add(name)
    if counts["graph"] != 1:
        raise InputError(f"{source.name} holds {counts['graph']} graphs, expected one")
    if counts["edge"] != read.number_of_edges():
        raise InputError(
            f"{source.name}: some edges between the same nodes have the same id or key; give each "
            "edge an id of its own, or none"
        )
    for name in read:
        if name not in declared:
            raise InputError(f"{source.name}: an edge names the node {name!r}, which is not there")


def _graphml_bytes(names: NDArray[Any], edges: Iterable[tuple[Any, ...]]) -> bytes:
    """Return a graph as GraphML."""
    nx = optional("networkx", "GraphML files")
    made = nx.Graph()
    made.add_nodes_from(names.tolist())
    made.add_weighted_edges_from(edges)
    buffer = io.BytesIO()
    nx.write_graphml_xml(made, buffer)
    return buffer.getvalue()


def write_graph(
    target: str | Path,
    graph: Graph,
    ids: Sequence[Any] | NDArray[Any] | None = None,
    *,
    format: str | None = None,
) -> None:
    """Write a graph as a list of edges, GraphML, MTX or sparse NPZ, by the end of the name.

    Parameters
    ----------
    target : path or "-"
        The file, written whole or not at all; "-" is standard output, as CSV.
    graph : Graph
        The graph.
    ids : sequence, optional
        What to call the vertices; their numbers where not given. Matrices hold no ids.
    format : str, optional
        The format, where the file name does not tell.
    """
    allowed = (*TEXT, "graphml", "mtx", "npz")
    kind = format_of(Path(target), allowed, "csv" if str(target) == "-" and not format else format)
    if kind in ("mtx", "npz"):
        write_bytes(target, arrays.matrix_bytes(graph.to_scipy(), kind))
        return
    names = np.arange(graph.n) if ids is None else np.asarray(ids, dtype=object)
    i, j, weight = graph.edges()
    if kind == "graphml":
        edges = zip(names[i].tolist(), names[j].tolist(), weight.tolist(), strict=True)
        write_bytes(target, _graphml_bytes(names, edges))
    else:
        columns_of = {"source": names[i], "target": names[j], "weight": weight}
        write_table(target, columns_of, format=kind)
