"""How quickly the page answers, measured by a real Chromium without a graphics card.

Overlapping clouds; `sentree app` in a process of its own, and the mouse on its map. Wall-clock
seconds, to what is seen:

- first paint: from the moment the page hears of the clusters until its points are drawn;
- click: from a click on a point to the frame that shows it selected, of ten;
- lasso: the frames while a lasso is drawn around a third of the map;
- release: from its end to the frame that shows what is selected;
- statement: from saying that some rows belong together to the frame that shows the new clusters,
  of five.

The median and the worst are told. On a busy machine they say little: the manifest has its load.

    python benchmarks/page.py --out benchmarks/results
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from live_page import App, Tab, browser
from speed import manifest

SIZES = [20_000, 100_000]
#: Notes when the points are drawn first; reading a pixel waits for the drawing to be done.
WATCH = """
localStorage.setItem("sentree-guide-seen", "yes");
const draw = WebGLRenderingContext.prototype.drawArrays;
WebGLRenderingContext.prototype.drawArrays = function (mode, first, n) {
  draw.call(this, mode, first, n);
  if (n < 1000 || window.painted) return;
  this.readPixels(0, 0, 1, 1, this.RGBA, this.UNSIGNED_BYTE, new Uint8Array(4));
  window.painted = performance.now();
};
"""
#: The seconds until a condition holds and the frame after it is drawn.
UNTIL = """
([event, condition, version]) => {
  const holds = new Function("version", `return ${condition}`);
  window.measured = new Promise((resolve) => {
    addEventListener(event, () => {
      const start = performance.now();
      const look = () => {
        if (!holds(version)) return requestAnimationFrame(look);
        requestAnimationFrame(() => setTimeout(() => resolve((performance.now() - start) / 1000)));
      };
      look();
    }, { capture: true, once: true });
  });
}
"""
FRAMES = """
() => {
  window.frames = [];
  const step = (now) => {
    window.frames.push(now);
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
"""
SELECTED = "!document.getElementById('bar').hidden"
NEWER = "document.getElementById('status').dataset.version > version"


def measured(tab, event, condition, act):
    """Return the seconds from an event to the frame that shows what it led to."""
    version = int(tab.page.get_attribute("#status", "data-version"))
    tab.page.evaluate(UNTIL, [event, condition, version])
    act()
    return tab.page.evaluate("window.measured")


def first_paint(tab):
    """Return the seconds from hearing of the clusters to their points."""
    tab.page.wait_for_function("window.painted", timeout=600_000)
    return tab.page.evaluate("""() => {
      const all = performance.getEntriesByType("resource");
      const map = all.find(({ name }) => name.endsWith("/api/map")).startTime;
      const states = all.filter(({ name }) => name.endsWith("/api/state"));
      const heard = states.filter(({ startTime }) => startTime < map).at(-1).startTime;
      return (window.painted - heard) / 1000;
    }""")


def run(n, chromium):
    """Measure a page with n points: yield what, and all seconds."""
    X, _ = make_blobs(n, 8, centers=20, cluster_std=2.5, random_state=0)
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "clouds.npy", X.astype(np.float32))
        app = App(folder, "clouds.npy")
        try:
            context = chromium.new_context(viewport={"width": 1400, "height": 900})
            context.add_init_script(WATCH)
            tab = Tab(context.new_page(), app)
            tab.page.set_default_timeout(600_000)
            yield "first paint", [first_paint(tab)]
            tab.shown()
            places = tab.places()
            clicks = []
            for row in rng.choice(n, 10, replace=False):
                tab.page.keyboard.press("Escape")
                tab.page.mouse.move(*places[row])
                tab.page.mouse.down()
                clicks.append(measured(tab, "pointerup", SELECTED, tab.page.mouse.up))
            yield "click", clicks
            tab.page.keyboard.press("Escape")
            box = tab.page.locator("#map").bounding_box()
            centre = np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
            angles = np.linspace(0, 2 * np.pi, 60)
            ring = centre + box["width"] / 4 * np.c_[np.cos(angles), np.sin(angles)]
            mouse = tab.page.mouse
            mouse.move(*ring[0])
            mouse.down()
            tab.page.evaluate(FRAMES)
            for place in ring[1:]:
                mouse.move(*place)
            yield "lasso", np.diff(tab.page.evaluate("window.frames")) / 1000
            yield "release", [measured(tab, "pointerup", SELECTED, mouse.up)]
            told = []
            for _ in range(5):
                tab.page.keyboard.press("Escape")
                labels = tab.array("labels", "cluster")
                rows = rng.choice(np.flatnonzero(labels == rng.choice(labels)), 3, replace=False)
                tab.select(rows)
                say = tab.page.locator('#bar [data-say="same"]')
                told.append(measured(tab, "click", NEWER, say.click))
                tab.shown()
            yield "statement", told
        finally:
            app.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    parser.add_argument("--out", type=Path, help="folder for page.csv and page.json")
    options = parser.parse_args()
    record = manifest()
    rows = []
    with browser() as chromium:
        if isinstance(chromium, str):
            sys.exit(chromium)
        for n in options.sizes:
            for what, seconds in run(n, chromium):
                median, worst = np.median(seconds), np.max(seconds)
                rows.append({"n": n, "what": what, "median": median, "worst": worst})
                print(f"{n:>9,} points: {what:<12} {median:.3f} s, worst {worst:.3f} s", flush=True)
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(rows).round(3).to_csv(options.out / "page.csv", index=False)
        (options.out / "page.json").write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
