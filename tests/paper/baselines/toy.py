"""The toy problem of the fixtures, and starts that repeat in any language."""

import numpy as np


def points():
    """Twelve points in three groups of four."""
    rows = []
    for g, (cx, cy) in enumerate([(0, 0), (3, 0), (0, 3)]):
        for t in range(4):
            a = 2 * np.pi * (t / 4 + 0.1 * g)
            rows.append((cx + 0.8 * np.cos(a) + 0.05 * t, cy + 0.6 * np.sin(a) - 0.03 * t))
    return np.array(rows)


GROUPS = np.repeat([0, 1, 2], 4)
MUST_LINK = [(0, 1), (4, 5), (8, 9)]
CANNOT_LINK = [(0, 4), (4, 8), (0, 8)]


def affinity():
    """exp(-squared distance) with zero diagonal."""
    p = points()
    W = np.exp(-((p[:, None] - p[None]) ** 2).sum(-1))
    np.fill_diagonal(W, 0)
    return W


def start(rows, columns, q):
    """The start u(i, j, q) of the fixtures: numbers in [0.05, 0.95]."""
    i, j = np.arange(1, rows + 1)[:, None], np.arange(1, columns + 1)[None]
    turn = 0.6180339887498949 * i + 0.7548776662466927 * j + 0.5698402909980532 * q
    return 0.05 + 0.9 * np.modf(turn)[0]


def easy_blobs(seed=0):
    """Three classes of 30 in 12 features that stay apart when rows are brought to length 1."""
    y = np.repeat([0, 1, 2], 30)
    X = np.random.default_rng(seed).normal(size=(90, 12))
    for q in range(3):
        X[y == q, 4 * q : 4 * q + 4] += 8
    return np.abs(X), y
