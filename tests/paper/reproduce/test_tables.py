import math

import pytest
from fake_results import fake_results, frame, row

from sentree.paper.reproduce.grid import EXPERIMENTS
from sentree.paper.reproduce.published import PRINTED
from sentree.paper.reproduce.tables import Place, Score, blocks, compare, our_values, scores

NAN = math.nan
YALE = Place("table1", "Yale", "pairs", 0.4, "SSE", "ARI")  # 37.12 in print
SE = Place("table1", "Yale", "none", 0.0, "SE", "ARI")  # 28.12
ONE_DECIMAL = Place("table1", "OpticalDigits", "pairs", 0.4, "SSE", "ARI")  # 77.6


def test_scores_by_hand():
    found = scores(
        frame(
            [
                row("Yale", "SSE", 36.0, draw=0),
                row("Yale", "SSE", 38.0, draw=1),
                row("Yale", "SSE", NAN, draw=2, note="failed: singular matrix"),
                row("Yale", "SSE", 60.0, draw=0, metric="NMI"),
                row("ORL", "SSE", NAN, note="over time: 9 s"),
                row("COIL20", "SSE", NAN),
            ]
        )
    )
    assert found[YALE] == Score(37.0, pytest.approx(math.sqrt(2)), 2, 1, "failed: singular matrix")
    one = found[YALE._replace(metric="NMI")]
    assert (one.mean, one.n, one.failed, one.note) == (60.0, 1, 0, "")
    assert math.isnan(one.sd)
    none = found[YALE._replace(dataset="ORL")]
    assert math.isnan(none.mean)
    assert (none.n, none.failed, none.note) == (0, 1, "over time: 9 s")
    assert found[YALE._replace(dataset="COIL20")].note == "failed"


def test_an_amount_of_a_figure_has_no_printed_figure():
    assert YALE.printed == "37.12"
    assert YALE._replace(amount=0.6).printed is None
    assert YALE._replace(method="sentree").printed is None


@pytest.mark.parametrize(
    ("mean", "sd", "n", "beyond"),
    [
        (38.11, 0.1, 10, False),  # less than a point
        (38.13, 0.1, 10, True),
        (36.11, 0.1, 10, True),
        (40.00, 3.3, 10, False),  # noise 2 * 3.3 * sqrt(0.2) = 2.95
        (40.10, 3.3, 10, True),
        (40.10, 3.3, 2, False),  # noise 2 * 3.3 * sqrt(0.6) = 5.1
    ],
)
def test_beyond_noise(mean, sd, n, beyond):
    found = compare(YALE, Score(mean, sd, n, 0, ""))
    assert found.judged
    assert found.beyond is beyond
    assert found.difference == pytest.approx(mean - 37.12)


@pytest.mark.parametrize(
    ("place", "mean", "beyond"),
    [
        (SE, 28.13, False),
        (SE, 28.1304, True),
        (SE, 28.109, True),
        (ONE_DECIMAL._replace(method="SE", constraint="none", amount=0.0), 69.89, False),
    ],
)
def test_without_chance_only_rounding_is_allowed(place, mean, beyond):
    assert compare(place, Score(mean, NAN, 1, 0, "")).beyond is beyond


def test_one_draw_cannot_be_judged():
    found = compare(YALE, Score(60.0, NAN, 1, 0, ""))
    assert not found.judged
    assert not found.beyond


def test_nothing_to_compare():
    assert compare(YALE, Score(NAN, NAN, 0, 3, "failed")) is None
    assert compare(YALE._replace(method="sentree"), Score(50.0, 1.0, 3, 0, "")) is None


def test_every_printed_figure_has_its_place():
    found = scores(fake_results(("table1", "table2", "table3"), draws=1))
    assert sum(place.printed is not None for place in found) == len(PRINTED)


def test_blocks_of_everything():
    found = blocks(scores(fake_results(draws=1)))
    names = [(block.table, block.constraint) for block in found]
    assert names == [
        ("table1", "pairs"),
        ("table1", "labels"),
        ("table2", "pairs"),
        ("table2", "labels"),
        ("table3", "pairs"),
    ]
    assert found[0].datasets == EXPERIMENTS["table1"].datasets
    assert found[0].methods[0] == ("none", "SE")  # in both groups, as in the paper
    assert found[1].methods[0] == ("none", "SE")
    assert found[4].methods[:2] == (("none", "SE"), ("none", "SpecWRSC"))


def test_blocks_of_a_part():
    rows = [row("ORL", "sentree", 1.0), row("Yale", "new", 1.0), row("Yale", "CMS", 1.0)]
    (block,) = blocks(scores(frame(rows)))
    assert block.datasets == ("Yale", "ORL")
    assert [method for _, method in block.methods] == ["CMS", "sentree", "new"]
    assert our_values([block], scores(frame(rows)), "ARI") == {
        "Yale": {"CMS": 1.0, "new": 1.0},
        "ORL": {"sentree": 1.0},
    }
    (alone,) = blocks([SE])
    assert alone.constraint == "none"
    assert blocks([]) == []
