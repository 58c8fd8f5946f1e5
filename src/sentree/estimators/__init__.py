"""The estimators: they hold the contract of scikit-learn, check, call the search, and store.

In: samples and constraints. Out: fitted models, in memory and in files. Uses ``search`` and all
below.
"""
