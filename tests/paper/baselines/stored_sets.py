"""The stored constraint sets of Yale and ORL."""

import numpy as np

from paper_data import oracle
from sentree import Constraints


def stored_set(name, number):
    return oracle("constraints_yale_orl.json")["sets"][name][number]


def stored_pairs(name, number):
    stored = stored_set(name, number)
    return Constraints.from_pairs(stored["must_link"], stored["cannot_link"])


def stored_labels(name, number):
    stored = stored_set(name, number)
    positive, negative = (np.array(stored[f"{kind}_labels"]).T for kind in ("positive", "negative"))
    return Constraints(
        label_index=positive[0],
        label_code=positive[1],
        negative_index=negative[0],
        negative_code=negative[1],
        classes=tuple(range(stored["k"])),
        declared=True,
    )
