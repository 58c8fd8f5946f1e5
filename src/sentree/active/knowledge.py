"""From answers to clusters: what is known so far, and a warm refit with it."""

from __future__ import annotations

from sentree.constraints import Constraints
from sentree.estimators.partition import SSEPartition

__all__ = ["refit"]


def refit(model: SSEPartition, known: Constraints) -> SSEPartition:
    """Cluster again with what answers say, and nothing else."""
    return model.refit(constraints=known, keep=False)
