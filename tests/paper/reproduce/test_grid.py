import pytest

from sentree.datasets import PAPER_SETS
from sentree.paper.reproduce.grid import AMOUNTS, EXPERIMENTS, Cell, cells, is_in, place
from sentree.paper.reproduce.methods import METHODS
from sentree.paper.reproduce.published import PRINTED, REASONS, published, reasons


def test_tables_have_the_sets_and_methods_of_the_paper():
    found = cells(["table1", "table2", "table3"], draws=1)
    assert {cell.dataset for cell in found} == set(PAPER_SETS)
    assert {cell.method for cell in found} == set(METHODS)
    # 9 sets: SE, 6 methods with pairs and 6 with labels; 4 sets: SE, SpecWRSC and 5 with pairs
    assert len(found) == 9 * 13 + 4 * 7


def test_deterministic_rows_have_one_draw():
    found = cells(["table1"], draws=4, datasets=["Yale"])
    assert sum(cell.method == "SE" for cell in found) == 1
    assert sum(cell.method == "CMS" for cell in found) == 4


def test_figures_share_the_cells_of_the_tables():
    tables = cells(["table1", "table2", "table3"], draws=2)
    everything = cells(EXPERIMENTS, draws=2)
    figures = cells(["fig2", "fig3"], draws=2)
    assert len(everything) == len(set(everything)) < len(tables) + len(figures)
    cell = Cell("Yale", "pairs", 0.4, "SSE", 1)
    assert [name for name in EXPERIMENTS if is_in(cell, name)] == ["table1", "fig2"]
    more = cell._replace(amount=0.6)
    assert [name for name in EXPERIMENTS if is_in(more, name)] == ["fig2"]
    labels = cell._replace(constraint="labels", amount=0.2)
    assert [name for name in EXPERIMENTS if is_in(labels, name)] == ["table1"]


def test_cells_can_be_chosen_and_are_in_order():
    found = cells(["fig2"], draws=2, datasets=["ORL", "Yale"], methods=["SSE", "SE"])
    assert {cell.method for cell in found} == {"SSE", "SE"}
    assert [place(cell) for cell in found] == sorted(place(cell) for cell in found)
    assert found[0] == Cell("Yale", "none", 0.0, "SE", 0)
    assert len(found) == 2 * (1 + 5 * 2)


def test_every_printed_figure_has_its_cell():
    for entry in PRINTED:
        experiment = EXPERIMENTS[entry.table]
        assert entry.dataset in experiment.datasets
        assert entry.method in experiment.methods[entry.constraint]
        assert entry.metric in experiment.metrics


@pytest.mark.parametrize(
    ("place_of_it", "value"),
    [
        (("table1", "Yale", "none", "SE", "ARI"), 28.12),
        (("table1", "OpticalDigits", "labels", "SC-MPI", "NMI"), 93.41),
        (("table2", "human_kidney", "none", "SE", "NMI"), 72.86),
        (("table2", "10X_PBMC", "pairs", "CMS", "ARI"), 8.58),
        (("table2", "human_kidney", "labels", "SSE", "NMI"), 78.23),
        (("table3", "australian", "none", "SpecWRSC", "ARI"), -0.78),
        (("table3", "wine", "pairs", "SSE", "DP"), 92.9),
        (("table1", "OpticalDigits", "pairs", "SSE", "NMI"), None),
        (("table3", "wine", "pairs", "COBRAS", "DP"), None),
    ],
)
def test_printed_figures(place_of_it, value):
    assert published(*place_of_it) == value


def test_reasons_fit_their_cell():
    assert {reason.method for reason in REASONS} <= set(METHODS)
    assert any("72.86" in text for text in reasons("SE", "human_kidney", "none", "same"))
    assert reasons("SE", "Yale", "none", "same") == []
    same, paper = (reasons("OneStepPCP", "ORL", "pairs", each) for each in ("same", "paper"))
    assert same != paper
    assert len(same) == len(paper) == 1


def test_costly_methods_are_in_the_figure_when_they_are_named():
    usual = {(cell.method, cell.amount) for cell in cells(["fig2"], draws=1)}
    assert ("CMS", 0.4) in usual
    assert ("CMS", 0.8) not in usual
    assert ("SC-MPI", 0.8) in usual
    named = {(cell.method, cell.amount) for cell in cells(["fig2"], draws=1, methods=["CMS"])}
    assert named == {("CMS", amount) for amount in AMOUNTS}
