"""The section of the report that tells what makes each cluster."""

import numpy as np
import pandas as pd
import pytest

from sentree import SSEPartition
from sentree.report.as_html import as_html
from sentree.report.blocks import Bullets, Heading, Paragraph, Table, spans
from sentree.report.profiles import profile_section
from sentree.report.subject import Subject


@pytest.fixture(scope="module")
def section():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], [60, 40])
    frame = pd.DataFrame(rng.normal(8.0 * group[:, None], 1, (100, 2)), columns=["size", "<b>"])
    model = SSEPartition(n_clusters=2).fit(frame)
    frame["city"] = np.where(group == 0, "Bern", "Rome")
    subject = Subject(model, [f"c{k}" for k in range(100)])
    return profile_section(subject, model.profile(frame))


def plain(text):
    return "".join(span.text for span in spans(text))


def test_all_clusters_then_each_one(section):
    compared, cards, _ = section
    assert compared.columns[0] == "cluster"
    assert set(compared.columns[1:]) == {"size", "<b>", "city"}
    assert [plain(row[0]) for row in compared.rows] == ["0", "1"]
    (cell,) = compared.rows[0][list(compared.columns).index("city")]
    assert (cell.text, cell.style, cell.share) == ("Bern 100 %", "heat", 0.6)  # an effect of 1
    assert [plain(card.title) for card in cards.items] == [
        "cluster 0 60 rows, 60 %",
        "cluster 1 40 rows, 40 %",
    ]
    assert len({card.colour for card in cards.items}) == 2
    sentence = cards.items[0].inside[0]
    assert isinstance(sentence, Paragraph)
    assert sentence.text.startswith("Low size (median 0")
    assert "Low <b> (median" in sentence.text.replace("low <b>", "Low <b>")


def test_the_table_the_rule_and_the_rows(section):
    inside = section[1].items[0].inside
    table = next(block for block in inside if isinstance(block, Table))
    rows = [[plain(cell) for cell in row] for row in table.rows]
    assert {row[0] for row in rows} == {"size lower", "<b> lower", "city = Bern more often"}
    city = next(row for row in rows if row[0].startswith("city"))
    assert city[1:3] == ["100 %", "0 %"]
    assert city[3].startswith("+1.00 (+0.")
    told = next(block for block in inside if isinstance(block, Bullets)).items
    lines = [plain(item) for item in told]
    assert lines[0].startswith("Rule: ")
    assert "100 % of the rows it picks" in lines[0]
    assert [line.partition(": c")[0] for line in lines[1:]] == ["Typical rows", "Unusual rows"]


def test_it_says_how_to_read_it_and_is_escaped(section):
    told = section[-1].inside[0].text
    assert "they do not test" in told
    assert "place 100 % of the samples right" in told
    text = as_html([Heading(1, "x"), *section], lambda name: b"")
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
