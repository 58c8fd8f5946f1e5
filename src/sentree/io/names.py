"""Rows of data by name: ids, or numbers counted from 0."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sentree.constraints.parsing import plain_value
from sentree.io.errors import Elsewhere, InputError, Param, Piece, did_you_mean

__all__ = ["By", "Named", "Names"]

By = Literal["auto", "id", "row"]
IntArray = NDArray[np.int64]


class Named:
    """Something with rows that are known by ids or, without ids, by their numbers."""

    n: int
    ids: NDArray[Any] | None
    source: str
    #: What to do where other ids are meant; nothing for data without columns.
    id_hint: tuple[Piece, ...] = (
        ", or name the column that holds these ids with ",
        Param("id_column", ..., of="sentree.io.read_samples"),
        (" of ", Elsewhere("sentree.io.read_samples")),
    )

    def key(self) -> NDArray[Any]:
        """Return what to call each row: its id, or its number."""
        return np.arange(self.n) if self.ids is None else self.ids

    def rows(
        self,
        values: Sequence[Any] | NDArray[Any],
        what: str = "the list",
        *,
        by: By = "auto",
        where: Callable[[int], str] | None = None,
    ) -> IntArray:
        """Return the row numbers of ids (or of row numbers).

        Parameters
        ----------
        values : sequence
            Ids where the data have ids, else row numbers counted from 0, as numbers or as text.
        what : str
            Where the values come from, for messages.
        by : {"auto", "id", "row"}
            What the values are; by default ids where the data have ids.
        where : callable, optional
            Says where value number k stands, for messages; ``what`` where not given.

        Returns
        -------
        int64 array

        Raises
        ------
        InputError
            Naming the first value that is not there, and what may have been meant.
        """
        place = where or (lambda k: what)
        if by not in ("auto", "id", "row"):
            raise InputError(
                "samples are named by 'id' or by 'row' (", Param("by"), f"), not by {by!r}"
            )
        given = [plain_value(value) for value in values]
        if by == "row" or (by == "auto" and self.ids is None):
            return self._by_number(given, place)
        if self.ids is None:
            raise InputError(
                f"{what} names samples by id, but {self.source} has no ids: give row numbers, "
                "counted from 0",
                (", with ", Param("by", "row")),
                self.id_hint,
            )
        return self._by_id(given, what, place)

    def has(self, value: Any, by: By = "auto") -> bool:
        """Tell whether a value names a row."""
        if by == "row" or self.ids is None:
            number = _number(value)
            return number is not None and 0 <= number < self.n
        return str(value) in self._row_of or str(value).strip() in self._row_of

    @cached_property
    def _row_of(self) -> dict[str, int]:
        assert self.ids is not None
        return {name: row for row, name in enumerate(self.ids)}

    def _by_id(self, given: list[Any], what: str, place: Callable[[int], str]) -> IntArray:
        table = self._row_of
        texts = [str(value) for value in given]
        found = [table.get(text, -1) for text in texts]
        if -1 in found:  # try again without spaces around them
            found = [table.get(texts[k].strip(), -1) if r < 0 else r for k, r in enumerate(found)]
        if -1 not in found:
            return np.array(found, dtype=np.int64)
        k = found.index(-1)
        numbers = [_number(value) for value in given]
        if max(found) < 0 and all(x is not None and 0 <= x < self.n for x in numbers):
            raise InputError(
                f"{place(k)}: there is no sample called {texts[k]!r} in {self.source}, whose ids "
                f"are like {self.ids[0]!r}; all values of {what} could be row numbers",  # type: ignore[index]
                (": if they are, counted from 0, say ", Param("by", "row")),
            )
        hint = did_you_mean(texts[k], table) or f"; its ids are like {self.ids[0]!r}."  # type: ignore[index]
        raise InputError(
            f"{place(k)}: there is no sample {texts[k]!r} in {self.source}{hint} Correct it, take "
            "it out",
            self.id_hint,
        )

    def _by_number(self, given: list[Any], place: Callable[[int], str]) -> IntArray:
        numbers = [_number(value) for value in given]
        if None in numbers:
            k = numbers.index(None)
            fix: tuple[Piece, ...] = (
                "with ",
                Param("by", "row"),
                " samples are named by row number, counted from 0",
            )
            if self.ids is None:
                fix = (
                    f"{self.source} has no ids, so samples are known by row number, counted from "
                    "0: give these",
                    self.id_hint,
                )
            raise InputError(f"{place(k)}: {given[k]!r} is no row number; ", *fix)
        for k, number in enumerate(numbers):
            if not 0 <= number < self.n:  # type: ignore[operator]
                raise InputError(
                    f"{place(k)}: row {number}, but {self.source} has {self.n} rows, counted "
                    f"from 0 to {self.n - 1}"
                )
        return np.array(numbers, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Names(Named):
    """The names of rows, without the rows.

    Examples
    --------
    >>> names = Names(3, np.array(["ant", "bee", "cow"], dtype=object))
    >>> names.rows(["cow", "ant"]).tolist()
    [2, 0]
    """

    n: int
    ids: NDArray[Any] | None = None
    id_name: str | None = None
    source: str = "the data"


def _number(value: Any) -> int | None:
    """Return a row number given as a number or as text, None for anything else."""
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"\s*-?[0-9]+\s*", value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
