"""The study of the paper: its method, the methods that it compares, its tables and figures.

Uses all rooms but the command line, which calls it.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
