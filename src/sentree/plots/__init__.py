"""Pictures, with matplotlib: each function draws on ``ax`` (or a new one) and returns it.

Colours are Okabe and Ito's, safe for the colour-blind, and never the only sign of a difference
that matters. Legends stand outside the axes: figures made here leave room for them, others should
be made with ``layout="constrained"`` or saved with ``bbox_inches="tight"``.
"""

from sentree.plots.agreement import agreement
from sentree.plots.icicle import tree
from sentree.plots.layout import places
from sentree.plots.mapping import map
from sentree.plots.profiles import profile
from sentree.plots.scatter import partition
from sentree.plots.summaries import (
    cluster_sizes,
    constraint_satisfaction,
    membership_strength,
    objective,
)

__all__ = [
    "agreement",
    "cluster_sizes",
    "constraint_satisfaction",
    "map",
    "membership_strength",
    "objective",
    "partition",
    "places",
    "profile",
    "tree",
]
