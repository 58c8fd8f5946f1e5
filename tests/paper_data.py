"""The paper's data sets and the stored oracles, or a skipped test where they are absent."""

import json
from functools import cache
from pathlib import Path

import pytest

from sentree.datasets import load_paper

ORACLES = Path(__file__).parents[2] / "shared" / "design" / "oracles"


@cache
def paper_data(name):
    try:
        return load_paper(name)
    except FileNotFoundError as error:
        pytest.skip(f"the paper's data sets are not here: {str(error).splitlines()[0]}")


def oracle(name):
    path = ORACLES / name
    if not path.exists():
        pytest.skip(f"no stored oracles at {path}")
    return json.loads(path.read_text())
