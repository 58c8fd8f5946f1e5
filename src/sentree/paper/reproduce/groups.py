"""Groups of methods that meet on the same data sets, over which ranks and times are summed up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sentree.paper.reproduce.grid import EXPERIMENTS
from sentree.paper.reproduce.tables import Block

__all__ = ["GROUPS", "Group"]


class Group(NamedTuple):
    """Methods that meet on the same data sets with the same kind of constraint."""

    title: str
    tables: tuple[str, ...]
    constraint: str

    def blocks(self, parts: Sequence[Block]) -> list[Block]:
        """Choose the blocks of the tables that belong to it."""
        return [
            block
            for block in parts
            if block.table in self.tables and block.constraint == self.constraint
        ]

    @property
    def datasets(self) -> tuple[str, ...]:
        """Its data sets."""
        return sum((EXPERIMENTS[table].datasets for table in self.tables), ())

    @property
    def unconstrained(self) -> tuple[str, ...]:
        """Its methods that take no constraints, which other groups may have too."""
        return EXPERIMENTS[self.tables[0]].methods["none"]

    @property
    def methods(self) -> tuple[str, ...]:
        """Its methods, in the order of the tables."""
        return self.unconstrained + EXPERIMENTS[self.tables[0]].methods[self.constraint]


GROUPS = (
    Group("Pairs", ("table1", "table2"), "pairs"),
    Group("Labels", ("table1", "table2"), "labels"),
    Group("Trees (pairs)", ("table3",), "pairs"),
)
