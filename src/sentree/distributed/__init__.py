"""Clustering on a Dask cluster: the neighbours, the graph and the moves are tasks."""

from sentree.distributed.partition import DaskPartition

__all__ = ["DaskPartition"]
