"""The study of the paper: its method, the methods that it compares, its tables and figures.

Uses all rooms but the command line, which calls it.
"""

from sentree.paper import baselines
from sentree.paper.estimators import PaperHierarchy, PaperPartition
from sentree.paper.graphs import PRESETS, paper_graph, paper_neighbors

__all__ = [
    "PRESETS",
    "PaperHierarchy",
    "PaperPartition",
    "baselines",
    "paper_graph",
    "paper_neighbors",
]
