"""From a graph and a relation graph to clusters and trees.

In: graphs, constraints, a number of clusters or none. Out: labels, trees, and why. ``kernels`` is
the only module that imports the C++ extension; ``objective`` is the formula in NumPy that judges
it. Uses ``relation`` and all below.
"""
