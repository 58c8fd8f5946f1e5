"""What the report says in words: what it is, how it was run, how differences are judged."""

from __future__ import annotations

INTRODUCTION = (
    "The experiments of Zeng et al., Semi-Supervised Clustering via Structural Entropy with "
    "Different Constraints (SDM 2024), run again on the paper's data sets, and set beside the "
    "figures that the paper prints. `SE` and `SSE` are the paper's method without and with "
    "constraints, `sentree` is this library with its defaults, everything else are the compared "
    "methods. Scores are in per cent; larger is better."
)

_SCORED = (
    "Scores are computed on all samples. The number of classes is given to every method that takes "
    "a number of clusters."
)
#: What the methods were told, by protocol.
PROTOCOL: dict[str, tuple[str, ...]] = {
    "same": (
        "Protocol `same`: every method is given the same constraints in every draw. Pairs are "
        "0.2 n must-links and 0.2 n cannot-links, labels are 0.1 n positive and 0.1 n negative "
        "ones (n is the number of samples), drawn uniformly. In the figures the number of pairs "
        "goes from 0.2 n to 1.0 n, half of them must-links.",
        _SCORED,
        "`COBRA` and `COBRAS` choose their own questions; they ask at most as many as the others "
        "are given constraints.",
    ),
    "paper": (
        "Protocol `paper`: every method is run as in the published study, as far as that is known. "
        "Where nothing else is said, pairs are 0.2 n must-links and 0.2 n cannot-links, labels are "
        "0.1 n positive and 0.1 n negative ones (n is the number of samples), drawn uniformly.",
        _SCORED,
        "`CMS` is given one cannot-link for every pair of classes, then random ones up to 0.4 n.",
        "`Seeded-KMeans` is given stratified seeds, at least one for every class.",
        "`S4NMF` and `LpCNMF` are given the positive labels only; the score of `S4NMF` is the mean "
        "over its 20 members, and classes of `LpCNMF` are read off by k-means.",
        "`OneStepPCP` makes 10 ADMM iterations and does not normalise rows.",
        "`SpecWRSC` takes the cut and the degrees of the reference program.",
        "`COBRA` may ask about floor(sqrt(0.4 n)) + 1 samples.",
    ),
}

NOISE = (
    "A figure is marked where it differs from print by more than noise, ↑ where ours is higher and "
    "↓ where it is lower. The paper gives means of ten draws without a spread, so the standard "
    "deviation (sd) of our draws stands for both: noise is 2 sd sqrt(1/draws + 1/10), and at least "
    "1 point. A method without chance (`SE`) may differ by rounding only. One draw has no spread, "
    "so nothing can be said about it. With about 250 figures, up to 5 in 100 would be beyond two "
    "standard errors by chance alone."
)

TESTS = (
    "Mean ranks over data sets (1 is best; equal scores share their rank, a method that failed on "
    "a data set ranks last there), the Friedman test of whether the methods differ at all, and "
    "Nemenyi's critical difference (CD) at 0.05, after Demsar (JMLR 7, 2006). These tests count "
    "data sets, which are few, so they find large differences only; draws on one data set are not "
    "independent data, and more of them make the means steadier but the tests no stronger."
)
