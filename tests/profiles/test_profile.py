import json

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import sentree
from sentree import SSEPartition
from sentree.profiles.columns import Column
from sentree.profiles.words import Units, percent


@pytest.fixture(scope="module")
def people():
    """Three clusters of 80: rich Berliners, late comers, and one that nothing sets apart."""
    rng = np.random.default_rng(1)
    labels = np.repeat(["rich", "late", "other"], 80)
    rich, late = labels == "rich", labels == "late"
    frame = pd.DataFrame(
        {
            "income": rng.normal(31_000, 4_000, 240) + 43_000 * rich,
            "city": np.where(rich & (rng.random(240) < 0.9), "Berlin", rng.choice(list("AB"), 240)),
            "since": pd.Timestamp("2015-01-01")
            + pd.to_timedelta(rng.integers(0, 900, 240) + 1500 * late, unit="D"),
            "newsletter": rng.random(240) < np.where(late, 0.9, 0.2),
            "noise": rng.normal(size=240),
            "age": np.where(late & (rng.random(240) < 0.7), np.nan, rng.integers(20, 70, 240)),
        }
    )
    return frame, labels


@pytest.fixture(scope="module")
def found(people):
    return sentree.profile(*people)


def test_planted_differences_are_found(found):
    assert [one.cluster for one in found.clusters] == ["late", "other", "rich"]
    assert {x.feature for x in found["rich"].telling[:2]} == {"income", "city"}
    assert found["rich"].sentence.startswith("high income (median 74,000 against 31,000)")
    assert "mostly city = Berlin (9" in found["rich"].sentence
    late = {x.feature for x in found["late"].telling}
    assert {"since", "newsletter", "age is missing"} <= late
    assert "late since (median 2020-" in found["late"].sentence
    assert not any(x.feature == "noise" for one in found.clusters for x in one.telling)


def test_traits_are_ordered_and_telling_ones_leave_out_zero(found):
    for one in found.clusters:
        sizes = [abs(x.effect) for x in one.telling]
        assert sizes == sorted(sizes, reverse=True)
        assert all(x.low > 0 or x.high < 0 for x in one.telling)


def test_rules_name_the_clusters_with_round_numbers(found):
    rule = found["rich"].rule
    assert str(rule) == "income > 50,000"
    assert rule.precision == rule.recall == 1
    assert found["late"].rule.precision > 0.9
    assert 0.9 < found.accuracy <= 1
    assert found.chance == pytest.approx(1 / 3)


def test_rows_are_typical_and_unusual(people, found):
    frame, labels = people
    for one in found.clusters:
        assert len(one.typical) == len(one.unusual) == 3
        assert (labels[list(one.typical + one.unusual)] == one.cluster).all()
        assert not set(one.typical) & set(one.unusual)
    income = frame["income"][list(found["rich"].typical)]
    assert ((income > 68_000) & (income < 80_000)).all()
    strength = np.linspace(0, 1, 240)
    held = sentree.profile(frame, labels, strength=strength, ids=[f"p{k}" for k in range(240)])
    assert held["late"].unusual == (80, 81, 82)
    assert held.row_name(80) == "p80"


def test_noise_explains_nothing():
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(400, 30))).add_prefix("x")
    frame["kind"] = rng.choice(list("abcdefgh"), 400)
    noise = sentree.profile(frame, rng.integers(0, 4, 400))
    for one in noise.clusters:
        assert not one.telling
        assert one.rule is None
        assert not one.explained
        assert one.sentence == "no feature explains this cluster"
    assert np.isnan(noise.accuracy)


def test_wide_noise_with_few_rows_explains_nothing():
    rng = np.random.default_rng(0)
    noise = sentree.profile(rng.normal(size=(60, 2000)), np.arange(60) % 3)
    assert not any(one.explained for one in noise.clusters)
    assert all(len(one.traits) == 30 for one in noise.clusters)


def test_one_cluster_and_a_cluster_of_one_row():
    frame = pd.DataFrame({"x": np.arange(20.0), "kind": ["a", "b"] * 10})
    alone = sentree.profile(frame, np.zeros(20, dtype=int))
    assert alone[0].sentence == "the only cluster: there is nothing to compare it with"
    assert not alone[0].telling
    assert alone[0].rule is None
    single = sentree.profile(frame, [0] * 19 + [1])
    assert single[1].size == 1
    assert not single[1].explained
    assert single[1].typical == (19,)
    assert single[1].unusual == ()


def test_a_category_with_a_thousand_levels():
    rng = np.random.default_rng(4)
    labels = np.repeat([0, 1], 2500)
    level = rng.integers(0, 1000, 5000)
    level[:2500:3] = 7
    many = sentree.profile(pd.DataFrame({"shop": [f"s{k}" for k in level]}), labels)
    assert many[0].telling[0].level == "s7"
    assert many[0].sentence == "more often shop = s7 (33 % against < 1 %)"


def test_equal_medians_give_way_to_means():
    labels = np.repeat([0, 1], 100)
    counts = np.concatenate([np.repeat([2, 3], [80, 20]), np.repeat([1, 2], [40, 60])])
    few = sentree.profile({"children": counts}, labels)
    assert few[0].sentence == "high children (mean 2.2 against 1.6)"


def test_shares_are_of_all_rows_also_where_values_are_missing():
    labels = np.repeat([0, 1], 100)
    city = np.where(labels == 0, "Bern", "Rome").astype(object)
    city[:90] = None
    gaps = sentree.profile({"city": city, "member": np.where(city == None, None, True)}, labels)  # noqa: E711
    assert [x.inside for x in gaps[1].traits if x.feature == "city"] == ["100 %"]
    assert [x.outside for x in gaps[1].traits if x.feature == "city"] == ["0 %"]
    assert [x.inside for x in gaps[0].traits if x.feature == "city is missing"] == ["90 %"]
    assert gaps[0].sentence.count("city") == 1


def test_columns_that_say_nothing_are_set_aside():
    frame = pd.DataFrame({"same": [1] * 30, "empty": [None] * 30, "x": range(30)})
    assert list(sentree.profile(frame, [0, 1] * 15).aside) == ["same", "empty"]
    nothing = sentree.profile(frame[["same", "empty"]], [0, 1] * 15)
    assert nothing[0].traits == ()
    assert nothing.to_frame().empty


def test_rows_without_a_cluster_are_left_out(people):
    frame, labels = people
    some = np.where(labels == "other", None, labels)
    partly = sentree.profile(frame, some)
    assert partly.n == 160
    assert len(partly) == 2
    assert partly.row_name(partly["late"].typical[0]) in map(str, range(80, 160))


def test_two_clusters_against_each_other(people, found):
    pair = found.compare("rich", "late")
    assert [one.cluster for one in pair.clusters] == ["rich", "late"]
    frame, labels = people
    rich, late = frame["income"][labels == "rich"], frame["income"][labels == "late"]
    delta = np.sign(np.subtract.outer(rich.to_numpy(), late.to_numpy())).mean()
    income = next(x for x in pair["rich"].traits if x.feature == "income")
    assert income.effect == pytest.approx(delta)
    assert int(pair.row_name(pair["late"].typical[0])) in range(80, 160)
    with pytest.raises(ValueError, match="cannot be compared with itself"):
        found.compare("rich", "rich")
    with pytest.raises(KeyError, match="there is no cluster 'poor'; there are late, other, rich"):
        found.compare("rich", "poor")


def test_the_frame_has_a_row_for_each_cluster_and_feature(found):
    table = found.to_frame()
    assert len(table) == 3 * 7  # six columns, and one with gaps
    assert table["effect"].abs().le(1).all()
    row = table[(table.cluster == "rich") & (table.feature == "income")].iloc[0]
    assert row.direction == "high"
    assert row.telling
    assert row.inside_value > 70_000 > 40_000 > row.outside_value


def test_all_of_it_is_json_text_and_html(found):
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["clusters"][2]["rule"]["conditions"] == ["income > 50,000"]
    assert told["clusters"][0]["features"][0]["telling"] is True
    assert "rule: income > 50,000" in str(found)
    assert found.note in str(found)
    assert "income &gt; 50,000" in found._repr_html_()


def test_same_input_same_profile(people, found):
    assert sentree.profile(*people).to_dict() == found.to_dict()


def test_of_models(people):
    frame, _ = people
    X = frame[["income", "noise"]].assign(income=frame["income"] / 10_000)
    model = SSEPartition(n_clusters=2).fit(X, [0] * 3 + [-1] * 234 + [1] * 3)
    own = model.profile()
    assert own.clusters[0].traits[0].feature == "income"
    assert own.clusters[0].name == "0: 0"
    other = model.profile(frame)
    assert {x.feature for x in other.clusters[0].telling} >= {"income", "city"}
    bare = SSEPartition(n_clusters=2, affinity="precomputed").fit(model.graph_)
    with pytest.raises(ValueError, match=r"no table of its samples.*model\.profile\(X\)"):
        bare.profile()
    assert len(bare.profile(frame)) == 2


def test_sparse_amounts():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 100)
    X = sp.random_array((200, 50), density=0.1, rng=rng, format="lil")
    X[:80, 3] = 2.5
    words = sentree.profile(X.tocsr(), labels)
    assert words[0].telling[0].feature == "x3"
    assert words[0].sentence.startswith("much x3 (in 8")
    assert str(words[0].rule).startswith("x3 > ")


def test_what_is_wrong_is_said():
    frame = pd.DataFrame({"x": range(4)})
    with pytest.raises(ValueError, match=r"labels has shape \(3,\), but the table has 4 rows"):
        sentree.profile(frame, [0, 1, 1])
    with pytest.raises(ValueError, match="ids are 2 for 4 rows"):
        sentree.profile(frame, [0, 0, 1, 1], ids=["a", "b"])
    with pytest.raises(ValueError, match="strength has shape"):
        sentree.profile(frame, [0, 0, 1, 1], strength=[1.0])
    with pytest.raises(ValueError, match="no row has a cluster"):
        sentree.profile(frame, [None] * 4)


def written(values, *what):
    units = Units.of(Column("x", "number", np.asarray(values, dtype=float)))
    return [units.text(value) for value in what]


def test_numbers_as_people_write_them():
    rng = np.random.default_rng(0)
    assert written(rng.normal(50_000, 15_000, 500), 74_213.3, 31_002) == ["74,000", "31,000"]
    assert written(np.exp(rng.normal(3, 2, 500)), 31.72, 0.5123, 12_345) == ["32", "0.51", "12,345"]
    assert written(rng.normal(size=500), -1.234, 0.001) == ["−1.23", "0"]
    assert written([1999, 2005, 2019, 2024], 2019) == ["2019"]
    assert written([1, 2, 3, 4], 2.5, 3) == ["2.5", "3"]
    assert written([0.1, 0.2, 1.4], 0.2, 0.75) == ["0.2", "0.75"]
    assert written([2.0, 2.0], 2.0, np.nan) == ["2", "–"]
    dates = np.arange(3) * 86_400.0 * 900
    units = Units.of(Column("since", "date", dates))
    assert units.text(86_400 * 45.0) == "1970-02"


def test_shares():
    shares = [percent(x) for x in (0, 0.004, 0.12, 0.996, 1)]
    assert shares == ["0 %", "< 1 %", "12 %", "99 %", "100 %"]


def test_values_far_away_do_not_make_a_fine_grid():
    units = Units("number", spread=1.0)
    assert len(units.grid(0.0, 1e12)) < 1000
    assert len(units.grid(0.0, 0.9)) == 10


def test_dates_beyond_nanoseconds():
    ends = np.array(["2020-01-01", "9999-12-31"] * 20, dtype="datetime64[us]")
    told = sentree.profile(pd.DataFrame({"end": ends}), [0, 1] * 20)[1].sentence
    assert "late end (median 9999-12" in told


def test_numbers_keep_their_units():
    paid = [f"€ {12 + k:,}" for k in range(50)] + [f"€ {1500 + k:,}" for k in range(50)]
    off = [f"{20 + k % 3} %" for k in range(50)] + [f"{5 + k % 3} %" for k in range(50)]
    told = str(sentree.profile(pd.DataFrame({"paid": paid, "off": off}), [0] * 50 + [1] * 50))
    assert "high paid (median € 1,52" in told
    assert "low off (median 6 % against 21 %)" in told
