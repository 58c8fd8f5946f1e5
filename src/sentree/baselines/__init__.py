"""The methods the paper compares with, and COBRAS, as estimators with one contract.

Pairs: :class:`PCPSNMF`, :class:`OneStepPCP`, :class:`ConstrainedMeanShift`, :class:`SCMPI`. Labels:
:class:`SeededKMeans`, :class:`S4NMF`, :class:`LpCNMF`, :class:`SCMPI`. Trees: :class:`SpecWRSC`,
:class:`COBRA`, :class:`COBRAS`, :class:`SemiMultiCons`. All take
``fit(X, y=None, *, must_link=None, cannot_link=None, constraints=None)``. Plain SE, in both forms,
is :class:`~sentree.SSEPartition` and :class:`~sentree.SSEHierarchy` without constraints.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sentree.baselines.cms import ConstrainedMeanShift
    from sentree.baselines.cobra import COBRA
    from sentree.baselines.cobras import COBRAS
    from sentree.baselines.lpcnmf import LpCNMF
    from sentree.baselines.onesteppcp import OneStepPCP
    from sentree.baselines.pcpsnmf import PCPSNMF
    from sentree.baselines.s4nmf import S4NMF
    from sentree.baselines.scmpi import SCMPI
    from sentree.baselines.seeded_kmeans import SeededKMeans
    from sentree.baselines.semimulticons import SemiMultiCons
    from sentree.baselines.specwrsc import SpecWRSC

_HOME = {
    "COBRA": "cobra",
    "COBRAS": "cobras",
    "ConstrainedMeanShift": "cms",
    "LpCNMF": "lpcnmf",
    "OneStepPCP": "onesteppcp",
    "PCPSNMF": "pcpsnmf",
    "S4NMF": "s4nmf",
    "SCMPI": "scmpi",
    "SeededKMeans": "seeded_kmeans",
    "SemiMultiCons": "semimulticons",
    "SpecWRSC": "specwrsc",
}

__all__ = [
    "COBRA",
    "COBRAS",
    "PCPSNMF",
    "S4NMF",
    "SCMPI",
    "ConstrainedMeanShift",
    "LpCNMF",
    "OneStepPCP",
    "SeededKMeans",
    "SemiMultiCons",
    "SpecWRSC",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"sentree.baselines.{_HOME[name]}"), name)
    raise AttributeError(f"module 'sentree.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
