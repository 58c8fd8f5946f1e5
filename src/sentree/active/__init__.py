"""Questions to a person: which to ask next, what the answers say, and sessions of them.

In: a fitted model (or samples) and what is known. Out: questions, whose answers are constraints.
Uses ``estimators``.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
