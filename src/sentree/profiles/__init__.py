"""What makes each cluster: telling features, typical rows and short rules, in the data's units.

Needs a table and labels only. ``columns`` reads the table, ``measures`` compares each cluster with
the rest, ``intervals`` says how sure that is, ``rules`` names clusters in few conditions, ``words``
writes numbers and sentences, and ``profile`` puts it together.
"""
