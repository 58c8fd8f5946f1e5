"""A running ``sentree app``, and a tab of Chromium that looks at it."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import urllib.request

import numpy as np
from matplotlib.path import Path

from command import executable
from sentree.app.frames import Frame

ROOT = pathlib.Path(__file__).parents[1]
#: Where pictures of the page are kept.
SCREENSHOTS = ROOT / "build/screenshots"
AXE = ROOT / "node_modules/axe-core/axe.min.js"
#: Without a proxy.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))
#: Whether there are points on the map, as a script.
DRAWN = """() => {
  const { width, height } = document.querySelector("#map canvas.points");
  const copy = new OffscreenCanvas(width, height).getContext("2d");
  copy.drawImage(document.querySelector("#map canvas.points"), 0, 0);
  return copy.getImageData(0, 0, width, height).data.some((value) => value > 0);
}"""
#: Pixels at the top of the map that its controls cover.
CONTROLS = 44
#: WebGL without a graphics card.
SWITCHES = [
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-rasterization",  # only the map needs WebGL, which is slow in software
]


@contextlib.contextmanager
def browser():
    """Chromium as the system has it, or a text that says what is missing."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield "Playwright is not installed"
        return
    if program is None:
        yield "Chromium is not installed"
        return
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=SWITCHES)
        yield found
        found.close()


def picture(page, name, always=False):
    """Keep a picture of a page, where they are asked for: without a graphics card they are slow."""
    if always or os.environ.get("SENTREE_PICTURES"):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{name}.png")


class App:
    """The program, started in a folder on a free port."""

    def __init__(self, folder, *arguments):
        self.folder, self.arguments, self.port = folder, arguments, 0
        self.start()

    def start(self):
        """Start it, and read where it is."""
        self.process = subprocess.Popen(
            [
                *executable(),
                "app",
                *map(str, self.arguments),
                "--no-browser",
                "--port",
                str(self.port),
            ],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = ""
        for line in self.process.stdout:
            said += line
            found = re.search(r"(http://\S+?:(\d+))/\?token=\S+", said)
            if found:
                self.entrance, self.url, self.port = found[0], found[1], int(found[2])
                return
        raise AssertionError(f"sentree app ended: {said}")

    def end(self, by=signal.SIGTERM):
        """End it as a shutdown does; SIGKILL leaves it no time for anything."""
        self.process.send_signal(by)
        self.process.communicate(timeout=60)


class Tab:
    """A tab; what goes wrong in it is written down."""

    def __init__(self, page, app):
        self.page, self.app, self.troubles, self._places = page, app, [], None
        page.set_default_timeout(180_000)
        page.on("console", self._told)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.goto(app.entrance)

    def _told(self, message):
        if message.type in ("error", "warning"):
            self.troubles.append(f"{message.text} ({message.location.get('url')})")

    # What the server says

    def fetch(self, path, body=None):
        """Ask the server, with the tab's cookie: bytes, and of what type."""
        cookie = "; ".join(f"{one['name']}={one['value']}" for one in self.page.context.cookies())
        request = urllib.request.Request(
            f"{self.app.url}/api/{path}",
            None if body is None else json.dumps(body).encode(),
            {"cookie": cookie, "content-type": "application/json"},
        )
        with DIRECT.open(request, timeout=180) as reply:
            return reply.read(), reply.headers["content-type"]

    def api(self, path, body=None):
        """What the server says, read if it is JSON."""
        data, kind = self.fetch(path, body)
        return json.loads(data) if "json" in kind else data

    def array(self, path, name):
        """An array of a frame."""
        return Frame.from_bytes(self.api(path)).arrays[name]

    # What the page shows

    def shown(self, version=0):
        """Wait until the page shows the clusters of this version, or of a later one."""
        self.page.wait_for_function(
            """version => {
              const { phase, version: now } = document.getElementById("status").dataset;
              return phase === "ready" && Number(now) >= version;
            }""",
            arg=version,
        )
        return self.api("state")

    def does(self, act):
        """Do what changes the clusters, and wait until the page shows them; the new state."""
        with self.page.expect_response(
            lambda reply: (
                "/api/" in reply.url
                and reply.request.method in ("POST", "DELETE")
                and not reply.url.endswith("/api/rows")
            )
        ) as reply:
            act()
        assert reply.value.ok, reply.value.text()
        return self.shown(reply.value.json()["version"])

    def button(self, what):
        """The button of the bar at the selection that says something, or of the bar's menu."""
        shown = self.page.locator(f'#bar [data-say="{what}"]')
        if not shown.count():
            self.page.click("#bar .menu-button")
            shown = self.page.locator(f'.menu [data-say="{what}"]')
        return shown

    def says(self, what, name=None):
        """Press a button of the bar at the selection, and give a name if it asks for one."""
        button = self.button(what)
        if name is None:
            return self.does(button.click)
        button.click()
        self.page.fill("dialog.ask [name=value]", name)
        return self.does(lambda: self.page.click("dialog.ask [type=submit]"))

    def statements(self):
        """The list of what was said, latest first: kind and verdict."""
        return self.page.eval_on_selector_all(
            "li.statement", "all => all.map(({ dataset }) => [dataset.kind, dataset.verdict])"
        )

    # The mouse on the map, when all of it is seen

    def places(self):
        """Where rows are on the screen, in pixels."""
        if self._places is None:
            self.page.get_by_role("button", name="All", exact=True).click()
            box = self.page.locator("#map").bounding_box()
            xy = self.array("map", "xy").reshape(-1, 2) * [1, -1]
            low, room = xy.min(axis=0), np.array([box["width"], box["height"]])
            size = xy.max(axis=0) - low
            above = np.array([0, size[1] * CONTROLS / (room[1] - CONTROLS)])
            low, size = low - above, size + above
            scale = 0.94 * min(room / size)
            self._places = [box["x"], box["y"]] + room / 2 + scale * (xy - low - size / 2)
        return self._places

    def lasso(self, corners, add=False):
        """Drag around a polygon with the mouse; the rows inside."""
        places, mouse = self.places(), self.page.mouse
        if add:
            self.page.keyboard.down("Shift")
        mouse.move(*corners[0])
        mouse.down()
        for corner in [*corners[1:], corners[0]]:
            mouse.move(*corner, steps=2)
        mouse.up()
        if add:
            self.page.keyboard.up("Shift")
        return np.flatnonzero(Path(corners).contains_points(places))

    def around(self, rows, add=False):
        """Draw a lasso around rows that lie together; the rows inside."""
        places = self.places()[rows]  # whole pixels, as a mouse has
        (left, top), (right, bottom) = (
            (places.min(axis=0) - 6).round(),
            (places.max(axis=0) + 6).round(),
        )
        return self.lasso([(left, top), (right, top), (right, bottom), (left, bottom)], add)

    def click(self, row, add=False):
        """Click the point of a row."""
        place = self.places()[row]
        if add:
            self.page.keyboard.down("Shift")
        self.page.mouse.click(*place)
        if add:
            self.page.keyboard.up("Shift")

    def select(self, ids):
        """Select rows by a list of ids."""
        self._places = None  # the map moves so that they are seen
        self.page.get_by_role("button", name="List", exact=True).click()
        self.page.fill("dialog.ask textarea", "\n".join(map(str, ids)))
        self.page.click("dialog.ask [type=submit]")
        self.page.get_by_role("heading", name=f"{len(ids)} rows selected").wait_for()

    def picture(self, name, always=False):
        """Keep a picture of what is seen."""
        picture(self.page, name, always)

    def barriers(self, inside="html", rules=None):
        """What hinders people who cannot see well or use no mouse, as axe-core finds it."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        options = {"resultTypes": ["violations"]}
        if rules is not None:
            options["runOnly"] = {"type": "rule", "values": rules}
        found = self.page.evaluate("given => axe.run(...given)", [inside, options])["violations"]
        return [
            f"{one['impact']}: {one['help']}: {node['html'][:200]} {node['failureSummary']}"
            for one in found
            for node in one["nodes"]
        ]
