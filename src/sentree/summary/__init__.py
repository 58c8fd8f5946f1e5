"""A fitted model told in one HTML file: :func:`write_report`; :func:`places` makes its map."""

from sentree.summary.map import places

__all__ = ["places"]
