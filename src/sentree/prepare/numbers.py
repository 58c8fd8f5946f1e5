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

#: What may stand before a number.
_BEFORE = r"(?:[$€£¥₹₩₽]|US\$|R\$|USD|EUR|GBP|CHF|Rs\.?|kr\.?)"
#: A number with whatever separators, between what stands before and after it.
_NUMBER = re.compile(
    rf"(?P<minus>[-+(]?)\s*(?P<before>{_BEFORE}?)\s*[-+]?"
    r"(?:[0-9][0-9.,'\u2019\u00a0\u202f ]*[0-9]|[0-9]|[.,][0-9]+)[.,]?(?:[eE][-+]?[0-9]+)?"
    r"\s*(?P<after>[^\W\d_][^\d,;]{0,11}|[%‰°€$£¥²³/][^\d,;]{0,7})?\)?"
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
        """Return numbers, NaN for what is none."""
        if not len(texts):
            return np.empty(0)
        if self == NumberFormat():
            return _plain(texts)
        joined = "\n".join(texts).replace("\u2212", "-")
        if "(" in joined:  # bookkeepers' way to write what is below 0
            joined = re.sub(r"(?m)^\((.*)\)$", r"-\1", joined)
        unit = "".join(map(re.escape, (self.before, self.after)))
        if self.unit:  # cells without the unit are no numbers of this column
            place = rf"^([-+]?)\s*{unit}\s*" if self.before else rf"()\s*{unit}$"
            joined = re.sub(rf"(?m)^(?!.*{unit}).*$", "", joined)
            joined = re.sub(rf"(?m){place}", r"\1", joined)
        if self.thousands:
            joined = re.sub(rf"(?<=[0-9])[{self.thousands}](?=[0-9]{{3}}(?![0-9]))", "", joined)
        if self.decimal == ",":
            joined = joined.replace(".", "x").replace(",", ".")  # a point would be wrong now
        return _plain(joined.split("\n"))


def number_format(texts: Sequence[str]) -> NumberFormat | str | None:
    """Return how the numbers among texts are written.

    None where most are no numbers, and a word about it where they are but cannot be read: a column
    must have one unit.
    """
    step = max(len(texts) // _LOOKED_AT, 1)
    seen = [_NUMBER.fullmatch(text) for text in texts[::step]]
    found = [match for match in seen if match is not None]
    if not found or 2 * len(found) < len(seen):
        return None
    units = Counter((match["before"], (match["after"] or "").strip()) for match in found)
    unit, count = units.most_common(1)[0]
    if 10 * count < 9 * len(found):
        shown = ", ".join(repr(before or after or "none") for before, after in sorted(units)[:4])
        return f"several units ({shown})"
    return NumberFormat(*_separators("\n".join(texts)), *unit)


def _separators(joined: str) -> tuple[str, str]:
    """Tell the decimal separator and that of thousands, by all numbers together."""
    spaces = "'\u2019\u00a0\u202f "
    others = "".join(c for c in spaces if re.search(rf"[0-9]{c}[0-9]{{3}}(?![0-9])", joined))
    if "," not in joined:
        several = re.search(r"[0-9]\.[0-9]{3}\.[0-9]{3}", joined)
        return (",", "." + others) if several else (".", others)
    if "." in joined:
        last = re.search(r"(?m)[0-9]([.,])[0-9]{3}([.,])[0-9]*(?![0-9.,])", joined)
        if last and last[1] != last[2]:
            return last[2], last[1] + others
        if re.search(r"\.[0-9]{1,2}(?![0-9])|\.[0-9]{4}", joined):
            return ".", "," + others
        return ",", "." + others
    if re.search(r",[0-9]{3},[0-9]{3}", joined):
        return ".", "," + others
    decimals = re.search(r",[0-9]{1,2}(?![0-9])|,[0-9]{4}|(?m:^|[^0-9])0?,[0-9]", joined)
    return (",", others) if decimals else (".", "," + others)


def _plain(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return numbers as programs write them, NaN for what is none, or is infinite."""
    found = pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce")
    numbers = np.array(found, dtype=np.float64)
    numbers[np.isinf(numbers)] = np.nan
    return numbers
