"""Draw the picture of the README, with the code that the front page of the documentation shows.

python docs/_static/make_picture.py
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "_ext"))

from examples import blocks, run

front = HERE.parent / "index.md"
code = next(block for block in blocks(front.read_text()) if block.language == "python")
run(code, {}, front.name)
plt.gcf().savefig(HERE / "overview.png", dpi=130, bbox_inches="tight", pad_inches=0.08)
