"""Constraints as plain tuples, drawn at random, and their closure by a slow obvious oracle."""

import re
from dataclasses import dataclass, replace
from itertools import combinations, product

from hypothesis import strategies as st

from sentree.constraints import Constraints


@dataclass(frozen=True)
class Case:
    """Statements as plain tuples; classes are the letters of `classes`."""

    n: int
    must: tuple = ()
    cannot: tuple = ()
    together: tuple = ()
    apart: tuple = ()
    labels: tuple = ()
    negatives: tuple = ()
    classes: str = ""
    complete: bool = False

    def constraints(self):
        code = {name: k for k, name in enumerate(self.classes)}
        return Constraints(
            must_link=self.must,
            cannot_link=self.cannot,
            together=self.together,
            apart=self.apart,
            label_index=[i for i, _ in self.labels],
            label_code=[code[c] for _, c in self.labels],
            negative_index=[i for i, _ in self.negatives],
            negative_code=[code[c] for _, c in self.negatives],
            classes=tuple(self.classes),
            declared=self.complete,
        )


def naive_closure(case):
    """Apply every rule to facts about points until nothing is new."""
    points = range(case.n)
    must = {(i, i) for i in points}
    cannot, positive, negative = set(), set(case.labels), set(case.negatives)
    for i, j in (*case.must, *(p for g in case.together for p in combinations(g, 2))):
        must |= {(i, j), (j, i)}
    for i, j in (*case.cannot, *(p for g in case.apart for p in combinations(g, 2))):
        cannot |= {(i, j), (j, i)}
    while True:
        before = len(must), len(cannot), len(positive), len(negative)
        for (i, j), k in product(list(must), points):
            if (j, k) in must:
                must |= {(i, k), (k, i)}
            if (j, k) in cannot:
                cannot |= {(i, k), (k, i)}
        for (i, j), c in product(list(must), case.classes):
            if (i, c) in positive:
                positive.add((j, c))
            if (i, c) in negative:
                negative.add((j, c))
        for (i, c), j in product(list(positive), points):
            if (i, j) in cannot:
                negative.add((j, c))
            if (j, c) in positive:
                must.add((i, j))
            if (j, c) in negative:
                cannot |= {(i, j), (j, i)}
        for i, c in list(positive):
            negative |= {(i, d) for d in case.classes if d != c}
        if case.complete:
            for i in points:
                left = [c for c in case.classes if (i, c) not in negative]
                if len(left) == 1 < len(case.classes):
                    positive.add((i, left[0]))
        if before == (len(must), len(cannot), len(positive), len(negative)):
            break
    none_left = case.complete and any(
        case.classes and all((i, c) in negative for c in case.classes) for i in points
    )
    contradiction = bool(must & cannot or positive & negative or none_left)
    return must, cannot, contradiction


def unordered(i, j):
    return list(zip(i.tolist(), j.tolist(), strict=True))


SENTENCES = {
    "must": re.compile(r"(\d+) and (\d+) must link \(must-link (\d+)\)"),
    "cannot": re.compile(r"(\d+) and (\d+) cannot link \(cannot-link (\d+)\)"),
    "together": re.compile(r"(\d+) and (\d+) belong together \(together group (\d+)\)"),
    "apart": re.compile(r"(\d+) and (\d+) are apart \(apart group (\d+)\)"),
    "labels": re.compile(r"(\d+) is '(\w)' \(label\)"),
    "negatives": re.compile(r"(\d+) is not '(\w)' \(negative label (\d+)\)"),
}


def statements_of(chain, case):
    """Read a chain back as a case of its statements alone, each of which must have been given."""
    found = {kind: [] for kind in SENTENCES}
    complete = False
    for sentence in chain:
        if sentence == "there is no class but " + ", ".join(map(repr, case.classes)):
            complete = True
            continue
        kind, match = next((k, m) for k, p in SENTENCES.items() if (m := p.fullmatch(sentence)))
        if kind == "labels":
            statement = int(match[1]), match[2]
            assert statement in case.labels
        elif kind == "negatives":
            statement = int(match[1]), match[2]
            assert case.negatives[int(match[3])] == statement
        else:
            statement = int(match[1]), int(match[2])
            members = getattr(case, kind)[int(match[3])]
            assert set(statement) <= set(members)
            assert statement[0] != statement[1]
        found[kind].append(statement)
    return replace(case, **{k: tuple(v) for k, v in found.items()}, complete=complete)


@st.composite
def cases(draw, max_points=12):
    n = draw(st.integers(2, max_points))
    point = st.integers(0, n - 1)
    pair = st.tuples(point, point).filter(lambda p: p[0] != p[1])
    group = st.sets(point, min_size=2, max_size=min(n, 4)).map(lambda s: tuple(sorted(s)))
    classes = draw(st.sampled_from(["", "A", "AB", "ABC", "ABCD"]))
    label = st.tuples(point, st.sampled_from(classes)) if classes else st.nothing()

    def some(strategy, size):
        size = 0 if strategy.is_empty else size
        return tuple(draw(st.lists(strategy, max_size=size)))

    return Case(
        n,
        must=some(pair, 4),
        cannot=some(pair, 5),
        together=some(group, 1),
        apart=some(group, 2),
        labels=some(label, 4),
        negatives=some(label, 6),
        classes=classes,
        complete=draw(st.booleans()),
    )


def full_example():
    return (
        Constraints.from_pairs([(0, 1)], [(1, 2)], weights=([2.0], [3.0]))
        + Constraints.from_groups([[4, 5]], [[0, 5, 6]])
        + Constraints.from_labels(["a", None, "b"])
        + Constraints.from_negative_labels([(9, "c")])
    )
