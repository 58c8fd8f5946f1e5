"""What the paper prints, and the known reasons why a rerun may differ.

Figures in per cent, with the digits that are known here: some have one decimal only, and SSE's NMI
is not known where SSE was not the best of its group (four cells, written "-").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = [
    "PRINTED",
    "REASONS",
    "Published",
    "Reason",
    "best_published",
    "published",
    "reasons",
]


class Published(NamedTuple):
    """Place of a printed figure."""

    table: str
    dataset: str
    constraint: str
    method: str
    metric: str


_CLUSTERING = ("Yale", "ORL", "COIL20", "Isolet1", "OpticalDigits")
_RNA = ("10X_PBMC", "mouse_bladder", "worm_neuron", "human_kidney")
_TREES = ("wine", "heart", "breast-cancer", "australian")

# ARI/NMI on the nine sets, in the order above
_FLAT = {
    "none": {
        "SE": "28.12/54.78 59.15/85.31 68.22/86.34 56.01/83.14 69.89/79.69 "
        "63.89/74.80 67.41/77.13 20.90/41.70 54.20/72.86",
    },
    "pairs": {
        "PCPSNMF": "24.80/54.11 52.02/81.86 51.49/80.75 38.39/69.15 48.82/68.71 "
        "16.41/29.68 13.55/40.02 09.45/21.48 13.46/28.66",
        "OneStepPCP": "25.50/52.22 40.58/78.14 52.81/79.70 49.93/76.01 77.90/86.02 "
        "43.08/58.29 44.51/64.86 19.39/44.42 40.21/55.26",
        "CMS": "07.06/35.54 29.37/73.18 59.81/78.32 48.77/77.38 88.75/91.17 "
        "08.58/10.40 08.28/10.56 00.27/01.40 07.18/12.26",
        "SC-MPI": "32.76/59.82 49.28/82.29 59.89/82.83 47.16/72.75 52.39/71.35 "
        "20.24/30.57 18.70/40.88 08.98/17.03 18.12/31.78",
        "SSE": "37.12/61.37 65.42/87.51 75.36/87.50 61.37/82.77 77.6/- "
        "74.87/76.84 62.33/74.70 22.17/45.05 62.59/75.81",
    },
    "labels": {
        "Seeded-KMeans": "25.21/52.06 46.35/78.56 67.59/81.40 66.48/81.13 73.52/77.89 "
        "67.56/71.07 38.40/62.63 07.07/34.24 17.19/39.74",
        "S4NMF": "23.85/49.60 47.23/77.08 62.48/79.34 57.05/77.32 84.72/88.32 "
        "18.28/28.20 26.27/43.79 08.90/15.54 24.33/39.07",
        "LpCNMF": "13.35/39.67 32.55/70.01 74.72/88.78 59.24/81.89 90.77/93.80 "
        "44.40/62.94 44.64/73.02 34.67/56.37 45.90/64.88",
        "SC-MPI": "20.91/50.82 26.28/70.73 89.18/94.21 64.43/80.38 93.04/93.41 "
        "48.28/63.34 38.65/55.23 37.82/46.58 56.93/60.36",
        "SSE": "33.48/58.62 61.26/86.01 75.1/- 58.6/83.13 76.6/- "
        "74.15/77.05 63.11/75.38 28.4/- 65.45/78.23",
    },
}
# DP/ARI/NMI on the four sets of trees
_TREE = {
    "none": {
        "SE": "84.87/73.85/74.19 61.97/07.70/21.30 95.75/88.00/80.93 57.02/01.95/08.03",
        "SpecWRSC": "84.87/76.94/77.10 70.13/33.13/29.23 95.68/88.55/81.57 54.92/-00.78/01.21",
    },
    "pairs": {
        "COBRA": "86.5/81.3/80.1 64.1/26.1/20.9 92.2/82.4/72.4 66.6/32.0/24.6",
        "Semi-MultiCons": "90.5/83.0/82.7 69.3/28.4/26.9 92.7/82.8/73.8 72.1/39.47/33.83",
        "SSE": "92.9/85.27/83.61 71.9/28.1/26.4 96.5/82.9/76.1 74.5/34.2/28.2",
    },
}


def _figures() -> Iterator[tuple[Published, str]]:
    blocks: list[tuple[str, dict[str, dict[str, str]], tuple[str, ...], tuple[str, ...], int]] = [
        ("table1", _FLAT, _CLUSTERING, ("ARI", "NMI"), 0),
        ("table2", _FLAT, _RNA, ("ARI", "NMI"), len(_CLUSTERING)),
        ("table3", _TREE, _TREES, ("DP", "ARI", "NMI"), 0),
    ]
    for table, source, datasets, metrics, first in blocks:
        for constraint, rows in source.items():
            for method, line in rows.items():
                for dataset, cell in zip(datasets, line.split()[first:], strict=False):
                    for metric, text in zip(metrics, cell.split("/"), strict=True):
                        if text != "-":
                            yield Published(table, dataset, constraint, method, metric), text


#: Every printed figure that is known here, in per cent, as printed.
PRINTED: dict[Published, str] = dict(_figures())


def published(table: str, dataset: str, constraint: str, method: str, metric: str) -> float | None:
    """Return the printed figure of a cell, or None where there is none."""
    text = PRINTED.get(Published(table, dataset, constraint, method, metric))
    return None if text is None else float(text)


def best_published(dataset: str, constraints: tuple[str, ...], metric: str) -> float:
    """Return the best printed figure of any method with these kinds of constraints."""
    return max(
        float(text)
        for place, text in PRINTED.items()
        if (place.dataset, place.metric) == (dataset, metric) and place.constraint in constraints
    )


class Reason(NamedTuple):
    """Why a rerun may differ from print; None stands for any."""

    method: str
    text: str
    protocol: str | None = None
    constraint: str | None = None
    dataset: str | None = None


REASONS: tuple[Reason, ...] = (
    Reason(
        "SE",
        "NMI is 72.09 in every rerun, of the authors' program too; the paper prints 72.86.",
        dataset="human_kidney",
    ),
    Reason(
        "PCPSNMF",
        "The published run stopped restarting after the first one that did not improve (a counter "
        "is not reset) and chose among restarts by another value than the objective; here all "
        "five restarts run and the objective chooses.",
    ),
    Reason(
        "OneStepPCP",
        "The published row is plain spectral clustering: after the study's 10 ADMM iterations the "
        "propagated matrix is still exactly 0, so no constraint has any effect. Here the method "
        "runs to convergence.",
        protocol="same",
    ),
    Reason(
        "OneStepPCP",
        "The published row is one draw of unnormalised spectral clustering with random k-means "
        "starts; its spread over starts is several points.",
        protocol="paper",
    ),
    Reason(
        "OneStepPCP",
        "The study's graph drops the first of its unsorted neighbours as if it were the sample "
        "itself, which may matter on these near copies; an independent rerun of this set is not "
        "known.",
        protocol="paper",
        dataset="COIL20",
    ),
    Reason(
        "CMS",
        "Published with constraints of its own kind: one cannot-link for every pair of classes "
        "(105 on Yale, 780 on ORL, no must-links). Random pairs leave many classes unmentioned.",
        protocol="same",
    ),
    Reason(
        "CMS",
        "Whether the study ran it on raw features or on embeddings of an auto-encoder is not "
        "recorded; raw features, used here, give its values on Yale and ORL.",
        protocol="paper",
    ),
    Reason(
        "SC-MPI",
        "Published figures are means of ten unrecorded draws. A rerun of the authors' code on "
        "other draws gave 30.2 (Yale) and 52.8 (ORL) with pairs, 22.5 and 22.7 with labels, and "
        "an independent one 66.3 (COIL20), 50.5 (Isolet), 56.7 (OpticalDigits) with pairs: it is "
        "this sensitive.",
    ),
    Reason(
        "Seeded-KMeans",
        "Published with stratified seeds, at least one per class, and with failed runs left out of "
        "the mean. Here labels are drawn uniformly, as for the other methods, so some classes have "
        "no seed.",
        protocol="same",
    ),
    Reason(
        "Seeded-KMeans",
        "The study leaves out runs that end in an empty cluster; here such a cluster is moved.",
        protocol="paper",
    ),
    Reason(
        "S4NMF",
        "The published score is the mean over the twenty members of the ensemble; here the member "
        "with the largest weight is the result. The study's code also wraps 256 labelled samples "
        "to 0.",
        protocol="same",
    ),
    Reason(
        "S4NMF",
        "The study's code counts labelled samples in 8 bits, so 256 of them are 0.",
        protocol="paper",
    ),
    Reason(
        "LpCNMF",
        "Published with k-means on the product of the factors; here classes are read off the label "
        "factor, which is better nearly everywhere.",
        protocol="same",
    ),
    Reason(
        "LpCNMF",
        "The study's driver was never published; the authors' demo settings are used.",
        protocol="paper",
    ),
    Reason(
        "LpCNMF",
        "An independent rerun with these settings gave 83.1.",
        protocol="paper",
        dataset="COIL20",
    ),
    Reason(
        "LpCNMF",
        "Independent reruns with these settings gave 26 to 31.",
        protocol="paper",
        dataset="ORL",
    ),
    Reason(
        "SpecWRSC",
        "The published code never updates the best cut, so the top split of three clusters is "
        "arbitrary; here the sparsest cut is taken, and degrees are weighted.",
        protocol="same",
    ),
    Reason(
        "SpecWRSC",
        "On wine the arbitrary top split of the published code makes DP vary by 0.8 from run to "
        "run.",
        protocol="paper",
        dataset="wine",
    ),
    Reason(
        "COBRA",
        "It asks questions instead of taking constraints. Here it may ask as many as the others "
        "are given (0.4 n, of which it uses 50 to 65); what the published run allowed is not "
        "recoverable.",
        protocol="same",
    ),
    Reason(
        "COBRA",
        "Nine settings were tried elsewhere and none fits all four sets; the rule of the shipped "
        "runner, used here, is floor(sqrt(0.4 n)) + 1 samples that may be asked about.",
        protocol="paper",
    ),
    Reason(
        "Semi-MultiCons",
        "The study ships no tree builder, so DP is that of a reconstructed tree (successive meets "
        "of the levels).",
    ),
    Reason(
        "SSE",
        "The paper's method repeated exactly, but with its objective right where it moves samples "
        "(not in trees): the authors' program clips relation volumes there. The printed figures "
        "are means of ten unrecorded draws.",
    ),
    Reason(
        "SSE",
        "Reruns of the authors' program on other draws gave 29.5 with pairs and 15.8 with labels.",
        dataset="worm_neuron",
    ),
    Reason(
        "SSE",
        "A rerun of the authors' program gave 65.7 with labels, one of 80.8 with pairs. The stored "
        "data have 1797 samples; the paper speaks of up to 5620.",
        dataset="OpticalDigits",
    ),
    Reason(
        "SSE",
        "The authors' program orders its queue by the sign of the pair merged last, which is a "
        "fault; here the sign of the new pair counts. How much of the difference that is was not "
        "measured with pairs; with labels the program's order costs 15 points on this set.",
        constraint="pairs",
        dataset="human_kidney",
    ),
    Reason(
        "SSE",
        "The flat reading of this tree is unstable: the ARI of single draws varies by 30 points "
        "(of the authors' program too).",
        dataset="breast-cancer",
    ),
)


def reasons(method: str, dataset: str, constraint: str, protocol: str) -> list[str]:
    """Return what is known about differences of a cell, the most special reason first."""
    place = {"protocol": protocol, "constraint": constraint, "dataset": dataset}
    fitting = [
        reason
        for reason in REASONS
        if reason.method == method
        and all(getattr(reason, key) in (None, value) for key, value in place.items())
    ]
    fitting.sort(key=lambda reason: reason.dataset is None)
    return [reason.text for reason in fitting]
