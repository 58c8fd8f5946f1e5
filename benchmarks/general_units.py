"""The work of the benchmark on general data, in parts that a process can do on its own.

Every part is a list of sources, data sets by name. A unit is some methods on one draw of one task
of a source. Data, their graph and clusterings that need no constraints are kept between units.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import general_sets
import general_text
from families import FAMILIES, FEW_DRAWS, MOST_DRAWS, make
from feature_peers import OURS, Table, Task, answers, methods_for
from tasks import TASKS, WITHOUT_PAIRS, draw

SET_TASKS = ["k-open", "k-given", "5%-labels", "3-a-class", "60-pairs", "10%-wrong", "30%-wrong",
             "1-a-class", "half"]  # fmt: skip
#: Sets that have 60 pairs have other numbers, and hard ones, where they are asked for.
PAIR_TASKS = [name for name, task in TASKS.items() if task.kind == "pairs"]
TEXT_TASKS = ["k-open", "k-given", "5%-labels"]
#: Rows of the largest made set of a quick run.
LARGEST_QUICK = 1_500


class Source(NamedTuple):
    """A data set by name, and what is to be done with it."""

    part: str
    name: str
    kind: str
    tasks: list[str]
    half: str = ""
    #: Whether every draw has the same samples.
    fixed: bool = True
    most_draws: int = MOST_DRAWS


def set_sources(options):
    for large in (False, True) if options.large else (False,):
        names = general_sets.names(options.data_dir, large)
        half = general_sets.halves(names)
        for name in names:
            kind = general_sets.kind(name, options.data_dir)
            yield Source("sets", name, kind, SET_TASKS, half[name])


def text_sources(options):
    for name in general_text.names(large=options.large, quick=options.quick):
        yield Source("text", name, "text", TEXT_TASKS, most_draws=FEW_DRAWS)


def family_sources(options):
    for name, made in FAMILIES.items():
        if made.n <= LARGEST_QUICK or not options.quick:
            yield Source("families", name, made.group, made.tasks, "", False, made.most_draws)


PARTS = {"sets": set_sources, "families": family_sources, "text": text_sources}


@lru_cache(maxsize=2)
def load(part, name, seed, data_dir):
    if part == "families":
        return Table(*make(name, seed), FAMILIES[name].standardised)
    if part == "text":
        return Table(*general_text.load(name, data_dir), standardised=False)
    return Table(*general_sets.load(name, data_dir))


class Unit(NamedTuple):
    """What one process does at a time: methods on one draw of one task."""

    source: Source
    task: str
    draw: int
    methods: tuple[str, ...]
    data_dir: Path | None

    def rows(self):
        """Run the methods; nothing but the rows is said."""
        seed = 0 if self.source.fixed else self.draw
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = load(self.source.part, self.source.name, seed, self.data_dir)
            given = draw(self.task, table.y, self.source.name, self.draw)
            problem = Task(table, self.task, given, self.draw)
            found = list(answers(problem, self.methods))
        return [self.about(table) | row for row in found]

    def about(self, table):
        """What all rows of the unit share."""
        return {
            "part": self.source.part,
            "set": self.source.name,
            "kind": self.source.kind,
            "half": self.source.half,
            "n": table.n,
            "features": table.X.shape[1],
            "classes": table.k,
            "task": self.task,
            "draw": self.draw,
        }


def units(options, done):
    """List what is to be done, set by set, without what is done."""
    for part in options.parts:
        for source in PARTS[part](options):
            if options.sets and source.name not in options.sets:
                continue
            draws = min(options.draws, source.most_draws)
            for number in range(options.first_draw, options.first_draw + draws):
                for task, methods in tasks_of(source, options):
                    again = number > options.first_draw and source.fixed
                    names = wanted(task, methods, again)
                    key = (part, source.name, task, number)
                    names = tuple(name for name in names if (*key, name) not in done)
                    if names:
                        yield Unit(source, task, number, names, options.data_dir)


def tasks_of(source, options):
    """List the tasks of a source that are asked for, with the methods that are.

    Beside pairs, sentree is run without them, which tells what they are worth.
    """
    if not options.tasks:
        return [(task, options.methods) for task in source.tasks]
    pairs = PAIR_TASKS if "60-pairs" in source.tasks else []
    offered = dict.fromkeys([*source.tasks, *pairs])
    asked = {task: options.methods for task in offered if task in options.tasks}
    if any(task in PAIR_TASKS for task in asked):
        ours = [name for name in options.methods if name == OURS]
        asked = {task: ours for task in WITHOUT_PAIRS if task in offered} | asked
    return list(asked.items())


def wanted(task, methods, again):
    """Of a task's methods those asked for; without constraints, a second draw is the first one."""
    if again and TASKS[task].kind in ("open", "k"):
        methods = [name for name in methods if name == OURS]
    return [name for name in methods_for(task) if name in methods]
