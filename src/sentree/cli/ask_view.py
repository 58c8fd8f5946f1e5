"""Questions as a terminal shows them: two rows side by side, or a row above groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.cells import cell_len
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sentree.cli.ask_images import Images
from sentree.profiles.shown import MISSING, Contrast, Field, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sentree.active import Question

__all__ = ["HELP", "View"]

#: Columns of two rows that are shown, and of those that agree named.
_SHOWN, _NAMED = 12, 3
#: Values agree where so small a share of all pairs of rows differ less, and differ much from here.
_AGREE, _FAR = 0.15, 0.6
#: Texts that are shown in full, and lines of each.
_PROSE, _LINES = 2, 2
#: Most width of a value and of a word above it in the table of a choice, and of its margin.
_VALUE, _HEAD, _MARGIN = 14, 12, 5
#: Rows of each group that are drawn, the width from which a drawing is clear, and most groups of
#: which texts are shown.
_DRAWN, _CLEAR, _READ = 3, 12, 4
_ASKED, _OTHER, _ASIDE = "bold cyan", "bold magenta", "not bold dim default"

HELP = """\
  y      they belong together
  n      they do not
  1-9    the row belongs to that group
  0      to none of them: a new group (also: n, new)
  =NAME  the row is of this class (of a pair: the first; also: is NAME)
  u      unsure: it is not asked again soon
  z      undo the last answer (also: undo); again for the one before
  q      save and leave; the same command goes on from here
Answers are saved at once: nothing is lost when the terminal closes."""


class View:
    """Draws questions.

    Parameters
    ----------
    console : rich.console.Console
        Where to.
    rows : Rows
        The rows that questions are about.
    images : Images, optional
        How rows are drawn, where they are images.
    """

    def __init__(self, console: Console, rows: Rows, images: Images | None) -> None:
        self._console, self._rows, self._images = console, rows, images

    def question(self, question: Question, labels: NDArray[Any], names: Sequence[Any]) -> None:
        """Draw a question; ``labels`` are the clusters of all rows now, ``names`` what they are."""
        if question.again:
            self.say("Once more, to be sure: an earlier answer does not fit the others.", "bold")
        if question.is_pair:
            self._pair(question)
        else:
            self._choice(question, labels, names)
        self._console.print(_keys(question))

    def say(self, text: str, style: str = "") -> None:
        """Say a line."""
        self._console.print(Text(text, style))

    def rule(self, text: str) -> None:
        """Begin a question with how far we are."""
        self._console.print()
        self._console.rule(Text(text, "bold"), align="left", style="dim")

    # Pairs

    def _pair(self, question: Question) -> None:
        a, b = question.point, question.options[0]
        self.say("Do these two belong together?", "bold")
        groups = (question.group, question.groups[0] if question.groups else ())
        titles = [
            self._title(row, style, group)
            for row, style, group in zip((a, b), (_ASKED, _OTHER), groups, strict=True)
        ]
        if self._images is not None:
            self._console.print(self._drawn_pair(a, b, titles))
        else:
            self._console.print(*self._side_by_side(a, b, titles))

    def _title(self, row: int, style: str, group: Sequence[int]) -> Text:
        """Name a row, and others like it."""
        title = Text(self._rows.title(row), style)
        if others := [self._rows.name(one) for one in group if one != row][:2]:
            title.append(f"\nlike {', '.join(others)}", _ASIDE)
        return title

    def _drawn_pair(self, a: int, b: int, titles: list[Text]) -> RenderableType:
        assert self._images is not None
        width = max(self._console.width // 2 - 4, 1)
        scale = self._images.scale(width, max(self._console.height - 9, 4))
        drawn = Table.grid(padding=(0, 4))
        drawn.add_row(*titles)
        drawn.add_row(self._drawn(a, scale), self._drawn(b, scale))
        return Padding(drawn, (0, 2))

    def _drawn(self, row: int, scale: int) -> Text:
        assert self._images is not None
        return self._images.draw(self._rows.numbers(row), scale, self._colours)

    @property
    def _colours(self) -> bool:
        return self._console.color_system is not None and not self._console.no_color

    def _side_by_side(self, a: int, b: int, titles: list[Text]) -> tuple[RenderableType, ...]:
        compared = [(one, *self._rows.cells((a, b), one)) for one in self._rows.fields((a, b))]
        differ = [(one.difference(x, y), one, x, y) for one, x, y in compared if not one.prose]
        differ.sort(key=lambda one: -one[0])
        shown = [
            one for one in differ if one[0] > _AGREE and one[1].text(one[2]) != one[1].text(one[3])
        ]
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
        table.add_column("")
        room = (self._console.width - 30) // 2
        for title in titles:
            table.add_column(title, max_width=room, overflow="ellipsis")
        table.add_column(Text("unlike", "dim") if shown else "")
        for name, x, y in self._texts(a, b, compared):
            table.add_row(Text(name, "dim"), _cut(x, room), _cut(y, room), "")
        for far, one, x, y in shown[:_SHOWN]:
            bold = "bold" if far >= _FAR else ""
            cells = (Text(_line(one.text(x), room), bold), Text(_line(one.text(y), room), bold))
            table.add_row(Text(_line(one.name, 24), "dim"), *cells, _bar(far))
        rest = _line(_rest(differ, shown), self._console.width - 4)
        return Padding(table, (0, 2)), *([Padding(Text(rest, "dim"), (0, 2))] if rest else [])

    def _texts(self, a: int, b: int, compared: Sequence[tuple[Field, Any, Any]]) -> list[Any]:
        """Return what is to be read of two rows: the name of a column, and two texts."""
        notes = [self._rows.notes(row) for row in (a, b)]
        found = [(name, notes[0][name], notes[1].get(name, "")) for name in notes[0]]
        found += [(one.name, one.text(x), one.text(y)) for one, x, y in compared if one.prose]
        return [one for one in found if not {one[1], one[2]} <= {MISSING, ""}][:_PROSE]

    # Choices

    def _choice(self, question: Question, labels: NDArray[Any], names: Sequence[Any]) -> None:
        asked = Text("Which group does ", "bold")
        asked.append(self._rows.title(question.point), _ASKED)
        asked.append(" belong to?", "bold")
        if others := [self._rows.name(row) for row in question.group if row != question.point][:2]:
            many = f"one of {question.n_settled:,} rows" if question.n_settled > 1 else "one"
            asked.append(f"  ({many} like {', '.join(others)})", _ASIDE)
        self._console.print(asked)
        groups = question.groups or tuple((row,) for row in question.options)
        clusters = [int(labels[row]) for row in question.options]
        contrast = Contrast({}, [""] * len(groups))
        if len(set(clusters)) == len(clusters) and self._images is None:
            contrast = self._rows.contrast(labels, clusters)
        titles = self._titles(groups, clusters, names, contrast.said, np.bincount(labels).tolist())
        if self._images is not None:
            self._drawn_choice(question, groups, titles)
        else:
            self._lines(question.point, groups, titles, contrast.effects)
            self._console.print(Text.assemble(("  0  ", _OTHER), "none of them: a new group"))

    def _titles(
        self,
        groups: Sequence[Sequence[int]],
        clusters: Sequence[int],
        names: Sequence[Any],
        said: Sequence[str],
        sizes: Sequence[int],
    ) -> list[str]:
        """Say of each group what it is now: its cluster and what makes it, or rows of it."""
        if len(set(clusters)) < len(clusters):  # parts of clusters
            return [f"such as {', '.join(map(self._rows.name, group[:3]))}" for group in groups]
        titles = []
        for c, told in zip(clusters, said, strict=True):
            named = f"cluster {c}" if names[c] is None else f"{names[c]} (cluster {c})"
            rows = f"{sizes[c]:,} row{'s' * (sizes[c] > 1)}"
            titles.append(f"{named}, {rows}{': ' * bool(told)}{told}")
        return titles

    def _lines(
        self,
        point: int,
        groups: Sequence[Sequence[int]],
        titles: Sequence[str],
        effects: Mapping[int, float],
    ) -> None:
        """Print the values of the row, and below them typical values of the groups."""
        width = self._console.width - _MARGIN
        fields = self._telling(point, groups, effects)
        own = [self._rows.cells([point], one)[0] for one in fields]
        lines = [[Text(_line(f.text(x), _VALUE), _ASKED) for f, x in zip(fields, own, strict=True)]]
        for group in groups:
            typical = [one.typical(self._rows.cells(group, one)) for one in fields]
            values = zip(fields, own, typical, strict=True)
            lines.append([Text(_line(f.text(y), _VALUE), _near(f, x, y)) for f, x, y in values])
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        table.add_column("", width=_MARGIN - 2)
        for k, one in enumerate(fields):
            values_wide = max(line[k].cell_len for line in lines)
            wide = max(values_wide, min(cell_len(one.name), _HEAD))
            table.add_column(one.name, width=wide, no_wrap=False, overflow="ellipsis")
        texts = self._read_of(point, groups)
        for at, line in enumerate(lines):
            table.add_row(Text(f"  {at or '?'}", _OTHER if at else _ASKED), *line)
        # Each line of the table is followed by what the group is.
        drawn = self._console.render_lines(table, pad=False)
        head = len(drawn) - len(lines)
        margin = " " * _MARGIN
        for at, segments in enumerate(drawn):
            self._console.print(Text.assemble(*((s.text, s.style or "") for s in segments)))
            if at >= head:
                if texts:
                    self._console.print(Text(margin + _line(texts[at - head], width), "italic"))
                if at > head:
                    title = _whole_phrases(titles[at - head - 1], width)
                    self._console.print(Text(margin + title, "dim"))

    def _read_of(self, point: int, groups: Sequence[Sequence[int]]) -> list[str]:
        """Return what is to be read of the row and of a row of each group, if anything is."""
        if len(groups) > _READ:
            return []
        rows = [point, *(group[0] for group in groups)]
        if self._rows.notes(point):
            found = [self._rows.notes(row) for row in rows]
            return ["; ".join(f"{name}: {x}" for name, x in one.items()) for one in found]
        prose = [one for one in self._rows.fields(rows) if one.prose][:1]
        return [f"{f.name}: {f.text(x)}" for f in prose for x in self._rows.cells(rows, f)]

    def _telling(
        self, point: int, groups: Sequence[Sequence[int]], effects: Mapping[int, float]
    ) -> list[Field]:
        """Choose the columns that tell groups apart, as many as there is room for."""
        scored = []
        for one in self._rows.fields([point, *(group[0] for group in groups)]):
            cells = [one.typical(self._rows.cells(group, one)) for group in groups]
            apart = effects.get(one.number, 0.0) or np.mean(
                [one.difference(x, y) for x in cells for y in cells]
            )
            texts = [one.text(x) for x in (*self._rows.cells([point], one), *cells)]
            if len(set(texts)) > 1 and not one.prose:
                wide = max(min(_VALUE, max(map(cell_len, texts))), min(cell_len(one.name), _HEAD))
                scored.append((apart, wide, one))
        scored.sort(key=lambda found: -found[0])
        room, chosen = self._console.width - _MARGIN, []
        for _, wide, one in scored[:_SHOWN]:
            if room < wide:
                break
            room -= wide + 2
            chosen.append(one)
        return chosen

    def _drawn_choice(
        self, question: Question, groups: Sequence[Sequence[int]], titles: Sequence[str]
    ) -> None:
        """Draw the row, then rows of every group."""
        assert self._images is not None
        mine: Sequence[int] = (
            question.point,
            *(row for row in question.group if row != question.point),
        )
        many, scale = self._layout(groups)
        cards: list[RenderableType] = []
        marks = [("?", self._rows.title(question.point), _ASKED, mine)]
        marks += [(str(k + 1), titles[k], _OTHER, group) for k, group in enumerate(groups)]
        for sign, title, style, group in marks:
            card = Table.grid(padding=(0, 1, 0, 0))
            each = scale * self._images.side + 1
            wide = group is mine and _DRAWN * each < self._console.width
            shown, width = _DRAWN if wide else many, many * each
            card.add_row(*(self._drawn(row, scale) for row in group[:shown]))
            title = title if len(title) < width - 2 else title.partition(",")[0]
            label = Text.assemble((sign, style), (f" {_line(title, max(width - 2, 12))}", "dim"))
            cards.append(Padding(Group(label, card), (0, 1, 0, 1)))
        self._console.print(cards[0])
        self._console.print(Columns(cards[1:], padding=(0, 1)))

    def _layout(self, groups: Sequence[Sequence[int]]) -> tuple[int, int]:
        """Return how many rows of a group are drawn, and how large, to fit the terminal."""
        assert self._images is not None
        side, most = self._images.side, min(_DRAWN, max(map(len, groups)))
        tries = [(many, scale) for many in range(most, 0, -1) for scale in (3, 2, 1)]
        # Several rows rather than large ones, as long as they can be made out.
        tries.sort(key=lambda one: one[1] * side < _CLEAR)
        for many, scale in tries:
            across = self._console.width // (many * (scale * side + 1) + 3)
            if across:
                lines = (1 + -(-len(groups) // across)) * ((scale * side + 1) // 2 + 1)
                if lines <= self._console.height - 6:
                    return many, scale
        return 1, 1


def _keys(question: Question) -> Text:
    """List the keys."""
    keys: Mapping[str, str] = {"y": "same", "n": "different"}
    if not question.is_pair:
        k = len(question.options)
        keys = {"1" if k == 1 else f"1-{k}": "that group", "0": "a new one"}
    keys = {**keys, "u": "unsure", "=NAME": "class", "z": "undo", "q": "leave", "?": "help"}
    line = Text()
    for key, meaning in keys.items():
        line.append(key, "bold").append(f" {meaning}  ", "dim")
    line.rstrip()
    return line


def _rest(differ: Sequence[Any], shown: Sequence[Any]) -> str:
    """Say how many columns are not shown."""
    hidden, agree = len(shown) - _SHOWN, [one for one in differ if one not in shown]
    parts = [f"{hidden} that differ less"] if hidden > 0 else []
    if agree:
        named = []
        # The least usual agreement first: a column of one value says nothing.
        for _, field, x, y in sorted(agree, key=lambda one: (one[0], one[1].agreeing))[:_NAMED]:
            both = dict.fromkeys((field.text(x), field.text(y)))
            named.append(f"{field.name} {' / '.join(both)}")
        more = ", …" * (len(agree) > _NAMED)
        columns = "1 column that agrees" if len(agree) == 1 else f"{len(agree)} columns that agree"
        parts.append(f"{columns}: {', '.join(named)}{more}")
    return f"… and {' and '.join(parts)}" if parts else ""


def _near(field: Field, mine: Any, typical: Any) -> str:
    """Return the style of a value beside that of the row in question."""
    far = field.difference(mine, typical)
    return "bold green" if far <= _AGREE else "dim" if far >= _FAR else ""


def _bar(share: float) -> Text:
    """Draw how unusual a difference is."""
    eighths = round(8 * 5 * share)
    return Text("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip(), "cyan")


def _line(text: str, width: int) -> str:
    """Write text on one line."""
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: max(width - 1, 1)]}…"


def _whole_phrases(text: str, width: int) -> str:
    """Leave out what does not fit on a line, from comma to comma."""
    while len(text) > width and text.rpartition(", ")[0].count(":"):
        text = text.rpartition(", ")[0]
    return _line(text, width)


def _cut(text: str, width: int) -> Text:
    return Text(_line(text, _LINES * width - 4))
