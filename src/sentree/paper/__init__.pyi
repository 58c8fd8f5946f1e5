from . import baselines as baselines
from .estimators import PaperHierarchy as PaperHierarchy
from .estimators import PaperPartition as PaperPartition
from .graphs import paper_graph as paper_graph
from .graphs import paper_neighbors as paper_neighbors
