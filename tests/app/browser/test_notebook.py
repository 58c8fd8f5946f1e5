"""The page in a real JupyterLab: its messages go through the kernel."""

import json
import os
import re
import socket
import subprocess
import sys

import pytest

from live_page import DRAWN, picture

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("SENTREE_JUPYTER"),
        reason="SENTREE_JUPYTER=1 runs it; it needs JupyterLab, which is large",
    ),
]

CELLS = [
    "from sentree.datasets import load_embedded\n"
    "from sentree.widget import Explorer\n"
    "explorer = Explorer(load_embedded('digits')[0])\n"
    "explorer",
    "names = explorer.model.constraints_.classes\n"
    "print('said', list(names), len(explorer.constraints.label_index))\n"
    "print('chosen', len(explorer.selection), len(set(explorer.labels[explorer.selection])))",
]


@pytest.fixture
def notebook(tmp_path):
    """JupyterLab with a notebook, and its address."""
    cells = [
        {"cell_type": "code", "id": f"cell{i}", "source": text, "metadata": {}, "outputs": []}
        | {"execution_count": None}
        for i, text in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "look.ipynb").write_text(json.dumps(made))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {"ip": "127.0.0.1", "port": port, "open_browser": False, "allow_root": True}
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={tmp_path}"]
        + [f"--ServerApp.{name}={value}" for name, value in options.items()]
        + ["--IdentityProvider.token=key", "--LabApp.news_url=None"],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ
        | {f"JUPYTER_{kind}_DIR": str(tmp_path / kind) for kind in ("CONFIG", "RUNTIME")},
    )
    for line in server.stderr:
        if re.search(rf"http://127.0.0.1:{port}/lab", line):
            break
    yield f"http://127.0.0.1:{port}/lab/tree/look.ipynb?token=key"
    server.terminate()
    server.communicate(timeout=60)


def test_a_statement_in_a_notebook_reaches_the_model(chromium, notebook):
    page = chromium.new_page(viewport={"width": 1400, "height": 1000})
    page.set_default_timeout(180_000)
    page.add_init_script("localStorage.setItem('sentree-guide-seen', 'yes')")  # no tour
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(notebook)
    page.locator(".jp-CodeCell .cm-content").first.click()
    page.keyboard.press("Shift+Enter")
    inside = page.frame_locator(".jp-OutputArea iframe[title=sentree]")
    inside.locator("#status[data-phase=ready]").wait_for()
    cluster = inside.locator("#clusters .cluster").first
    size = int(cluster.locator(".size").inner_text())
    cluster.click()
    inside.locator('#bar [data-say="is"]').click()
    inside.locator("dialog.ask [name=value]").fill("mine")
    inside.locator("dialog.ask [type=submit]").click()
    inside.locator("li.statement[data-kind=is][data-verdict=kept]").wait_for()
    cluster.click()
    frame = next(one for one in page.frames if one.parent_frame)
    frame.wait_for_function(DRAWN)
    picture(page, "notebook")

    page.locator(".jp-CodeCell .cm-content").nth(1).click()
    page.keyboard.press("Shift+Enter")
    output = page.locator(".jp-CodeCell").nth(1).locator(".jp-OutputArea-output")
    output.get_by_text("chosen").wait_for()
    said, chosen = output.inner_text().split("\n")[:2]
    assert said == f"said ['mine'] {size}"
    assert chosen == f"chosen {size} 1"
    assert troubles == []
    page.close()
