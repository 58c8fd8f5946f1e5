// Local moving: each vertex in turn goes to the neighbouring module that lowers the objective most.
#pragma once

#include <cstdint>
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

// A partition whose vertices change their module one by one, in O(degree) each.
class MovingPartition {
 public:
  MovingPartition(const Problem& problem, std::vector<std::int32_t> labels, std::int32_t n_modules)
      : problem_(problem),
        entropy_(problem.total_volume()),
        labels_(std::move(labels)),
        single_(problem.graph.n),
        modules_(n_modules, Module{0, 0}),
        size_(n_modules, 0),
        heavy_(n_modules, 0),
        between_(n_modules, 0.0),
        touched_(n_modules, 0) {
    for (std::int32_t i = 0; i < problem.graph.n; ++i) {
      single_[i] = {problem.degree[i] - problem.graph.row_sum(i) - problem.relation.row_sum(i),
                    problem.degree[i]};
      const std::int32_t u = labels_[i];
      modules_[u] = PartitionEntropy::unite(modules_[u], single_[i], 0.0);
      ++size_[u];
      heavy_[u] += heavy(i);
    }
    each_pair([&](std::int32_t i, std::int32_t j, double weight) {
      if (labels_[i] == labels_[j]) modules_[labels_[i]].association += weight;  // seen twice
    });
  }

  const std::vector<std::int32_t>& labels() const { return labels_; }
  bool alone(std::int32_t i) const { return size_[labels_[i]] == 1; }

  // The best other module among those that touch i in G or G'; the smaller one on a tie.
  Step best_step(std::int32_t i) {
    gather(i);
    const std::int32_t from = labels_[i];
    Step best{i, from, 0.0};
    for (const std::int32_t to : near_) {
      if (to == from) continue;
      const double gain = gathered_gain(i, to);
      if (best.module == from || gain > best.gain || (gain == best.gain && to < best.module)) {
        best = {i, to, gain};
      }
    }
    return best;
  }

  double gain(std::int32_t i, std::int32_t to) {
    gather(i);
    return to == labels_[i] ? 0.0 : gathered_gain(i, to);
  }

  // Carries out a step for vertex i, whose surroundings were gathered last.
  void apply(const Step& step) {
    const std::int32_t i = step.vertex, from = labels_[i], to = step.module;
    modules_[from] = rest(i);
    --size_[from];
    heavy_[from] -= heavy(i);
    modules_[to] = PartitionEntropy::unite(modules_[to], single_[i], between_[to]);
    ++size_[to];
    heavy_[to] += heavy(i);
    labels_[i] = to;
  }

 private:
  template <class Visit>
  void each_pair(Visit visit) const {
    for (std::int32_t i = 0; i < problem_.graph.n; ++i) each_neighbour(i, visit);
  }

  template <class Visit>
  void each_neighbour(std::int32_t i, Visit visit) const {
    for (const Csr* side : {&problem_.graph, &problem_.relation}) {
      for (std::int64_t e = side->indptr[i]; e < side->indptr[i + 1]; ++e) {
        visit(i, side->indices[e], side->weights[e]);
      }
    }
  }

  // between_[u] = weight of G and G' between i and module u, for the modules in near_.
  void gather(std::int32_t i) {
    for (const std::int32_t u : near_) {
      between_[u] = 0;
      touched_[u] = 0;
    }
    near_.clear();
    each_neighbour(i, [&](std::int32_t, std::int32_t j, double weight) {
      const std::int32_t u = labels_[j];
      if (!touched_[u]) {
        touched_[u] = 1;
        near_.push_back(u);
      }
      between_[u] += weight;
    });
  }

  double gathered_gain(std::int32_t i, std::int32_t to) const {
    return entropy_.move_gain(modules_[labels_[i]], rest(i), modules_[to],
                              PartitionEntropy::unite(modules_[to], single_[i], between_[to]));
  }

  std::int32_t heavy(std::int32_t i) const { return single_[i].volume > 0; }

  // The module of i without i. What is left without volume has none exactly: a remainder of
  // rounding would have a huge logarithm.
  Module rest(std::int32_t i) const {
    const std::int32_t u = labels_[i];
    if (size_[u] == 1) return {0, 0};
    Module left = PartitionEntropy::without(modules_[u], single_[i], between_[u]);
    if (heavy_[u] == heavy(i)) left.volume = 0;
    return left;
  }

  const Problem& problem_;
  PartitionEntropy entropy_;
  std::vector<std::int32_t> labels_;
  std::vector<Module> single_;  // each vertex as a module of its own
  std::vector<Module> modules_;
  std::vector<std::int32_t> size_;
  std::vector<std::int32_t> heavy_;  // members with a degree above 0
  std::vector<double> between_;
  std::vector<char> touched_;
  std::vector<std::int32_t> near_;
};

struct MoveOptions {
  double least_gain = 1e-12;  // above rounding, so that sweeps end
  std::int32_t most_sweeps = 300;
  bool keep_modules = false;  // no module may become empty
};

// Sweeps over the vertices in order until a whole sweep moves none. Calls seen(step) on each move.
template <class Seen>
std::int32_t move(MovingPartition& partition, std::int32_t n, const MoveOptions& options,
                  Monitor& monitor, Seen seen) {
  for (std::int32_t sweep = 0; sweep < options.most_sweeps; ++sweep) {
    bool moved = false;
    for (std::int32_t i = 0; i < n; ++i) {
      monitor.work(20, static_cast<double>(sweep) / options.most_sweeps);
      if (options.keep_modules && partition.alone(i)) continue;
      const Step step = partition.best_step(i);
      if (step.module == partition.labels()[i] || !(step.gain > options.least_gain)) continue;
      partition.apply(step);
      seen(step);
      moved = true;
    }
    if (!moved) return sweep + 1;
  }
  return options.most_sweeps;
}

}  // namespace sentree
