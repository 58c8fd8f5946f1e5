"""A fitted model told in one HTML file.

:func:`write_report` writes it; :func:`broken_statements` says which constraints are broken.
"""

from sentree.report.assemble import write_report
from sentree.report.broken import broken_statements

__all__ = ["broken_statements", "write_report"]
