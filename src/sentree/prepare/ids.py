"""Columns that name rows instead of describing them."""

from __future__ import annotations

import re

__all__ = ["named_like_ids"]

#: Names of columns of ids: sample_id, PassengerId, patient, index, and none at all.
_NAMES = re.compile(
    r"(?i:(.*[ _.#-])?id|(sample|cell|patient|subject|customer|user)(id)?|barcode|name|index"
    r"|unnamed: 0)|.*[a-z0-9]I[dD]"
)


def named_like_ids(name: str) -> bool:
    """Tell whether a column is named like ids."""
    return bool(_NAMES.fullmatch(name))
