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
    from sentree.paper.baselines.cms import ConstrainedMeanShift as ConstrainedMeanShift
    from sentree.paper.baselines.cobra import COBRA as COBRA
    from sentree.paper.baselines.cobras import COBRAS as COBRAS
    from sentree.paper.baselines.lpcnmf import LpCNMF as LpCNMF
    from sentree.paper.baselines.onesteppcp import OneStepPCP as OneStepPCP
    from sentree.paper.baselines.pcpsnmf import PCPSNMF as PCPSNMF
    from sentree.paper.baselines.s4nmf import S4NMF as S4NMF
    from sentree.paper.baselines.scmpi import SCMPI as SCMPI
    from sentree.paper.baselines.seeded_kmeans import SeededKMeans as SeededKMeans
    from sentree.paper.baselines.semimulticons import SemiMultiCons as SemiMultiCons
    from sentree.paper.baselines.specwrsc import SpecWRSC as SpecWRSC

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

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"sentree.paper.baselines.{_HOME[name]}"), name)
    raise AttributeError(f"module 'sentree.paper.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
