"""The steps that ``cluster`` and ``tree`` share: read, fit, report and write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sentree.cli import inputs as given
from sentree.cli import outputs as results
from sentree.cli.console import Console
from sentree.cli.options import Results, Search, Statements, Table


@dataclass(frozen=True)
class Task:
    """What the options of a command ask for."""

    source: str
    graph: bool
    table: Table
    said: Statements
    search: Search
    wanted: Results

    def read(self, outputs: Sequence[str | None], console: Console) -> tuple[Any, Any, Any]:
        """Return the samples, what is known about them, and their places; check options first."""
        drawn = self.wanted
        self.search.check(self.graph)
        self.said.check()
        written = [*outputs, drawn.plot, drawn.report, drawn.model]
        given.refuse_overwriting([self.source, *self.said.files], written)
        take = given.columns_wanted(self.said, drawn.map, console)
        samples = given.read_data(self.source, self.table, take, console, graph=self.graph)
        places = results.places_of(drawn.map, samples)
        hard, k = self.search.hard, self.search.n_clusters
        return samples, given.read_constraints(self.said, samples, console, hard, k), places

    def fit(self, kind: Any, samples: Any, known: Any, **more: Any) -> Any:
        """Fit an estimator of a class, with the strength of each membership."""
        X = samples.graph if self.graph else samples.X
        fitted = self.search.estimator(kind, self.graph, **more).fit(X, constraints=known)
        _ = fitted.membership_strength_  # computed here, while the step is shown
        return fitted

    def write(self, fitted: Any, samples: Any, places: Any, console: Console) -> None:
        """Write the model, the picture and the report, where they are asked for."""
        results.write_model(fitted, self.wanted.model, console)
        results.illustrate(fitted, samples, self.source, places, self.wanted, console)
