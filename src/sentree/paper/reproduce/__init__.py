"""The paper's tables and figures, run again by one command: ``sentree reproduce``.

``grid`` says what is run, ``methods`` how each method is called and what it is told, ``runner``
runs it in worker processes, ``store`` keeps every finished cell, ``write_up`` writes what came out
beside what was published.
"""
