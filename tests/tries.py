"""How many examples a property of the kernels is tried on."""

import os

from hypothesis import settings


def tries(number):
    """As many examples as given; an eighth of them on sanitized kernels, which are slow.

    ``make test`` has the answers right on all of them; what sanitizers look for, few examples show
    as well as many.
    """
    sanitized = "SENTREE_EXPECT_SANITIZED" in os.environ
    return settings(max_examples=max(3, number // 8) if sanitized else number)
