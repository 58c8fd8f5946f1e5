import math

from fake_results import frame, row

from sentree.paper.reproduce.costs import Cost, Total, costs, own_share, totals

RESULTS = frame(
    [
        # one run, shown by a table and a figure, scored twice
        row("Yale", "SSE", 37.0, seconds=2.0, peak_memory=50.0),
        row("Yale", "SSE", 61.0, seconds=2.0, peak_memory=50.0, metric="NMI"),
        row("Yale", "SSE", 37.0, seconds=2.0, peak_memory=50.0, table="fig2"),
        row("Yale", "SSE", 37.0, seconds=4.0, peak_memory=70.0, draw=1),
        row("Yale", "SSE", 45.0, seconds=9.0, table="fig2", amount=0.8),
        row("Yale", "CMS", 10.0, seconds=30.0, draw=0),
        row("Yale", "CMS", math.nan, seconds=90.0, draw=1, note="over time: 90 s"),
        row("Yale", "SE", 28.0, seconds=1.0, constraint="none", amount=0.0),
        row("Yale", "SSE", 33.0, seconds=7.0, constraint="labels", amount=0.2),
    ]
)


def test_a_run_is_counted_once_and_only_at_the_amount_of_the_tables():
    assert costs(RESULTS, ["Yale"], "pairs") == {
        ("Yale", "SSE"): Cost(3.0, 70.0),
        ("Yale", "CMS"): Cost(30.0, 100.0),
        ("Yale", "SE"): Cost(1.0, 100.0),
    }
    assert costs(RESULTS, ["Yale"], "labels")["Yale", "SSE"].seconds == 7.0
    assert costs(RESULTS, ["ORL"], "pairs") == {}


def test_totals_count_everything_the_most_expensive_first():
    found = totals(RESULTS)
    assert list(found) == ["CMS", "SSE", "SE"]
    assert found["CMS"] == Total(120.0, 100.0, 2, 1)
    assert found["SSE"] == Total(22.0, 100.0, 4, 0)
    assert own_share(found) == 23.0 / 143.0


def test_nothing_was_spent():
    assert totals(RESULTS.iloc[:0]) == {}
    assert own_share({}) == 0.0
