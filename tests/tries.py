"""How many examples a property of the kernels is tried on."""

import os

from hypothesis import settings


def tries(number):
    """As many examples as given; a quarter of them on sanitized kernels, which are slow.

    ``make test`` has the answers right on all of them; what sanitizers look for, few examples show
    as well as many.
    """
    sanitized = "SENTREE_EXPECT_SANITIZED" in os.environ
    return settings(max_examples=max(4, number // 4) if sanitized else number)
