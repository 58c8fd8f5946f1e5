"""Tables as people have them, made ready: text, dates, gaps and ids become columns of numbers.

In: a data frame. Out: a data frame of floats, and an account of what was done. Uses ``graph``.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
