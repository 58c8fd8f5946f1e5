"""Documents without a format (:mod:`~sentree.document.blocks`), and as HTML and Markdown."""
