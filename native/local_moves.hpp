// Local moving: each vertex in turn goes to the neighbouring module that lowers the objective most.
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "entropy.hpp"
#include "level_graph.hpp"
#include "monitor.hpp"

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
  LevelPartition(const LevelGraph& graph, Labels labels, PartitionEntropy entropy, Pull pull)
      : graph_(graph),
        entropy_(entropy),
        pull_(pull),
        drawn_(pull.indptr == nullptr ? 0 : graph.size(), 0.0),
        labels_(std::move(labels)),
        modules_(graph.size()),
        members_(graph.size(), 0),
        heavy_(graph.size(), 0),
        closed_(graph.any_apart() ? graph.size() : 0, 0) {
    for (const std::int32_t u : labels_) ++members_[u];
    for (std::int32_t i = 0; i < graph.size(); ++i) {
      const std::int32_t u = labels_[i];
      Module& module = modules_[u].module;
      module = PartitionEntropy::unite(module, graph.vertices[i], 0.0);
      heavy_[u] += heavy(i);
      if (members_[u] == 1) continue;  // nothing lies inside
      for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
        if (labels_[graph.indices[e]] == u) module.association += graph.weights[e];
      }
    }
    for (std::int32_t u = 0; u < graph.size(); ++u) {
      modules_[u].log_share = entropy_.log_share(modules_[u].module.volume);
      if (members_[u] == 0) empty_.push_back(u);
    }
  }

  LevelPartition(const LevelGraph& graph, Labels labels)
      : LevelPartition(graph, std::move(labels), PartitionEntropy(graph.total_volume), Pull()) {}

  const Labels& labels() const { return labels_; }
  std::int64_t degree(std::int32_t i) const { return graph_.indptr[i + 1] - graph_.indptr[i]; }
  bool alone(std::int32_t i) const { return members_[labels_[i]] == 1; }

  struct Best {
    std::int32_t module;
    double gain;
  };

  // The best module for i among those that touch it and pass `allowed`, and an empty one if
  // `may_found`; its own, with gain 0, if none is better. The smaller number wins a tie.
  template <class Allowed>
  Best best(std::int32_t i, bool may_found, Allowed allowed) {
    gather(i);
    close_for(i);
    const std::int32_t from = labels_[i];
    const Module vertex = graph_.vertices[i];
    draw(i, 1);
    const double leaving = modules_[from].term() - entropy_.term(without(i)) - drawn(from);
    std::int32_t module = from;
    double most = 0.0;
    for (const std::int32_t to : near_) {
      const State& state = modules_[to];
      const double joining = vertex.association + 2 * state.between;
      // A bound excludes most modules without a logarithm, which is slow.
      const double bound =
          leaving + PartitionEntropy::most_gained(joining, state.log_share) + drawn(to);
      if (bound < most - kRounding * most && joining >= 0 && state.module.association >= 0 &&
          state.module.volume > 0) {
        continue;
      }
      if (to == from || !allowed(to) || closed(to)) continue;
      const double terms =
          leaving + drawn(to) + state.term() -
          entropy_.term(PartitionEntropy::unite(state.module, vertex, state.between));
      if (terms > most || (terms == most && module != from && to < module)) {
        module = to;
        most = terms;
      }
    }
    if (may_found && members_[from] > 1 && !empty_.empty()) {
      const double terms = leaving - entropy_.term(vertex);
      if (terms > most) {
        module = empty_.back();
        most = terms;
      }
    }
    draw(i, 0);
    return {module, entropy_.gain(most)};
  }

  // The gain of moving i to any module.
  double gain(std::int32_t i, std::int32_t to) {
    gather(i);
    const std::int32_t from = labels_[i];
    if (to == from) return 0.0;
    const Module joined = joined_with(i, to);
    draw(i, 1);
    const double pulled = drawn(to) - drawn(from);
    draw(i, 0);
    return entropy_.gain(modules_[from].term() - entropy_.term(without(i)) + modules_[to].term() -
                         entropy_.term(joined) + pulled);
  }

  // Calls visit(module, gain) for every other module that touches i, perhaps twice.
  template <class Visit>
  void each(std::int32_t i, Visit visit) {
    gather(i);
    const std::int32_t from = labels_[i];
    draw(i, 1);
    const double leaving = modules_[from].term() - entropy_.term(without(i)) - drawn(from);
    for (const std::int32_t to : near_) {
      if (to == from) continue;
      visit(to, entropy_.gain(leaving + drawn(to) + modules_[to].term() -
                              entropy_.term(joined_with(i, to))));
    }
    draw(i, 0);
  }

  // Whether a module holds a vertex that is kept apart from i.
  bool apart(std::int32_t i, std::int32_t u) const {
    if (closed_.empty()) return false;
    for (std::int64_t e = graph_.apart_indptr[i]; e < graph_.apart_indptr[i + 1]; ++e) {
      if (labels_[graph_.apart_indices[e]] == u) return true;
    }
    return false;
  }

  // Moves i, for which `best` or `gain` must have been called last.
  void move(std::int32_t i, std::int32_t to) {
    assert(gathered_ == i);
    gathered_ = -1;
    const std::int32_t from = labels_[i];
    put(from, without(i));
    heavy_[from] -= heavy(i);
    if (--members_[from] == 0) empty_.push_back(from);
    if (members_[to] == 0) empty_.pop_back();
    put(to, joined_with(i, to));
    heavy_[to] += heavy(i);
    ++members_[to];
    labels_[i] = to;
  }

  // Prefetches what later calls of best will read, in three steps: the row of a vertex, the labels
  // of its neighbours, and their modules. `order(step)` is the vertex that many calls later.
  template <class Order>
  void look_ahead(Order order) const {
    const std::int32_t far = order(kAhead), near = order(kAhead / 2), next = order(kAhead / 4);
    prefetch(graph_.indices.data() + graph_.indptr[far]);
    prefetch(graph_.weights.data() + graph_.indptr[far]);
    for (std::int64_t e = graph_.indptr[near]; e < graph_.indptr[near + 1]; ++e) {
      prefetch(&labels_[graph_.indices[e]]);
    }
    for (std::int64_t e = graph_.indptr[next]; e < graph_.indptr[next + 1]; ++e) {
      prefetch(&modules_[labels_[graph_.indices[e]]]);
    }
  }
  static constexpr std::size_t kAhead = 8;

 private:
  static constexpr double kRounding = 1e-12;

  // All that a candidate module needs, in half a cache line.
  struct alignas(32) State {
    Module module{0, 0};
    double log_share = 0;
    double between = 0;  // scratch of gather: weight between the vertex at hand and this module
    double term() const { return module.association * log_share; }
  };

  // Stores the pull of each module on i (on = 1), or clears it (on = 0).
  void draw(std::int32_t i, int on) {
    if (drawn_.empty()) return;
    for (std::int64_t k = pull_.indptr[i]; k < pull_.indptr[i + 1]; ++k) {
      drawn_[pull_.indices[k]] = on * pull_.weights[k];
    }
  }

  double drawn(std::int32_t u) const { return drawn_.empty() ? 0.0 : drawn_[u]; }

  std::int32_t heavy(std::int32_t i) const { return graph_.vertices[i].volume > 0; }

  void put(std::int32_t u, const Module& module) {
    modules_[u].module = module;
    modules_[u].log_share = entropy_.log_share(module.volume);
  }

  // Sums the weight between i and every module that touches it; these are in near_, perhaps twice.
  void gather(std::int32_t i) {
    for (const std::int32_t u : near_) modules_[u].between = 0;
    near_.clear();
    gathered_ = i;
    for (std::int64_t e = graph_.indptr[i]; e < graph_.indptr[i + 1]; ++e) {
      const std::int32_t u = labels_[graph_.indices[e]];
      if (modules_[u].between == 0) near_.push_back(u);
      modules_[u].between += graph_.weights[e];
    }
  }

  // Closes the modules that hold a vertex which is kept apart from i.
  void close_for(std::int32_t i) {
    if (closed_.empty()) return;
    ++closing_;
    for (std::int64_t e = graph_.apart_indptr[i]; e < graph_.apart_indptr[i + 1]; ++e) {
      closed_[labels_[graph_.apart_indices[e]]] = closing_;
    }
  }

  bool closed(std::int32_t u) const { return !closed_.empty() && closed_[u] == closing_; }

  Module joined_with(std::int32_t i, std::int32_t to) const {
    return PartitionEntropy::unite(modules_[to].module, graph_.vertices[i], modules_[to].between);
  }

  // The module of i without i; if no volume is left, it is exactly 0.
  Module without(std::int32_t i) const {
    const std::int32_t u = labels_[i];
    if (members_[u] == 1) return {0, 0};
    const State& state = modules_[u];
    Module left = PartitionEntropy::without(state.module, graph_.vertices[i], state.between);
    if (heavy_[u] == heavy(i)) left.volume = 0;
    return left;
  }

  const LevelGraph& graph_;
  PartitionEntropy entropy_;
  Pull pull_;
  std::vector<double> drawn_;  // scratch of draw, by module
  Labels labels_;
  std::vector<State> modules_;
  Labels members_, heavy_;  // all, and those with a volume
  Labels empty_;            // modules without members
  Labels near_;
  std::int32_t gathered_ = -1;        // the vertex whose surroundings are known
  std::vector<std::int64_t> closed_;  // equals closing_ for the modules closed last
  std::int64_t closing_ = 0;
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
  const auto everywhere = [](std::int32_t) { return true; };
  for (std::int32_t sweep = 0; sweep < options.most_sweeps; ++sweep) {
    bool moved = false;
    for (std::int32_t i = 0; i < n; ++i) {
      monitor.work(1 + partition.degree(i), static_cast<double>(sweep) / options.most_sweeps);
      if (options.keep_modules && partition.alone(i)) continue;
      const LevelPartition::Best best = partition.best(i, false, everywhere);
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
