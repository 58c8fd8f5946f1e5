"""GraphML read and written: nodes, their names, edges and their weights."""

from __future__ import annotations

from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from sentree.io.errors import InputError, did_you_mean
from sentree.io.sources import Source

__all__ = ["Parsed", "parse", "serialise"]


class Parsed(NamedTuple):
    """What a GraphML file says."""

    ids: NDArray[Any]
    id_name: str
    pairs: NDArray[np.int64]
    weights: NDArray[np.float64]
    directed: bool
    columns: dict[str, NDArray[Any]]


def parse(source: Source) -> Parsed:
    """Read nodes and edges; nodes are known by their attribute "name" if all have one.

    Weights are the attribute "weight" of the edges, 1 where there is none.
    """
    keys: dict[str, _Key] = {}
    ids: list[str] = []
    said: list[dict[str, str]] = []
    ends: list[tuple[str, str]] = []
    weights: list[float] = []
    n_graphs, directed, by_default = 0, False, False
    try:
        with source.open() as stream:
            for event, item in ElementTree.iterparse(stream, events=("start", "end")):
                tag = item.tag.rpartition("}")[2]
                if event == "start":
                    if tag == "graph":
                        n_graphs += 1
                        by_default = item.get("edgedefault") == "directed"
                    continue
                if tag == "key":
                    name = item.get("attr.name", item.get("id", ""))
                    default = item.findtext("{*}default")
                    keys[item.get("id", "")] = _Key(item.get("for", "all"), name, default)
                elif tag == "node":
                    ids.append(item.get("id", ""))
                    said.append(_data(item, keys, "node"))
                    item.clear()
                elif tag == "edge":
                    ends.append((item.get("source", ""), item.get("target", "")))
                    given = _data(item, keys, "edge").get("weight")
                    weights.append(_weight(given, ends[-1], source))
                    directed |= item.get("directed", str(by_default).lower()) == "true"
                    item.clear()
    except ElementTree.ParseError as error:
        raise InputError(f"{source.name} is no whole GraphML file: {error}") from None
    if n_graphs != 1:
        raise InputError(f"{source.name} holds {n_graphs} graphs, expected one")
    if not ids:
        raise InputError(f"{source.name} holds no nodes")
    row = {name: k for k, name in enumerate(ids)}
    if len(row) < len(ids):
        twice = next(name for k, name in enumerate(ids) if row[name] != k)
        raise InputError(f"{source.name}: two nodes have the id {twice!r}")
    columns = _columns(said)
    names = columns.get("name", np.full(len(ids), None))
    called = None not in names and len(set(names)) == len(names)
    if called:
        del columns["name"]
    pairs = np.empty((len(ends), 2), dtype=np.int64)
    for k, pair in enumerate(ends):
        for end in pair:
            if end not in row:
                raise InputError(
                    f"{source.name}: edge {k} ends at {end!r}, and there is no such node"
                    f"{did_you_mean(end, row)}"
                )
        if pair[0] == pair[1]:
            raise InputError(f"{source.name}: edge {k} joins {pair[0]!r} to itself; take it out")
        pairs[k] = row[pair[0]], row[pair[1]]
    return Parsed(
        names if called else np.array(ids, dtype=object),
        "name" if called else "id",
        pairs,
        np.array(weights, dtype=np.float64),
        directed,
        columns,
    )


class _Key(NamedTuple):
    """An attribute: of what, its name, and what holds where nothing is said."""

    domain: str
    name: str
    default: str | None


def _data(item: ElementTree.Element, keys: dict[str, _Key], of: str) -> dict[str, str]:
    """Return the attributes of a node or an edge by name."""
    mine = {key: known for key, known in keys.items() if known.domain in (of, "all")}
    found = {known.name: known.default for known in mine.values() if known.default is not None}
    for data in item.iterfind("{*}data"):
        key = data.get("key", "")
        if key in mine or key not in keys:
            found[mine[key].name if key in mine else key] = data.text or ""
    return found


def _columns(said: list[dict[str, str]]) -> dict[str, NDArray[Any]]:
    """Return the attributes of all nodes by name, None where a node has none."""
    names = dict.fromkeys(name for one in said for name in one)
    columns = {name: np.empty(len(said), dtype=object) for name in names}
    for name, column in columns.items():
        column[:] = [one.get(name) for one in said]
    return columns


def _weight(given: str | None, ends: tuple[str, str], source: Source) -> float:
    if given is None:
        return 1.0
    try:
        weight = float(given)
    except ValueError:
        weight = -1.0
    if not 0 <= weight < float("inf"):
        raise InputError(
            f"{source.name}: the edge from {ends[0]!r} to {ends[1]!r} has weight {given!r}; "
            "weights must be finite numbers, at least 0"
        )
    return weight


def serialise(
    names: NDArray[Any], i: NDArray[Any], j: NDArray[Any], weight: NDArray[np.float64]
) -> bytes:
    """Return an undirected graph as GraphML."""
    called = [quoteattr(str(name)) for name in names.tolist()]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="weight" for="edge" attr.name="weight" attr.type="double"/>',
        '<graph edgedefault="undirected">',
        *(f"<node id={name}/>" for name in called),
    ]
    for a, b, w in zip(i.tolist(), j.tolist(), weight.tolist(), strict=True):
        ends = f"source={called[a]} target={called[b]}"
        lines.append(f'<edge {ends}><data key="weight">{w!r}</data></edge>')
    lines += ["</graph>", "</graphml>", ""]
    return "\n".join(lines).encode("utf-8")
