"""The section of the report that tells what makes each cluster."""

import numpy as np
import pandas as pd
import pytest

from sentree import SSEPartition
from sentree.report.as_html import as_html
from sentree.report.blocks import Bullets, Heading, Paragraph, Picture, Table, spans
from sentree.report.pictures import Pictures
from sentree.report.profiles import profile_section
from sentree.report.subject import Subject


@pytest.fixture(scope="module")
def section():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], [60, 40])
    frame = pd.DataFrame(rng.normal(8.0 * group[:, None], 1, (100, 2)), columns=["size", "<b>"])
    model = SSEPartition(n_clusters=2).fit(frame)
    frame["city"] = np.where(group == 0, "Bern", "Rome")
    pictures = Pictures()
    subject = Subject(model, [f"c{k}" for k in range(100)])
    return profile_section(subject, pictures, model.profile(frame)), pictures


def test_a_picture_then_each_cluster(section):
    document, pictures = section
    assert isinstance(document[0], Picture)
    assert list(pictures) == ["profile"]
    titles = [block.text for block in document if isinstance(block, Heading)]
    assert titles == ["Cluster 0: 60 samples, 60 %", "Cluster 1: 40 samples, 40 %"]
    sentence = document[2]
    assert isinstance(sentence, Paragraph)
    assert sentence.text.startswith("Low size (median 0")
    assert "Low <b> (median" in sentence.text.replace("low <b>", "Low <b>")


def test_the_table_the_rule_and_the_rows(section):
    document, _ = section
    table = next(block for block in document if isinstance(block, Table))
    assert {row[0] for row in table.rows} == {"size", "<b>", "city = Bern"}
    city = next(row for row in table.rows if row[0].startswith("city"))
    assert city[1:4] == ["more often", "100 %", "0 %"]
    assert city[4].startswith("+1.00 (+0.")
    told = next(block for block in document if isinstance(block, Bullets)).items
    lines = ["".join(span.text for span in spans(item)) for item in told]
    assert lines[0].startswith("Rule: ")
    assert "100 % of the rows it picks" in lines[0]
    assert [line.partition(": c")[0] for line in lines[1:]] == [
        "Typical samples",
        "Unusual samples",
    ]


def test_it_says_how_to_read_it_and_is_escaped(section):
    document, pictures = section
    assert "they do not test" in document[-1].text
    assert "place 100 % of the samples right" in document[-1].text
    text = as_html([Heading(1, "x"), *document], pictures.__getitem__)
    assert "&lt;b&gt;" in text
    assert "<b>" not in text
