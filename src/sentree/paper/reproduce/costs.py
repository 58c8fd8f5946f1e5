"""What the runs cost: CPU seconds and memory by method, every run counted once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from sentree.paper.reproduce.grid import AMOUNT

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["OWN", "Cost", "Total", "costs", "own_share", "totals"]

#: The methods that are this library.
OWN = ("SE", "SSE", "sentree")
_RUN = ["dataset", "constraint", "amount", "method", "draw"]


class Cost(NamedTuple):
    """What one fit of a method takes on a data set; mean of the draws that finished."""

    seconds: float
    memory: float
    """Largest of the draws, in MB."""


class Total(NamedTuple):
    """What all runs of a method took, those that failed too."""

    seconds: float
    memory: float
    """Largest of all runs, in MB."""
    runs: int
    failed: int


def _runs(results: pd.DataFrame) -> pd.DataFrame:
    """One row per run; a run is there for every metric and for every table that shows it."""
    scored = results.assign(done=results["value"].notna())
    return scored.sort_values("done", kind="stable").drop_duplicates(_RUN, keep="last")


def costs(
    results: pd.DataFrame, datasets: Sequence[str], constraint: str
) -> dict[tuple[str, str], Cost]:
    """Sum up runs with the tables' amount of constraints, by data set and method."""
    runs = _runs(results)
    amounts = runs["constraint"].map(AMOUNT)
    chosen = runs[
        runs["done"]
        & runs["dataset"].isin(datasets)
        & runs["constraint"].isin(["none", constraint])
        & ((runs["amount"] - amounts).abs() < 1e-6)
    ]
    return {
        (str(dataset), str(method)): Cost(
            float(rows["seconds"].mean()), float(rows["peak_memory"].max())
        )
        for (dataset, method), rows in chosen.groupby(
            ["dataset", "method"], sort=False, observed=True
        )
    }


def totals(results: pd.DataFrame) -> dict[str, Total]:
    """Sum up all runs by method, the most expensive first."""
    found = {
        str(method): Total(
            float(rows["seconds"].sum()),
            float(rows["peak_memory"].max()),
            len(rows),
            int((~rows["done"]).sum()),
        )
        for method, rows in _runs(results).groupby("method", sort=False, observed=True)
    }
    return dict(sorted(found.items(), key=lambda item: -item[1].seconds))


def own_share(spent: dict[str, Total]) -> float:
    """Return the share of our own methods in all CPU time; 0 where none was spent."""
    whole = sum(total.seconds for total in spent.values())
    own = sum(total.seconds for method, total in spent.items() if method in OWN)
    return own / whole if whole else 0.0
