"""sentree: clustering and trees by structural entropy, with constraints.

Estimators after scikit-learn: :class:`SSEPartition` and :class:`SSEHierarchy`. What one knows of
the samples goes into :class:`Constraints`; :func:`knn_graph` makes the :class:`Graph`. Importing
the package runs nothing and loads nothing heavy: names are resolved when they are first used.
"""

from lazy_loader import attach_stub

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
