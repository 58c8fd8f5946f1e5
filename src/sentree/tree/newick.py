"""Trees as Newick text, written and read without recursion."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sentree.tree.shape import TreeShape

__all__ = ["leaf_names", "read_newick", "write_newick"]

#: One piece of Newick text: a sign, a bare name or number, a quoted name, a comment, or an error.
_TOKEN = re.compile(
    r"(?P<sign>[(),:;])|(?P<bare>[^\s()\[\]',:;]+)|(?P<quoted>'[^']*(?:''[^']*)*')"
    r"|(?P<comment>\[[^\]]*\])|(?P<wrong>\S)"
)
#: Names that programs read without quotes.
_PLAIN = re.compile(r"""[^\s()\[\]{}/\\,;:=*'"`+\-<>]+""")


def write_newick(shape: TreeShape, names: Sequence[str], length: Sequence[str]) -> str:
    """Return the tree as Newick text; ``length`` is what follows each node but the root."""
    first, child = shape.child_lists()
    root = shape.n_nodes - 1
    out: list[str] = []
    # A stack of nodes still to be written and of the text that closes their parents.
    stack: list[int | str] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        end = ";" if item == root else length[item]
        if item < shape.n_leaves:
            out.append(_quoted(names[item]) + end)
            continue
        out.append("(")
        stack.append(")" + end)
        below = child[first[item] : first[item + 1]]
        for k, node in enumerate(reversed(below)):
            stack += [",", node] if k else [node]
    return "".join(out)


def read_newick(
    text: str, names: Sequence[str] | None = None
) -> tuple[NDArray[np.int64], tuple[str, ...] | None]:
    """Return the parent of each node and the names of the leaves, None where they have none.

    Leaves come first, in the order of ``names``, or by their numbers where they are called 0 to
    n - 1, or as they stand in the text. Inner nodes follow by their distance to the farthest leaf
    below. A node of a single child is still there.
    """
    parsed = _parse(text)
    above = np.array(parsed.above)
    leaf = np.bincount(above[1:], minlength=above.size) == 0
    leaves, kept_names = _leaf_order(text, parsed, np.flatnonzero(leaf), names)
    height = _heights(parsed)
    inner = np.array(parsed.closed, dtype=np.intp)
    inner = inner[np.argsort(height[inner], kind="stable")]
    nodes = np.concatenate((leaves, inner))
    number = np.empty(nodes.size + 1, dtype=np.int64)
    number[nodes] = np.arange(nodes.size)
    number[-1] = -1  # the parent of the root
    return number[above[nodes]], kept_names


def leaf_names(names: Sequence[Any], n: int) -> tuple[str, ...]:
    """Return the names of n leaves as text."""
    labels = tuple(str(name) for name in names)
    if len(labels) != n:
        raise ValueError(f"{len(labels)} names for {n} leaves")
    return labels


def _quoted(name: str) -> str:
    """Quote a name that holds characters Newick uses itself."""
    return name if _PLAIN.fullmatch(name) else "'" + name.replace("'", "''") + "'"


class _Parsed:
    """The nodes of a Newick text as they open, so that a parent precedes its children."""

    def __init__(self) -> None:
        self.above: list[int] = []
        self.name: list[str | None] = []
        self.length: list[float | None] = []
        self.place: list[int] = []  # where in the text a node begins
        self.closed: list[int] = []  # inner nodes as they close, children before their parents

    def add(self, above: int, place: int) -> int:
        """Return the number of a new node."""
        self.above.append(above)
        self.name.append(None)
        self.length.append(None)
        self.place.append(place)
        return len(self.above) - 1


#: How much of a node was read: nothing, its children, its name, the colon, its length.
_FRESH, _CLOSED, _NAMED, _COLON, _MEASURED = range(5)


def _parse(text: str) -> _Parsed:
    """Read Newick text; a ValueError gives the position of what is wrong."""
    tree = _Parsed()
    node, stage = tree.add(-1, 0), _FRESH
    opened: list[int] = []
    for token in _TOKEN.finditer(text):
        kind, piece, start = token.lastgroup, token[0], token.start()
        if kind == "comment":
            continue
        if kind == "wrong":
            what = {"'": "a quote that is not closed", "[": "a comment that is not closed"}
            _refuse(text, start, what.get(piece, f"unexpected {piece!r}"))
        if stage == _COLON:
            tree.length[node], stage = _length(text, piece, kind == "bare", start), _MEASURED
        elif kind != "sign":
            if stage > _CLOSED:
                _refuse(text, start, f"unexpected {piece!r}; names with blanks need quotes")
            tree.name[node] = piece if kind == "bare" else piece[1:-1].replace("''", "'")
            stage = _NAMED
        elif piece == "(":
            if stage != _FRESH:
                _refuse(text, start, "unexpected '('; a comma is missing before it")
            opened.append(node)
            node = tree.add(node, start + 1)
        elif piece == ":":
            if stage > _NAMED:
                _refuse(text, start, "a second ':' for one node")
            stage = _COLON
        elif piece == ";":
            if opened:
                _refuse(text, start, f"';' while {len(opened)} '(' are still open")
            _check_end(text, start + 1)
            return tree
        elif not opened:
            _refuse(text, start, f"{piece!r} outside of all parentheses")
        elif piece == ",":
            node, stage = tree.add(opened[-1], start + 1), _FRESH
        else:
            node, stage = opened.pop(), _CLOSED
            tree.closed.append(node)
    _refuse(text, len(text), f"the text ends before ';' with {len(opened)} '(' still open")


def _length(text: str, piece: str, bare: bool, start: int) -> float:
    """Return a branch length; it must be a finite number."""
    try:
        value = float(piece) if bare else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        _refuse(text, start, f"{piece!r} where a branch length should be")
    return value


def _check_end(text: str, position: int) -> None:
    """Refuse anything but comments after the tree."""
    rest = re.compile(r"(?:\s|\[[^\]]*\])*").match(text, position)
    assert rest is not None  # it matches nothing too
    if rest.end() < len(text):
        _refuse(text, rest.end(), "more text after ';'; one tree at a time")


def _refuse(text: str, position: int, what: str) -> NoReturn:
    """Raise a ValueError that says where the text is wrong."""
    seen = text[max(position - 20, 0) : position + 20]
    raise ValueError(f"Newick: {what}, at position {position} (near {seen!r})")


def _leaf_order(
    text: str, parsed: _Parsed, leaves: NDArray[np.intp], names: Sequence[Any] | None
) -> tuple[NDArray[np.intp], tuple[str, ...] | None]:
    """Return the leaves in the order of the samples, and their names."""
    place = {}  # of each name
    for node in leaves.tolist():
        name = parsed.name[node]
        if name in place and name is not None:
            _refuse(text, parsed.place[node], f"a second leaf is called {name!r}")
        place[name] = node
    if None in place:
        if names is not None or len(place) > 1:
            _refuse(text, parsed.place[place[None]], "a leaf without a name")
        return leaves, None
    found = tuple(place)
    if names is None:
        numbers = tuple(str(i) for i in range(leaves.size))
        if set(found) != set(numbers):
            return leaves, found
        wanted, kept = numbers, None
    else:
        wanted = kept = leaf_names(names, leaves.size)
        missing = next((name for name in wanted if name not in place), None)
        if missing is not None:
            raise ValueError(f"Newick: no leaf is called {missing!r}, which is among the names")
        if len(set(wanted)) < leaves.size:
            raise ValueError("Newick: a name is given twice")
    return np.array([place[name] for name in wanted], dtype=np.intp), kept


def _heights(parsed: _Parsed) -> NDArray[np.float64]:
    """Return the distance of each node to the farthest leaf below it.

    Where a length is missing all of them count 1; negative ones, which some programs write, 0.
    """
    above, length = parsed.above, parsed.length[1:]
    known = [max(x, 0.0) for x in length if x is not None]
    steps = known if len(known) == len(length) else [1.0] * len(length)
    depth = [0.0] * len(above)
    for node, step in enumerate(steps, start=1):
        depth[node] = depth[above[node]] + step
    lowest = depth.copy()
    for node in range(len(above) - 1, 0, -1):
        lowest[above[node]] = max(lowest[above[node]], lowest[node])
    return np.subtract(lowest, depth)
