"""A fitted model told in one HTML file.

:func:`write_report` writes it; :func:`places` makes the map that it shows.
"""

from sentree.summary.map import places
from sentree.summary.report import write_report

__all__ = ["places", "write_report"]
