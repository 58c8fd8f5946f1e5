import math
import os
import re
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest
from fake_results import MANIFEST, fake_results, frame, row

from page import Page
from sentree.paper.reproduce.accuracy import block_section
from sentree.paper.reproduce.summary import wins
from sentree.paper.reproduce.tables import blocks, scores
from sentree.paper.reproduce.write_up import write_report
from sentree.report.as_markdown import as_markdown

pytestmark = pytest.mark.slow
NAN = math.nan
PICTURES = ("fig2_clustering", "fig2_rna", "fig3", "ranks", "trade_off")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report") / "new"
    before = dict(mpl.rcParams)
    assert write_report(fake_results(draws=5), MANIFEST, folder) == folder / "report.html"
    assert dict(mpl.rcParams) == before
    return folder


def table_rows(results, protocol="same"):
    """The rows of all tables of a hand-made frame, cells split, and the lines of the lists."""
    found = scores(results)
    text = "\n".join(as_markdown(block_section(block, found, protocol)) for block in blocks(found))
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return rows, [line for line in text.splitlines() if line.startswith("- ")]


def test_all_files_and_nothing_else(whole):
    names = {f"{name}{end}" for name in PICTURES for end in (".png", ".svg")}
    assert set(os.listdir(whole)) == names | {"report.md", "report.html"}


def test_pictures_are_large_enough_and_have_text(whole):
    for name in PICTURES:
        png = (whole / f"{name}.png").read_bytes()
        assert png.startswith(b"\x89PNG")
        assert int.from_bytes(png[16:20], "big") > 1200  # pixels
        assert "<text" in (whole / f"{name}.svg").read_text(encoding="utf-8")
    assert "sentree</text>" in (whole / "fig3.svg").read_text(encoding="utf-8")


def test_html_is_well_formed_and_alone(whole):
    text = (whole / "report.html").read_text(encoding="utf-8")
    tree = Page(text)
    assert len(tree.ids) == len(set(tree.ids))
    inside = [link for link in tree.links if link.startswith("#")]
    assert {link[1:] for link in inside} == set(tree.ids)
    data = [link for link in tree.links if not link.startswith("#")]
    assert len(data) == len(PICTURES)
    assert all(link.startswith("data:image/svg+xml;base64,") for link in data)
    assert "://" not in text
    assert text.count("<script") == 1
    assert "url(" not in text


def test_html_and_markdown_say_the_same(whole):
    html = Page((whole / "report.html").read_text(encoding="utf-8")).text
    markdown = (whole / "report.md").read_text(encoding="utf-8")
    plain = re.sub(r"<sup>|</sup>|\\|\*\*|`", "", markdown).replace("&lt;", "<")
    for line in plain.splitlines():
        if line.startswith("- "):
            assert line[2:] in html
    lines = [line.split(" | ") for line in plain.splitlines() if line.startswith("| ")]
    figures = [cell for line in lines for cell in line if "±" in cell]
    assert len(figures) == 9 * 12 * 2 + 4 * 6 * 3 - 2
    assert all(figure in html for figure in figures)


def test_the_same_results_give_the_same_files(tmp_path):
    results = fake_results(("table1", "fig2"), 2, ["Yale", "ORL"], ["SE", "SSE", "sentree"])
    first, second = tmp_path / "first", tmp_path / "second"
    write_report(results, MANIFEST, first)
    write_report(results, MANIFEST, second)
    for name in os.listdir(first):
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_summary_counts(whole):
    text = (whole / "report.md").read_text(encoding="utf-8")
    first = re.search(
        r"Of 254 printed figures (\d+) were run again: (\d+) are within noise, (\d+)", text
    )
    compared, within, beyond = map(int, first.groups())
    assert compared == 252  # CMS failed on one data set, two metrics
    assert within + beyond == compared
    assert "2 more failed in every draw" in text
    section = text.partition("### Beyond noise")[2].partition("## How")[0]
    assert sum(map(int, re.findall(r", (\d+) figures?: ", section))) == beyond


def test_a_table_by_hand():
    rows, notes = table_rows(
        frame(
            [
                row("Yale", "SE", 28.12, constraint="none", amount=0.0),
                row("Yale", "SSE", 36.0, draw=0),
                row("Yale", "SSE", 38.0, draw=1),
                row("Yale", "sentree", 50.0, draw=0),
                row("Yale", "sentree", 51.0, draw=1),
                row("Yale", "CMS", 20.0, draw=0),
                row("Yale", "CMS", 20.1, draw=1),
            ]
        )
    )
    assert rows == [
        ["method", "Yale ours", "Yale published", "mean rank ours", "mean rank published"],
        ["---", "--:", "--:", "--:", "--:"],
        ["SE", "28.12", "28.12", "3.00", "2.00"],
        ["CMS", "20.05 ± 0.07<sup>↑a</sup>", "07.06", "4.00", "3.00"],
        ["SSE", "37.00 ± 1.41", "**37.12**", "2.00", "1.00"],
        ["**sentree**", "**50.50** ± 0.71", "–", "1.00", "–"],
    ]
    (note,) = notes
    assert note.startswith(
        "- **a** **CMS** (Yale ARI +13.0): Published with constraints of its own"
    )


def test_failures_are_told_and_one_draw_has_no_spread():
    rows, notes = table_rows(
        frame(
            [
                row("Yale", "SSE", 90.0),
                row("Yale", "CMS", NAN, note="over time: 9 s"),
                row("Yale", "PCPSNMF", 20.0, draw=0),
                row("Yale", "PCPSNMF", 21.0, draw=1),
                row("Yale", "PCPSNMF", NAN, draw=2, note="failed: NaN in X"),
                row("ORL", "SSE", 65.0),
            ]
        )
    )
    table = {line[0]: line[1:] for line in rows}
    assert table["SSE"][:3] == ["**90.00** ± – n=1", "**37.12**", "**65.00** ± – n=1"]
    assert table["CMS"][0] == "over time<sup>c</sup>"
    assert table["CMS"][2] == "not run"
    assert table["PCPSNMF"][0].startswith("20.50 ± 0.71<sup>↓")
    assert any("some draws did not finish (failed: NaN in X)" in note for note in notes)
    assert any(note.endswith("**CMS**: over time: 9 s") for note in notes)


def test_a_difference_without_a_reason_says_so():
    rows = [row("Yale", "SE", 40.0, constraint="none", amount=0.0), row("Yale", "SSE", 37.0)]
    _, notes = table_rows(frame(rows))
    assert notes == ["- **a** **SE** (Yale ARI +11.9): no known reason"]


def test_wins_by_hand():
    results = frame(
        [
            row("Yale", "SSE", 36.0),
            row("Yale", "sentree", 37.0),  # above SSE here, below SSE in print
            row("ORL", "SSE", 90.0),
            row("ORL", "sentree", 70.0),  # above print (65.42), below SSE here
            row("COIL20", "sentree", 80.0),  # alone here, above print
            row("Isolet1", "sentree", NAN),
            row("Isolet1", "SSE", 10.0),
        ]
    )
    (block,) = blocks(scores(results))
    assert wins(block, scores(results)) == (1, 2, 2, 3)


@pytest.mark.parametrize(
    "choice",
    [
        {"draws": 1, "datasets": ["ORL", "wine"]},
        {"names": ("table1",), "draws": 2, "datasets": ["Yale"], "methods": ["SE"]},
        {"names": ("table2", "fig2"), "draws": 2, "datasets": ["10X_PBMC"]},
        {"names": ("table3", "fig3"), "draws": 3, "datasets": ["wine"]},
        {"names": ("fig2",), "draws": 1, "datasets": ["Yale", "ORL"]},
    ],
)
def test_parts_of_the_grid(choice, tmp_path):
    write_report(fake_results(**choice), {"protocol": "paper"}, tmp_path)
    Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "nan" not in (tmp_path / "report.md").read_text(encoding="utf-8").lower()


def test_no_diagram_of_too_little(tmp_path):
    write_report(fake_results(("table1",), 2, ["Yale"]), {}, tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "no diagram, for which three methods and two data sets are needed" in text
    assert not (tmp_path / "ranks.png").exists()


def test_everything_failed(tmp_path):
    lost = {
        "value": NAN,
        "note": "failed: <b>|x|</b> *y*\nline",
        "seconds": NAN,
        "peak_memory": NAN,
    }
    results = fake_results(draws=1).assign(**lost)
    write_report(results, {"cpu": "<i>fast</i> | `one`"}, tmp_path)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<b>" not in html
    assert "<i>" not in html
    tree = Page(html)
    assert "failed: <b>|x|</b> *y*\nline" in tree.text
    assert "<i>fast</i> | `one`" in tree.text
    markdown = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert r"failed: &lt;b>\|x\|&lt;/b> \*y\* line" in markdown


def test_nothing_at_all(tmp_path):
    write_report(fake_results(draws=1).iloc[:0], {}, tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["report.html", "report.md"]
    assert "No printed figure is among" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_every_picture_of_a_method_looks_alike_and_unlike_the_others():
    from sentree.paper.reproduce.figures import _STYLE
    from sentree.paper.reproduce.grid import EXPERIMENTS

    for experiment in EXPERIMENTS.values():
        none, *kinds = experiment.methods.values()
        for kind in kinds:
            colours = [_STYLE[method].colour for method in (*none, *kind)]
            assert len(set(colours)) == len(colours)
    assert len(set(_STYLE.values())) == len(_STYLE)


def test_importing_is_cheap_and_pyplot_is_left_alone():
    code = (
        "import sys, sentree.paper.reproduce.write_up\n"
        "heavy = {'pandas', 'matplotlib', 'sklearn', 'scipy.stats'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "from sentree.paper.reproduce.figures import rank_diagrams\n"
        "from sentree.paper.reproduce.ranks import ranking\n"
        "rank_diagrams({'x': ranking({n: {'a': 1., 'b': 2., 'c': 3.} for n in 'xy'}, 'abc')})\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    path = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", code], check=False, env=environment)
    assert done.returncode == 0


def test_an_old_report_stays_when_writing_fails(tmp_path, monkeypatch):
    write_report(fake_results(draws=1).iloc[:0], {}, tmp_path)
    before = (tmp_path / "report.md").read_bytes()

    def broken(self, *args, **kwargs):
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_bytes", broken)
    with pytest.raises(OSError, match="no space left"):
        write_report(fake_results(draws=1).iloc[:0], {"a": 1}, tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["report.html", "report.md"]
    assert (tmp_path / "report.md").read_bytes() == before
