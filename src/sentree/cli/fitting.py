"""The steps that ``cluster``, ``tree`` and ``ask`` share: read, fit, report and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sentree.cli import inputs as given
from sentree.cli import outputs as results
from sentree.cli.console import Console, Misuse
from sentree.cli.options import Preparation, Results, Search, Statements, Table


@dataclass(frozen=True)
class Task:
    """What the options of a command ask for."""

    source: str
    graph: bool
    table: Table
    said: Statements
    search: Search
    wanted: Results
    append: bool = False
    preparation: Preparation = field(default_factory=Preparation)
    aside: tuple[str, ...] = ()  # columns that are no features, besides labels and places

    def read(self, outputs: Sequence[str | None], console: Console) -> tuple[Any, Any, Any]:
        """Return the samples, what is known about them, and their places; check options first."""
        drawn = self.wanted
        self.search.check(self.graph)
        self.said.check()
        self.preparation.check(not (self.graph or self.search.distances))
        written = [*outputs, drawn.plot, drawn.report, drawn.model]
        read = [self.source, *self.said.files, *self.search.files]
        given.refuse_overwriting(read, written)
        if self.append and self.graph:
            raise Misuse("--append is about tables; DATA is a graph")
        size = self.search.size_weight
        take = [*given.columns_wanted(self.said, drawn.map, console, size), *self.aside]
        samples = given.read_data(
            self.source,
            self.table,
            take,
            console,
            graph=self.graph,
            distances=self.search.distances,
            again=self.append,
            raw=self.prepares,
        )
        places = results.places_of(drawn.map, samples)
        hard, k = self.search.hard, self.search.n_clusters
        known = given.read_constraints(self.said, samples, console, hard, k)
        if self.preparation.skip_missing:
            from sentree.cli.skipping import without_gaps

            samples = without_gaps(samples, console, self.preparation.drop_text)
            known = samples.about(known, console)
            places = None if places is None else places[samples.kept]
        return samples, known, places

    @property
    def prepares(self) -> bool:
        """Whether the data are a table that is prepared."""
        given = self.graph or self.search.distances
        return self.preparation.prepare != "none" and not given

    def fit(self, kind: Any, samples: Any, known: Any, **more: Any) -> Any:
        """Fit an estimator of a class, with the strength of each membership."""
        X = samples.graph if self.graph else samples.X
        whole = getattr(samples, "whole", samples)
        start = given.read_start(self.search, whole, self.said.by)
        if whole is not samples:
            start = samples.start(start)
        start |= given.read_size_weight(self.search.size_weight, samples)
        if self.prepares:
            more["prepare"] = self.preparation.preparer()
        fitted = self.search.estimator(kind, self.graph, **more).fit(X, constraints=known, **start)
        _ = fitted.membership_strength_  # computed here, while the step is shown
        return fitted

    def write_clusters(
        self, target: str, fitted: Any, samples: Any, console: Console, levels: Any = None
    ) -> None:
        """Write the cluster of each sample, beside the columns of the data if asked for."""
        table = self.table if self.append else None
        columns = results.cluster_columns(
            fitted.labels_, fitted.membership_strength_, fitted.cluster_names_
        )
        columns |= levels or {}
        if (whole := getattr(samples, "whole", None)) is not None:
            columns, samples = samples.spread(columns), whole
        results.write_clusters(target, columns, samples, console, table)

    def write(self, fitted: Any, samples: Any, places: Any, console: Console) -> None:
        """Write the model, the picture and the report, where they are asked for."""
        results.write_model(fitted, self.wanted.model, console)
        results.illustrate(fitted, samples, self.source, places, self.wanted, console)
