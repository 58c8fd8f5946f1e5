"""The compiled kernels; see native/bindings.cpp."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Progress = Callable[[float], object] | None

sanitized: bool

def merge(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    fewest_modules: int,
    must_link_first: bool,
    owner: Ints,
    progress: Progress,
) -> tuple[Ints, Ints, Doubles]: ...
def stretch(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    leaf_penalty: bool,
    must_link_first: bool,
    progress: Progress,
) -> tuple[Ints, Ints, Doubles]: ...
def move(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    labels: Ints,
    pull_indptr: Longs,
    pull_indices: Ints,
    pull_weights: Doubles,
    shrinkage: float,
    n_modules: int,
    least_gain: float,
    most_sweeps: int,
    keep_modules: bool,
    progress: Progress,
) -> tuple[Ints, Ints, Ints, Doubles, int]: ...
def move_gain(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    labels: Ints,
    pull_indptr: Longs,
    pull_indices: Ints,
    pull_weights: Doubles,
    shrinkage: float,
    n_modules: int,
    i: int,
    to: int,
) -> float: ...
def compress(
    parent: Ints,
    volume: Doubles,
    cut: Doubles,
    relation_cut: Doubles,
    n_leaves: int,
    height: int,
    leaf_penalty: bool,
    progress: Progress,
) -> tuple[Ints, Doubles]: ...
def contracted(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    labels: Ints,
    n_modules: int,
    sharing: tuple[int, int],
) -> tuple[Longs, Ints, Doubles]: ...
def module_cuts(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    labels: Ints,
    n_modules: int,
    sharing: tuple[int, int],
) -> Doubles: ...
def both_ways(
    indptr: Longs, indices: Ints, weights: Doubles, sharing: tuple[int, int]
) -> tuple[Longs, Ints, Doubles]: ...
def is_graph(indptr: Longs, indices: Ints, weights: Doubles, sharing: tuple[int, int]) -> bool: ...
def components(indptr: Longs, indices: Ints, weights: Doubles) -> Ints: ...
def sharpened(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    most: int,
    power: float,
    sharing: tuple[int, int],
    progress: Progress,
) -> tuple[Longs, Ints, Doubles]: ...
def density_clusters(
    i: Ints,
    j: Ints,
    height: Doubles,
    n: int,
    few: int,
    many: int,
    rise: Doubles,
    sure: float,
    progress: Progress,
) -> tuple[Ints, float]: ...
def strongest_limits(
    indptr: Longs, indices: Ints, weights: Doubles, most: int, sharing: tuple[int, int]
) -> Doubles: ...
def spread_labels(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    limit: Doubles,
    power: float,
    index: Ints,
    code: Ints,
    n_classes: int,
    most_shares: int,
    least_share: float,
    most_sweeps: int,
    least_change: float,
    sharing: tuple[int, int],
    progress: Progress,
) -> tuple[Longs, Ints, Doubles]: ...
def move_from_queue(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    labels: Ints,
    pull_indptr: Longs,
    pull_indices: Ints,
    pull_weights: Doubles,
    shrinkage: float,
    n_modules: int,
    queue: Ints,
    least_gain: float,
    may_found: bool,
    keep_modules: bool,
    sharing: tuple[int, int],
    progress: Progress,
) -> tuple[Ints, float]: ...
def balance(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    labels: Ints,
    pull_indptr: Longs,
    pull_indices: Ints,
    pull_weights: Doubles,
    shrinkage: float,
    n_modules: int,
    size: Doubles,
    n_samples: int,
    least: float,
    most: float,
    price: float,
    least_gain: float,
    progress: Progress,
) -> tuple[Ints, float]: ...
def multilevel(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    labels: Ints,
    seed: int,
    most_rounds: int,
    least_gain: float,
    sharing: tuple[int, int],
    progress: Progress,
) -> tuple[Ints, Doubles]: ...
def unite_inside(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    inner: Doubles,
    n_columns: int,
    total_volume: float,
    most_volume: float,
    seed: int,
    least_gain: float,
) -> Ints: ...
def decide(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    inner: Doubles,
    labels: Ints,
    total_volume: float,
    association: Doubles,
    volume: Doubles,
    shrinkage: float,
    vertices: Ints,
    least_gain: float,
) -> tuple[Ints, Ints, Doubles, Doubles]: ...
def link(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    labels: Ints,
    least_linkage: float,
    fewest_modules: int,
    lesser: float,
    greater: float,
    owner: Ints,
    many: int,
    sharing: tuple[int, int],
    progress: Progress,
) -> tuple[Ints, Ints, Doubles]: ...
def grow(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    clusters: Ints,
    triplets: Ints,
    triplet_weights: Doubles,
    leaf_penalty: bool,
    height: int,
    seed: int,
    most_rounds: int,
    least_gain: float,
    sharing: tuple[int, int],
    progress: Progress,
) -> Ints: ...
def graft(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    parent: Ints,
    clusters: Ints,
    leaf_penalty: bool,
    height: int,
    most_rounds: int,
    least_gain: float,
    sharing: tuple[int, int],
    progress: Progress,
) -> tuple[Ints, Doubles]: ...
def measure(
    indptr: Longs,
    indices: Ints,
    weights: Doubles,
    degree: Doubles,
    relation_indptr: Longs,
    relation_indices: Ints,
    relation_weights: Doubles,
    parent: Ints,
) -> tuple[Doubles, Doubles, Doubles]: ...
def tree_beliefs(
    heavy: Ints,
    light: Ints,
    root: int,
    cut: Doubles,
    kind: NDArray[np.uint8],
    share: Doubles,
    n_classes: int,
    evidence: Doubles,
    all: bool,
) -> tuple[Doubles, Doubles, float]: ...
def tree_reach(
    heavy: Ints, light: Ints, root: int, kept: Doubles, value: Doubles, greatest: bool
) -> Doubles: ...
def nearest_in_cells(
    queries: NDArray[np.float32],
    query_cells: Ints,
    members: NDArray[np.float32],
    member_cells: Ints,
    own: Ints,
    n_cells: int,
    p: int,
    threads: int,
    progress: Progress,
) -> tuple[Ints, NDArray[np.float32]]: ...
def merge_lists(
    ids: Ints,
    distances: NDArray[np.float32],
    rows: Longs,
    more_ids: Ints,
    more_distances: NDArray[np.float32],
    threads: int,
) -> None: ...
