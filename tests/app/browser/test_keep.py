"""What is kept: files in, projects through a crash, several tabs, exports out."""

import csv
import io
import signal

import numpy as np
import pytest

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def flowers(tmp_path_factory):
    """A folder with a table, with a column that would do harm if it were taken as HTML."""
    folder = tmp_path_factory.mktemp("flowers")
    rng = np.random.default_rng(0)
    values = np.repeat([[0, 0], [9, 0], [0, 9]], 40, axis=0) + rng.normal(size=(120, 2))
    lines = [f"id,{HOSTILE},width", *(f"f{k},{a:.3f},{b:.3f}" for k, (a, b) in enumerate(values))]
    (folder / "flowers.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "broken.csv").write_text("a,b\n1,2\n3,4,5\n", encoding="utf-8")
    return folder


def test_from_a_folder_through_a_crash_to_exports(run_app, visit, flowers):
    app = run_app(folder=flowers)
    tab = visit(app, tour=True)
    page = tab.page
    page.get_by_text("Cluster by looking and clicking").wait_for()
    tab.picture("start")

    # A file that cannot be read is told in words, and another can be opened.
    page.get_by_text("broken.csv").click()
    page.locator(".start-error:visible").wait_for()
    assert "broken.csv" in page.inner_text(".start-error")
    tab.troubles.clear()  # browsers log refused requests
    page.get_by_text("flowers.csv").click()
    for step in range(5):  # the tour
        page.wait_for_selector(f".guide:has-text('{step + 1} of 5')")
        tab.picture(f"guide-{step + 1}")
        page.locator(".guide .primary").click()
    assert page.locator(".guide").count() == 0
    assert tab.shown()["data"]["n"] == 120

    # What is said in one tab is seen in another.
    other = visit(app, again=True)
    other.shown()
    tab.select(["f0", "f1", "f50"])
    state = tab.says("same")
    other.shown(state["version"])
    assert other.statements() == tab.statements() == [["same", "kept"]]

    # The program is killed at once; the page tells so, and goes on when it runs again.
    labels = tab.array("labels", "cluster")
    app.end(signal.SIGKILL)
    page.locator(".lost:visible").wait_for()
    app.start()
    again = visit(app)
    again.page.get_by_text("flowers.sentree-project").click()
    again.shown()
    assert (again.array("labels", "cluster") == labels).all()
    assert again.statements() == [["same", "kept"]]
    for one in (tab, other):
        one.troubles.clear()

    # What is downloaded is what the program says.
    for what in ("labels.csv", "constraints.json", "tree.nwk", "report.html", "script.py"):
        again.page.click(".export-open")
        with again.page.expect_download() as download:
            again.page.click(f'[data-export="{what}"]')
        assert download.value.path().read_bytes() == again.fetch(f"export/{what}")[0]
    table = csv.DictReader(io.StringIO(again.api("export/labels.csv").decode()))
    assert [int(row["cluster"]) for row in table] == labels.tolist()


def test_a_file_is_dropped_on_the_page(run_app, visit, flowers):
    tab = visit(run_app(), tour=True)
    page = tab.page
    page.get_by_text("Cluster by looking and clicking").wait_for()
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.csv"));
          for (const type of ["dragenter", "dragover", "drop"])
            document.body.dispatchEvent(new DragEvent(
              type, { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        (flowers / "flowers.csv").read_text(encoding="utf-8"),
    )
    page.locator(".guide-skip").click()
    assert tab.shown()["data"]["name"] == "dropped.csv"
    # Names of columns are text.
    page.select_option("#colour-by", f"column:{HOSTILE}")
    page.locator(".legend-title", has_text=HOSTILE).wait_for()
    assert page.locator("img").count() == 0
    tab.picture("hostile")
