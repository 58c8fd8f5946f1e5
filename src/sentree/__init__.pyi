from . import datasets as datasets
from . import io as io
from . import metrics as metrics
from . import paper as paper
from . import pl as pl
from . import plots as plots
from . import prepare as prepare
from . import report as report
from . import tl as tl
from .constraints import ConstraintConflict as ConstraintConflict
from .constraints import ConstraintReport as ConstraintReport
from .constraints import Constraints as Constraints
from .constraints.audit import audit_constraints as audit_constraints
from .estimators.hierarchy import SSEHierarchy as SSEHierarchy
from .estimators.partition import SSEPartition as SSEPartition
from .estimators.persistence import load as load
from .estimators.persistence import save as save
from .estimators.transformer import KNNTransformer as KNNTransformer
from .graph import Graph as Graph
from .graph.build import knn_graph as knn_graph
from .metrics import dasgupta_cost as dasgupta_cost
from .metrics import dendrogram_purity as dendrogram_purity
from .metrics import structural_entropy as structural_entropy
from .prepare import TablePreparer as TablePreparer
from .profiles.profile import profile as profile
from .tree import EncodingTree as EncodingTree

__version__: str
