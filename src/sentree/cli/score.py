"""``sentree score``: how well clusters or a tree agree with the truth."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sentree._util.wording import remedies
from sentree.cli import options as o
from sentree.cli.console import Misuse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sentree.io.names import Named


@o.grouped
def score(
    labels: Annotated[
        str,
        typer.Argument(
            metavar="LABELS", help="Clusters, as 'sentree cluster' writes them; or a tree."
        ),
    ],
    truth: Annotated[
        str,
        typer.Argument(metavar="TRUTH", help="True classes: a table with ids as in LABELS."),
    ],
    *,
    tree: Annotated[
        bool, typer.Option("--tree", help="LABELS is a tree (.nwk, .json, .csv, .npy).")
    ] = False,
    column: Annotated[
        str | None, typer.Option(help="Column of LABELS; 'cluster' if there is one.")
    ] = None,
    truth_column: Annotated[
        str | None, typer.Option(help="Column of TRUTH; needed where it has several.")
    ] = None,
    known: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Labels that the clustering was given: these samples do not count.",
        ),
    ] = None,
    known_column: Annotated[
        str | None, typer.Option(help="Column of that file; needed where it has several.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the scores as JSON.")] = False,
    verbosity: o.Verbosity,
) -> None:
    """Compare clusters, or a tree, with true classes.

    Samples without a true class do not count. Scores: ari and nmi (1 is perfect, 0 is chance for
    ari), ami, homogeneity, completeness, accuracy (clusters matched to classes one to one, as well
    as possible), purity; for a tree its dendrogram purity.

    Examples:

      sentree score flowers-clusters.csv flowers.csv --truth-column species

      sentree score flowers-tree.nwk flowers.csv --truth-column species --tree --json
    """
    with verbosity.console():
        from sentree import io

        if tree and known is not None:
            raise Misuse("--known is about clusters; a tree is scored on all its leaves")
        if tree:
            result = _score_tree(labels, truth, truth_column)
        else:
            with remedies({"name": "column"}):
                clusters = io.read_columns(labels)
                wanted = column or ("cluster" if "cluster" in clusters.columns else None)
                found = clusters.only(wanted)
            classes = _classes(truth, truth_column, "truth_column", clusters)
            if known is not None:
                given = _classes(known, known_column, "known_column", clusters)
                classes[[value is not None for value in given]] = None
            result = _score_clusters(found, classes, truth)
        _tell(result, as_json)


def _classes(source: str, column: str | None, called: str, of: Named) -> NDArray[Any]:
    """Read the classes of samples that are named as in another file, None where there is none."""
    import numpy as np

    from sentree import io

    with remedies({"name": called}):
        table = io.read_columns(source)
        values = io.clean_labels(table.only(column))
    if table.ids is None or of.ids is None:
        if table.n != of.n:
            raise io.InputError(
                f"{source} has {table.n} rows and {of.source} has {of.n}: without ids in both "
                "they must have the same samples in the same order"
            )
        return values
    known = dict(zip(table.ids.tolist(), values, strict=True))
    if not any(name in known for name in of.ids):
        raise io.InputError(
            f"{of.source} and {source} have no sample in common: their ids are like "
            f"{of.ids[0]!r} and {table.ids[0]!r}"
        )
    if beyond := len(known.keys() - set(of.ids.tolist())):
        warnings.warn(
            f"{beyond} of {table.n} samples of {source} are not in {of.source}", stacklevel=2
        )
    found = np.empty(of.n, dtype=object)
    found[:] = [known.get(name) for name in of.ids]
    return found


def _score_clusters(found: NDArray[Any], classes: NDArray[Any], truth: str) -> dict[str, float]:
    """Compare clusters with classes, on samples that have one."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment
    from sklearn import metrics
    from sklearn.metrics.cluster import contingency_matrix

    from sentree import io

    counted = np.array([value is not None for value in classes])
    n = int(counted.sum())
    if n < 2:
        raise io.InputError(f"{truth}: {n} samples have a class that counts, expected more")
    a, b = (np.unique(x[counted].astype(str), return_inverse=True)[1] for x in (classes, found))
    table = contingency_matrix(a, b)
    rows, columns = linear_sum_assignment(-table)
    return {
        "samples": n,
        "classes": int(a.max()) + 1,
        "clusters": int(b.max()) + 1,
        "ari": float(metrics.adjusted_rand_score(a, b)),
        "nmi": float(metrics.normalized_mutual_info_score(a, b)),
        "ami": float(metrics.adjusted_mutual_info_score(a, b)),
        "homogeneity": float(metrics.homogeneity_score(a, b)),
        "completeness": float(metrics.completeness_score(a, b)),
        "accuracy": float(table[rows, columns].sum() / n),
        "purity": float(table.max(axis=0).sum() / n),
    }


def _score_tree(source: str, truth: str, column: str | None) -> dict[str, float]:
    """Compare a tree with the classes of its leaves."""
    import numpy as np

    from sentree import io
    from sentree.metrics import dendrogram_purity

    with remedies({}):
        tree = io.read_tree(source)
    ids = None if tree.names is None else np.array(tree.names, dtype=object)
    leaves = io.Names(tree.n_leaves, ids, source=source)
    classes = _classes(truth, column, "truth_column", leaves)
    for name, value in zip(leaves.key(), classes, strict=True):
        if value is None:
            raise io.InputError(f"{truth} has no class for {name}: a tree needs one for every leaf")
    return {
        "samples": tree.n_leaves,
        "classes": len(set(classes)),
        "height": tree.height,
        "dendrogram_purity": dendrogram_purity(tree, classes.astype(str)),
    }


def _tell(result: dict[str, float], as_json: bool) -> None:
    """Print the scores, which are the data of this command."""
    if as_json:
        import json

        plain = {name: None if value != value else value for name, value in result.items()}
        typer.echo(json.dumps(plain, indent=2))
        return
    for name, value in result.items():
        typer.echo(f"{name:<18} {value if isinstance(value, int) else f'{value:.4f}'}")
