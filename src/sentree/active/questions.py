"""Questions to a person about samples, and the replies to them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from sentree.constraints import Constraints

__all__ = ["NEW", "UNSURE", "IsClass", "Oracle", "Question", "Reply"]

#: The reply that a sample belongs to none of the groups shown.
NEW = "new"
#: The reply of somebody who does not know.
UNSURE = "unsure"
_SAME, _DIFFERENT = "same", "different"


@dataclass(frozen=True)
class IsClass:
    """The reply that a sample has a class of this name."""

    name: Hashable


#: The position of the group that the sample belongs to, "new", "unsure", or a class.
Reply = int | str | IsClass


@dataclass(frozen=True)
class Question:
    """Which of these groups does a sample belong to, if any?

    With one group it is a question about a pair: do the two belong together?
    """

    point: int  #: The sample in question.
    options: tuple[int, ...]  #: A sample of every group, likeliest first.
    kind: str = "point"  #: "merge" (a whole group), "purity" (part of a group) or "point".
    #: Typical samples of what the question is about, ``point`` first.
    group: tuple[int, ...] = ()
    #: Typical samples of every option, the option first.
    groups: tuple[tuple[int, ...], ...] = ()
    #: Probability of every option, and last of "none of them".
    probabilities: tuple[float, ...] = ()
    utility: float = 0.0  #: Bits expected about the clusters, per second of a person's time.
    n_settled: int = 1  #: Number of samples that the answer places.
    again: bool = False  #: Whether it doubts an earlier answer.

    @property
    def is_pair(self) -> bool:
        """Whether the question is about a pair."""
        return len(self.options) == 1

    def read(self, reply: Any) -> Reply:
        """Check a reply, and write "same" and "different" as those to a choice."""
        if isinstance(reply, IsClass):
            return reply
        if isinstance(reply, bool | np.bool_) and self.is_pair:
            return 0 if reply else NEW
        if isinstance(reply, Integral) and not isinstance(reply, bool):
            if 0 <= int(reply) < len(self.options):
                return int(reply)
            raise ValueError(
                f"the reply {reply} is not the position of a group: there are "
                f"{len(self.options)}, counted from 0"
            )
        if reply in (NEW, UNSURE):
            return str(reply)
        if self.is_pair and reply in (_SAME, _DIFFERENT):
            return 0 if reply == _SAME else NEW
        pair = f', "{_SAME}", "{_DIFFERENT}"' if self.is_pair else ""
        raise ValueError(
            f"the reply {reply!r} is none of: the position of a group (0 to "
            f'{len(self.options) - 1}){pair}, "{NEW}", "{UNSURE}", IsClass(name)'
        )

    def constraints(self, reply: Any, weight: float = 1.0) -> Constraints:
        """Return what a reply says about the samples; pairs have this weight."""
        read = self.read(reply)
        if isinstance(read, IsClass):
            point, code = np.array([[self.point], [0]])
            return Constraints(label_index=point, label_code=code, classes=(read.name,))
        if read == UNSURE:
            return Constraints()
        same = [] if read == NEW else [(self.point, self.options[int(read)])]
        apart = [(self.point, o) for at, o in enumerate(self.options) if at != read]
        weights = ([weight] * len(same), [weight] * len(apart))
        return Constraints.from_pairs(same, apart, weights=weights)


#: Whoever answers: a function from a question to a reply.
Oracle = Callable[[Question], Any]
