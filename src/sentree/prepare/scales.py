"""Categories with an order that their words tell: low to high, never to always, 10-19 to 20-29."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

__all__ = ["in_order"]

#: Words in their order; alternatives for one place are separated by a bar.
_SCALES = tuple(
    tuple(place.split("|") for place in scale.split(", "))
    for scale in (
        "none, very low|lowest, low, medium|moderate|average|normal, high, very high|highest",
        "extra small|x-small|xs, small|s, medium|m, large|l, extra large|x-large|xl, xxl",
        "never, rarely|seldom, sometimes|occasionally, often|frequently|usually, always",
        "very poor, poor, fair|average, good, very good, excellent",
        "none|absent, mild|slight, moderate, severe, very severe",
        "strongly disagree, disagree|somewhat disagree, "
        "neutral|neither agree nor disagree|undecided, agree|somewhat agree, strongly agree",
        "very dissatisfied, dissatisfied|unsatisfied, neutral|neither, satisfied, very satisfied",
        "very unlikely, unlikely, neutral|possible, likely, very likely",
    )
)
#: Most levels that are looked at.
_MOST = 50
#: A range of numbers, or one that is open: 10-19, < 5, 65+, >=7.
_RANGE = re.compile(
    r"(?:(?P<less><=?|under |up to |less than )|(?P<more>>=?|over |more than ))?\s*"
    r"(?P<low>[0-9]+(?:\.[0-9]+)?)"
    r"(?:\s*(?:-|–|to)\s*(?P<high>[0-9]+(?:\.[0-9]+)?)|(?P<open>\+))?(?: ?[a-z]+)?"
)


def in_order(levels: Sequence[str]) -> list[str] | None:
    """Return the levels of a category in their order; None where their words tell none.

    Examples
    --------
    >>> in_order(["high", "low", "medium"])
    ['low', 'medium', 'high']
    >>> in_order(["10-19", "5-9", "<5"])
    ['<5', '5-9', '10-19']
    >>> in_order(["red", "green", "blue"])
    """
    if not 3 <= len(levels) <= _MOST:
        return None
    words = [" ".join(level.casefold().replace("_", " ").split()) for level in levels]
    for scale in _SCALES:
        place = {word: k for k, alternatives in enumerate(scale) for word in alternatives}
        ranks = [place.get(word, -1) for word in words]
        if min(ranks) >= 0 and len(set(ranks)) == len(ranks):
            return [level for _, level in sorted(zip(ranks, levels, strict=True))]
    return _ranges(levels, words)


def _ranges(levels: Sequence[str], words: Sequence[str]) -> list[str] | None:
    """Order ranges of numbers that do not overlap."""
    ends: list[tuple[float, float, str]] = []
    for level, word in zip(levels, words, strict=True):
        match = _RANGE.fullmatch(word)
        if match is None:
            return None
        low = float(match["low"])
        high = float(match["high"] or low)
        if match["less"]:
            low = -float("inf")
        elif match["more"] or match["open"]:
            high = float("inf")
        ends.append((low, high, level))
    ends.sort()
    apart = all(one[1] <= other[0] for one, other in pairwise(ends))
    return [level for _, _, level in ends] if apart and any(a != b for a, b, _ in ends) else None
