"""The methods the paper compares with, and others that ask, as estimators with one contract.

Pairs: :class:`PCPSNMF`, :class:`OneStepPCP`, :class:`ConstrainedMeanShift`, :class:`SCMPI`. Labels:
:class:`SeededKMeans`, :class:`S4NMF`, :class:`LpCNMF`, :class:`SCMPI`. Trees: :class:`SpecWRSC`,
:class:`COBRA`, :class:`COBRAS`, :class:`SemiMultiCons`. Questions: :class:`COBRA`, :class:`COBRAS`,
:class:`ExploreConsolidate`, :class:`NPU`. All take
``fit(X, y=None, *, must_link=None, cannot_link=None, constraints=None)``. Plain SE, in both forms,
is :class:`~sentree.SSEPartition` and :class:`~sentree.SSEHierarchy` without constraints.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
