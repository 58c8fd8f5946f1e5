"""What users say of samples.

In: pairs, labels, groups, paths and triplets. Out: :class:`Constraints`, what follows from them,
contradictions with their proofs, and how well clusters or a tree keep them. Uses ``tree``.
"""

from sentree.constraints.closure import Closure
from sentree.constraints.conflicts import Conflict, ConstraintConflict
from sentree.constraints.constraints import Constraints
from sentree.constraints.satisfaction import ConstraintReport

__all__ = ["Closure", "Conflict", "ConstraintConflict", "ConstraintReport", "Constraints"]
