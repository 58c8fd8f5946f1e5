"""Documents as HTML and Markdown: the blocks that the reports of models need."""

from page import Page
from sentree.report.as_html import as_html
from sentree.report.as_markdown import as_markdown
from sentree.report.blocks import Facts, Folded, Heading, Paragraph, Span, Table, counted

COLUMNS = [("", "sample"), ("", "said"), ("", "count")]
DOCUMENT = [
    Heading(1, "A <title>"),
    Facts([("1,797", "samples"), ("10 %", "of <all>")]),
    Heading(2, "Rest"),
    Folded(
        "More | of it",
        [
            Paragraph([Span("inside")]),
            Table([], COLUMNS, [[[Span("a")], [Span("b & c")], [Span("3")]]], words=(1,)),
        ],
    ),
]


def test_html():
    text = as_html(DOCUMENT, lambda name: b"")
    page = Page(text)
    assert "<dt>of &lt;all&gt;</dt><dd>10 %</dd>" in text
    assert "<summary>More | of it</summary>\n<p>inside</p>" in text
    assert page.tags.index("details") < page.tags.index("table")
    assert '<th scope="col" class="words">said</th><th scope="col">count</th>' in text
    assert '<th scope="row">a</th><td class="words">b &amp; c</td><td>3</td>' in text
    assert page.links == ["#rest"]


def test_markdown():
    text = as_markdown(DOCUMENT)
    assert "- samples: 1,797\n- of &lt;all>: 10 %" in text
    assert "**More \\| of it**\n\ninside\n" in text
    assert "| sample | said | count |\n| --- | --- | --: |\n| a | b &amp; c | 3 |" in text


def test_counted():
    assert [counted(n, "cell") for n in (0, 1, 1200)] == ["0 cells", "1 cell", "1,200 cells"]
