// Moves on one shard of a graph that is spread over machines.
#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "csr.hpp"
#include "entropy.hpp"
#include "level_graph.hpp"
#include "local_moves.hpp"
#include "monitor.hpp"
#include "multilevel.hpp"
#include "surroundings.hpp"
#include "waiting_queue.hpp"

namespace sentree {

// The rows of the vertices 0..n-1 of a shard. Columns from n on are vertices of other shards.
struct Shard {
  Csr rows;
  const double* degree;
  const double* inner;  // weight inside each vertex, which is part of its degree
  double total_volume;  // of all shards

  Module vertex(std::int32_t i) const { return {inner[i], degree[i]}; }
};

// Unites vertices of the shard to parts of at most a volume: each vertex in turn joins the part
// that gains most, until none gains. The weight to other shards counts as weight that leaves.
// Returns the connected pieces of the parts, 0, 1, ...
inline Labels unite_inside(const Shard& shard, double most_volume, std::uint64_t seed,
                           double least_gain, Monitor& monitor) {
  const std::int32_t n = shard.rows.n;
  LevelGraph graph;
  graph.total_volume = shard.total_volume;
  Rows rows;
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int64_t e = shard.rows.indptr[i]; e < shard.rows.indptr[i + 1]; ++e) {
      if (shard.rows.indices[e] < n) rows.add(shard.rows.indices[e], shard.rows.weights[e]);
    }
    rows.end_row();
    graph.vertices.push_back(shard.vertex(i));
  }
  graph.take(std::move(rows));
  Labels parts(n);
  std::iota(parts.begin(), parts.end(), 0);
  std::vector<double> volume(shard.degree, shard.degree + n);
  LevelPartition partition(graph, parts);
  std::mt19937_64 random(seed);
  WaitingQueue queue(shuffled(n, random), n);
  Surroundings around;
  while (queue.size() > 0) {
    const std::int32_t i = queue.pop();
    monitor.work(1 + partition.degree(i), 0.0);
    const Labels& labels = partition.labels();
    const std::int32_t from = labels[i];
    const auto has_room = [&](std::int32_t j) {
      return labels[j] == from || volume[labels[j]] + shard.degree[i] <= most_volume;
    };
    const LevelPartition::Best best = partition.best(i, false, has_room, around);
    if (!(best.gain > least_gain)) continue;
    partition.shift(i, best.module, around);
    volume[from] -= shard.degree[i];
    volume[best.module] += shard.degree[i];
    for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
      if (labels[graph.indices[e]] != best.module) queue.push(graph.indices[e]);
    }
  }
  parts = partition.labels();
  const std::int32_t k = compact(parts, n);
  Crew alone(1);
  parts = pieces(graph, parts, k, alone, monitor);
  compact(parts, n);
  return parts;
}

struct ShardMove {
  std::int32_t vertex, to;
  double from_weight, to_weight;  // between the vertex and the modules that it leaves and joins
};

// The moves of the given vertices that gain most, all decided on the same labels (of all columns)
// and modules, among which volumes are shrunk towards their mean. Vertices stay where no other
// module that touches them gains more than `least_gain`. The smaller number wins a tie.
inline std::vector<ShardMove> decide(const Shard& shard, const std::int32_t* labels,
                                     const std::vector<Module>& modules, double shrinkage,
                                     const std::vector<std::int32_t>& vertices, double least_gain,
                                     Monitor& monitor) {
  const PartitionEntropy entropy(shard.total_volume, shrinkage,
                                 static_cast<std::int32_t>(modules.size()));
  std::vector<double> term;
  for (const Module& module : modules) term.push_back(entropy.term(module));
  std::vector<ShardMove> moves;
  Surroundings around;
  for (const std::int32_t i : vertices) {
    const std::int64_t begin = shard.rows.indptr[i], end = shard.rows.indptr[i + 1];
    monitor.work(1 + end - begin, 0.0);
    const std::int32_t from = labels[i];
    bool at_border = false;
    for (std::int64_t e = begin; e < end && !at_border; ++e) {
      at_border = labels[shard.rows.indices[e]] != from;
    }
    if (!at_border) continue;
    around.clear(end - begin);
    for (std::int64_t e = begin; e < end; ++e) {
      around.add(labels[shard.rows.indices[e]], shard.rows.weights[e]);
    }
    const Module vertex = shard.vertex(i);
    const double own = around.between(from);
    const double leaving =
        term[from] - entropy.term(PartitionEntropy::without(modules[from], vertex, own));
    ShardMove best{i, from, own, 0.0};
    double most = 0.0;
    around.each([&](std::int32_t to, double between) {
      if (to == from) return;
      const double terms =
          leaving + term[to] - entropy.term(PartitionEntropy::unite(modules[to], vertex, between));
      if (terms > most || (terms == most && best.to != from && to < best.to)) {
        most = terms;
        best.to = to;
        best.to_weight = between;
      }
    });
    if (best.to != from && entropy.gain(most) > least_gain) moves.push_back(best);
  }
  return moves;
}

}  // namespace sentree
