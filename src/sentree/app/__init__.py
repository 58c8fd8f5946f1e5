"""The page: data, what is said about them, and the clusters that follow; without HTTP.

In: a file or samples, and statements. Out: what a page shows, and results to take away. Uses
``active``, ``io``, ``plots`` and ``report``.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
