"""Rows with gaps, which are left out of a fit but not of its result."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.cli.console import Console
from sentree.constraints import Constraints
from sentree.constraints.parts import about
from sentree.io import InputError, Samples


@dataclass(frozen=True, eq=False)
class Complete(Samples):
    """The rows of samples that have no gaps."""

    whole: Samples | None = None
    kept: NDArray[np.int64] | None = None  # their numbers among all rows

    def about(self, given: Constraints, console: Console) -> Constraints:
        """Return what is known about these rows."""
        assert self.whole is not None
        assert self.kept is not None
        found = about(given, self.kept, self.whole.n)
        if len(found) < len(given):
            n = len(given) - len(found)
            console.warn(f"{n} constraint{'s' * (n > 1)} about rows with gaps left out, too")
        return found

    def start(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return clusters to start from, and locked samples, of these rows."""
        assert self.kept is not None
        if given.get("locked") is not None:
            given["locked"] = np.isin(self.kept, given["locked"])
        return {**given, "init": given["init"][self.kept]} if given else given

    def spread(self, columns: dict[str, Any]) -> dict[str, Any]:
        """Return columns of all rows, empty where there are gaps."""
        assert self.whole is not None
        found = {}
        for name, values in columns.items():
            found[name] = np.full(self.whole.n, None, dtype=object)
            found[name][self.kept] = np.asarray(values)
        return found


def without_gaps(samples: Samples, console: Console, drop_text: bool = False) -> Complete:
    """Leave out the rows of a table in which some value is missing, and say how many."""
    from sentree import TablePreparer

    kept = np.flatnonzero(~TablePreparer(drop_text=drop_text).fit(samples.X).has_gaps(samples.X))
    left = samples.n - kept.size
    if kept.size < 2:
        raise InputError(
            f"{samples.source}: only {kept.size} of {samples.n} rows have no gaps; without "
            "--skip-missing gaps are filled"
        )
    console.say(f"skipped: {left} of {samples.n} rows, which have gaps and get no cluster")
    given = {one.name: getattr(samples, one.name) for one in fields(samples)}
    X = samples.X.iloc[kept] if hasattr(samples.X, "iloc") else samples.X[kept]
    given |= {
        "X": X,
        "ids": np.array([str(key) for key in samples.key()[kept]], dtype=object),
        "columns": {name: values[kept] for name, values in samples.columns.items()},
    }
    return Complete(**given, whole=samples, kept=kept)
