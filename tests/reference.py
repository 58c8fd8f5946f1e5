"""Slow and obvious oracles: dense matrices, sets and recomputation from the definitions."""

import itertools

import numpy as np
import scipy.sparse as sp

from sentree import Graph
from sentree.search.kernels import multilevel


def random_problem(rng, n, *, density=0.4, relation_density=0.2, ties=False, own_weight=False):
    """A random graph with isolated vertices and components, and a random signed relation graph."""
    weights = rng.integers(1, 4, size=(n, n)) if ties else rng.uniform(0.1, 5.0, size=(n, n))
    graph = np.triu(weights * (rng.random((n, n)) < density), 1)
    graph[rng.random(n) < 0.1] = 0
    graph = graph + graph.T
    signs = rng.choice([-1.0, 1.0], size=(n, n)) * rng.uniform(0.1, 8.0, size=(n, n))
    relation = np.triu(signs * (rng.random((n, n)) < relation_density), 1)
    relation = relation + relation.T
    if own_weight:
        graph = graph + np.diag(rng.uniform(0.0, 2.0, size=n))
        return Graph.from_dense(graph, self_loops="keep"), sp.csr_array(relation), graph, relation
    return Graph.from_dense(graph), sp.csr_array(relation), graph, relation


def dense_partition_objective(graph, relation, labels):
    """L of a partition by its definition, from dense matrices (the diagonal is own weight)."""
    degree = graph.sum(axis=1)
    total = degree.sum()
    value = 0.0
    for label in set(labels):
        inside = np.flatnonzero(np.asarray(labels) == label)
        outside = np.flatnonzero(np.asarray(labels) != label)
        volume = degree[inside].sum()
        if volume == 0:
            continue
        cut = graph[np.ix_(inside, outside)].sum() + relation[np.ix_(inside, outside)].sum()
        value -= cut / total * np.log2(volume / total)
        for i in inside:
            if degree[i] > 0:
                value -= degree[i] / total * np.log2(degree[i] / volume)
    return value


def leaves_below(parent, n):
    """The set of leaves of every node."""
    below = [{i} for i in range(n)] + [set() for _ in range(len(parent) - n)]
    for node, up in enumerate(parent[:-1]):
        below[up] |= below[node]
    return below


def clades(tree):
    """The sets of leaves below the nodes, which are the whole shape of a tree."""
    return {frozenset(below) for below in leaves_below(tree.parent.tolist(), tree.n_leaves)}


def random_parent(rng, n, widest=4):
    """A random tree over n leaves with nodes of two or more children."""
    tops, parent, next_id = list(range(n)), {}, n
    while len(tops) > 1:
        width = min(len(tops), int(rng.integers(2, widest + 1)))
        chosen = rng.choice(len(tops), size=width, replace=False)
        for k in chosen:
            parent[tops[k]] = next_id
        tops = [t for k, t in enumerate(tops) if k not in set(chosen.tolist())] + [next_id]
        next_id += 1
    parent[next_id - 1 if n > 1 else 0] = -1
    return [parent[node] for node in range(len(parent))]


def caterpillar(n):
    """The deepest binary tree: leaf k joins what leaves 0..k-1 have become."""
    parent = np.empty(2 * n - 1, dtype=np.int32)
    parent[0] = n
    parent[1:n] = np.arange(n, 2 * n - 1)
    parent[n:] = np.arange(n + 1, 2 * n)
    parent[-1] = -1
    return parent


def dense_tree_objective(graph, relation, parent, leaf_penalty=False):
    """L of an encoding tree by its definition; own weight counts in volumes, not in cuts."""
    n = len(graph)
    degree = graph.sum(axis=1)
    total = degree.sum()
    below = leaves_below(parent, n)
    value = 0.0
    for node, up in enumerate(parent[:-1]):
        inside = sorted(below[node])
        outside = sorted(set(range(n)) - below[node])
        volume, above = degree[inside].sum(), degree[sorted(below[up])].sum()
        if volume == 0:
            continue
        cut = graph[np.ix_(inside, outside)].sum()
        if len(inside) > 1 or leaf_penalty:
            cut += relation[np.ix_(inside, outside)].sum()
        value -= cut / total * np.log2(volume / above)
    return value


def lca_entropy(graph, parent):
    """H of a tree as a sum over edges of the volume of the lowest common ancestor."""
    n = len(graph)
    degree = graph.sum(axis=1)
    total = degree.sum()
    below = leaves_below(parent, n)
    strength = degree - np.diag(graph)
    value = 0.0
    for i, j in itertools.combinations(range(n), 2):
        if graph[i, j]:
            meet = min(node for node in range(n, len(parent)) if {i, j} <= below[node])
            value += 2 * graph[i, j] / total * np.log2(degree[sorted(below[meet])].sum())
    for i in range(n):
        if degree[i] > 0:
            value -= strength[i] / total * np.log2(degree[i])
    return value


def slow_merge(graph, relation, *, n_modules=None, must_link_first=False):
    """Greedy merging by recomputing the objective of every candidate."""
    n = len(graph)
    modules = {i: [i] for i in range(n)}
    joins, next_id = [], n
    grown_by = {}  # sign of the relation that made a module, passed on to its neutral pairs

    def rank(a, b):
        if not must_link_first:
            return 0
        related = np.sign(relation[np.ix_(modules[a], modules[b])].sum())
        return related or grown_by.get(b, 0)  # b, the larger id, is the later one

    def value():
        labels = np.empty(n, dtype=int)
        for name, members in modules.items():
            labels[members] = name
        return dense_partition_objective(graph, relation, labels)

    while n_modules is None or len(modules) > n_modules:
        now, best = value(), None
        for a, b in itertools.combinations(sorted(modules), 2):
            if graph[np.ix_(modules[a], modules[b])].sum() <= 0:
                continue
            sign = rank(a, b)
            members = modules.pop(a), modules.pop(b)
            modules[next_id] = members[0] + members[1]
            gain = now - value()
            del modules[next_id]
            modules[a], modules[b] = members
            if n_modules is None and gain < 0:
                continue
            key = (-sign, -gain, a, b)
            if best is None or key < best:
                best = key
        if best is None:
            break
        _, gain, a, b = best
        grown_by[next_id] = np.sign(relation[np.ix_(modules[a], modules[b])].sum())
        modules[next_id] = modules.pop(a) + modules.pop(b)
        joins.append((a, b, -gain))
        next_id += 1
    labels = np.empty(n, dtype=int)
    for name, members in modules.items():
        labels[members] = name
    return labels, joins


def slow_stretch(graph, relation, leaf_penalty=False):
    """Greedy stretching by recomputing the objective of every candidate tree."""
    n = len(graph)
    tops = {i: [i] for i in range(n)}
    parent = {}
    joins, next_id = [], n

    def value():
        inner = [(a, b) for a, b, _ in joins]
        up = [-1] * (n + len(inner) + 1)
        for k, (a, b) in enumerate(inner):
            up[a] = up[b] = n + k
        for node in range(n + len(inner)):
            if up[node] == -1:
                up[node] = n + len(inner)
        return dense_tree_objective(graph, relation, up, leaf_penalty)

    while True:
        now, best = value(), None
        for a, b in itertools.combinations(sorted(tops), 2):
            if graph[np.ix_(tops[a], tops[b])].sum() <= 0:
                continue
            joins.append((a, b, 0.0))
            # A join of all that is left makes a root with one child: no change of value.
            gain = now - value() if len(tops) > 2 else 0.0
            joins.pop()
            if best is None or (-gain, a, b) < best:
                best = (-gain, a, b)
        if best is None:
            return joins
        gain, a, b = best
        joins.append((a, b, -gain))
        parent[a] = parent[b] = next_id
        tops[next_id] = tops.pop(a) + tops.pop(b)
        next_id += 1


def slow_compress(graph, relation, parent, height, leaf_penalty=False):
    """Remove, one by one, the node above a too deep leaf whose removal costs least."""
    n = len(graph)
    parent = list(parent)
    root = len(parent) - 1
    alive = set(range(len(parent)))

    def up(node):
        node = parent[node]
        while node not in alive:
            node = parent[node]
        return node

    def ancestors(node):
        chain = []
        while node != root:
            node = up(node)
            chain.append(node)
        return chain

    def value():
        ids = {node: k for k, node in enumerate(sorted(alive))}
        flat = [ids[up(node)] if node != root else -1 for node in sorted(alive)]
        return dense_tree_objective(graph, relation, flat, leaf_penalty)

    removed = []
    while True:
        deep = [leaf for leaf in range(n) if len(ancestors(leaf)) > height]
        if not deep:
            ids = {node: k for k, node in enumerate(sorted(alive))}
            return removed, [ids[up(node)] if node != root else -1 for node in sorted(alive)]
        candidates = {node for leaf in deep for node in ancestors(leaf)} - {root}
        now, best = value(), None
        for node in sorted(candidates):
            alive.discard(node)
            gain = now - value()
            alive.add(node)
            if best is None or -gain < best[0] - 1e-13:
                best = (-gain, node)
        alive.discard(best[1])
        removed.append((best[1], -best[0]))


def slow_purity(parent, y):
    """Dendrogram purity over all pairs of one class."""
    n = len(y)
    below = leaves_below(parent, n)
    shares = []
    for i, j in itertools.combinations(range(n), 2):
        if y[i] == y[j]:
            meet = min(node for node in range(n, len(parent)) if {i, j} <= below[node])
            shares.append(np.mean([y[leaf] == y[i] for leaf in below[meet]]))
    return float(np.mean(shares))


def placements(graph, labels, vertex):
    """L of the partition for every module that a vertex touches or is in, by recomputation."""
    touched = {labels[j] for j in np.flatnonzero(graph[vertex]) if j != vertex}
    values = {}
    for module in sorted(touched | {labels[vertex]} - {None}):
        moved = [*labels[:vertex], module, *labels[vertex + 1 :]]
        values[module] = dense_partition_objective(graph, np.zeros_like(graph), moved)
    return values


def slow_walks(graph, labels, steps):
    """Probability of every module at the end of walks, by powers of a dense matrix of steps."""
    n = len(graph)
    weights = graph * (1 - np.eye(n))
    for i in np.flatnonzero(weights.sum(axis=1) == 0):
        weights[i, i] = 1.0
    step = weights / weights.sum(axis=1, keepdims=True)
    ends = [np.eye(max(labels) + 1)[labels]]
    for _ in range(int(steps) + 1):
        ends.append(step @ ends[-1])
    whole = int(steps)
    return (whole + 1 - steps) * ends[whole] + (steps - whole) * ends[whole + 1]


def slow_assign(graph, labels, weights, own=0.0):
    """The touching module with the lowest L of the graph with one more vertex, and all of them."""
    n = len(graph)
    extended = np.zeros((n + 1, n + 1))
    extended[:n, :n] = graph
    extended[n, :n] = extended[:n, n] = weights
    extended[n, n] = own
    values = placements(extended, [*labels, None], n)
    return min(values, key=values.get), values


def unequal_clouds(sizes, d, seed):
    """Draw up to four Gaussian clouds of given sizes in d dimensions, d even, and their numbers."""
    rng = np.random.default_rng(seed)
    corners = np.array([[0, 0], [0, 9], [9, 0], [9, 9]])[: len(sizes)]
    centres = np.repeat(corners, d // 2, axis=1) / np.sqrt(d / 2)  # as far apart in any dimension
    X = np.concatenate([c + rng.normal(size=(n, d)) for c, n in zip(centres, sizes, strict=True)])
    y = np.repeat(np.arange(len(sizes)), sizes)
    return X, y


def slow_finer(problem, labels):
    """Every module searched as a graph of its own, cut out of the whole one by one."""
    labels = problem.extended(labels)
    parts, first = np.zeros(labels.size, dtype=np.int64), 0
    for module in range(int(labels.max()) + 1):
        inside = np.flatnonzero(labels == module)
        parts[inside] = first + multilevel(*problem.part(inside)).labels
        first = int(parts.max()) + 1
    return problem.extended(parts[: problem.n])


def slow_taken_apart(problem, labels, n_clusters):
    """All modules searched anew in every step; where none splits, the largest one falls apart."""
    labels = problem.extended(labels)
    while (found := int(labels.max()) + 1) < n_clusters:
        parts = slow_finer(problem, labels)
        if parts.max() + 1 <= found:
            samples = labels[: problem.n].astype(np.int64)
            largest = np.flatnonzero(samples == np.bincount(samples).argmax())
            samples[largest] = found + np.arange(largest.size)
            parts = problem.extended(samples)
        labels = parts
    return labels


def slow_folded(i, j, by_volume, k):
    """Each of the smallest modules into the largest later one that nothing in it is kept from."""
    apart = set(zip(i, j, strict=True)) | set(zip(j, i, strict=True))
    held = {u: {u} for u in by_volume}
    for place, u in enumerate(by_volume):
        if len(held) <= k:
            break
        for v in reversed(by_volume[place + 1 :]):
            if not any((a, b) in apart for a in held[u] for b in held[v]):
                held[v] |= held.pop(u)
                break
    return {frozenset(members) for members in held.values()}


def random_edges(rng, n):
    """A random tree of n units: edges from heavy to light ones, in order, the root and kinds."""
    name = rng.permutation(n).tolist()
    made = [(name[rng.integers(at)], name[at]) for at in range(1, n)][::-1]
    heavy, light = np.array(made, dtype=np.int32).reshape(-1, 2).T
    kinds = rng.random(n - 1) < 0.5
    return np.ascontiguousarray(heavy), np.ascontiguousarray(light), name[0], kinds


def slow_beliefs(edges, cut, shares, evidence):
    """Beliefs, cuts and likelihood on a tree of units, from all that may have happened on it.

    Every edge is kept, or cut and another class drawn by the share for its kind. The last class is
    one that nobody has seen, and another one at every cut.
    """
    n, k = evidence.shape
    unseen = k - 1
    belief, cuts, total = np.zeros_like(evidence), np.zeros(len(cut)), 0.0
    ways = itertools.product([None, *range(k)], repeat=len(cut))
    for drawn, first in itertools.product(ways, range(k)):
        known, chance = {edges.root: first}, shares[1][first]
        for e in reversed(range(len(cut))):
            share = shares[int(edges.between[e])]
            above = known[edges.heavy[e]]
            known[edges.light[e]] = above if drawn[e] is None else drawn[e]
            if drawn[e] is None:
                chance *= 1 - cut[e]
            elif above == unseen:
                chance *= cut[e] * share[drawn[e]]
            else:
                chance *= cut[e] * share[drawn[e]] / (1 - share[above]) * (drawn[e] != above)
        rows = np.arange(n), [known[unit] for unit in range(n)]
        chance *= evidence[rows].prod()
        belief[rows] += chance
        cuts[[one is not None for one in drawn]] += chance
        total += chance
    return belief / total, cuts / total, np.log(total)


def path_products(edges, kept):
    """The product of ``kept`` on the way between any two units."""
    n = len(kept) + 1
    product = np.full((n, n), np.nan)
    product[edges.root, edges.root] = 1.0
    done = [edges.root]
    for e in reversed(range(len(kept))):
        up, new = edges.heavy[e], edges.light[e]
        product[new, done] = product[done, new] = kept[e] * product[up, done]
        product[new, new] = 1.0
        done.append(new)
    return product
