import math

from fake_results import frame, row

from sentree.paper.reproduce.spending import cost_section
from sentree.paper.reproduce.tables import blocks, scores
from sentree.report.as_markdown import as_markdown

NAN = math.nan


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
            row("COIL20", "SSE", NAN, seconds=90.0, note="over time: 90 s"),
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
