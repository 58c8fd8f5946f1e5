"""The stages of a fit in the cost model: what each sends, keeps and touches, as formulas.

n points of D features in single precision, P neighbours of each. On workers, points are in s shards
(``Machine.shards``). Constants are those of the code where it sets them (cells, parts, sweeps), and
guesses where data decide them (``TRAVELS``, ``LEAVING``, ``GHOSTS``, ``BOTH``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

D = 20
P = 15
#: Groups of cells that a row is sent to, beside its own.
TRAVELS = 1.5
#: Share of the edges that leave a shard, and points elsewhere that shards know, for each point.
LEAVING, GHOSTS = 0.1, 0.5
#: Bytes of an entry of the graph: a number and a weight in double precision.
ENTRY = 12
#: Entries of the graph for each neighbour: both directions, less those that are mutual.
BOTH = 1.5
#: Points for each part, and most parts that one worker searches.
PART, MOST_PARTS = 16, 2**21
#: Bytes of a part in that search.
PART_BYTES = 2000
#: Sweeps over all points at the borders, and sub-rounds of each.
SWEEPS, SUB_ROUNDS = 6, 4
CLUSTERS = 1000
#: Rows for each cell.
PER_CELL = 125


@dataclass(frozen=True)
class Machine:
    """One machine, or workers in a network; speeds in bytes a second."""

    cores: int = 1  # of each worker
    workers: int = 1
    link: float = 1.25e9  # of a worker: 10 Gbit/s
    core_memory: float = 10e9  # that one core reads; a machine has at most 200 GB/s
    task: float = 1e-3  # seconds of the scheduler for a task or message, one at a time
    shard: int = 2**17  # least points of a shard
    most_shards: int = 200  # shards double with the points, so that workers do not change clusters
    slowest: float = 1.25  # time of the slowest worker, as a multiple of the mean

    @property
    def all_cores(self):
        """Cores of all workers."""
        return self.cores * self.workers

    @property
    def memory_speed(self):
        """Bytes a second from memory, all workers together."""
        return self.workers * min(self.core_memory * self.cores, 200e9)

    @property
    def network_speed(self):
        """Bytes a second over the network, all workers together; one machine sends nothing."""
        return self.workers * self.link if self.workers > 1 else float("inf")

    @property
    def overhead(self):
        """Seconds of a message."""
        return self.task if self.workers > 1 else 0.0

    def shards(self, n):
        """Return the number of shards."""
        size = self.shard
        while n > self.most_shards * size:
            size *= 2
        return max(1.0, n / size)

    @property
    def told(self):
        """The assumptions in words."""
        if self.workers == 1:
            return f"{self.cores} cores, memory at {self.memory_speed / 1e9:.0f} GB/s"
        return (
            f"{self.workers} workers of {self.cores} cores, {self.link * 8 / 1e9:.0f} Gbit/s each, "
            f"at most {self.most_shards} shards of {self.shard:,} points or more, "
            f"{self.task * 1e3:g} ms of one scheduler for a task or message, the slowest worker "
            f"takes {self.slowest:g} of the mean"
        )


Formula = Callable[[float, Machine], float]


@dataclass(frozen=True)
class Stage:
    """One stage; ``parallel`` is the share of its work that cores share, where not measured."""

    formula: str
    sent: Formula
    messages: Formula
    memory: Formula  # of one worker, or of the machine
    touched: Callable[[float], float]  # bytes that must be read or written
    parallel: float = 1.0
    alone: Callable[[float], float] = lambda n: 0.0  # points that one worker works on by itself


def graph_bytes(n):
    """Bytes of the graph."""
    return BOTH * P * ENTRY * n


def parts(n):
    """Parts that one worker searches."""
    return min(n / PART, MOST_PARTS)


def lists(n, m):
    """Bytes of rows and lists of neighbours on a worker, those that came from elsewhere too."""
    return (1 + TRAVELS) * (4 * D + 8 * P) * n / m.workers


STAGES = {
    "read": Stage(
        "sends 4 D n from storage; s messages; keeps 4 D n",
        lambda n, m: 4 * D * n,
        lambda n, m: m.shards(n),
        lambda n, m: 4 * D * n / m.workers,
        lambda n: 4 * D * n,
    ),
    "assign": Stage(
        "sends 4 D n / 125 of centres to every worker, TRAVELS (4 D + 12) n of rows; "
        "s + s^2 messages",
        lambda n, m: m.workers * 4 * D * n / PER_CELL + TRAVELS * (4 * D + 12) * n,
        lambda n, m: m.shards(n) + m.shards(n) ** 2,
        lambda n, m: 4 * D * n / PER_CELL + (1 + TRAVELS) * (4 * D + 12) * n / m.workers,
        lambda n: 4 * D * n,
    ),
    "search": Stage(
        "sends nothing; s messages; keeps (1 + TRAVELS) (4 D + 8 P) n",
        lambda n, m: 0.0,
        lambda n, m: m.shards(n),
        lists,
        lambda n: 8 * P * n,
    ),
    "merge": Stage(
        "sends TRAVELS 8 P n of lists; s + s^2 messages",
        lambda n, m: TRAVELS * 8 * P * n,
        lambda n, m: m.shards(n) + m.shards(n) ** 2,
        lists,
        lambda n: (1 + TRAVELS) * 8 * P * n,
    ),
    "assemble": Stage(
        "sends LEAVING 12 P n; s + s^2 messages; keeps 2 graphs of 8 BOTH P n",
        lambda n, m: LEAVING * 12 * P * n,
        lambda n, m: m.shards(n) + m.shards(n) ** 2,
        lambda n, m: 2 * graph_bytes(n) / m.workers,
        lambda n: 2 * graph_bytes(n),
    ),
    "move": Stage(
        "10 passes over the graph, 2.5 times which is kept; s messages. On workers inside "
        "shards, then one worker by itself on min(n / 16, 2^21) parts, which keep 2000 bytes each",
        lambda n, m: 0.0,
        lambda n, m: m.shards(n),
        lambda n, m: 2.5 * graph_bytes(n) / m.workers + (m.workers > 1) * PART_BYTES * parts(n),
        lambda n: 10 * graph_bytes(n),
        0.95,
        parts,
    ),
    "contract": Stage(
        "sends the edges between parts, 12 P parts; s messages",
        lambda n, m: 12 * P * n / PART,
        lambda n, m: m.shards(n),
        lambda n, m: graph_bytes(n) / m.workers,
        graph_bytes,
        0.95,
    ),
    "borders": Stage(
        "6 sweeps send 4 GHOSTS n of labels, their 4 sub-rounds 24 k of sums (k = 1000) to "
        "and from every shard; 48 s messages",
        lambda n, m: SWEEPS * (4 * GHOSTS * n + SUB_ROUNDS * 2 * 24 * CLUSTERS * m.shards(n)),
        lambda n, m: SWEEPS * SUB_ROUNDS * 2 * m.shards(n),
        lambda n, m: 1.2 * graph_bytes(n) / m.workers,
        lambda n: SWEEPS * graph_bytes(n),
    ),
    "write": Stage(
        "sends 4 n to storage; s messages",
        lambda n, m: 4 * n,
        lambda n, m: m.shards(n),
        lambda n, m: 4 * n / m.workers,
        lambda n: 4 * n,
    ),
}
