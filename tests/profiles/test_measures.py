import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sentree.profiles.columns import Table
from sentree.profiles.measures import measure


def brute_delta(inside, outside):
    return float(np.sign(np.subtract.outer(inside, outside)).mean())


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(3)
    code = rng.integers(0, 4, 200)
    frame = pd.DataFrame(
        {
            "normal": rng.normal(size=200) + code,
            "ties": rng.integers(0, 5, 200).astype(float),
            "gaps": np.where(rng.random(200) < 0.3, np.nan, rng.normal(size=200) - code),
        }
    )
    return frame, code


def test_effects_and_quartiles_are_those_of_all_pairs(numbers):
    frame, code = numbers
    features, found = measure(Table(frame), code, 4)
    names = [feature.name for feature in features]
    assert names == ["normal", "ties", "gaps", "gaps is missing"]
    for f, name in enumerate(names[:3]):
        for c in range(4):
            inside = frame[name][code == c].dropna().to_numpy()
            outside = frame[name][code != c].dropna().to_numpy()
            if found.way[f, c]:
                assert found.effect[f, c] == pytest.approx(brute_delta(inside, outside))
            for side, values in (("inside", inside), ("outside", outside)):
                got = [getattr(found, side + x)[f, c] for x in ("_from", "", "_to")]
                assert got == pytest.approx(np.quantile(values, (0.25, 0.5, 0.75)))
            low, high = found.range_from[f, c], found.range_to[f, c]
            m = inside.size
            own = ((low <= inside) & (inside <= high)).mean() * (m - 1) / (m + 1)
            assert found.range_inside[f, c] == pytest.approx(own)
            others = ((low <= outside) & (outside <= high)).mean()
            assert found.range_outside[f, c] == pytest.approx(others)


def test_gaps_are_shares_of_all_rows(numbers):
    frame, code = numbers
    _, found = measure(Table(frame), code, 4)
    gaps = frame["gaps"].isna()
    for c in range(4):
        assert found.inside[3, c] == pytest.approx(gaps[code == c].mean())
        assert found.outside[3, c] == pytest.approx(gaps[code != c].mean())
        assert found.effect[3, c] == pytest.approx(found.inside[3, c] - found.outside[3, c])


def test_a_cluster_in_the_middle_has_a_range():
    rng = np.random.default_rng(0)
    code = np.repeat([0, 1, 2], 60)
    _, found = measure(Table(pd.DataFrame({"x": rng.normal(4.0 * code, 0.5)})), code, 3)
    assert found.way[0].tolist() == [-1, 0, 1]
    assert found.low[0, 1] > 0.5
    assert found.effect[0, [0, 2]] == pytest.approx([-1, 1])


def test_of_levels_the_one_that_differs_most():
    code = np.repeat([0, 1], 50)
    city = ["Berlin"] * 40 + ["Rome"] * 10 + ["Rome"] * 25 + ["Bern"] * 25
    features, found = measure(Table(pd.DataFrame({"city": city})), code, 2)
    assert [features[0].levels[level] for level in found.level[0]] == ["Berlin", "Berlin"]
    assert found.effect[0] == pytest.approx([0.8, -0.8])
    assert found.inside[0] == pytest.approx([0.8, 0.0])


def test_two_levels_are_told_by_the_frequent_one():
    code = np.repeat([0, 1], 50)
    sex = ["f"] * 45 + ["m"] * 5 + ["m"] * 40 + ["f"] * 10
    features, found = measure(Table(pd.DataFrame({"sex": sex})), code, 2)
    assert [features[0].levels[level] for level in found.level[0]] == ["f", "m"]


def test_sparse_effects_are_those_of_the_dense_matrix():
    rng = np.random.default_rng(5)
    dense = rng.poisson(0.4, (300, 6)) * rng.normal(1, 1, (300, 6))  # some below 0
    code = rng.integers(0, 3, 300)
    matrix = sp.csr_array(dense)
    matrix.data[:5] = 0  # stored zeros
    dense = matrix.toarray()
    _, found = measure(Table(matrix), code, 3)
    for f in range(6):
        for c in range(3):
            assert found.effect[f, c] == pytest.approx(
                brute_delta(dense[code == c, f], dense[code != c, f])
            )
            assert found.inside[f, c] == pytest.approx((dense[code == c, f] != 0).mean())


def test_nothing_is_said_of_constant_empty_or_different_values():
    rows = 40
    frame = pd.DataFrame(
        {
            "same": [1.5] * rows,
            "empty": [np.nan] * rows,
            "id": [f"c{k}" for k in range(rows)],
            "x": np.arange(rows),
        }
    )
    table = Table(frame)
    features, _ = measure(table, np.arange(rows) % 2, 2)
    assert [feature.name for feature in features] == ["x"]
    assert table.aside == {
        "same": "one value only",
        "empty": "all values are missing",
        "id": "nearly every value is different",
    }
