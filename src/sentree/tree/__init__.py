"""Trees over samples.

In: parents, labels, or a file of another program. Out: :class:`EncodingTree`, its shape, and its
other forms. Uses ``graph``.
"""

from sentree.tree.shape import TreeShape, first_leaves, keep_nodes, some_leaves
from sentree.tree.tree import EncodingTree

__all__ = ["EncodingTree", "TreeShape", "first_leaves", "keep_nodes", "some_leaves"]
