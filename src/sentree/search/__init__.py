"""From a graph and a relation graph to clusters and trees.

In: graphs, constraints, and perhaps a number of clusters. Out: labels or trees, and the evidence
for them. ``kernels`` is the only module that imports the C++ extension; ``objective`` is the same
formula in NumPy, to check it. Uses ``relation`` and all below.
"""
