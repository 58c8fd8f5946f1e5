"""The notebook's widget in Chromium, beside other styles; a short script is the notebook."""

import base64
import json
import queue

import numpy as np
import pytest

from live_page import DRAWN, picture
from sentree.datasets import load_embedded
from sentree.widget import STATIC, Explorer

#: What a notebook offers to a widget: a model whose messages go to Python and come from there.
NOTEBOOK = """
<!doctype html><style>* { color: red; box-sizing: content-box } button { display: none }</style>
<p id="main">A cell</p><div id="output"></div>
<script type="module">
  import widget from "/widget.js";
  const heard = [], values = { _height: 640, _selected: new DataView(new ArrayBuffer(0)) };
  const view = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const tell = (event, ...rest) =>
    heard.filter(([name]) => name === event).forEach(([, callback]) => callback(...rest));
  const model = {
    send: (message) => window.toPython(JSON.stringify(message)),
    on: (event, callback) => heard.push([event, callback]),
    off: (event, callback) => heard.splice(heard.findIndex((one) => one[1] === callback), 1),
    get: (name) => values[name],
    set: (name, value) => { values[name] = value; },
    save_changes: () => window.selected(Array.from(new Int32Array(values._selected.buffer))),
  };
  window.select = (text) => { values._selected = view(text); tell("change:_selected"); };
  setInterval(async () => {
    for (const [message, buffers] of JSON.parse(await window.fromPython()))
      tell("msg:custom", message, buffers.map(view));
  }, 30);
  widget.render({ model, el: document.getElementById("output") });
</script>
"""


class Recorded(Explorer):
    """An explorer whose messages are kept until they are fetched."""

    def send(self, content, buffers=None):
        if not hasattr(self, "sent"):
            self.sent = queue.SimpleQueue()
        self.sent.put((content, [base64.b64encode(one).decode() for one in buffers or []]))

    def fetch(self):
        found = []
        while not self.sent.empty():
            found.append(self.sent.get())
        return json.dumps(found)


@pytest.fixture
def explorer():
    found = Recorded(load_embedded("digits")[0][::4])
    yield found
    found.close()


def test_the_map_and_what_is_said_on_it(chromium, explorer):
    page = chromium.new_page(viewport={"width": 1000, "height": 760})
    page.set_default_timeout(180_000)
    page.add_init_script("localStorage.setItem('sentree-guide-seen', 'yes')")  # no tour
    troubles = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda m: m.type in ("error", "warning") and troubles.append(m.text))
    page.expose_function("toPython", lambda text: explorer._asked(None, json.loads(text), []))
    page.expose_function("fromPython", explorer.fetch)
    page.expose_function("selected", lambda rows: setattr(explorer, "selection", rows))
    page.route(
        "http://notebook/", lambda route: route.fulfill(body=NOTEBOOK, content_type="text/html")
    )
    page.route("http://notebook/widget.js", lambda route: route.fulfill(path=STATIC / "widget.js"))
    page.goto("http://notebook/")
    inside = page.frame_locator("iframe[title=sentree]")
    inside.locator("#status[data-phase=ready]").wait_for()
    frame = next(one for one in page.frames if one.parent_frame)
    frame.wait_for_function(DRAWN)

    cluster = inside.locator("#clusters .cluster").first
    cluster.click()
    inside.locator('#bar [data-say="is"]').click()
    inside.locator("dialog.ask [name=value]").fill("mine")
    inside.locator("dialog.ask [type=submit]").click()
    inside.locator("li.statement[data-kind=is][data-verdict=kept]").wait_for()
    rows = explorer.constraints.label_index.tolist()
    assert list(explorer.model.constraints_.classes) == ["mine"]
    assert len(set(explorer.labels[rows].tolist())) == 1
    assert explorer.selection.tolist() == []  # said

    cluster.click()
    inside.locator("#bar strong", has_text=f"{len(rows)} rows").wait_for()
    assert explorer.selection.tolist() == rows
    page.evaluate("window.select", base64.b64encode(np.array([4, 7], "<i4").tobytes()).decode())
    inside.locator("#bar strong", has_text="2 rows").wait_for()
    picture(page, "widget")
    # The notebook's styles stay outside, and the page's inside.
    assert page.locator("p#main").evaluate("one => getComputedStyle(one).color") == "rgb(255, 0, 0)"
    assert troubles == []
    page.close()
