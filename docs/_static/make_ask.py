"""Draw the pictures of ``sentree ask``: a choice among groups of digits, and of customers.

python docs/_static/make_ask.py
"""

import re
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from sklearn.datasets import load_digits

from sentree import SSEPartition
from sentree.active import ActiveSession, Truth
from sentree.cli.ask_dialogue import Dialogue
from sentree.cli.ask_images import Images
from sentree.cli.ask_view import View
from sentree.cli.console import Console as Talk
from sentree.profiles.shown import Rows

HERE = Path(__file__).parent


class Leave:
    """Somebody who looks at the first question and leaves."""

    def read(self):  # noqa: D102
        raise EOFError


def draw(name, X, ids, truth, answers, width, height, **options):
    session = ActiveSession(SSEPartition(**options).fit(X), oracle=Truth(truth)).run(answers)
    terminal = Console(
        file=StringIO(),
        record=True,
        width=width,
        height=height,
        color_system="truecolor",
        force_terminal=True,
        highlight=False,
    )
    rows = Rows(X, ids)
    Dialogue(session, View(terminal, rows, Images.of(rows, None)), Leave(), Talk()).run(None)
    svg = terminal.export_svg(title=f"sentree ask {name}.csv", theme=DIMMED_MONOKAI)
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.S)  # nothing is fetched
    (HERE / f"ask-{name}.svg").write_text(svg)


rng = np.random.default_rng(0)
kind = rng.integers(0, 3, 300)
customers = pd.DataFrame(
    {
        "orders": rng.poisson(np.array([4, 25, 9])[kind]),
        "spending": [f"€ {x:,.2f}" for x in rng.lognormal(np.array([7, 5, 6])[kind], 0.5)],
        "channel": np.where(
            rng.random(300) < 0.1, "partner", np.array(["shop", "web", "app"])[kind]
        ),
        "age": np.where(
            rng.random(300) < 0.1,
            np.nan,
            rng.normal([58, 41, 30], 9, (300, 3))[np.arange(300), kind].round(),
        ),
        "since": pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 2000, 300), "D"),
    }
)
digits = load_digits()
draw("digits", digits.data, None, digits.target, 3, 96, 38)
ids = [f"C{k:03}" for k in range(300)]
draw("customers", customers, ids, kind, 3, 84, 38, prepare="auto")
