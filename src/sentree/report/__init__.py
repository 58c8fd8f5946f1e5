"""A fitted model told in one HTML file.

:func:`write_report` writes it; :func:`broken_statements` says which constraints are broken,
and :func:`as_notebook` is how notebooks show a model.
"""

from sentree.report.assemble import write_report
from sentree.report.broken import broken_statements
from sentree.report.notebook import as_notebook

__all__ = ["as_notebook", "broken_statements", "write_report"]
