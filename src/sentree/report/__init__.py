"""A fitted model told in one HTML file.

:func:`write_report` writes it; :func:`places` makes the map that it shows, and
:func:`broken_statements` says which constraints are broken.
"""

from sentree.report.assemble import write_report
from sentree.report.broken import broken_statements
from sentree.report.map import places

__all__ = ["broken_statements", "places", "write_report"]
