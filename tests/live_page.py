"""A running ``sentree app``, and a tab of Chromium that looks at it."""

import contextlib
import json
import re
import shutil
import signal
import subprocess
from pathlib import Path

from command import executable

ROOT = Path(__file__).parents[1]
#: Where pictures of the page are kept.
SCREENSHOTS = ROOT / "build/screenshots"
#: WebGL without a graphics card.
SWITCHES = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


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


class App:
    """The program, started in a folder on a free port."""

    def __init__(self, folder, *arguments):
        self.folder, self.arguments, self.port = folder, arguments, 0
        self.start()

    def start(self):
        """Start it, and read where it is."""
        self.process = subprocess.Popen(
            [*executable(), "app", *map(str, self.arguments), "--no-browser", "--port", str(self.port)],
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
        """End it, by default as Ctrl-C or a shutdown does; SIGKILL leaves it no time for anything."""
        self.process.send_signal(by)
        self.process.communicate(timeout=60)


class Tab:
    """A tab; what goes wrong in it is written down."""

    def __init__(self, page, app):
        self.page, self.app, self.troubles = page, app, []
        page.set_default_timeout(30_000)
        page.on("console", self._told)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.goto(app.entrance)

    def _told(self, message):
        if message.type in ("error", "warning"):
            self.troubles.append(f"{message.text} ({message.location.get('url')})")

    def api(self, path, body=None):
        """Ask the server, with the tab's cookie: bytes, or what JSON says."""
        request = self.page.context.request
        url = f"{self.app.url}/api/{path}"
        reply = request.get(url) if body is None else request.post(url, data=body)
        if "json" in reply.headers["content-type"]:
            return json.loads(reply.text())
        return reply.body()

    def picture(self, name):
        """Keep a picture of what is seen."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")
