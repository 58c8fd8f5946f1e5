"""Made data of the kinds that people bring: what is hard about each is known, and can be counted.

A family is a function of a random generator; the number of a draw is its seed, so that another draw
has other samples and other clusters of the same kind. Each group is about one thing:

- ``sizes``: Gaussians of very different sizes, far enough apart for Ward to find them.
- ``dimensions``: Gaussians that overlap alike in 2 to 100 dimensions.
- ``embeddings``: rows of unit length as sentence encoders give them, and principal components.
- ``irrelevant``: Gaussians, and columns that tell nothing.
- ``tails``: customers, with amounts, counts and shares in skewed columns.
- ``duplicates``: samples on a grid, in copies, or all the same.
- ``discrete``: answers on a scale of five, categories, yes or no.
- ``counts``: words of texts with a topic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.preprocessing import normalize, scale

#: Centres of Gaussians are so many standard deviations apart: neighbours overlap by 1 %.
DISTANCE = 5.0
#: Larger sets are drawn a few times only.
LARGEST_FOR_ALL_DRAWS = 2_500
MOST_DRAWS, FEW_DRAWS = 100, 2
CUSTOMER_SHARES = (0.40, 0.25, 0.20, 0.10, 0.05)
TASKS = ["k-open", "k-given", "5%-labels", "3-a-class", "60-pairs"]
LABEL_TASKS = ["50-labels", "100-labels", "199-labels", "200-labels", "500-labels", "2000-labels"]


class Family(NamedTuple):
    """How samples are drawn, and what is done with them."""

    draw: Callable
    n: int
    group: str
    standardised: bool = True
    tasks: list[str] = TASKS

    @property
    def most_draws(self):
        """How often it is drawn at most: large ones cost more than further draws tell.

        The few labels of customers differ most between draws.
        """
        limit = 6_000 if self.group == "tails" else LARGEST_FOR_ALL_DRAWS
        return MOST_DRAWS if self.n <= limit else FEW_DRAWS


def make(name, seed):
    """Draw samples of a family, shuffled, and their classes."""
    rng = np.random.default_rng([1, seed, *name.encode()])  # not those of constraints
    X, y = FAMILIES[name].draw(rng)
    order = rng.permutation(len(y))
    X, y = X[order], y[order]
    return (scale(X) if FAMILIES[name].standardised else X), y


def classes(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def shared_out(n, shares):
    """Sizes of classes with these shares, n in all."""
    ends = np.rint(n * np.cumsum(shares) / np.sum(shares)).astype(int)
    return np.diff(ends, prepend=0)


def centres(rng, k, d, distance):
    """k centres, neighbours so far apart: any two of them, or in the plane those of a polygon."""
    if d >= k:
        return np.linalg.qr(rng.normal(size=(d, k)))[0].T * distance / np.sqrt(2)
    angle = 2 * np.pi * np.arange(k) / k
    circle = np.column_stack((np.cos(angle), np.sin(angle)))
    return circle * distance / (2 * np.sin(np.pi / k))


def gaussians(rng, sizes, d, distance=DISTANCE):
    y = classes(sizes)
    return centres(rng, len(sizes), d, distance)[y] + rng.normal(size=(y.size, d)), y


def ward_distance(sizes):
    """How far apart centres must be for Ward to unite the halves of the largest cluster first.

    Cutting a Gaussian of n samples in half saves 2 n / pi of the squares; uniting two clusters of m
    samples costs m / 2 times their squared distance, more where one is larger.
    """
    return max(6.0, 1.3 * np.sqrt(2 / np.pi * max(sizes) / min(sizes)))


def of_sizes(*sizes, d):
    return lambda rng: gaussians(rng, sizes, d, ward_distance(sizes))


def of_dimension(d, n=1_200, k=5):
    def draw(rng):
        return gaussians(rng, shared_out(n, rng.uniform(1, 3, k)), d)

    return draw


def sentences(n, d, k=20, topics=5, rank=80):
    """Unit rows: what all texts share, a topic, a class of it, and noise in few directions."""

    def draw(rng):
        y = classes(shared_out(n, rng.uniform(1, 4, k)))
        axes = normalize(rng.normal(size=(1 + topics + k, d)))
        topic = np.arange(k) % topics
        middle = 1.5 * axes[0] + 0.7 * axes[1 : topics + 1][topic] + 0.6 * axes[topics + 1 :]
        directions = np.linalg.qr(rng.normal(size=(d, rank)))[0].T
        strength = np.arange(1, rank + 1) ** -0.5
        noise = rng.normal(size=(n, rank)) * (1.1 * strength / np.linalg.norm(strength))
        wide = rng.normal(size=(n, d)) * 0.5 / np.sqrt(d)
        return normalize(middle[y] + noise @ directions + wide), y

    return draw


def components(n, d=50, k=12, measured=300):
    """Principal components of clusters whose differences fade over the first directions."""

    def draw(rng):
        y = classes(shared_out(n, rng.uniform(1, 4, k)))
        fading = np.arange(1, measured + 1) ** -0.5
        signal = rng.normal(size=(k, measured)) * fading * (np.arange(measured) < 20)
        X = 1.4 * signal[y] + rng.normal(size=(n, measured)) * fading
        left, values, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
        return left[:, :d] * values[:d], y

    return draw


def with_irrelevant(extra, n=1_000, k=5, d=5):
    """Gaussians in few columns, and others of three kinds that tell nothing."""

    def draw(rng):
        X, y = gaussians(rng, shared_out(n, rng.uniform(1, 3, k)), d, 7.0)
        kinds = (rng.normal, rng.uniform, rng.lognormal)
        return np.column_stack([X, *(kinds[i % 3](size=n) for i in range(extra))]), y

    return draw


def customers(n):
    """Customers in five classes: three amounts, two counts, a share, and six idle columns.

    Few customers have nearly all of the variance, so that the others look alike to distances of
    standardised columns; a linear classifier tells them apart.
    """

    def draw(rng):
        y = classes(shared_out(n, CUSTOMER_SHARES))
        columns = [
            *(rng.lognormal(np.array(level)[y], 0.4) for level in AMOUNTS),
            *(rng.poisson(np.array(rate)[y]) for rate in RATES),
            rng.beta(np.array(SHARE)[y], 8 - np.array(SHARE)[y]),
            *rng.lognormal(3.0, 0.8, size=(2, n)),
            *rng.poisson(4.0, size=(2, n)),
            *rng.uniform(size=(2, n)),
        ]
        return np.column_stack(columns), y

    return draw


#: Of the five classes of customers: means of logarithms, rates, and eight times the mean share.
AMOUNTS = ((2.0, 3.6, 2.0, 4.6, 6.0), (2.0, 2.0, 3.8, 5.0, 3.0), (4.0, 2.6, 2.2, 3.0, 6.0))
RATES = ((1, 8, 1, 16, 6), (3, 3, 12, 6, 18))
SHARE = (4, 4, 4, 5, 4)


def on_grid(step, n=2_000, k=5):
    """Gaussians in the plane, rounded: many samples in one place."""

    def draw(rng):
        X, y = gaussians(rng, shared_out(n, rng.uniform(1, 3, k)), 2, 6.0)
        return np.rint(X / step) * step, y

    return draw


def copies(each, n=2_000, k=5):
    """Gaussians in ten dimensions, every sample in so many copies."""

    def draw(rng):
        X, y = gaussians(rng, shared_out(n // each, rng.uniform(1, 3, k)), 10)
        return np.repeat(X, each, axis=0), np.repeat(y, each)

    return draw


def with_a_heap(heap, n=1_000, k=4):
    """Gaussians, and one class of identical samples."""

    def draw(rng):
        X, y = gaussians(rng, [*shared_out(n - heap, np.ones(k)), heap], 5)
        X[y == k] = X[y == k].mean(axis=0)
        return X, y

    return draw


def identical(n):
    return lambda rng: (np.ones((n, 3)), np.zeros(n, dtype=int))


def answers(n, questions, types):
    """Answers 1 to 5 of types of people who differ in their mean answer to every question."""

    def draw(rng):
        y = classes(shared_out(n, rng.uniform(1, 3, types)))
        mean = rng.uniform(1.2, 4.8, size=(types, questions))
        return np.clip(np.rint(mean[y] + rng.normal(size=(n, questions))), 1, 5), y

    return draw


def categories(n, variables=8, levels=4, types=4):
    """Categorical variables, one column for every level of each."""

    def draw(rng):
        y = classes(shared_out(n, rng.uniform(1, 3, types)))
        chance = rng.dirichlet(np.full(levels, 0.4), size=(types, variables))
        drawn = rng.random((n, variables, 1)) > np.cumsum(chance, axis=2)[y]
        return np.eye(levels)[drawn.sum(axis=2).clip(max=levels - 1)].reshape(n, -1), y

    return draw


def binary(n, columns=20, types=4):
    """Yes or no, each with a chance of .8 for some types and .2 for others."""

    def draw(rng):
        y = classes(shared_out(n, rng.uniform(1, 3, types)))
        chance = rng.choice([0.2, 0.8], size=(types, columns))
        return (rng.random((n, columns)) < chance[y]).astype(float), y

    return draw


def words(n, spread=0.0, logarithm=False, vocabulary=200, topics=6):
    """Counts of words: Poisson, or with a spread negative binomial; texts differ in length."""

    def draw(rng):
        y = classes(shared_out(n, rng.uniform(1, 3, topics)))
        common = rng.dirichlet(np.full(vocabulary, 0.5))
        topic = 0.7 * common + 0.3 * rng.dirichlet(np.full(vocabulary, 0.1), size=topics)
        rate = rng.lognormal(5.0, 0.5, size=(n, 1)) * topic[y]
        if spread:
            rate *= rng.gamma(1 / spread, spread, size=rate.shape)
        counts = rng.poisson(rate).astype(float)
        return (np.log1p(counts) if logarithm else counts), y

    return draw


def _sizes():
    for name, sizes in {
        "769+3x77": (769, 77, 77, 77),
        "571+3x143": (571, 143, 143, 143),
        "400+200+100+50+25": (400, 200, 100, 50, 25),
        "2000+200+20": (2_000, 200, 20),
        "10000+30": (10_000, 30),
    }.items():
        for d in (2, 20):
            yield f"sizes-{name}-{d}d", Family(of_sizes(*sizes, d=d), sum(sizes), "sizes", False)


def _dimensions():
    for d in (2, 5, 10, 20, 50, 100):
        yield f"dimensions-{d}", Family(of_dimension(d), 1_200, "dimensions", False)


def _embeddings():
    for n, d in ((1_500, 384), (4_000, 768)):
        yield f"sentences-{n}-{d}d", Family(sentences(n, d), n, "embeddings", False)
    for n in (1_500, 4_000):
        yield f"components-{n}", Family(components(n), n, "embeddings", False)


def _irrelevant():
    for extra in (5, 15, 45):
        yield f"irrelevant-{extra}", Family(with_irrelevant(extra), 1_000, "irrelevant")


def _tails():
    for n, tasks in ((6_000, ["k-open", "k-given", *LABEL_TASKS]), (20_000, LABEL_TASKS)):
        yield f"customers-{n}", Family(customers(n), n, "tails", tasks=tasks)


def _duplicates():
    for step in (0.5, 1.0):
        yield f"grid-{step}", Family(on_grid(step), 2_000, "duplicates", False)
    yield "copies-20", Family(copies(20), 2_000, "duplicates", False)
    yield "heap-200", Family(with_a_heap(200), 1_000, "duplicates", False)
    yield "identical-1000", Family(identical(1_000), 1_000, "duplicates", False, ["k-open"])


def _discrete():
    for n in (300, 1_000, 5_000):
        yield f"answers-{n}-8q", Family(answers(n, 8, 3), n, "discrete", False)
        yield f"answers-{n}-12q", Family(answers(n, 12, 4), n, "discrete", False)
        yield f"categories-{n}", Family(categories(n), n, "discrete", False)
        yield f"binary-{n}", Family(binary(n), n, "discrete", False)


def _counts():
    for n in (1_000, 4_000):
        for name, spread in (("poisson", 0.0), ("negative-binomial", 1.0)):
            for form in ("", "-log"):
                drawn = words(n, spread, logarithm=bool(form))
                yield f"{name}{form}-{n}", Family(drawn, n, "counts", False)


GROUPS = (_sizes, _dimensions, _embeddings, _irrelevant, _tails, _duplicates, _discrete, _counts)
FAMILIES = dict(pair for group in GROUPS for pair in group())
