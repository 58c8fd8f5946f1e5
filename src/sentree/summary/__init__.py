"""A fitted model told in one HTML file: :func:`write_report`; :func:`places` makes its map."""

from sentree.summary.map import places
from sentree.summary.report import write_report

__all__ = ["places", "write_report"]
