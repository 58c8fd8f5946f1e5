"""Documents without a format (:mod:`~sentree.report.document.blocks`), and as HTML and Markdown."""
