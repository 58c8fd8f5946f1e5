"""Files in and out: samples, graphs, constraints, labels, tables and trees.

Every reader raises :class:`InputError` for what it cannot read as it is, with the place and what
to do. Formats are told by the ends of file names; "-" is standard input or output.
:func:`sentree.io.convert.convert` brings a file from one format to another.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
