"""Names that may have been meant."""

import doctest

import pytest

from sentree import io
from sentree._util import suggestions
from sentree._util.suggestions import did_you_mean


@pytest.mark.parametrize(
    ("wanted", "names", "meant"),
    [
        ("Phase", ["phase", "Phrase"], "phase"),
        (" leiden ", ["leiden_R", "leiden"], "leiden"),
        ("louvian", ["leiden", "louvain"], "louvain"),
        ("x", ["leiden"], None),
        (3, ["3"], None),
        ("cell", [1, "cells"], "cells"),
    ],
)
def test_the_nearest_name_is_asked_for(wanted, names, meant):
    assert did_you_mean(wanted, names) == (f"; did you mean {meant!r}?" if meant else "")


def test_files_know_the_same_slips():
    assert io.near_misses is suggestions.near_misses
    assert doctest.testmod(suggestions).attempted
