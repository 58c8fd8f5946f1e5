"""The study of the paper: the methods that it compares, and its tables and figures.

Uses all rooms but the command line, which calls it.
"""

from sentree.paper import baselines

__all__ = ["baselines"]
