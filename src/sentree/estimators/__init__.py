"""The estimators, with the interface of scikit-learn: they check input, search, and store results.

In: samples and constraints. Out: fitted models, in memory and in files. Uses ``search`` and all
below.
"""
