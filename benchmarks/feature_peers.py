"""Methods on the same features, beside sentree: what each is called, and how it is run at its best.

A peer takes a problem and yields the name of a way to run it, the labels found and CPU seconds. The
part of the name before the first comma is the peer's own. Peers on a graph get the one that
SSEPartition makes without labels; making it is not counted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

from peers import igraph_leiden, leidenalg
from sentree import SSEPartition
from sentree.paper.baselines.mpckmeans import MPCKMeans
from shared import nearest_label, timed
from tasks import TASKS, UNKNOWN, Given

#: Ward takes a distance for every two rows.
LARGEST_FOR_WARD = 15_000
#: Full covariances above so many features have more numbers than most tables.
MOST_FEATURES_FOR_FULL = 50
#: Above so many features, HDBSCAN is faster with a distance for every two rows.
MOST_FEATURES_FOR_TREES = 50
MOST_COMPONENTS = 12
#: With so many labels of every class, cross-validation chooses how strongly regression is held.
LABELS_FOR_CHOICE = 5
#: Steps of label spreading.
TO_THE_END = {"max_iter": 300, "tol": 0.0}
#: leidenalg is slow and seldom near the best: only some tasks with labels have it.
LEIDEN_TASKS = ("5%-labels", "3-a-class", "half", "200-labels")
STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)


@dataclass
class Table:
    """One data set; its graph, and clusterings that need no constraints, are made once."""

    X: np.ndarray | sp.csr_matrix
    y: np.ndarray
    standardised: bool = True
    found: dict = field(default_factory=dict)

    @property
    def n(self):
        """Number of rows."""
        return self.y.size

    @property
    def k(self):
        """Number of classes."""
        return int(self.y.max()) + 1

    @property
    def is_sparse(self):
        """Whether most cells are zeros that are not stored."""
        return sp.issparse(self.X)

    @cached_property
    def graph(self):
        """The graph that SSEPartition makes of the rows."""
        return SSEPartition().fit(self.X).graph_

    def once(self, peer):
        """Return the clusterings of a peer that is told no more than k."""
        if peer not in self.found:
            self.found[peer] = list(peer(self))
        return self.found[peer]


@dataclass
class Task:
    """A data set and what a method may know of it."""

    table: Table
    task: str
    given: Given
    seed: int


def sentree(problem):
    task, given = TASKS[problem.task], problem.given
    for name, k in (("sentree", None), ("sentree, k", problem.table.k)):
        if task.with_k if k else task.without_k:
            model = SSEPartition(n_clusters=k, hard=task.hard, random_state=problem.seed)
            pairs = {"must_link": given.must_link, "cannot_link": given.cannot_link}
            start = time.process_time()
            model.fit(problem.table.X, given.labels, **pairs)
            yield name, model.labels_, time.process_time() - start


def k_means(table):
    search = KMeans(table.k, n_init=10, random_state=0)
    yield "k-means", *timed(search.fit_predict, table.X)


def ward(table):
    if table.is_sparse or table.n > LARGEST_FOR_WARD:
        return
    yield "Ward", *timed(AgglomerativeClustering(table.k).fit_predict, table.X)


def mixture(table):
    """Gaussian mixture of k components."""
    if not table.is_sparse:
        form = "full" if table.X.shape[1] <= MOST_FEATURES_FOR_FULL else "diag"
        model = a_mixture(table.X, table.k, form, n_init=5)
        yield f"mixture, {form}", *timed(model.fit_predict, table.X)


def mixture_by_bic(table):
    """Gaussian mixture of the best BIC, of any form of covariance."""
    if not table.is_sparse:
        yield "mixture, BIC", *timed(best_mixture, table.X)


def a_mixture(X, k, form, n_init=1):
    smallest = 1e-4 * X.var(axis=0).mean() + 1e-12
    return GaussianMixture(k, covariance_type=form, reg_covar=smallest, n_init=n_init,
                           random_state=0)  # fmt: skip


def best_mixture(X):
    forms = ["spherical", "diag"]
    if X.shape[1] <= MOST_FEATURES_FOR_FULL:
        forms += ["tied", "full"]
    most = min(MOST_COMPONENTS, len(X))
    models = [a_mixture(X, k, form) for form in forms for k in range(1, most + 1)]
    return min((model.fit(X) for model in models), key=lambda model: model.bic(X)).predict(X)


def hdbscan(table):
    if table.is_sparse:
        return
    way = "auto" if table.X.shape[1] <= MOST_FEATURES_FOR_TREES else "brute"
    sizes = {f"n/{part}": max(5, table.n // part) for part in (200, 100, 50)} | {"15": 15}
    for name, size in sizes.items():
        search = HDBSCAN(min_cluster_size=size, algorithm=way, copy=True)
        labels, seconds = timed(search.fit_predict, table.X)
        yield f"HDBSCAN, {name}, noise a cluster", labels, seconds
        yield f"HDBSCAN, {name}, noise to nearest", nearest_label(table.X, labels), seconds


def leiden(table):
    seconds, labels = igraph_leiden(table.graph, repeats=1)
    yield "Leiden", labels, seconds


def fixed_leiden(problem):
    seconds, labels = leidenalg(problem.table.graph, problem.given.labels)
    yield "leidenalg, labels fixed", labels, seconds


def spreading(problem):
    """Label spreading as it comes, and until labels reach all rows, held more or less firmly.

    As it comes it ends after some ten steps, and rows farther from any label are of class 0.
    """
    ways = {
        "10, as it comes": {"n_neighbors": 10},
        "7": {"n_neighbors": 7} | TO_THE_END,
        "10": {"n_neighbors": 10} | TO_THE_END,
        "10, alpha 0.9": {"n_neighbors": 10, "alpha": 0.9} | TO_THE_END,
    }
    for name, settings in ways.items():
        model = LabelSpreading(kernel="knn", **settings)
        _, seconds = timed(model.fit, problem.table.X, problem.given.labels)
        yield f"label spreading, {name}", model.transduction_, seconds


def regression(problem):
    """Logistic regression on standardised columns, and on columns that keep their proportions."""
    X, labels = problem.table.X, problem.given.labels
    scaler = StandardScaler(with_mean=not problem.table.is_sparse).fit(X)
    yield "logistic regression", *timed(regress, scaler.transform(X), labels)
    if not problem.table.standardised:
        evened = X / np.sqrt(scaler.var_.mean() + 1e-12)
        yield "logistic regression, one scale", *timed(regress, evened, labels)


def regress(X, labels):
    counts = np.unique(labels[labels != UNKNOWN], return_counts=True)[1]
    if counts.size == 1:
        return np.full(labels.size, labels.max())
    if counts.min() < LABELS_FOR_CHOICE:
        return classify(LogisticRegression(max_iter=1000), X, labels)
    search = LogisticRegressionCV(Cs=STRENGTHS, cv=LABELS_FOR_CHOICE, max_iter=1000)
    return classify(search, X, labels)


def nearest(problem):
    X, labels = problem.table.X, problem.given.labels
    for count in (1, 5):
        model = KNeighborsClassifier(min(count, (labels != UNKNOWN).sum()))
        yield f"nearest labels, {count}", *timed(classify, model, X, labels)


def classify(model, X, labels):
    """Learn from the rows with labels, and tell the class of all."""
    known = labels != UNKNOWN
    return model.fit(X[known], labels[known]).predict(X)


def kept(labels, given):
    """Share of the must-links and of the cannot-links that a clustering keeps, on average."""
    told = [(given.must_link, True), (given.cannot_link, False)]
    shares = [
        ((labels[pairs[:, 0]] == labels[pairs[:, 1]]) == same).mean()
        for pairs, same in told
        if len(pairs)
    ]
    return np.mean(shares)


def chosen(problem):
    """Of all clusterings that need no pairs, k given or open, the one that keeps most of them."""
    found, total = {}, 0.0
    for peer in (k_means, ward, mixture, hdbscan):
        for name, labels, seconds in problem.table.once(peer):
            found[name], total = labels, total + seconds
    best = max(found.values(), key=lambda labels: kept(labels, problem.given))
    yield "chosen by pairs", best, total


def pair_k_means(problem):
    """MPCK-means, which learns to weigh features."""
    if not problem.table.is_sparse:
        given, search = problem.given, MPCKMeans(problem.table.k, scale=None, random_state=0)
        pairs = {"must_link": given.must_link, "cannot_link": given.cannot_link}
        yield "MPCK-means", *timed(lambda: search.fit(problem.table.X, **pairs).labels_)


#: Peers without constraints, by task: the same for every draw of constraints.
UNGUIDED = {
    "k-open": {"HDBSCAN": hdbscan, "mixture": mixture_by_bic, "Leiden": leiden},
    "k-given": {"k-means": k_means, "Ward": ward, "mixture": mixture},
}
#: Peers with constraints, by kind of task.
GUIDED = {
    "labels": {
        "label spreading": spreading,
        "logistic regression": regression,
        "nearest labels": nearest,
        "leidenalg": fixed_leiden,
    },
    "pairs": {"chosen by pairs": chosen, "MPCK-means": pair_k_means},
}
OURS = "sentree"
PEERS = list(
    dict.fromkeys(name for group in (UNGUIDED, GUIDED) for of in group.values() for name in of)
)
NEEDED = {"Leiden": "igraph", "leidenalg": "leidenalg"}


def family(method):
    """The peer that a way to run it belongs to."""
    return method.partition(",")[0]


def installed(names):
    """Leave out the peers whose package is missing, and say so."""
    missing = {name for name in names if name in NEEDED and find_spec(NEEDED[name]) is None}
    for name in sorted(missing):
        print(f"skipping {name}: no package {NEEDED[name]!r} (install the extra 'compare')")
    return [name for name in names if name not in missing]


def methods_for(task):
    """Names of the methods that a task is for."""
    if TASKS[task].hard:
        return [OURS]
    names = [OURS, *UNGUIDED.get(task, {}), *GUIDED.get(TASKS[task].kind, {})]
    return [name for name in names if name != "leidenalg" or task in LEIDEN_TASKS]


def found(problem, name):
    """Run one method: the names of its ways, labels and seconds."""
    if name == OURS:
        return sentree(problem)
    if name in UNGUIDED.get(problem.task, {}):
        return problem.table.once(UNGUIDED[problem.task][name])
    return GUIDED[TASKS[problem.task].kind][name](problem)


def answers(problem, names):
    """Run methods on a problem: rows of name, ARI on the rows that count, clusters and seconds."""
    y, scored = problem.table.y, problem.given.scored(problem.table.n)
    for name in names:
        for method, labels, seconds in found(problem, name):
            yield {
                "method": method,
                "ARI": adjusted_rand_score(y[scored], labels[scored]),
                "clusters": np.unique(labels).size,
                "seconds": seconds,
            }
