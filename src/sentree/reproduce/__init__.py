"""The paper's tables and figures, run again by one command: ``sentree reproduce``.

:mod:`~sentree.reproduce.grid` says what is run, :mod:`~sentree.reproduce.methods` how each method
is called and what it is told, :mod:`~sentree.reproduce.runner` runs it in worker processes,
:mod:`~sentree.reproduce.store` keeps every finished cell, :mod:`~sentree.reproduce.report` writes
what came out beside what was published.
"""
