"""The build fails where a public name has no page, or a page would fetch something."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import SphinxError

#: What a browser would fetch by itself from another place: not links, which a reader follows.
_FETCHED = re.compile(
    r"<(?:script|img|iframe|source|embed)[^>]*\ssrc=[\"'](?:https?:)?//[^\"']*"
    r"|<link(?![^>]*rel=[\"'](?:canonical|next|prev))[^>]*href=[\"'](?:https?:)?//[^\"']*"
    r"|(?:@import|url\()\s*[\"']?(?:https?:)?//[^\"')]*"
)


def _check(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.name != "html":
        return
    pages = sorted(path for path in Path(app.outdir).rglob("*") if path.suffix in (".html", ".css"))
    for path in pages:
        if found := _FETCHED.search(path.read_text()):
            raise SphinxError(f"{path} fetches from elsewhere: {found[0]}")
    python = app.env.domaindata["py"]
    modules = [name for name, at in python["modules"].items() if at.docname.startswith("api/")]
    shown = python["objects"]
    if missing := [
        name for name in _public_names(modules) if not {name, _at_top(name)} & shown.keys()
    ]:
        raise SphinxError(f"public names without an API page: {', '.join(missing)}")


def _public_names(modules: list[str]) -> list[str]:
    """List every name of the modules' ``__all__``."""
    exported = ((module, import_module(module).__all__) for module in modules)
    return [f"{module}.{name}" for module, names in exported for name in names if name[:2] != "__"]


def _at_top(name: str) -> str:
    """Return the name that the package itself has for it, whose page serves both."""
    return f"sentree.{name.rpartition('.')[2]}"


def setup(app: Sphinx) -> dict[str, Any]:
    """Check at the end of a build."""
    app.connect("build-finished", _check)
    return {"parallel_read_safe": True}
