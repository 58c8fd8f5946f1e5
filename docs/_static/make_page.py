"""Makes the pictures of the page: screenshots of the tests made small, and the recording.

SENTREE_PICTURES=1 make test        # leaves screenshots in build/screenshots
python docs/_static/make_page.py    # writes docs/_static/page
"""

import io
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from scipy.spatial import ConvexHull
from sklearn.datasets import load_digits

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from live_page import SCREENSHOTS, App, Tab, browser

TARGET = HERE / "page"
#: Screenshots of the tests that the guide shows.
SHOWN = ["start", "selected", "contradiction", "question", "tree", "say-dark", "narrow-say"]
WIDTH, HEIGHT = 1200, 760
ARROW = np.array([(0, 0), (0, 17), (4, 13), (7, 19), (10, 18), (7, 12), (12, 12)])


def shrink():
    """Store the screenshots with 256 colours."""
    for name in SHOWN:
        picture = Image.open(SCREENSHOTS / f"{name}.png").convert("RGB")
        picture.quantize(256, dither=Image.Dither.NONE).save(TARGET / f"{name}.png", optimize=True)


class Film:
    """Frames of a tab with the pointer drawn in, which screenshots leave out."""

    def __init__(self, tab):
        self.tab, self.frames, self.durations, self.at = tab, [], [], np.array([640.0, 420.0])

    def show(self, milliseconds):
        """Add what is seen now."""
        shot = Image.open(io.BytesIO(self.tab.page.screenshot())).convert("RGB")
        arrow = [tuple(corner) for corner in self.at + ARROW]
        ImageDraw.Draw(shot).polygon(arrow, fill="black", outline="white")
        self.frames.append(shot.resize((900, 570), Image.Resampling.LANCZOS))
        self.durations.append(milliseconds)

    def move(self, to, steps=5):
        """Move the pointer."""
        for share in np.linspace(0, 1, steps + 1)[1:]:
            place = self.at + share * (np.asarray(to) - self.at)
            self.tab.page.mouse.move(*place)
            if share == 1:
                self.at = place
            else:
                before, self.at = self.at, place
                self.show(60)
                self.at = before
        self.show(60)

    def click(self, selector):
        """Move to something and click it."""
        box = self.tab.page.locator(selector).first.bounding_box()
        self.move((box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
        self.show(300)
        self.tab.page.mouse.click(*self.at)

    def save(self, path):
        """Write it."""
        self.frames[0].save(
            path,
            save_all=True,
            append_images=self.frames[1:],
            duration=self.durations,
            loop=0,
            quality=70,
            method=6,
        )


def torn(tab):
    """Rows in the middle of two clusters near each other that are one digit."""
    labels, places = tab.array("labels", "cluster"), tab.places()
    digit = load_digits().target
    middles = {}
    for one in tab.api("state")["clusters"]:
        rows = np.flatnonzero(labels == one["number"])
        middle = np.median(places[rows], axis=0)
        away = np.linalg.norm(places[rows] - middle, axis=1)
        if len(rows) > 20:
            near = rows[away <= np.quantile(away, 0.45)]
            middles[one["number"]] = np.bincount(digit[rows]).argmax(), middle, near
    pairs = [
        (np.linalg.norm(at - there), np.r_[near, others])
        for a, (main, at, near) in middles.items()
        for b, (other, there, others) in middles.items()
        if a < b and main == other
    ]
    return min(pairs, key=lambda pair: pair[0])[1]


def true_answer(tab):
    """The button of the true answer to the question."""
    digit, question = load_digits().target, tab.api("question")["question"]
    mains = [np.bincount(digit[one["rows"]]).argmax() for one in question["options"]]
    wanted = digit[question["point"]]
    if wanted not in mains:
        return ".ask-others button"  # none of them
    return f".ask-options li:nth-child({mains.index(wanted) + 1}) .ask-option"


def record(tab):
    """Select, say, see the clusters follow, answer a question."""
    page, film = tab.page, Film(tab)
    places = tab.places()[torn(tab)]
    hull = places[ConvexHull(places).vertices]
    hull = hull.mean(axis=0) + (hull - hull.mean(axis=0)) * 1.06
    film.show(1200)
    film.move(hull[0])
    page.mouse.down()
    for corner in [*hull[1:], hull[0]]:
        film.move(corner, steps=2)
    page.mouse.up()
    film.show(1200)
    film.click('#bar [data-say="same"]')
    for _ in range(8):
        film.show(150)
    tab.shown()
    film.show(2000)
    film.click("#tab-ask")
    page.wait_for_selector(".ask-body[aria-busy=false] .ask-option")
    film.show(2000)
    film.click(true_answer(tab))
    for _ in range(6):
        film.show(150)
    page.wait_for_selector(".ask-body[aria-busy=false] .ask-option")
    film.show(2500)
    return film


def main():
    TARGET.mkdir(exist_ok=True)
    if sys.argv[1:] != ["recording"]:
        shrink()
    with browser() as chromium, tempfile.TemporaryDirectory() as folder:
        app = App(folder)
        try:
            context = chromium.new_context(viewport={"width": WIDTH, "height": HEIGHT})
            context.add_init_script("localStorage.setItem('sentree-guide-seen', 'yes')")
            tab = Tab(context.new_page(), app)
            tab.api("example", {"name": "digits"})
            tab.shown(1)
            record(tab).save(TARGET / "recording.webp")
        finally:
            app.end()


if __name__ == "__main__":
    main()
