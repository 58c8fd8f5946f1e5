import math

from fake_results import frame, row

from sentree.paper.reproduce.costs import Cost, Total, cost_section, costs, own_share, totals
from sentree.paper.reproduce.tables import blocks, scores
from sentree.report.as_markdown import as_markdown

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


def section(rows, folder):
    results = frame(rows)
    found = scores(results)
    return as_markdown(cost_section(blocks(found), found, results, folder)).splitlines()


def test_cost_beside_accuracy_by_hand(tmp_path):
    lines = section(
        [
            row("Yale", "SSE", 30.0, seconds=3.0, peak_memory=200.0),
            row("Yale", "sentree", 40.0, seconds=1.5, peak_memory=150.0),
            row("ORL", "SSE", 50.0, seconds=5.0, peak_memory=300.0),
            row("ORL", "sentree", 60.0, seconds=0.5, peak_memory=160.0),
            row("COIL20", "sentree", 70.0, seconds=100.0, peak_memory=900.0),
            row("COIL20", "SSE", math.nan, seconds=90.0, note="over time: 90 s"),
        ],
        tmp_path,
    )
    assert "| SSE | 40.00 | 8.00 | 4.0 | 300 |" in lines  # without COIL20, which one did not finish
    assert "| **sentree** | **50.00** | 2.00 | 1.0 | 160 |" in lines
    assert "| SSE | 3.00 ×2.0 | 5.00 ×10 | – | 8.00 (2 sets) |" in lines
    assert "| **sentree** | 1.50 ×1.0 | 0.500 ×1.0 | 100 ×1.0 | 102 |" in lines
    assert "| SSE | 200 | 300 | – | 300 |" in lines
    assert "| **sentree** | 102 | 51.0 % | 3 | 0 | 900 |" in lines
    assert "| SSE | 98.0 | 49.0 % | 3 | 1 | 300 |" in lines
    assert (tmp_path / "trade_off.png").exists()


def test_figures_alone_have_costs_but_nothing_beside_them(tmp_path):
    rows = [
        row("Yale", "SSE", 30.0, seconds=3.0, table="fig2"),
        row("Yale", "CMS", 30.0, seconds=1.0, table="fig2"),
    ]
    lines = section(rows, tmp_path)
    assert "| SSE | 3.00 ×– | 3.00 |" in lines  # no sentree to compare with
    assert not any("Accuracy and cost" in line for line in lines)
    assert not list(tmp_path.iterdir())


def test_no_costs_of_nothing(tmp_path):
    assert section([], tmp_path) == [""]
