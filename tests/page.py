"""Reads an HTML page: tags that close in order, its links, tables and text."""

import base64
import re
from html.parser import HTMLParser

_ALONE = {"meta", "img", "br", "wbr"}


class Page(HTMLParser):
    """The page, taken apart."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.ids, self.text, self.tables = [], [], [], "", []
        self.paths = []
        self._open, self._cell = [], None
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.tags.append(tag)
        self.ids += [named["id"]] if "id" in named else []
        self.paths += [named] if tag == "path" else []
        self.links += [named[key] for key in ("src", "href") if key in named]
        assert not any(key.startswith("on") for key in named)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self._cell = ""
        if tag not in _ALONE:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag
        if tag in ("th", "td"):
            self.tables[-1][-1].append(self._cell)
            self._cell = None

    def handle_data(self, data):
        if self._open and self._open[-1] in ("style", "script"):
            return
        self.text += data
        if self._cell is not None:
            self._cell += data

    def table(self, heading):
        """The rows of the table whose first column is headed so, as dicts; several are joined."""
        found = [t for t in self.tables if t[0][0] == heading]
        assert found, f"no table headed {heading!r}"
        return [dict(zip(t[0], row, strict=True)) for t in found for row in t[1:]]

    def drawings(self):
        """The pictures, as SVG."""
        inside = (re.fullmatch("data:image/svg[+]xml;base64,(.*)", link) for link in self.links)
        return [base64.b64decode(match[1]).decode("utf-8") for match in inside if match]
