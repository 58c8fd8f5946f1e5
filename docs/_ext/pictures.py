"""``{picture} name``: what the code of the page has drawn by then.

The page is run when it is built, and its matplotlib figures are kept in the build directory under
a digest of the code and of sentree itself: pictures are never older than what they show.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import matplotlib
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import sentree
from examples import Block, blocks, run, workplace

_DOTS_PER_INCH = 160


class Picture(SphinxDirective):
    """A figure with a caption, made by the code above it."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Draw all pictures of the page that are not there, and show this one."""
        page = Path(self.env.doc2path(self.env.docname))
        folder = Path(self.env.app.outdir).parent / "pictures"
        path, width = drawn(page, folder)[self.arguments[0]]
        uri = os.path.relpath(path, page.parent)
        caption = self.parse_content_to_nodes()
        text = " ".join(node.astext() for node in caption)
        image = nodes.image(uri=uri, alt=self.options.get("alt", text), width=f"{width}px")
        legend = [nodes.caption("", "", *paragraph.children) for paragraph in caption[:1]]
        return [nodes.figure("", image, *legend, classes=["picture"])]


@cache
def drawn(page: Path, folder: Path) -> dict[str, tuple[Path, int]]:
    """Return the file of each picture of a page and its width in pixels, running it if needed."""
    digest = hashlib.sha256(_sources())
    wanted: dict[str, Path] = {}
    found = list(blocks(page.read_text()))
    for block in found:
        if block.language == "python" and block.reason is None:
            digest.update(block.code.encode())
        elif block.language == "{picture}":
            path = folder / f"{page.stem}-{block.name}-{digest.hexdigest()[:16]}.png"
            assert wanted.setdefault(str(block.name), path) == path, f"{page}: two {block.name}"
    if not all(path.exists() for path in wanted.values()):
        with workplace(), contextlib.redirect_stdout(None):
            _draw(page, found, wanted)
    return {name: (path, _width(path)) for name, path in wanted.items()}


def _draw(page: Path, found: list[Block], wanted: dict[str, Path]) -> None:
    """Run a page and save its figures."""
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names: dict[str, Any] = {}
    last = max(k for k, block in enumerate(found) if block.language == "{picture}")
    for block in found[: last + 1]:
        if block.language == "python" and block.reason is None:
            run(block, names, page.name)
        elif block.language == "{picture}":
            path = wanted[str(block.name)]
            path.parent.mkdir(parents=True, exist_ok=True)
            plt.gcf().savefig(path, dpi=_DOTS_PER_INCH, bbox_inches="tight", pad_inches=0.08)
            plt.close("all")


def _width(path: Path) -> int:
    """Return how wide a picture is shown, in pixels of a page: 100 to an inch."""
    with open(path, "rb") as file:
        header = file.read(24)
    return round(int.from_bytes(header[16:20], "big") * 100 / _DOTS_PER_INCH)


@cache
def _sources() -> bytes:
    """Digest sentree: its Python files and kernels."""
    digest = hashlib.sha256()
    for path in sorted(Path(sentree.__file__).parent.rglob("*")):
        if path.suffix in (".py", ".so"):
            digest.update(path.read_bytes())
    return digest.digest()


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive."""
    logging.getLogger("sentree").setLevel(logging.WARNING)
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True}
