"""The paper's data sets, or a skipped test where they are absent."""

from functools import cache

import pytest

from sentree.datasets import load_paper


@cache
def paper_data(name):
    try:
        return load_paper(name)
    except FileNotFoundError as error:
        pytest.skip(f"the paper's data sets are not here: {str(error).splitlines()[0]}")
