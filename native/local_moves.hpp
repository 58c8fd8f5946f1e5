// Local moving: each vertex in turn goes to the neighbouring module that lowers the objective most.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "csr.hpp"
#include "entropy.hpp"
#include "large_pages.hpp"
#include "level_graph.hpp"
#include "monitor.hpp"
#include "surroundings.hpp"

namespace sentree {

struct Step {
  std::int32_t vertex;
  std::int32_t module;
  double gain;
};

// The pull of modules on vertices, beside the graph (beliefs of nearby labels). Vertex i is drawn
// to the modules indices[k] by weights[k], in bits times weight, for indptr[i] <= k < indptr[i +
// 1], and to any other module by 0.
struct Pull {
  const std::int64_t* indptr = nullptr;  // none where there is no pull
  const std::int32_t* indices = nullptr;
  const double* weights = nullptr;
};

// A partition of a level graph under moves, in O(degree) each. Vertices that the graph keeps apart
// never share a module, unless they do so at the start. With a pull, the gain of a move includes
// the pull of the new module less that of the old one.
class LevelPartition {
 public:
  // There is room for the modules 0..most_modules-1, which labels are below.
  LevelPartition(const LevelGraph& graph, const Labels& labels, PartitionEntropy entropy, Pull pull,
                 std::int32_t most_modules)
      : graph_(graph),
        entropy_(entropy),
        pull_(pull),
        labels_(in_large_pages<std::int32_t>(labels.size())),
        modules_(in_large_pages<State>(most_modules)),
        log_shares_(in_large_pages<float>(most_modules)) {
    std::copy(labels.begin(), labels.end(), labels_.begin());
    for (const std::int32_t u : labels_) ++modules_[u].members;
    for (std::int32_t i = 0; i < graph.size(); ++i) {
      const std::int32_t u = labels_[i];
      Module& module = modules_[u].module;
      module = PartitionEntropy::unite(module, graph.vertices[i], 0.0);
      modules_[u].heavy += heavy(i);
      if (modules_[u].members == 1) continue;  // nothing lies inside
      for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
        if (labels_[graph.indices[e]] == u) module.association += graph.weights[e];
      }
    }
    for (std::int32_t u = 0; u < most_modules; ++u) {
      put(u, modules_[u].module);
      if (modules_[u].members == 0) empty_.push_back(u);
    }
  }

  LevelPartition(const LevelGraph& graph, const Labels& labels)
      : LevelPartition(graph, labels, PartitionEntropy(graph.total_volume), Pull(), graph.size()) {}

  const Labels& labels() const { return labels_; }
  std::int64_t degree(std::int32_t i) const { return graph_.indptr[i + 1] - graph_.indptr[i]; }
  bool alone(std::int32_t i) const { return modules_[labels_[i]].members == 1; }

  struct Best {
    std::int32_t module;
    double gain;
  };
  // An empty module, whichever.
  static constexpr std::int32_t kEmpty = -1;
  // Sees every neighbour.
  static constexpr auto kAll = [](std::int32_t) { return true; };

  // The best module for i among those of its neighbours that pass `sees`, and an empty one if
  // `may_found`; its own, with gain 0, if none is better. The smaller number wins a tie.
  template <class Sees>
  Best best(std::int32_t i, bool may_found, Sees sees, Surroundings& around) const {
    gather(i, sees, around);
    const std::int32_t from = labels_[i];
    const Module vertex = graph_.vertices[i];
    const double leaving = leaving_terms(i, around);
    std::int32_t module = from;
    double most = 0.0;
    around.each([&](std::int32_t to, double between) {
      const double joining = vertex.association + 2 * between;
      // A bound excludes most modules without a look at them, or a logarithm, which are slow.
      const double start = leaving + pull(i, to);
      const double bound = start + PartitionEntropy::most_gained(joining, log_shares_[to]);
      if (bound < most - kRounding * most && joining >= 0) return;
      if (to == from) return;
      const State& state = modules_[to];
      const double terms = start + state.term() -
                           entropy_.term(PartitionEntropy::unite(state.module, vertex, between));
      if ((terms > most || (terms == most && module != from && to < module)) && !apart(i, to)) {
        module = to;
        most = terms;
      }
    });
    if (may_found && modules_[from].members > 1) {
      const double terms = leaving - entropy_.term(vertex);
      if (terms > most) {
        module = kEmpty;
        most = terms;
      }
    }
    return {module, entropy_.gain(most)};
  }

  Best best(std::int32_t i, bool may_found) {
    gathered_ = i;
    Best found = best(i, may_found && !empty_.empty(), kAll, around_);
    if (found.module == kEmpty) found.module = empty_.back();
    return found;
  }

  // The gain of moving i to any module.
  double gain(std::int32_t i, std::int32_t to) {
    gathered_ = i;
    gather(i, kAll, around_);
    const std::int32_t from = labels_[i];
    if (to == from) return 0.0;
    const double left = entropy_.term(without(i, around_.between(from)));
    return entropy_.gain(modules_[from].term() - left + modules_[to].term() -
                         entropy_.term(joined_with(i, to, around_)) + pull(i, to) - pull(i, from));
  }

  // Calls visit(module, gain) for every other module that touches i.
  template <class Visit>
  void each(std::int32_t i, Visit visit) {
    gathered_ = i;
    gather(i, kAll, around_);
    const std::int32_t from = labels_[i];
    const double leaving = leaving_terms(i, around_);
    around_.each([&](std::int32_t to, double) {
      if (to == from) return;
      visit(to, entropy_.gain(leaving + pull(i, to) + modules_[to].term() -
                              entropy_.term(joined_with(i, to, around_))));
    });
  }

  // Whether a module holds a vertex that is kept apart from i.
  bool apart(std::int32_t i, std::int32_t u) const {
    if (!graph_.any_apart()) return false;
    for (std::int64_t e = graph_.apart_indptr[i]; e < graph_.apart_indptr[i + 1]; ++e) {
      if (labels_[graph_.apart_indices[e]] == u) return true;
    }
    return false;
  }

  // Moves i, for which `best` or `gain` must have been called last.
  void move(std::int32_t i, std::int32_t to) {
    assert(gathered_ == i);
    gathered_ = -1;
    if (modules_[to].members == 0) empty_.pop_back();
    if (alone(i)) empty_.push_back(labels_[i]);
    shift(i, to, around_);
  }

  // Moves i, around which `best` has just looked. The list of empty modules does not follow.
  void shift(std::int32_t i, std::int32_t to, const Surroundings& around) {
    const std::int32_t from = labels_[i];
    put(from, without(i, around.between(from)));
    modules_[from].heavy -= heavy(i);
    --modules_[from].members;
    put(to, joined_with(i, to, around));
    modules_[to].heavy += heavy(i);
    ++modules_[to].members;
    labels_[i] = to;
  }

  struct Move {
    std::int32_t vertex;
    std::int32_t to;                          // kEmpty for an empty module
    std::int32_t from = 0;                    // where it is
    double left = 0, joined = 0, volume = 0;  // what the modules lose and gain
  };

  // Moves vertices all at once, each decided on the modules as they are now. Drops moves for which
  // there is no place once those before them are done: to a module with a vertex that is kept
  // apart, out of a module that would become empty if `keep_modules`, or to an empty module where
  // there is none. Calls wake(j), from any thread, for the neighbours in other modules.
  template <class Wake>
  void move_all(std::vector<Move>& moves, bool keep_modules, Crew& crew, const Wake& wake) {
    if (next_.empty()) {
      next_.resize(graph_.size());
      moves_.assign(graph_.size(), false);
    }
    std::size_t kept = 0;
    for (std::size_t m = 0; m < moves.size(); ++m) {
      if (m + kAhead < moves.size()) look_at(moves[m + kAhead]);
      Move move = moves[m];
      move.from = labels_[move.vertex];
      State& from = modules_[move.from];
      if (keep_modules && from.members == 1) continue;
      if (move.to == kEmpty) {
        if (empty_.empty()) continue;
        move.to = empty_.back();
        empty_.pop_back();
      } else if (modules_[move.to].members == 0 || apart_next(move.vertex, move.to)) {
        continue;
      }
      if (--from.members == 0) empty_.push_back(move.from);
      ++modules_[move.to].members;
      next_[move.vertex] = move.to;
      moves_[move.vertex] = true;
      moves[kept++] = move;
    }
    moves.resize(kept);
    crew.share(static_cast<std::int64_t>(kept), kPart,
               [&](std::int64_t begin, std::int64_t end, std::int32_t) {
                 for (std::int64_t m = begin; m < end; ++m) {
                   Move& move = moves[m];
                   const std::int32_t i = move.vertex, from = move.from;
                   move.volume = graph_.vertices[i].volume;
                   move.left = move.joined = graph_.vertices[i].association;
                   for (std::int64_t e = graph_.indptr[i]; e < graph_.indptr[i + 1]; ++e) {
                     const std::int32_t j = graph_.indices[e];
                     const bool stays = !moves_[j];
                     const double weight = stays ? 2 * graph_.weights[e] : graph_.weights[e];
                     if (labels_[j] == from) move.left += weight;
                     if ((stays ? labels_[j] : next_[j]) == move.to) {
                       move.joined += weight;
                     } else {
                       wake(j);
                     }
                   }
                 }
               });
    // Each thread sums for modules of its own, in the order of the moves.
    const std::int32_t parts = crew.size();
    crew.share(parts, 1, [&](std::int64_t part, std::int64_t, std::int32_t) {
      const auto own = [&](std::int32_t u) { return parts == 1 || u / kModules % parts == part; };
      for (std::size_t m = 0; m < kept; ++m) {
        if (m + kAhead < kept) {
          if (own(moves[m + kAhead].from)) prefetch(&modules_[moves[m + kAhead].from]);
          if (own(moves[m + kAhead].to)) prefetch(&modules_[moves[m + kAhead].to]);
        }
        const Move& move = moves[m];
        if (own(move.from)) modules_[move.from].lose(move.left, move.volume);
        if (own(move.to)) modules_[move.to].lose(-move.joined, -move.volume);
      }
      for (const Move& move : moves) {
        if (own(move.from)) tidy(move.from);
        if (own(move.to)) tidy(move.to);
      }
    });
    for (const Move& move : moves) {
      labels_[move.vertex] = move.to;
      moves_[move.vertex] = false;
    }
  }

  // Sums the terms of all modules, less the pulls: V_G times what moves lower.
  double cost() const {
    double sum = 0;
    for (const State& state : modules_) sum += state.term();
    if (pull_.indptr == nullptr) return sum;
    for (std::int32_t i = 0; i < graph_.size(); ++i) sum -= pull(i, labels_[i]);
    return sum;
  }

  // Prefetches what later calls of best will read, in four steps: where the row of a vertex is, the
  // row, the labels of its neighbours, and their modules. `order(step)` is the vertex that many
  // calls later, for steps up to kAhead.
  template <class Order>
  void look_ahead(Order order) const {
    const std::int32_t first = order(kAhead), far = order(kAhead / 2), near = order(kAhead / 4),
                       next = order(kAhead / 8);
    prefetch(graph_.indptr.data() + first);
    prefetch(&graph_.vertices[first]);
    prefetch(&labels_[first]);
    const std::int64_t begin = graph_.indptr[far], end = graph_.indptr[far + 1];
    for (std::int64_t e = begin; e < end; e += 16) prefetch(graph_.indices.data() + e);
    for (std::int64_t e = begin; e < end; e += 8) prefetch(graph_.weights.data() + e);
    for (std::int64_t e = graph_.indptr[near]; e < graph_.indptr[near + 1]; ++e) {
      prefetch(&labels_[graph_.indices[e]]);
    }
    for (std::int64_t e = graph_.indptr[next]; e < graph_.indptr[next + 1]; ++e) {
      prefetch(&log_shares_[labels_[graph_.indices[e]]]);
    }
  }
  static constexpr std::size_t kAhead = 16;

 private:
  static constexpr double kRounding = 1e-12;

  static constexpr std::int64_t kPart = 256;
  // As many neighbouring modules are one thread's: in cache lines that no other writes.
  static constexpr std::int32_t kModules = 64;

  // All that a candidate module needs, in half a cache line.
  struct alignas(32) State {
    Module module{0, 0};
    double log_share = 0;
    std::int32_t members = 0, heavy = 0;  // all, and those with a volume
    double term() const { return module.association * log_share; }
    // Without a member of this volume, and what it adds to the association.
    void lose(double association, double volume) {
      module.association -= association;
      module.volume -= volume;
      heavy -= (volume > 0) - (volume < 0);
    }
  };

  // Prefetches the modules of a move.
  void look_at(const Move& move) const {
    prefetch(&modules_[labels_[move.vertex]]);
    if (move.to != kEmpty) prefetch(&modules_[move.to]);
  }

  std::int32_t heavy(std::int32_t i) const { return graph_.vertices[i].volume > 0; }

  void put(std::int32_t u, const Module& module) {
    const double log_share = entropy_.log_share(module.volume);
    modules_[u].module = module;
    modules_[u].log_share = log_share;
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    log_shares_[u] = module.association >= 0 && module.volume > 0
                         ? std::nextafter(static_cast<float>(log_share), lowest)
                         : lowest;
  }

  // After sums of differences: what is empty or without volume is so exactly.
  void tidy(std::int32_t u) {
    Module module = modules_[u].module;
    if (modules_[u].members == 0) module = {0, 0};
    if (modules_[u].heavy == 0) module.volume = 0;
    put(u, module);
  }

  // Like apart, after the moves that are under way.
  bool apart_next(std::int32_t i, std::int32_t u) const {
    if (!graph_.any_apart()) return false;
    for (std::int64_t e = graph_.apart_indptr[i]; e < graph_.apart_indptr[i + 1]; ++e) {
      const std::int32_t j = graph_.apart_indices[e];
      if ((moves_[j] ? next_[j] : labels_[j]) == u) return true;
    }
    return false;
  }

  // Sums the weight between i and every module that touches it.
  template <class Sees>
  void gather(std::int32_t i, Sees sees, Surroundings& around) const {
    around.clear(degree(i));
    for (std::int64_t e = graph_.indptr[i]; e < graph_.indptr[i + 1]; ++e) {
      const std::int32_t j = graph_.indices[e];
      if (sees(j)) around.add(labels_[j], graph_.weights[e]);
    }
  }

  // What the module of i contributes, less what it does without i, and less its pull.
  double leaving_terms(std::int32_t i, const Surroundings& around) const {
    const std::int32_t from = labels_[i];
    return modules_[from].term() - entropy_.term(without(i, around.between(from))) - pull(i, from);
  }

  // The pull of a module on i.
  double pull(std::int32_t i, std::int32_t u) const {
    if (pull_.indptr == nullptr) return 0.0;
    for (std::int64_t k = pull_.indptr[i]; k < pull_.indptr[i + 1]; ++k) {
      if (pull_.indices[k] == u) return pull_.weights[k];
    }
    return 0.0;
  }

  Module joined_with(std::int32_t i, std::int32_t to, const Surroundings& around) const {
    return PartitionEntropy::unite(modules_[to].module, graph_.vertices[i], around.between(to));
  }

  // The module of i without i; if no volume is left, it is exactly 0.
  Module without(std::int32_t i, double between) const {
    const std::int32_t u = labels_[i];
    if (modules_[u].members == 1) return {0, 0};
    Module left = PartitionEntropy::without(modules_[u].module, graph_.vertices[i], between);
    if (modules_[u].heavy == heavy(i)) left.volume = 0;
    return left;
  }

  const LevelGraph& graph_;
  PartitionEntropy entropy_;
  Pull pull_;
  Labels labels_;
  std::vector<State> modules_;
  // Bounds of the logarithms from below, in little memory; of no use, -inf, where an association is
  // negative or there is no volume.
  std::vector<float> log_shares_;
  Labels empty_;  // modules without members
  // Scratch of move_all: which vertices move, and to which module.
  std::vector<bool> moves_;
  Labels next_;
  Surroundings around_;  // of the vertex at hand
  std::int32_t gathered_ = -1;
};

struct MoveOptions {
  double least_gain = 1e-12;  // above rounding, so that sweeps end
  std::int32_t most_sweeps = 300;
  bool keep_modules = false;  // no module may become empty
};

// Sweeps over the vertices in order until a whole sweep moves none. Calls seen(step) on each move.
template <class Seen>
std::int32_t move(LevelPartition& partition, std::int32_t n, const MoveOptions& options,
                  Monitor& monitor, Seen seen) {
  for (std::int32_t sweep = 0; sweep < options.most_sweeps; ++sweep) {
    bool moved = false;
    for (std::int32_t i = 0; i < n; ++i) {
      monitor.work(1 + partition.degree(i), static_cast<double>(sweep) / options.most_sweeps);
      if (options.keep_modules && partition.alone(i)) continue;
      const LevelPartition::Best best = partition.best(i, false);
      if (!(best.gain > options.least_gain)) continue;
      partition.move(i, best.module);
      seen(Step{i, best.module, best.gain});
      moved = true;
    }
    if (!moved) return sweep + 1;
  }
  return options.most_sweeps;
}

}  // namespace sentree
