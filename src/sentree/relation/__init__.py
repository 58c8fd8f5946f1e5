"""Constraints as numbers for the search.

In: constraints, and the graph or the similarities of samples. Out: the signed relation graph, and
the weights of features. Uses ``constraints`` and ``graph``.
"""
