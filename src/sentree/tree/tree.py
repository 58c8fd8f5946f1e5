"""The encoding tree: an immutable rooted tree over the samples, in flat arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sentree._util.labels import follow, renumber
from sentree.graph import FloatArray, Graph, frozen, module_cuts
from sentree.tree.formats import (
    MEASURES,
    read_json,
    read_linkage,
    read_networkx,
    read_pandas,
    write_json,
    write_linkage,
    write_networkx,
    write_pandas,
)
from sentree.tree.newick import leaf_names, read_newick, write_newick
from sentree.tree.shape import NodeArray, TreeShape, keep_nodes

if TYPE_CHECKING:
    import networkx
    import pandas

__all__ = ["EncodingTree"]


@dataclass(frozen=True, eq=False)
class EncodingTree:
    """A rooted tree whose leaves 0..n-1 are the samples.

    Every node precedes its parent, the root is the last node, and inner nodes have at least two
    children, so a loop over the nodes in order is a bottom-up pass. Trees may be 10^5 deep:
    nothing here recurses.

    Parameters
    ----------
    parent : int32 array of shape (n_nodes,)
        Parent of each node; -1 for the root.
    volume, cut, relation_cut : float64 arrays of shape (n_nodes,)
        Sum of the degrees below a node, and the weight of the data graph and of the relation graph
        that leaves it.
    names : sequence of str, optional
        Names of the samples, all different; they go with the tree through every export.

    See Also
    --------
    EncodingTree.from_parent : computes the three arrays from the graphs.

    Examples
    --------
    >>> tree = EncodingTree.from_newick("((ant,bee),'sea cow');")
    >>> tree.names, tree.parent.tolist()
    (('ant', 'bee', 'sea cow'), [3, 3, 4, 4, -1])
    >>> tree.to_newick()
    "('sea cow':2,(ant:1,bee:1):1);"
    >>> EncodingTree.from_linkage(tree.to_linkage()).parent.tolist()
    [3, 3, 4, 4, -1]
    """

    parent: NodeArray
    volume: FloatArray
    cut: FloatArray
    relation_cut: FloatArray
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        parent = _checked_parent(self.parent)
        object.__setattr__(self, "parent", frozen(parent, self.parent))
        for name in MEASURES:
            values = np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            if values.shape != parent.shape:
                raise ValueError(
                    f"EncodingTree: {name} has shape {values.shape}, expected {parent.shape}"
                )
            if not np.isfinite(values).all():
                raise ValueError(f"EncodingTree: {name} holds a value that is not finite")
            object.__setattr__(self, name, frozen(values, getattr(self, name)))
        if self.names is not None:
            object.__setattr__(self, "names", _checked_names(self.names, self.n_leaves))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.parent, self.volume, self.cut, self.relation_cut, self.names)

    @classmethod
    def from_parent(
        cls,
        parent: ArrayLike,
        graph: Graph | None = None,
        relation: Any = None,
        *,
        names: Sequence[str] | None = None,
    ) -> EncodingTree:
        """Make a tree from the parent of each node and the graphs it encodes.

        Parameters
        ----------
        parent : array-like of shape (n_nodes,)
            Parent of each node, -1 for the root, which is last; the leaves, which are the samples,
            are the first nodes.
        graph : Graph, optional
            The data graph. Without one every sample weighs 1 and nothing is cut.
        relation : scipy sparse array of shape (n, n), optional
            The relation graph, with the penalty inside.
        names : sequence of str, optional
            Names of the samples.
        """
        parent = _checked_parent(parent)
        shape = TreeShape(parent)
        cut, relation_cut = np.zeros(parent.size), np.zeros(parent.size)
        if graph is None:
            volume = shape.sizes()
        elif shape.n_leaves != graph.n:
            raise ValueError(f"the tree has {shape.n_leaves} leaves, the graph {graph.n} vertices")
        else:
            volume = shape.subtree_sums(shape.on_leaves(graph.degree))
            cut = shape.cuts(*graph.edges())
        if relation is not None:
            upper = sp.triu(relation, k=1).tocoo()
            relation_cut = shape.cuts(upper.row, upper.col, upper.data)
        named = None if names is None else tuple(names)
        return cls(parent, volume, cut, relation_cut, named)

    @classmethod
    def from_labels(cls, labels: ArrayLike, graph: Graph, relation: Any = None) -> EncodingTree:
        """Make the tree of height 2 of a partition; a module of one sample is a leaf of the root.

        A partition into a single module is the star.
        """
        modules = renumber(labels)
        n = modules.size
        if n != graph.n:
            raise ValueError(f"{n} labels for a graph of {graph.n} vertices")
        if n == 1:
            return cls.from_parent([-1], graph, relation)
        k = int(modules.max()) + 1
        inner = (np.bincount(modules) > 1) & (
            k > 1
        )  # modules that are a node between leaf and root
        root = n + int(inner.sum())
        node = np.where(inner, n + np.cumsum(inner) - 1, root)
        parent = np.concatenate((node[modules], np.full(root - n, root), [-1]))

        def on_nodes(leaf: FloatArray, module: NDArray[Any], whole: float) -> FloatArray:
            return np.concatenate((leaf, module[inner], [whole]))

        def cuts(leaf: FloatArray, *csr: Any) -> FloatArray:
            return on_nodes(leaf, module_cuts(modules, k, *csr), 0.0)

        volume = on_nodes(graph.degree, np.bincount(modules, graph.degree), graph.volume)
        cut = cuts(graph.strength, graph.indptr, graph.indices, graph.weights)
        relation_cut = np.zeros(root + 1)
        if relation is not None:
            csr = sp.csr_array(relation)
            relation_cut = cuts(csr.sum(axis=1) - csr.diagonal(), csr.indptr, csr.indices, csr.data)
        return cls(parent, volume, cut, relation_cut)

    def by_volume(self) -> EncodingTree:
        """Return the same tree with its inner nodes numbered by volume, the smallest first.

        :meth:`cut_to` then opens the largest nodes first.
        """
        n = self.n_leaves
        order = np.concatenate((np.arange(n), n + np.argsort(self.volume[n:], kind="stable")))
        number = np.empty(self.n_nodes + 1, dtype=np.int32)
        number[order] = np.arange(self.n_nodes, dtype=np.int32)
        number[-1] = -1  # the parent of the root
        measures = {name: getattr(self, name)[order] for name in MEASURES}
        return EncodingTree(number[self.parent[order]], **measures, names=self.names)

    def with_names(self, names: Sequence[str]) -> EncodingTree:
        """Return the same tree with names for its samples; two of one name are an error."""
        return replace(self, names=tuple(names))

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves and root included."""
        return int(self.parent.size)

    @property
    def n_leaves(self) -> int:
        """Number of leaves, which are the samples."""
        return TreeShape(self.parent).n_leaves

    @property
    def root(self) -> int:
        """The last node."""
        return self.n_nodes - 1

    @property
    def depth(self) -> NDArray[np.int64]:
        """Number of steps from each node up to the root."""
        return TreeShape(self.parent).depth()

    @property
    def height(self) -> int:
        """Number of steps from the deepest leaf to the root."""
        return int(self.depth.max())

    @property
    def is_binary(self) -> bool:
        """Whether every inner node has exactly two children."""
        return self.n_nodes == 2 * self.n_leaves - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of leaves below each node."""
        return TreeShape(self.parent).sizes().astype(np.int64)

    def __repr__(self) -> str:
        return (
            f"EncodingTree(n_leaves={self.n_leaves}, n_nodes={self.n_nodes}, height={self.height})"
        )

    def children(self, node: int) -> NDArray[np.intp]:
        """Return the children of a node, in increasing order."""
        return np.flatnonzero(self.parent == node)

    def lca(self, i: ArrayLike, j: ArrayLike) -> NodeArray:
        """Return the lowest common ancestor of each pair of nodes."""
        return TreeShape(self.parent).lca(np.asarray(i), np.asarray(j))

    def labels_at(self, level: int) -> NodeArray:
        """Return the partition at a level: 0 is the root, 1 its children, and so on.

        A leaf above that level is a cluster of its own. Labels are numbered by first appearance.
        """
        if level < 0:
            raise ValueError(f"level must be 0 (the root) or more, got {level}")
        depth = self.depth
        up = np.where(depth > level, self.parent, np.arange(self.n_nodes, dtype=np.int32))
        return renumber(follow(up)[: self.n_leaves])

    def cut_to(self, n_clusters: int) -> NodeArray:
        """Return a partition with at most ``n_clusters`` clusters.

        The inner nodes are opened from the last to the first, up to the one that would give too
        many clusters: that undoes the joins of an agglomerative tree in reverse, and opens the
        largest node first where the tree was grown level by level. A binary tree gives exactly
        ``n_clusters``. Where nodes have more children there may be fewer; a root with more children
        than ``n_clusters`` gives one cluster (:meth:`labels_at` opens it). Cuts are nested.
        """
        n = self.n_leaves
        if not 1 <= n_clusters <= n:
            raise ValueError(f"n_clusters must be between 1 and {n}, got {n_clusters}")
        children = np.bincount(self.parent[:-1], minlength=self.n_nodes)[n:][::-1]
        opened = int(np.searchsorted(1 + np.cumsum(children - 1), n_clusters, side="right"))
        lowest_opened = self.n_nodes - opened
        nodes = np.arange(self.n_nodes, dtype=np.int32)
        up = np.where((self.parent >= 0) & (self.parent < lowest_opened), self.parent, nodes)
        return renumber(follow(up)[:n])

    def to_linkage(self) -> FloatArray:
        """Return a SciPy linkage matrix; :meth:`from_linkage` reads it back.

        The height of a node is the height of its subtree: gains are not monotone, heights are. A
        node of more than two children becomes several of the same height. Rows go by height.
        """
        return write_linkage(TreeShape(self.parent), self.sizes)

    @classmethod
    def from_linkage(
        cls,
        linkage: ArrayLike,
        *,
        binary: bool = False,
        graph: Graph | None = None,
        names: Sequence[str] | None = None,
    ) -> EncodingTree:
        """Make a tree from a SciPy linkage matrix, such as :meth:`to_linkage` writes.

        Parameters
        ----------
        linkage : array-like of shape (n - 1, 4)
            What :func:`scipy.cluster.hierarchy.linkage` returns. Rows keep their order, so that
            :meth:`cut_to` undoes them from the last.
        binary : bool, default=False
            Whether every row is a node of its own. By default joins one above the other at the
            same height are one node of several children.
        graph : Graph, optional
            The data graph, for volumes and cuts; without one every sample weighs 1.
        names : sequence of str, optional
            Names of the samples.
        """
        parent, kept = read_linkage(linkage)
        return cls.from_parent(parent if binary else keep_nodes(parent, kept), graph, names=names)

    def to_newick(
        self, names: Sequence[str] | None = None, *, lengths: str | None = "height"
    ) -> str:
        """Return the tree in Newick format; :meth:`from_newick` reads it back.

        Parameters
        ----------
        names : sequence of str, optional
            What to call the leaves; by default their names, or their numbers if they have none.
            Names may repeat (classes, say), but such a text cannot be read back.
        lengths : {"height", "bits", None}, default="height"
            Branch lengths. "height" is the difference of the heights of the subtrees: at least 1,
            and all leaves are equally far from the root. "bits" is log2 of the ratio of the
            volumes, which is what it takes to say which child one means; the way to a leaf adds up
            to the length of its code word. Nodes without volume have 0. None writes none.
        """
        shape = TreeShape(self.parent)
        called: Sequence[Any] = names if names is not None else self.names or range(shape.n_leaves)
        if lengths == "height":
            height = shape.heights()
            length = [f":{x}" for x in (height[self.parent] - height).tolist()]
        elif lengths == "bits":
            volume = np.maximum(self.volume, 0.0)
            ratio = np.ones(self.n_nodes)
            np.divide(volume[self.parent], volume, out=ratio, where=volume > 0)
            length = [f":{x:.10g}" for x in np.log2(np.maximum(ratio, 1.0)).tolist()]
        elif lengths is None:
            length = [""] * self.n_nodes
        else:
            raise ValueError(f"lengths must be 'height', 'bits' or None, got {lengths!r}")
        return write_newick(shape, leaf_names(called, shape.n_leaves), length)

    @classmethod
    def from_newick(
        cls, text: str, names: Sequence[str] | None = None, *, graph: Graph | None = None
    ) -> EncodingTree:
        """Read one tree in Newick format, such as :meth:`to_newick` writes.

        Parameters
        ----------
        text : str
            The tree, up to a semicolon. Comments, names of inner nodes and nodes of a single child
            are left out; underscores stay underscores.
        names : sequence of str, optional
            The names of the samples in their order: sample i is the leaf called ``names[i]``.
            Without them leaves called 0 to n - 1 are the samples of these numbers, and any others
            are numbered as they come in the text.
        graph : Graph, optional
            The data graph, for volumes and cuts; without one every sample weighs 1.

        Returns
        -------
        EncodingTree
            Inner nodes are numbered by their distance to the farthest leaf below them, so that
            :meth:`cut_to` opens the highest first. Where a branch length is missing, levels count.

        Raises
        ------
        ValueError
            Where the text is malformed or two leaves have one name, with the position in the text.
        """
        parent, found = read_newick(text, names)
        kept = np.bincount(parent[:-1], minlength=parent.size) != 1
        return cls.from_parent(keep_nodes(parent, kept), graph, names=found)

    def to_json(self) -> str:
        """Return the arrays and the names as JSON; :meth:`from_json` reads them back exactly."""
        return write_json(self._columns(), self.names)

    @classmethod
    def from_json(cls, text: str) -> EncodingTree:
        """Read a tree written by :meth:`to_json`."""
        return cls(**read_json(text))

    def to_networkx(self) -> networkx.DiGraph[int]:
        """Return a networkx DiGraph with edges from parents to children (needs networkx).

        Nodes have attributes volume, cut and relation_cut, and leaves their name if they have one.
        """
        return write_networkx(self._columns(), self.names)

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph[int]) -> EncodingTree:
        """Read a tree from a networkx DiGraph such as :meth:`to_networkx` makes."""
        return cls(**read_networkx(graph))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a table with a row per node.

        Its columns are name (if there are any; empty for inner nodes), parent, depth, size, volume,
        cut and relation_cut.
        """
        return write_pandas(self._columns(depth=self.depth, size=self.sizes), self.names)

    @classmethod
    def from_pandas(cls, table: pandas.DataFrame) -> EncodingTree:
        """Read a tree from a table such as :meth:`to_pandas` makes; rows may be in any order.

        Nodes are in the index or in a column "node". A file of a tree with names is read with
        ``pandas.read_csv(file, dtype={"name": str}, keep_default_na=False)``, else pandas takes
        some names for numbers or for missing.
        """
        return cls(**read_pandas(table))

    def _columns(self, **more: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """Return what other forms of the tree hold of every node."""
        return {"parent": self.parent, **more} | {name: getattr(self, name) for name in MEASURES}


def _checked_parent(values: ArrayLike) -> NodeArray:
    """Return the parents after checking the order of the nodes and that inner nodes have two."""
    parent = np.asarray(values)
    if parent.ndim != 1 or parent.size == 0:
        raise ValueError("EncodingTree: parent must be a non-empty 1-d array")
    if parent.dtype.kind not in "iu":
        raise ValueError(f"EncodingTree: parent must hold whole numbers, got {parent.dtype}")
    if parent[-1] != -1:
        raise ValueError("EncodingTree: the last node must be the root, with parent -1")
    nodes = np.arange(parent.size - 1)
    bad = (parent[:-1] <= nodes) | (parent[:-1] >= parent.size)
    if bad.any():
        node = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"EncodingTree: node {node} has parent {int(parent[node])}; a node precedes its parent"
        )
    children = np.bincount(parent[:-1], minlength=parent.size)
    inner = np.flatnonzero(children)
    if inner.size and inner.size != parent.size - inner[0]:
        raise ValueError("EncodingTree: the leaves must be the first nodes")
    if np.any(children[inner] < 2):
        node = int(inner[children[inner] < 2][0])
        raise ValueError(f"EncodingTree: inner node {node} has a single child")
    return np.ascontiguousarray(parent, dtype=np.int32)


def _checked_names(names: Sequence[Any], n: int) -> tuple[str, ...]:
    """Return the names after checking that there is a different one for each leaf."""
    wrong = next((name for name in names if not isinstance(name, str)), None)
    if wrong is not None:
        raise ValueError(f"EncodingTree: the name {wrong!r} is not text")
    checked = leaf_names(names, n)
    if len(set(checked)) < n:
        twice, _ = Counter(checked).most_common(1)[0]
        raise ValueError(f"EncodingTree: two samples are called {twice!r}")
    return checked
