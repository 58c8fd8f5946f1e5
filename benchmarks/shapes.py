"""Made data with clear clusters: blobs of many sizes, shapes in two and three dimensions.

Every shape is a family: the seed draws its size, noise and proportions, so that another seed is
another set and not only other points. Label -1 marks noise, which belongs to no cluster.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_blobs, make_circles, make_moons

#: Centres of blobs are at least so many standard deviations (of the wider one) apart: in the plane,
#: with six neighbours all that close, fewer than 1 % of the samples are nearer to a wrong centre.
SEPARATION = 6.0
NOISE = -1


def shape(family, seed):
    """Draw one set of a family."""
    return family(np.random.default_rng([seed, *family.__name__.encode()]))


def blob_setting(seed):
    """Draw n (2,000 to 100,000) and d (2 to 50) log-uniformly, k (5 to 100), and such blobs."""
    random = np.random.default_rng([seed, 20])
    n = int(np.exp(random.uniform(np.log(2_000), np.log(100_000))))
    k, d = int(random.integers(5, 101)), round(np.exp(random.uniform(np.log(2), np.log(50))))
    centres = _spread_centres(random, k, d)
    share = np.ones(k) if seed % 2 else random.uniform(0.3, 1.7, k)
    width = np.ones(k) if seed % 3 else random.uniform(0.5, 1.0, k)
    size = np.maximum(np.round(n * share / share.sum()).astype(int), 2)
    y = np.repeat(np.arange(k), size)
    X = centres[y] + random.normal(size=(y.size, d)) * width[y, None]
    return X, y, f"blobs-{seed} (n={y.size}, k={k}, d={d})"


def _spread_centres(random, k, d):
    """Throw centres into a box that grows until all of them keep their distance."""
    side = SEPARATION * k ** (1 / d)
    centres = np.empty((0, d))
    misses = 0
    while len(centres) < k:
        new = random.uniform(0, side, d)
        if len(centres) == 0 or np.linalg.norm(centres - new, axis=1).min() >= SEPARATION:
            centres = np.vstack((centres, new))
        elif (misses := misses + 1) % 200 == 0:
            side *= 1.05
    return centres


def _stack(*parts, noise=None):
    """Return the parts as clusters 0, 1, …, and the points of no cluster."""
    X = np.vstack([*parts, noise] if noise is not None else parts)
    y = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return X, np.append(y, np.full(len(X) - len(y), NOISE))


def _box(random, n, low, high):
    return random.uniform(low, high, size=(n, len(low)))


def _around(random, curve, spread):
    return curve + random.normal(scale=spread, size=curve.shape)


def _arc(random, n, radius, start=0.0, end=2 * np.pi):
    angle = random.uniform(start, end, n)
    return radius * np.column_stack((np.cos(angle), np.sin(angle)))


def _ball(random, n, d, inner=0.0):
    way = random.normal(size=(n, d))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    return way * random.uniform(inner**d, 1, (n, 1)) ** (1 / d)


def _seed_of(random):
    return int(random.integers(2**31))


def moons(random):
    n, noise = random.integers(400, 1500), random.uniform(0.03, 0.08)
    return make_moons(n, noise=noise, random_state=_seed_of(random))


def noisy_moons(random):
    n = random.integers(1000, 3000)
    return make_moons(n, noise=0.1, random_state=_seed_of(random))


def two_rings(random):
    n, noise = random.integers(400, 1500), random.uniform(0.02, 0.06)
    return make_circles(n, factor=0.5, noise=noise, random_state=_seed_of(random))


def many_rings(random):
    n, spread = random.integers(100, 200), random.uniform(0.03, 0.08)
    return _stack(*(_around(random, _arc(random, n * r, r), spread) for r in range(1, 5)))


def _spiral(random, n, turn, turns):
    t = np.sqrt(random.uniform(0.05, 1, n))
    angle = 2 * np.pi * (turns * t + turn)
    return t[:, None] * np.column_stack((np.cos(angle), np.sin(angle)))


def two_spirals(random):
    n = random.integers(400, 1000)
    return _stack(*(_around(random, _spiral(random, n, k / 2, 1.5), 0.015) for k in range(2)))


def three_spirals(random):
    n = random.integers(200, 600)
    return _stack(*(_around(random, _spiral(random, n, k / 3, 0.8), 0.02) for k in range(3)))


def bridged_blobs(random):
    n = random.integers(300, 1000)
    blobs = [_around(random, np.tile([x, 0.0], (n, 1)), 1.0) for x in (0.0, 8.0)]
    bridge = _box(random, n // 20, (2.0, -0.2), (6.0, 0.2))
    return _stack(*blobs, noise=bridge)


def bridged_discs(random):
    n = random.integers(300, 800)
    discs = [_ball(random, n, 2) + np.array([3 * k, 0.5 * (k % 2)]) for k in range(4)]
    bridges = [_box(random, n // 30, (3 * k + 0.9, 0.1), (3 * k + 2.1, 0.3)) for k in range(3)]
    return _stack(*discs, noise=np.vstack(bridges))


def unequal_sizes(random):
    sizes = np.round(random.uniform(0.8, 1.2, 4) * [2000, 400, 100, 40]).astype(int)
    centres = np.array([[0.0, 0], [7, 0], [0, 7], [7, 7]])
    return _stack(
        *(_around(random, np.tile(c, (s, 1)), 0.9) for c, s in zip(centres, sizes, strict=True))
    )


def unequal_densities(random):
    n = random.integers(200, 700)
    spreads, places = (0.3, 1.0, 2.5), ((0.0, 0.0), (4.5, 0.0), (0.0, 12.0))
    return _stack(
        *(_around(random, np.tile(c, (n, 1)), s) for c, s in zip(places, spreads, strict=True))
    )


def elongated(random):
    X, y = make_blobs(random.integers(600, 2000), random_state=170)
    return X @ [[0.6, -0.6], [-0.4, 0.8]], y


def stripes(random):
    n, k = random.integers(150, 400), random.integers(3, 7)
    return _stack(*(_box(random, n, (0, 2.0 * r), (20, 2.0 * r + 1)) for r in range(k)))


def segments(random):
    n, parts = random.integers(100, 300), []
    for k in range(6):
        t, angle = random.uniform(-1, 1, n), random.uniform(0, np.pi)
        line = np.outer(t, (np.cos(angle), np.sin(angle))) + np.array(divmod(k, 3)[::-1]) * 3
        parts.append(_around(random, line, 0.05))
    return _stack(*parts)


def blobs_in_noise(random):
    n = random.integers(150, 400)
    centres = np.array([[0.0, 0], [6, 1], [1, 7], [7, 7], [12, 4]])
    parts = [_around(random, np.tile(c, (n, 1)), 0.5) for c in centres]
    return _stack(*parts, noise=_box(random, n, (-3, -3), (15, 10)))


def moons_in_noise(random):
    X, y = make_moons(random.integers(800, 1600), noise=0.04, random_state=_seed_of(random))
    noise = _box(random, len(X) // 8, (-1.5, -1), (2.5, 1.5))
    return np.vstack((X, noise)), np.append(y, np.full(len(noise), NOISE))


def chain_links(random):
    n, spread = random.integers(300, 800), random.uniform(0.05, 0.1)
    flat, upright = _arc(random, n, 1.0), _arc(random, n, 1.0)
    first = np.column_stack((flat, np.zeros(n)))
    second = np.column_stack((upright[:, 0] + 1, np.zeros(n), upright[:, 1]))
    return _stack(_around(random, first, spread), _around(random, second, spread))


def core_in_shell(random):
    n = random.integers(400, 800)
    return _stack(0.3 * _ball(random, n, 3), _ball(random, n, 3, inner=0.9))


def nested_spheres(random):
    n = random.integers(400, 900)
    return _stack(0.5 * _ball(random, n // 2, 3, inner=0.9), 1.2 * _ball(random, 3 * n, 3, 0.95))


def target(random):
    n = random.integers(300, 600)
    corners = [
        _around(random, np.tile(c, (12, 1)), 0.08) for c in ((-3, -3), (3, 3), (-3, 3), (3, -3.0))
    ]
    ring = _around(random, _arc(random, n, 2.0), 0.1)
    return _stack(0.7 * _ball(random, n, 2), ring, *corners)


def face(random):
    n = random.integers(200, 500)
    head = _around(random, _arc(random, 3 * n, 3.0), 0.08)
    mouth = _around(random, _arc(random, n, 1.7, 1.15 * np.pi, 1.85 * np.pi), 0.08)
    eyes = [0.3 * _ball(random, n // 2, 2) + [x, 1.0] for x in (-1.0, 1.0)]
    return _stack(head, mouth, *eyes)


def grid_of_squares(random):
    n, gap = random.integers(40, 120), random.uniform(1.25, 1.5)
    corners = [(gap * i, gap * j) for i in range(5) for j in range(5)]
    return _stack(*(_box(random, n, c, np.add(c, 1)) for c in corners))


def waves(random):
    n, parts = random.integers(300, 800), []
    for k in range(3):
        x = random.uniform(0, 4 * np.pi, n)
        parts.append(_around(random, np.column_stack((x, np.sin(x) + 2 * k)), 0.12))
    return _stack(*parts)


def ring_around_blob(random):
    n = random.integers(200, 500)
    ring = _around(random, _arc(random, 4 * n, 4.0), 0.3)
    return _stack(ring, _around(random, np.zeros((n, 2)), 0.8))


def hook_around_blob(random):
    n = random.integers(200, 500)
    hook = _around(random, _arc(random, 3 * n, 3.0, 0.3 * np.pi, 1.7 * np.pi), 0.2)
    return _stack(hook, _around(random, np.zeros((n, 2)), 0.6))


def helices(random):
    n, parts = random.integers(300, 700), []
    for k in range(3):
        t = random.uniform(0, 1, n)
        angle = 2 * np.pi * (2 * t + k / 3)
        curve = np.column_stack((np.cos(angle), np.sin(angle), 4 * t))
        parts.append(_around(random, curve, 0.06))
    return _stack(*parts)


def two_diamonds(random):
    n, gap = random.integers(300, 800), random.uniform(0.05, 0.15)
    squares = [_box(random, n, (-1, -1), (1, 1)) for _ in range(2)]
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)
    return _stack(*(s @ turn + [x, 0] for s, x in zip(squares, (0, 2**1.5 + gap), strict=True)))


def seven_blobs(random):
    n = random.integers(40, 150)
    centres = 3 * np.vstack((np.zeros(3), np.eye(3), -np.eye(3)))
    return _stack(*(_around(random, np.tile(c, (n, 1)), 0.4) for c in centres))


def close_tetrahedron(random):
    n = random.integers(150, 400)
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1.0]])
    return _stack(*(_ball(random, n, 3) + 0.8 * c for c in corners))


def bars_and_ball(random):
    n = random.integers(150, 400)
    bars = _box(random, n, (0, 0), (0.4, 4)), _box(random, n, (0.7, 0), (4, 0.4))
    return _stack(*bars, 0.8 * _ball(random, 2 * n, 2) + [3, 3])


def wing_nut(random):
    n = random.integers(400, 900)
    first = _box(random, 4 * n, (0, 0), (2, 3))
    first = first[random.uniform(0, 1, len(first)) < (first[:, 0] + first[:, 1]) / 5]
    return _stack(first, [4.25, 3.0] - first * [1, 1])


def letters(random):
    n = random.integers(200, 500)
    tee = np.vstack((_box(random, n, (0, 4), (3, 4.6)), _box(random, n, (1.2, 0), (1.8, 4))))
    ell = np.vstack(
        (_box(random, n, (4, 0), (4.6, 4.6)), _box(random, n // 2, (4.6, 0), (6.5, 0.6)))
    )
    oh = _around(random, _arc(random, 2 * n, 1.8), 0.15) + np.array([9.2, 2.3])
    return _stack(tee, ell, oh)


def crowded_blobs(random):
    n, k = random.integers(60, 200), random.integers(12, 20)
    centres = _spread_centres(random, k, 2)
    return _stack(*(_around(random, np.tile(c, (n, 1)), 1.0) for c in centres))


def many_small_blobs(random):
    centres = _spread_centres(random, 40, 2)
    return _stack(*(_around(random, np.tile(c, (25, 1)), 0.8) for c in centres))


def heavy_tails(random):
    n = random.integers(200, 500)
    centres = [[0.0, 0], [12, 0], [6, 10]]
    return _stack(*(c + 0.7 * random.standard_t(3, size=(n, 2)) for c in centres))


SHAPES = (
    moons, noisy_moons, two_rings, many_rings, two_spirals, bridged_blobs, unequal_sizes,
    unequal_densities, elongated, stripes, blobs_in_noise, chain_links, core_in_shell, target,
    grid_of_squares, waves, ring_around_blob, two_diamonds, seven_blobs, bars_and_ball,
    crowded_blobs, letters, three_spirals, bridged_discs, segments, moons_in_noise, nested_spheres,
    face, hook_around_blob, helices, close_tetrahedron, wing_nut, many_small_blobs, heavy_tails,
)  # fmt: skip


def single_clusters(seed):
    """Data without clusters: a user expects one, not thirty."""
    random = np.random.default_rng([seed, 21])
    yield "gaussian-2d", random.normal(size=(1000, 2))
    yield "gaussian-2d-large", random.normal(size=(10_000, 2))
    yield "gaussian-10d", random.normal(size=(2000, 10))
    yield "gaussian-50d", random.normal(size=(2000, 50))
    yield "uniform-2d", random.uniform(size=(2000, 2))
    yield "uniform-5d", random.uniform(size=(2000, 5))
    yield "ring", _around(random, _arc(random, 1000, 1.0), 0.05)
    yield "line", _box(random, 500, (0, 0), (20, 0.5))
    yield "heavy-tails", random.standard_t(3, size=(2000, 2))
