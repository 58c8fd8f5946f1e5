"""sse and sse_tree: from an AnnData to clusters and trees inside it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

from sentree.constraints import Constraints
from sentree.constraints.conflicts import ConstraintConflict
from sentree.constraints.parsing import plain_value
from sentree.constraints.paths import parent_table
from sentree.tl.adata import Input, checked, choose_graph, copied, restricted
from sentree.tl.knowledge import Said, gather, with_names
from sentree.tl.results import check_key, store_clusters, store_tree

if TYPE_CHECKING:
    from sentree.estimators.base import SSEEstimator
    from sentree.tl.adata import AnnData

logger = logging.getLogger(__name__)


def sse(
    adata: AnnData,
    *,
    labels_key: str | None = None,
    unlabeled_category: Any = "Unknown",
    must_link: Any = None,
    cannot_link: Any = None,
    not_label: Any = None,
    groups_key: str | None = None,
    constraints: Constraints | None = None,
    hard: bool = False,
    penalty: float = 1.0,
    resolution: float | None = None,
    n_clusters: int | None = None,
    min_size: float | None = None,
    max_size: float | None = None,
    restrict_to: tuple[str, Sequence[str]] | None = None,
    random_state: int | None = 0,
    key_added: str = "sse",
    adjacency: Any = None,
    neighbors_key: str | None = None,
    obsp: str | None = None,
    copy: bool = False,
) -> AnnData | None:
    """Cluster cells by structural entropy, with whatever is known about some of them.

    Clusters the graph of ``scanpy.pp.neighbors``. Cells of one known type are drawn into one
    cluster, cells of different types into different ones; all others join these or form clusters of
    their own.

    Parameters
    ----------
    adata : AnnData
        The cells; may be backed.
    labels_key : str, optional
        Column of ``obs`` with the types that are known.
    unlabeled_category : default="Unknown"
        The value in that column of cells whose type is not known; missing values and the number
        -1 are unknown too.
    must_link, cannot_link : optional
        Pairs of cells that belong together, or do not: a list, array or data frame of two columns
        with obs names or row numbers, or the key of a sparse matrix in ``obsp`` (or such a matrix)
        whose stored values, none below 0, are weights of pairs.
    not_label : optional
        What cells are not: a list or data frame of (cell, type).
    groups_key : str, optional
        Column of ``obs``; the cells of each value in it belong together, such as those of one
        metacell or of a region drawn by hand. Cells without a value, or with
        ``unlabeled_category``, are in no group.
    constraints : Constraints, optional
        Anything else, by row number in ``adata``: weights, groups that are apart, single hard
        statements. All constraints are added up.
    hard : bool, default=False
        Whether all constraints must hold; else they are weighed against the data, and some may be
        broken.
    penalty : float, default=1
        Weight of the constraints against the graph; at most 10.
    resolution : float, optional
        Larger gives more clusters; at 1, modules are united that are linked more than by chance.
        Without it and ``n_clusters`` the data decide. Not on the scale of Leiden's.
    n_clusters : int, optional
        Number of clusters; ``resolution`` is ignored then. Without it, and with labels, there is a
        cluster for each labelled type, and one for each group of cells that seems to have none of
        these types (:class:`~sentree.SSEPartition`).
    min_size, max_size : int or float, optional
        Least and largest size of a cluster: a number of cells, or a share of them below 1.
    restrict_to : tuple of (str, list of str), optional
        Cluster only the cells of some categories of a column: ``("leiden", ["0", "3"])``. What is
        said about other cells does not count.
    random_state : int or None, default=0
        Seed of the search.
    key_added : str, default="sse"
        Where results are stored; the columns that results go into must not be among those that
        are read.
    adjacency : sparse matrix or Graph, optional
        The graph, symmetric; by default that of ``neighbors_key``.
    neighbors_key : str, optional
        Use ``obsp[uns[neighbors_key]["connectivities_key"]]``; by default the graph of
        ``pp.neighbors``. Without one a graph is made from ``obsm["X_pca"]`` or else ``X``, with a
        warning, and not stored.
    obsp : str, optional
        Use ``obsp[obsp]``. Not together with ``neighbors_key``.
    copy : bool, default=False
        Whether to return a copy instead of writing into ``adata``.

    Returns
    -------
    AnnData or None
        The copy, if one was asked for. These fields are written:

        ``obs[key_added]`` : categorical
            Cluster of each cell, "0" being the largest. With ``restrict_to`` the clusters are
            "0-3,0", "0-3,1", …, other cells keep their category, and the default key is "sse_R".
        ``obs[key_added + "_strength"]`` : float
            Probability of its cluster for the cell, from 0 to 1; below 1/2 another one may suit it
            better. NaN outside ``restrict_to``.
        ``obs[key_added + "_label"]`` : categorical
            Where labels were given: the type of most labelled cells of the cell's cluster, and
            "new 3" for cluster 3 if it has none, which may be a type that nobody has named. Missing
            outside ``restrict_to``.
        ``uns[key_added]`` : dict
            "params"; "objective" and "entropy" in bits; "constraints", a table of the numbers of
            statements given and kept; "statements", a table of each kind with the obs names and
            whether each is kept; "broken", their rows that are not.

    See Also
    --------
    sentree.SSEPartition : the estimator behind it.
    sentree.pl.constraints : which statements are kept, on an embedding.

    Examples
    --------
    >>> import anndata, numpy as np, sentree
    >>> from sklearn.datasets import load_iris
    >>> adata = anndata.AnnData(load_iris().data)
    >>> adata.obs["known"] = "Unknown"
    >>> adata.obs.loc[["0", "60", "140"], "known"] = ["setosa", "versicolor", "virginica"]
    >>> graph = sentree.knn_graph(adata.X, 10).to_scipy()
    >>> sentree.tl.sse(adata, labels_key="known", n_clusters=3, adjacency=graph)
    >>> adata.obs["sse_label"].value_counts().index.tolist()
    ['versicolor', 'setosa', 'virginica']
    >>> adata.uns["sse"]["constraints"].loc["labels"].tolist()
    [3, 3]
    """
    from sentree.estimators.partition import SSEPartition

    checked(adata, written=not copy)
    inside = restricted(adata, restrict_to)
    if restrict_to is not None and key_added == "sse":
        key_added = "sse_R"
    read = (labels_key, groups_key, None if restrict_to is None else restrict_to[0])
    check_key(key_added, read)
    said = Said(
        labels_key, unlabeled_category, must_link, cannot_link, not_label, groups_key, constraints
    )
    given = gather(adata, inside, said)
    data = choose_graph(adata, inside, adjacency, obsp, neighbors_key)
    model = SSEPartition(
        n_clusters,
        min_size=min_size,
        max_size=max_size,
        resolution=resolution,
        hard=hard,
        penalty=penalty,
        affinity=data.affinity,
        random_state=_seed(random_state),
    )
    _fit(model, data, given, adata.obs_names if inside is None else adata.obs_names[inside])
    params: dict[str, Any] = {"resolution": resolution}
    params |= _params(model, data, said)
    if restrict_to is not None:
        params |= {"restrict_key": restrict_to[0], "restrict_categories": list(restrict_to[1])}
    target = copied(adata) if copy else adata
    store_clusters(target, model, key_added, params, inside, restrict_to)
    logger.info("found %d clusters and added obs[%r]", model.n_clusters_, key_added)
    return target if copy else None


def sse_tree(
    adata: AnnData,
    *,
    labels_key: str | None = None,
    unlabeled_category: Any = "Unknown",
    sep: str | None = None,
    ontology: Mapping[Any, Any] | Iterable[Any] | None = None,
    must_link: Any = None,
    cannot_link: Any = None,
    not_label: Any = None,
    groups_key: str | None = None,
    constraints: Constraints | None = None,
    hard: bool = False,
    penalty: float = 1.0,
    n_clusters: int | None = None,
    min_size: float | None = None,
    max_size: float | None = None,
    height: int | None = None,
    n_levels: int = 4,
    random_state: int | None = 0,
    key_added: str = "sse_tree",
    adjacency: Any = None,
    neighbors_key: str | None = None,
    obsp: str | None = None,
    copy: bool = False,
) -> AnnData | None:
    """Grow a tree over the cells by structural entropy, around the clusters of :func:`sse`.

    A tree is of all cells and has every scale, so there is neither ``restrict_to`` nor
    ``resolution``: take ``adata[chosen].copy()``, or another level.

    Parameters
    ----------
    adata, must_link, cannot_link, not_label, groups_key, constraints, hard, penalty, n_clusters
        As in :func:`sse`.
    min_size, max_size
        As in :func:`sse`; they bound the clusters, not the other nodes of the tree.
    labels_key, unlabeled_category
        As in :func:`sse`. Labels may be of mixed depth, "T cell" for some cells and a kind of
        T cell for others, if ``sep`` or ``ontology`` tells how they nest: a cell says something
        only about the levels that its label names.
    sep : str, optional
        Labels are paths with this between their steps, coarse to fine: "/" for "T cell/CD4".
    ontology : mapping of type to the type above it, pairs of these, or data frame, optional
        How labels nest, such as ``{"CD4": "T cell", "CD8": "T cell", "B cell": None}``; every
        label must occur in it.
    height : int, optional
        Height of the tree: 2 is a partition, 3 a partition of partitions. Without it there are as
        many levels as gain, down to pairs of cells; such a tree is the better one to read groups
        of any size from.
    n_levels : int, default=4
        Most levels to write into ``obs``.
    random_state, adjacency, neighbors_key, obsp, copy
        As in :func:`sse`.
    key_added : str, default="sse_tree"
        Where results are stored.

    Returns
    -------
    AnnData or None
        The copy, if one was asked for. Written are all fields of :func:`sse` for the clusters, each
        a node of the tree and of the coarsest labels, and

        ``obs[key_added + "_L1"]``, ``"_L2"``, … : categorical
            The nodes of the tree at the levels below the root, coarse to fine: "0.1" is the second
            largest part of "0". Cells that no deeper node holds keep the name of the one above.
        ``uns[key_added]["tree"]`` : dict of arrays
            The tree; :func:`get_tree` reads it.
        ``obst[key_added]`` : networkx DiGraph
            The tree again, if ``adata`` is a ``treedata.TreeData``.

    See Also
    --------
    sentree.SSEHierarchy : the estimator behind it.
    sentree.pl.tree : its picture.
    """
    from sentree.estimators.hierarchy import SSEHierarchy

    if sep is not None and ontology is not None:
        raise ValueError("sep and ontology both tell how labels nest: give one of them")
    if n_levels < 0:
        raise ValueError(f"n_levels must be 0 or more, got {n_levels}")
    checked(adata, written=not copy)
    check_key(key_added, (labels_key, groups_key))
    parents = None if ontology is None else parent_table(ontology)
    nested: Any = None
    if sep is not None:
        nested = partial(Constraints.from_paths, sep=sep)
    elif parents is not None:
        nested = partial(Constraints.from_ontology, parents=parents)
    said = Said(
        labels_key, unlabeled_category, must_link, cannot_link, not_label, groups_key, constraints
    )
    given = gather(adata, None, said, nested)
    data = choose_graph(adata, None, adjacency, obsp, neighbors_key)
    model = SSEHierarchy(
        n_clusters,
        min_size=min_size,
        max_size=max_size,
        height=height,
        hard=hard,
        penalty=penalty,
        affinity=data.affinity,
        random_state=_seed(random_state),
    )
    _fit(model, data, given, adata.obs_names)
    params = {"height": height, "sep": sep}
    if parents is not None:
        params["ontology"] = json.dumps(list(parents.items()), default=str)
    params |= _params(model, data, said)
    target = copied(adata) if copy else adata
    store_clusters(target, model, key_added, params)
    store_tree(target, model.tree_, key_added, n_levels)
    logger.info("added obs[%r], its levels and uns[%r]['tree']", key_added, key_added)
    return target if copy else None


def _seed(random_state: Any) -> int | None:
    """Return a seed that files can hold."""
    if random_state is None:
        return None
    if not isinstance(random_state, Integral):
        raise TypeError(
            f"random_state must be an int or None, got {type(random_state).__name__}: it is stored "
            "with the result, so that others can repeat it"
        )
    return int(random_state)


def _fit(model: SSEEstimator, data: Input, given: Constraints, names: Any) -> None:
    """Cluster; a contradiction is told with the names of the cells."""
    try:
        model.fit(data.values, constraints=given)
    except ConstraintConflict as conflict:
        raise with_names(conflict, given, names, model.n_clusters, model.hard) from None


def _params(model: SSEEstimator, data: Input, said: Said) -> dict[str, Any]:
    """Return what the result depends on besides the constraints, as files can hold it."""
    unlabeled = plain_value(said.unlabeled_category)
    return {
        "n_clusters": model.n_clusters,
        "min_size": model.min_size,
        "max_size": model.max_size,
        "random_state": model.random_state,
        "penalty": model.penalty,
        "hard": model.hard,
        "labels_key": said.labels_key,
        "groups_key": said.groups_key,
        "unlabeled_category": unlabeled if isinstance(unlabeled, int) else str(unlabeled),
        "graph": data.origin,
    }
