"""Which columns of samples come from one column of the user's table."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BLOCKS", "Block"]

#: What the blocks and the names of all columns are called among the attributes (``attrs``) of a
#: prepared data frame.
BLOCKS = "sentree.blocks"


class Block(NamedTuple):
    """Columns ``start`` to ``stop`` (exclusive) of samples, which say one thing.

    ``kind`` is "number", "boolean", "ordered", "date", "category" (one column of 0 and 1 for each
    level) or "missing" (1 where the value of a column was missing).
    """

    column: str
    kind: str
    start: int
    stop: int

    @property
    def has_levels(self) -> bool:
        """Whether the columns are 0 or 1."""
        return self.kind in ("category", "boolean", "missing")
