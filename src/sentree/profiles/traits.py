"""How a cluster differs in a feature, and which features set it apart."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sentree.profiles.measures import Feature, Measures
from sentree.profiles.words import Units, percent, phrase

__all__ = ["Measured", "Trait"]

#: Smaller effects set nothing apart, however sure they are.
_SMALL = 0.15
#: Directions in words.
_HERE = {
    "high": "higher",
    "low": "lower",
    "between": "narrow range",
    "more": "more often",
    "less": "rarer",
}


@dataclass(frozen=True)
class Trait:
    """How a cluster differs from the rest in one feature.

    Parameters
    ----------
    feature : str
        Name of the column; with "is missing" after it, whether its values are.
    kind : {"number", "date", "ordered", "boolean", "category", "missing", "amount"}
        What the column holds.
    direction : {"high", "low", "between", "more", "less"}
        How the cluster differs: "between" is neither high nor low, but in a narrow range; "more"
        and "less" are about shares.
    level : str or None
        The level of a category, the one whose share differs most.
    effect : float
        From -1 to 1. Of numbers Cliff's delta: how much more often a row of the cluster has the
        larger value than one outside has it. Of shares their difference. Of "between" the
        difference of the shares within the range.
    low, high : float
        The interval of the effect; the intervals of a profile hold together with 95 % confidence.
    telling : bool
        Whether the feature sets the cluster apart: an interval that leaves out 0, and an effect
        that is not small.
    inside, outside : str
        Typical values in the units of the data: the median and in brackets the middle half, or a
        share.
    values : dict
        The same as numbers; dates in seconds since 1970.
    phrase : str
        It in words.
    """

    feature: str
    kind: str
    direction: str
    level: str | None
    effect: float
    low: float
    high: float
    telling: bool
    inside: str
    outside: str
    values: dict[str, float]
    phrase: str

    @property
    def title(self) -> str:
        """The feature, with the level that is meant."""
        return self.feature if self.level is None else f"{self.feature} = {self.level}"

    @property
    def here(self) -> str:
        """How the cluster differs, in few words."""
        if self.kind == "date" and self.direction != "between":
            return "later" if self.direction == "high" else "earlier"
        return _HERE[self.direction]

    @property
    def effect_text(self) -> str:
        """The effect with its interval."""
        return f"{self.effect:+.2f} ({self.low:+.2f} to {self.high:+.2f})".replace("-", "−")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, without the words."""
        told = asdict(self)
        del told["phrase"]
        figures: dict[str, Any] = told.pop("values")
        return told | figures


@dataclass(frozen=True, eq=False)
class Measured:
    """The figures of all features and clusters, and how their values are written."""

    features: list[Feature]
    figures: Measures
    units: dict[int, Units]

    @cached_property
    def effect(self) -> NDArray[np.float64]:
        """Size of each effect, 0 where there is nothing to compare."""
        return np.abs(np.nan_to_num(self.figures.effect))

    @cached_property
    def telling(self) -> NDArray[np.bool_]:
        """Which features set which clusters apart."""
        sure = (self.figures.low > 0) | (self.figures.high < 0)
        return np.asarray((self.effect >= _SMALL) & sure)

    @cached_property
    def ranked(self) -> NDArray[np.intp]:
        """The features of each cluster (columns), telling ones first, then by effect."""
        return np.argsort(-(self.effect + self.telling), axis=0, kind="stable")

    @cached_property
    def overall(self) -> list[int]:
        """The features by how telling they are for any cluster."""
        most = (self.effect + self.telling).max(axis=1, initial=0)
        return [int(f) for f in np.argsort(-most, kind="stable")]

    @cached_property
    def _number(self) -> dict[str, int]:
        return {feature.name: f for f, feature in enumerate(self.features)}

    def trait(self, feature: int | str, cluster: int) -> Trait:
        """Say how a cluster differs in a feature, by number or name."""
        f = self._number[feature] if isinstance(feature, str) else feature
        name, kind = self.features[f].name, self.features[f].kind
        units, figures = self.units[self.features[f].column], self.figures.of(f, cluster)
        ranked = kind in ("number", "date", "ordered")
        ways = ("low", "between", "high") if ranked else ("less", "", "more")

        def typical(side: str) -> str:
            if not ranked:
                return percent(figures[side])
            middle, low, high = (units.text(figures[f"{side}{x}"]) for x in ("", "_from", "_to"))
            return f"{middle} ({low} to {high})"

        values = {f"{side}_value": figures[side] for side in ("inside", "outside")}
        values |= {x: y for x, y in figures.items() if x.endswith(("_from", "_to"))}
        values |= {x: figures[x] for x in ("range_inside", "range_outside")}
        return Trait(
            name,
            kind,
            ways[figures["way"] + 1],
            units.levels[figures["level"]] if kind == "category" else None,
            figures["effect"],
            figures["low"],
            figures["high"],
            bool(self.telling[f, cluster]),
            typical("inside"),
            typical("outside"),
            values,
            phrase(name, units, kind, figures),
        )
