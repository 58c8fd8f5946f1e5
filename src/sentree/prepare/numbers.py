"""Numbers in text: 1,500.2 and 1.500,2, 10 %, € 12, 12 kg, (5)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["NumberFormat", "number_format"]

#: What may stand before a number: signs and codes of currencies.
_BEFORE = r"(?:[$€£¥₹₩₽]|US\$|R\$|USD|EUR|GBP|CHF|Rs\.?|kr\.?)"
#: What may stand after it: a unit without figures.
_AFTER = r"(?:[^\W\d_][^\d,;]{0,11}|[%‰°€$£¥²³/][^\d,;]{0,7})"
#: Separators of thousands beside comma and point.
_SPACES = " '\u2019\u00a0\u202f"
#: A number with whatever separators, and what stands before and after it.
_NUMBER = re.compile(
    rf"[-+\u2212(]?\s*({_BEFORE}?)\s*[-+\u2212]?"
    rf"(?:[0-9][0-9.,{_SPACES}]*[0-9]|[0-9]|[.,][0-9]+)[.,]?(?:[eE][-+]?[0-9]+)?\s*({_AFTER}?)\)?"
)
#: Distinct cells that are looked at to find what stands before and after numbers.
_LOOKED_AT = 500


class NumberFormat(NamedTuple):
    """How the numbers of a column are written."""

    decimal: str = "."
    thousands: str = ""
    before: str = ""
    after: str = ""

    @property
    def unit(self) -> str:
        """What is written with every number."""
        return self.before or self.after

    def read(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return numbers, NaN for what is none; all texts are changed at once, as one."""
        joined = "\n".join(texts).replace("\u2212", "-")
        if joined.count("\n") >= max(len(texts), 1):
            joined = "\n".join(text.replace("\n", " ") for text in texts)
        if "(" in joined:  # bookkeepers' way to write what is below 0
            joined = re.sub(r"(?m)^\((.*)\)$", r"-\1", joined)
        for unit in filter(None, (self.before, self.after)):
            if joined.count(unit) != len(texts):  # without the unit it is no number of this column
                joined = "\n".join(x if unit in x else "" for x in joined.split("\n"))
            for space in _SPACES:
                joined = joined.replace(unit + space, unit).replace(space + unit, unit)
            joined = joined.replace(unit, "")
        for mark in self.thousands:
            if re.search(rf"[{mark}](?![0-9]{{3}}(?![0-9]))", joined):  # some other use of it
                joined = re.sub(rf"(?<=[0-9])[{mark}](?=[0-9]{{3}}(?![0-9]))", "", joined)
            else:
                joined = joined.replace(mark, "")
        if self.decimal == ",":
            joined = joined.replace(".", "x").replace(",", ".")
        found = pd.to_numeric(pd.Series(joined.split("\n"), dtype=object), errors="coerce")
        numbers = np.array(found, dtype=np.float64)[: len(texts)]
        numbers[np.isinf(numbers)] = np.nan
        return numbers


def number_format(texts: Sequence[str]) -> NumberFormat | str | None:
    """Return how the numbers among texts are written.

    None where most are no numbers, and a word about it where a column has several units.

    Examples
    --------
    >>> number_format(["€ 12", "€ 1.500,20"])
    NumberFormat(decimal=',', thousands='.', before='€', after='')
    >>> number_format(["3 kg", "500 g"])
    "several units ('g', 'kg')"
    """
    seen = [_NUMBER.fullmatch(text) for text in texts[:: max(len(texts) // _LOOKED_AT, 1)]]
    found = [match for match in seen if match is not None]
    if not found or 2 * len(found) < len(seen):
        return None
    units = Counter((match[1], match[2].strip()) for match in found)
    unit, count = units.most_common(1)[0]
    if 10 * count < 9 * len(found):
        shown = ", ".join(repr(before or after or "none") for before, after in sorted(units)[:4])
        return f"several units ({shown})"
    return NumberFormat(*_separators("\n".join(texts)), *unit)


def _separators(joined: str) -> tuple[str, str]:
    """Tell the decimal separator and those of thousands, by all numbers together."""
    thousands = "".join(
        mark for mark in _SPACES if re.search(rf"[0-9]{mark}[0-9]{{3}}(?![0-9])", joined)
    )
    if "," not in joined:
        several = re.search(r"[0-9]\.[0-9]{3}\.[0-9]{3}", joined)
        return (",", "." + thousands) if several else (".", thousands)
    if "." in joined:
        both = re.search(r"[0-9](?:,[0-9]{3}(\.)|\.[0-9]{3}(,))[0-9]", joined)
        point = both[1] if both else re.search(r"\.(?![0-9]{3}(?![0-9]))", joined)
        return (".", "," + thousands) if point else (",", "." + thousands)
    if re.search(r",[0-9]{3},[0-9]{3}", joined):
        return ".", "," + thousands
    decimals = re.search(r",(?![0-9]{3}(?![0-9]))|(?<![0-9])0?,", joined)
    return (",", thousands) if decimals else (".", "," + thousands)
