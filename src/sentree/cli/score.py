"""``sentree score``: how well clusters or a tree agree with the truth."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any, Protocol

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
            metavar="LABELS",
            help="Clusters, as 'sentree cluster' writes them; or a tree, as 'sentree tree' does.",
        ),
    ],
    truth: Annotated[
        str | None,
        typer.Argument(
            metavar="[TRUTH]",
            help="True classes: a table with ids as in LABELS. Else --truth-column of LABELS.",
        ),
    ] = None,
    *,
    tree: Annotated[
        bool, typer.Option("--tree", help="LABELS is a tree, where it does not show (.npy).")
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
    graph: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A graph of the same samples: adds the structural entropy, and Dasgupta's cost "
            "of a tree.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the scores as JSON.")] = False,
    verbosity: o.Verbosity,
) -> None:
    """Compare clusters, or a tree, with true classes.

    Samples without a true class do not count. Scores: ari and nmi (1 is perfect, 0 is chance for
    ari), ami, homogeneity, completeness, accuracy (clusters matched to classes one to one, as well
    as possible), purity; for a tree its dendrogram purity. With --graph the structural entropy in
    bits, and Dasgupta's cost of a tree, both lower if better.

    Examples:

      sentree score flowers-clusters.csv flowers.csv --truth-column species

      sentree score flowers-in-kinds.csv --truth-column species

      sentree score flowers-tree.nwk flowers.csv --truth-column species --json
    """
    with verbosity.console():
        from sentree import io

        tree = tree or _is_tree(labels)
        if truth is None and (tree or truth_column is None) and graph is None:
            told = "a tree holds no classes" if tree else "--truth-column names one of LABELS"
            raise Misuse(f"give a table of true classes (TRUTH); {told}")
        over = None if graph is None else _read_graph(graph)
        if tree:
            scored: _Scored = _Tree(labels, over)
        else:
            scored = _Clusters(labels, column, over)
        result: dict[str, float] = {}
        if truth is not None or truth_column is not None:
            classes = _classes(truth or labels, truth_column, "truth_column", scored.names)
            if known is not None:
                given = _classes(known, known_column, "known_column", scored.names)
                classes[[value is not None for value in given]] = None
            counted = [value is not None for value in classes]
            if sum(counted) < 2:
                raise io.InputError(
                    f"{truth or labels}: {sum(counted)} samples have a class that counts, "
                    "expected more"
                )
            result |= scored.against(classes)
        if over is not None:
            result |= scored.on(over.graph)
        _tell(result, as_json)


def _is_tree(source: str) -> bool:
    """Tell whether a file holds a tree."""
    if source == "-":
        return False
    from sentree.io import kinds
    from sentree.io.sources import TEXT, open_source

    allowed = (*TEXT, "xlsx", "parquet", "npy", "json", "newick")
    with remedies({}):
        found = open_source(source, allowed)
        return found.format != "xlsx" and kinds.tell(found, "csv") == "tree"


@remedies({})
def _read_graph(source: str) -> Any:
    from sentree import io

    return io.read_graph(source)


class _Scored(Protocol):
    """What can be compared with classes, and judged on a graph."""

    names: Named

    def against(self, classes: NDArray[Any]) -> dict[str, float]:
        """Compare it with classes; samples without one do not count."""

    def on(self, graph: Any) -> dict[str, float]:
        """Judge it on a graph."""


class _Clusters:
    """Clusters in a table."""

    def __init__(self, source: str, column: str | None, over: Any) -> None:
        from sentree import io

        with remedies({"name": "column"}):
            table = io.read_columns(source)
            wanted = column or ("cluster" if "cluster" in table.columns else None)
            self.found = table.only(wanted)
        self.names: Named = table
        if over is not None and over.n != table.n:
            raise io.InputError(
                f"{over.source} has {over.n} vertices, {source} has {table.n} samples"
            )
        self._rows = None if over is None else table.rows(over.key(), over.source)

    def against(self, classes: NDArray[Any]) -> dict[str, float]:
        """Compare them with classes."""
        return _score_clusters(self.found, classes)

    def on(self, graph: Any) -> dict[str, float]:
        """Return their structural entropy."""
        import numpy as np

        from sentree.metrics import structural_entropy

        _, labels = np.unique(self.found[self._rows].astype(str), return_inverse=True)
        return {"structural_entropy": structural_entropy(graph, labels)}


class _Tree:
    """A tree in a file; its leaves are in the order of the vertices, if there is a graph."""

    def __init__(self, source: str, over: Any) -> None:
        import numpy as np

        from sentree import io

        with remedies({}):
            self.tree = io.read_tree(source, None if over is None else over.ids)
        ids = None if self.tree.names is None else np.array(self.tree.names, dtype=object)
        self.names: Named = io.Names(self.tree.n_leaves, ids, source=source)

    def against(self, classes: NDArray[Any]) -> dict[str, float]:
        """Return the dendrogram purity over the leaves with a class."""
        import numpy as np

        from sentree import EncodingTree
        from sentree.metrics import dendrogram_purity
        from sentree.tree import some_leaves

        counted = np.array([value is not None for value in classes])
        tree, kept = self.tree, classes[counted].astype(str)
        if not counted.all():
            tree = EncodingTree.from_parent(some_leaves(tree.parent, counted))
        return {
            "samples": int(counted.sum()),
            "classes": len(set(kept)),
            "height": self.tree.height,
            "dendrogram_purity": dendrogram_purity(tree, kept),
        }

    def on(self, graph: Any) -> dict[str, float]:
        """Return its structural entropy and Dasgupta's cost."""
        from sentree.metrics import dasgupta_cost, structural_entropy

        return {
            "structural_entropy": structural_entropy(graph, self.tree),
            "dasgupta_cost": dasgupta_cost(graph, self.tree),
        }


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


def _score_clusters(found: NDArray[Any], classes: NDArray[Any]) -> dict[str, float]:
    """Compare clusters with classes, on samples that have one."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment
    from sklearn import metrics
    from sklearn.metrics.cluster import contingency_matrix

    counted = np.array([value is not None for value in classes])
    n = int(counted.sum())
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


def _tell(result: dict[str, float], as_json: bool) -> None:
    """Print the scores, which are the data of this command."""
    if as_json:
        import json

        plain = {name: None if value != value else value for name, value in result.items()}
        typer.echo(json.dumps(plain, indent=2))
        return
    for name, value in result.items():
        typer.echo(f"{name:<18} {value if isinstance(value, int) else f'{value:.4f}'}")
