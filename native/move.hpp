// Local moving: each vertex in turn goes to the neighbouring module that lowers the objective most.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "contraction.hpp"
#include "entropy.hpp"
#include "monitor.hpp"

namespace sentree {

struct Step {
  std::int32_t vertex;
  std::int32_t module;
  double gain;
};

// A partition of a level graph under moves, in O(degree) each.
class LevelPartition {
 public:
  LevelPartition(const LevelGraph& graph, Labels labels)
      : graph_(graph),
        entropy_(graph.total_volume),
        labels_(std::move(labels)),
        modules_(graph.size(), Module{0, 0}),
        terms_(graph.size(), 0.0),
        members_(graph.size(), 0),
        heavy_(graph.size(), 0),
        between_(graph.size(), 0.0),
        touched_(graph.size(), 0) {
    for (std::int32_t i = 0; i < graph.size(); ++i) {
      const std::int32_t u = labels_[i];
      modules_[u] = PartitionEntropy::unite(modules_[u], graph.vertices[i], 0.0);
      ++members_[u];
      heavy_[u] += heavy(i);
      for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
        if (labels_[graph.indices[e]] == u) modules_[u].association += graph.weights[e];
      }
    }
    for (std::int32_t u = 0; u < graph.size(); ++u) {
      terms_[u] = entropy_.term(modules_[u]);
      if (members_[u] == 0) empty_.push_back(u);
    }
  }

  const Labels& labels() const { return labels_; }
  std::int64_t degree(std::int32_t i) const { return graph_.indptr[i + 1] - graph_.indptr[i]; }
  bool alone(std::int32_t i) const { return members_[labels_[i]] == 1; }

  struct Best {
    std::int32_t module;
    double gain;
  };

  // The best module for i among those that touch it and pass `allowed`, and an empty one when
  // `may_found`; its own with gain 0 when none is better. The smaller number wins a tie.
  template <class Allowed>
  Best best(std::int32_t i, bool may_found, Allowed allowed) {
    gather(i);
    const std::int32_t from = labels_[i];
    const Module rest = without(i);
    const double leaving = terms_[from] - entropy_.term(rest);
    Best best{from, 0.0};
    for (const std::int32_t to : near_) {
      if (to == from || !allowed(to)) continue;
      const Module joined = PartitionEntropy::unite(modules_[to], graph_.vertices[i], between_[to]);
      const double gain = entropy_.gain(leaving + terms_[to] - entropy_.term(joined));
      if (gain > best.gain || (gain == best.gain && best.module != from && to < best.module)) {
        best = {to, gain};
      }
    }
    if (may_found && members_[from] > 1 && !empty_.empty()) {
      const double gain = entropy_.gain(leaving - entropy_.term(graph_.vertices[i]));
      if (gain > best.gain) best = {empty_.back(), gain};
    }
    return best;
  }

  // The gain of moving i to any module.
  double gain(std::int32_t i, std::int32_t to) {
    gather(i);
    const std::int32_t from = labels_[i];
    if (to == from) return 0.0;
    const Module joined = PartitionEntropy::unite(modules_[to], graph_.vertices[i], between_[to]);
    return entropy_.gain(terms_[from] - entropy_.term(without(i)) + terms_[to] -
                         entropy_.term(joined));
  }

  // Moves i, whose surroundings were gathered last.
  void move(std::int32_t i, std::int32_t to) {
    const std::int32_t from = labels_[i];
    modules_[from] = without(i);
    terms_[from] = entropy_.term(modules_[from]);
    heavy_[from] -= heavy(i);
    if (--members_[from] == 0) empty_.push_back(from);
    if (members_[to] == 0) empty_.pop_back();
    modules_[to] = PartitionEntropy::unite(modules_[to], graph_.vertices[i], between_[to]);
    terms_[to] = entropy_.term(modules_[to]);
    heavy_[to] += heavy(i);
    ++members_[to];
    labels_[i] = to;
  }

 private:
  std::int32_t heavy(std::int32_t i) const { return graph_.vertices[i].volume > 0; }

  // between_[u] = weight between i and module u, for the modules in near_.
  void gather(std::int32_t i) {
    for (const std::int32_t u : near_) {
      between_[u] = 0;
      touched_[u] = 0;
    }
    near_.clear();
    for (std::int64_t e = graph_.indptr[i]; e < graph_.indptr[i + 1]; ++e) {
      const std::int32_t u = labels_[graph_.indices[e]];
      if (!touched_[u]) {
        touched_[u] = 1;
        near_.push_back(u);
      }
      between_[u] += graph_.weights[e];
    }
  }

  // The module of i without i; what is left without volume has none exactly.
  Module without(std::int32_t i) const {
    const std::int32_t u = labels_[i];
    if (members_[u] == 1) return {0, 0};
    Module left = PartitionEntropy::without(modules_[u], graph_.vertices[i], between_[u]);
    if (heavy_[u] == heavy(i)) left.volume = 0;
    return left;
  }

  const LevelGraph& graph_;
  PartitionEntropy entropy_;
  Labels labels_;
  std::vector<Module> modules_;
  std::vector<double> terms_;
  Labels members_, heavy_;  // all, and those with a volume
  Labels empty_;            // modules without members
  std::vector<double> between_;
  std::vector<char> touched_;
  Labels near_;
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
