// The multilevel search for a partition: move vertices, contract what has come together, repeat.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "csr.hpp"
#include "level_graph.hpp"
#include "local_moves.hpp"
#include "monitor.hpp"
#include "waiting_queue.hpp"

namespace sentree {

struct MultilevelOptions {
  std::uint64_t seed = 0;
  std::int32_t most_rounds = 10;
  double least_gain = 1e-12;
};

// Puts a list into an order that depends only on the generator.
inline void shuffle(Labels& list, std::mt19937_64& random) {
  for (std::size_t k = list.size(); k > 1; --k) std::swap(list[k - 1], list[random() % k]);
}

// The numbers 0..n-1 in an order that depends only on the generator.
inline Labels shuffled(std::int32_t n, std::mt19937_64& random) {
  Labels order(n);
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, random);
  return order;
}

// Moving in blocks ends when one in kFew vertices is left to look at; or one in kSome, if a sweep
// leaves more than the share kShrinks of them.
constexpr std::int64_t kFew = 50, kSome = 8;
constexpr double kShrinks = 0.75;
constexpr std::int32_t kMostSweeps = 30;
// Blocks that the vertices of a sweep are divided into.
constexpr std::int64_t kBlocks = 32;
// The smaller levels of a graph whose first level is shared are shared too, down to one this many
// times smaller than any first level.
constexpr std::int64_t kCoarsened = 8;

struct SettleOptions {
  double least_gain = 1e-12;   // above rounding, so that the queue empties
  bool may_found = true;       // a vertex may found a module of its own
  bool keep_modules = false;   // no module may become empty
  std::int64_t coarsened = 1;  // so many fewer vertices are still shared among threads
};

// Moves vertices from a queue, which starts with the given ones, until it is empty; a move puts
// affected neighbours back into the queue. Returns the sum of the gains.
inline double move_from_queue(const LevelGraph& graph, LevelPartition& partition, Labels first,
                              const SettleOptions& options, Monitor& monitor) {
  WaitingQueue queue(std::move(first), graph.size());
  double sum = 0;
  while (queue.size() > 0) {
    const std::int32_t i = queue.pop();
    if (queue.size() > LevelPartition::kAhead) {
      partition.look_ahead([&](std::size_t later) { return queue.peek(later); });
    }
    monitor.work(1 + partition.degree(i), 0.0);
    if (options.keep_modules && partition.alone(i)) continue;
    const LevelPartition::Best best = partition.best(i, options.may_found);
    if (!(best.gain > options.least_gain)) continue;
    partition.move(i, best.module);
    sum += best.gain;
    for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
      const std::int32_t j = graph.indices[e];
      if (partition.labels()[j] != best.module) queue.push(j);
    }
  }
  return sum;
}

// As move_from_queue, for many vertices: they are taken in blocks, in the given order. The vertices
// of a block are decided at the same time, on the modules before it, and then moved together. When
// few are left, a queue takes over. The result does not depend on the number of threads.
inline double move_in_blocks(const LevelGraph& graph, LevelPartition& partition, Labels order,
                             const SettleOptions& options, Crew& crew, Monitor& monitor) {
  constexpr std::int64_t part = 256;
  std::vector<std::atomic<char>> waiting(graph.size());
  std::vector<Surroundings> around(crew.size());
  std::vector<LevelPartition::Best> best;
  std::vector<LevelPartition::Move> moves;
  const double before = partition.cost();
  const auto n = static_cast<std::int64_t>(order.size());
  const std::int64_t blocks = std::min(kBlocks, n);
  // Which vertices share a block matters, their order in it does not: by number, their rows are
  // read from one end to the other.
  crew.share(blocks, 1, [&](std::int64_t b, std::int64_t, std::int32_t) {
    std::sort(order.begin() + n * b / blocks, order.begin() + n * (b + 1) / blocks);
  });
  const Labels all = order;
  std::int64_t size = n, last = 2 * n;
  // Vertices that are decided at the same time may go round in circles: at last a queue takes over.
  for (std::int32_t sweep = 0;
       sweep < kMostSweeps && size > n / kFew && (size > n / kSome || size < kShrinks * last);
       ++sweep) {
    const std::int64_t block = std::max(size / kBlocks, part);
    best.resize(block);
    for (std::int64_t start = 0; start < size; start += block) {
      const std::int64_t count = std::min(block, size - start);
      const std::int32_t* vertex = order.data() + start;
      crew.share(count, part, [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
        for (std::int64_t k = begin; k < end; ++k) {
          if (start + k + static_cast<std::int64_t>(LevelPartition::kAhead) < size) {
            partition.look_ahead([&](std::size_t later) { return vertex[k + later]; });
          }
          const std::int32_t i = vertex[k];
          waiting[i].store(0, std::memory_order_relaxed);
          best[k] = {partition.labels()[i], 0.0};
          if (options.keep_modules && partition.alone(i)) continue;
          best[k] = partition.best(i, options.may_found, LevelPartition::kAll, around[worker]);
        }
      });
      moves.clear();
      for (std::int64_t k = 0; k < count; ++k) {
        if (best[k].gain > options.least_gain) moves.push_back({vertex[k], best[k].module});
      }
      partition.move_all(moves, options.keep_modules, crew,
                         [&](std::int32_t j) { waiting[j].store(1, std::memory_order_relaxed); });
      monitor.work(Monitor::kInterval, 0.0);
    }
    order.clear();
    for (const std::int32_t i : all) {
      if (waiting[i].load(std::memory_order_relaxed)) order.push_back(i);
    }
    last = size;
    size = static_cast<std::int64_t>(order.size());
  }
  move_from_queue(graph, partition, std::move(order), options, monitor);
  return (before - partition.cost()) / graph.total_volume;
}

// Moves vertices until no move of one that waits gains anything: in blocks if there are many.
inline double settle(const LevelGraph& graph, LevelPartition& partition, Labels waiting,
                     const SettleOptions& options, Crew& crew, Monitor& monitor) {
  return crew.shares(options.coarsened * static_cast<std::int64_t>(waiting.size()))
             ? move_in_blocks(graph, partition, std::move(waiting), options, crew, monitor)
             : move_from_queue(graph, partition, std::move(waiting), options, monitor);
}

// Splits every module 0..k-1 into connected parts: each vertex that is still alone joins the part
// of its module that gains most. Parts only grow along edges.
inline Labels refine(const LevelGraph& graph, const Labels& modules, std::int32_t k,
                     double least_gain, std::mt19937_64& random, Crew& crew, Monitor& monitor) {
  Labels single(graph.size());
  std::iota(single.begin(), single.end(), 0);
  LevelPartition parts(graph, single);
  const Members members(modules, k, shuffled(graph.size(), random));
  std::vector<Surroundings> around(crew.size());
  in_turns(k, crew, monitor, [&](std::int32_t u, std::int32_t worker) {
    const auto inside = [&](std::int32_t j) { return modules[j] == u; };
    for (const std::int32_t i : members.of(u)) {
      if (!parts.alone(i)) continue;
      const LevelPartition::Best best = parts.best(i, false, inside, around[worker]);
      if (best.gain > least_gain) parts.shift(i, best.module, around[worker]);
    }
  });
  return parts.labels();
}

// The connected pieces of every module 0..k-1, each called by its first vertex.
inline Labels pieces(const LevelGraph& graph, const Labels& modules, std::int32_t k, Crew& crew,
                     Monitor& monitor) {
  Labels piece(graph.size(), -1);
  const Members members(modules, k);
  std::vector<Labels> stacks(crew.size());
  in_turns(k, crew, monitor, [&](std::int32_t u, std::int32_t worker) {
    Labels& stack = stacks[worker];
    for (const std::int32_t root : members.of(u)) {
      if (piece[root] >= 0) continue;
      piece[root] = root;
      stack.push_back(root);
      while (!stack.empty()) {
        const std::int32_t i = stack.back();
        stack.pop_back();
        for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
          const std::int32_t j = graph.indices[e];
          if (modules[j] != u || piece[j] >= 0 || !(graph.weights[e] > 0)) continue;
          piece[j] = root;
          stack.push_back(j);
        }
      }
    }
  });
  return piece;
}

// One round from the given labels (0..k-1): move vertices, refine the modules, contract the refined
// parts, and repeat on the smaller graph until no vertices are united any more. Modules that single
// vertices have just made are not refined but split into connected pieces, which is faster and ends
// as low. Returns the gain.
inline double multilevel_round(const LevelGraph& base, Labels& labels,
                               const MultilevelOptions& options, std::mt19937_64& random,
                               Crew& crew, Monitor& monitor) {
  LevelGraph level;
  const LevelGraph* graph = &base;
  Labels current = labels;  // of the vertices of *graph
  const bool fresh = compact(current, base.size()) == base.size();
  Labels vertex_of(base.size());
  std::iota(vertex_of.begin(), vertex_of.end(), 0);
  SettleOptions moving;
  moving.least_gain = options.least_gain;
  if (crew.shares(base.size())) moving.coarsened = kCoarsened;
  double sum = 0;
  while (true) {
    LevelPartition partition(*graph, current);
    Labels order = shuffled(graph->size(), random);
    sum += settle(*graph, partition, std::move(order), moving, crew, monitor);
    current = partition.labels();
    const std::int32_t n_modules = compact(current, graph->size());
    if (n_modules == graph->size()) break;
    Labels parts = graph == &base && fresh ? pieces(*graph, current, n_modules, crew, monitor)
                                           : refine(*graph, current, n_modules, options.least_gain,
                                                    random, crew, monitor);
    std::int32_t n_parts = compact(parts, graph->size());
    if (n_parts == graph->size()) {  // no parts have joined: contract the modules instead
      parts = current;
      n_parts = n_modules;
    }
    Labels next(n_parts);
    for (std::int32_t i = 0; i < graph->size(); ++i) next[parts[i]] = current[i];
    level = graph->contract(parts, n_parts, crew);
    graph = &level;
    current = std::move(next);
    for (std::int32_t& v : vertex_of) v = parts[v];
  }
  for (std::int32_t i = 0; i < base.size(); ++i) labels[i] = current[vertex_of[i]];
  compact(labels, base.size());
  return sum;
}

// Rounds from the given labels until one gains nothing. Returns the sum of the gains.
inline std::vector<double> multilevel(const Graphs& graphs, Labels& labels,
                                      const MultilevelOptions& options, Crew& crew,
                                      Monitor& monitor) {
  const LevelGraph base(graphs);
  std::mt19937_64 random(options.seed);
  std::vector<double> gains;
  for (std::int32_t round = 0; round < options.most_rounds; ++round) {
    gains.push_back(multilevel_round(base, labels, options, random, crew, monitor));
    if (!(gains.back() > 1e-9)) break;
  }
  return gains;
}

}  // namespace sentree
