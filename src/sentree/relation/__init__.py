"""Constraints as numbers for the search.

In: constraints, and the graph of the samples. Out: the signed relation graph, which has a type of
its own, and the weights of features. Uses ``constraints`` and ``graph``.
"""
