// Linkage: modules that have most weight between them, for their volumes, are united first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "agglomerate.hpp"
#include "contracted_graph.hpp"
#include "crew.hpp"
#include "csr.hpp"
#include "level_graph.hpp"
#include "monitor.hpp"

namespace sentree {

// How strongly two modules are linked: the weight between them over V_lesser^a V_greater^b, with
// all as shares of V_G. With a = b = 1 this is w V_G / (V_X V_Y), and 1 is what is expected by
// chance. Smaller powers suit shapes, where only borders touch. Unlike the gain of merging, linkage
// does not penalise volume.
class LinkageObjective {
 public:
  LinkageObjective(const LevelGraph& graph, double lesser, double greater)
      : total_(graph.total_volume), lesser_(lesser), greater_(greater) {
    for (const Module& module : graph.vertices) volume_.push_back(module.volume);
  }

  double gain(std::int32_t u, std::int32_t v, double weight, double) const {
    if (lesser_ == 1 && greater_ == 1) return weight * total_ / (volume_[u] * volume_[v]);
    const double low = std::min(volume_[u], volume_[v]) / total_;
    const double high = std::max(volume_[u], volume_[v]) / total_;
    return weight / total_ / (std::pow(low, lesser_) * std::pow(high, greater_));
  }

  bool related() const { return false; }

  bool unite(std::int32_t u, std::int32_t v, double, double) {
    volume_[u] += volume_[v];
    return true;  // the same weight over a larger volume
  }

  // A linkage bounds itself, however far a module grows.
  struct Leeway {};
  Leeway leeway(std::int32_t, double) const { return {}; }
  bool within(std::int32_t, const Leeway&) const { return true; }
  double bound(std::int32_t u, std::int32_t v, double weight, double relation,
               const Leeway&) const {
    return gain(u, v, weight, relation);
  }

 private:
  double total_, lesser_, greater_;
  std::vector<double> volume_;
};

struct LinkOptions {
  double least_linkage = 0;
  std::int32_t fewest_modules = 1;
  double lesser = 1, greater = 1;  // powers of the volumes
  Labels owner;           // of each module, -1 for none; two modules with an owner are never united
  std::int32_t many = 0;  // above so many modules, unions come about in rounds
};

// Unites many modules in rounds, in each of which modules that are most strongly linked to one
// another are united at the same time, until `few` are left. A round leaves out the weaker half, so
// that unions come about in the order of their linkage. (With powers of 1 a union is linked to no
// module more strongly than one of its parts was, and those of a round do not depend on one
// another.)
class LinkageRounds {
 public:
  LinkageRounds(LevelGraph modules, const LinkOptions& options, Crew& crew)
      : modules_(std::move(modules)),
        options_(options),
        crew_(crew),
        n_(modules_.size()),
        id_(n_),
        owner_(options.owner.empty() ? Labels(n_, -1) : options.owner) {
    std::iota(id_.begin(), id_.end(), 0);
  }

  const LevelGraph& modules() const { return modules_; }
  const Labels& owner() const { return owner_; }

  // Ends early where few pairs are each other's best, as around a hub: rounds would be many.
  void run(std::int32_t few, Monitor& monitor) {
    const std::int64_t least =
        std::max<std::int64_t>(few, std::int64_t{2} * options_.fewest_modules);
    while (modules_.size() > least) {
      const std::vector<Pair> found = pairs(monitor);
      if (found.empty() || kLeast * static_cast<std::int64_t>(found.size()) < modules_.size()) {
        return;
      }
      unite(found);
      monitor.work(Monitor::kInterval, 0.0);
    }
  }

  // All unions, and then those of the modules that are left.
  std::vector<Join> joins(const std::vector<Join>& rest) && {
    const std::int32_t left = modules_.size();
    const auto made = static_cast<std::int32_t>(joins_.size());
    const auto number = [&](std::int32_t u) { return u < left ? id_[u] : n_ + made + u - left; };
    for (const Join& join : rest) add(number(join.first), number(join.second), join.gain);
    return std::move(joins_);
  }

 private:
  static constexpr std::int64_t kLeast = 50;  // a round unites at least one in so many modules

  struct Pair {
    std::int32_t u, v;
    double linkage;
  };

  void add(std::int32_t a, std::int32_t b, double linkage) {
    joins_.push_back({std::min(a, b), std::max(a, b), linkage});
  }

  // Pairs of modules that are each other's best, the strongest first, without the weaker half.
  std::vector<Pair> pairs(Monitor& monitor) const {
    const std::int32_t k = modules_.size();
    const LinkageObjective objective(modules_, options_.lesser, options_.greater);
    Labels best(k, -1);
    std::vector<double> linkage(k, 0.0);
    in_turns(k, crew_, monitor, [&](std::int32_t u, std::int32_t) {
      for (std::int64_t e = modules_.indptr[u]; e < modules_.indptr[u + 1]; ++e) {
        const std::int32_t v = modules_.indices[e];
        if (!(modules_.weights[e] > 0) || (owner_[u] >= 0 && owner_[v] >= 0)) continue;
        const double gain = objective.gain(u, v, modules_.weights[e], 0.0);
        if (gain < options_.least_linkage) continue;
        const bool better = best[u] < 0 || gain > linkage[u] || (gain == linkage[u] && v < best[u]);
        if (!better || apart(u, v)) continue;
        best[u] = v;
        linkage[u] = gain;
      }
    });
    std::vector<Pair> found;
    for (std::int32_t u = 0; u < k; ++u) {
      if (best[u] > u && best[best[u]] == u) found.push_back({u, best[u], linkage[u]});
    }
    // All modules in order of their best linkage: half of them are before the middle.
    std::nth_element(linkage.begin(), linkage.begin() + k / 2, linkage.end());
    const auto weak = [&](const Pair& pair) { return pair.linkage < linkage[k / 2]; };
    found.erase(std::remove_if(found.begin(), found.end(), weak), found.end());
    std::stable_sort(found.begin(), found.end(),
                     [](const Pair& a, const Pair& b) { return a.linkage > b.linkage; });
    return found;
  }

  bool apart(std::int32_t u, std::int32_t v) const {
    if (!modules_.any_apart()) return false;
    const auto row = modules_.apart_indices.begin();
    const auto end = row + modules_.apart_indptr[u + 1];
    return std::find(row + modules_.apart_indptr[u], end, v) != end;
  }

  void unite(const std::vector<Pair>& pairs) {
    const std::int32_t k = modules_.size();
    Labels part(k), united(k, -1);
    for (const Pair& pair : pairs) {
      united[pair.v] = pair.u;
      add(id_[pair.u], id_[pair.v], pair.linkage);
      id_[pair.u] = n_ + static_cast<std::int32_t>(joins_.size()) - 1;
      owner_[pair.u] = std::max(owner_[pair.u], owner_[pair.v]);
    }
    std::int32_t count = 0;
    for (std::int32_t u = 0; u < k; ++u) {
      if (united[u] >= 0) continue;
      id_[count] = id_[u];
      owner_[count] = owner_[u];
      part[u] = count++;
    }
    for (const Pair& pair : pairs) part[pair.v] = part[pair.u];
    id_.resize(count);
    owner_.resize(count);
    modules_ = modules_.contract(part, count, crew_);
  }

  LevelGraph modules_;
  const LinkOptions& options_;
  Crew& crew_;
  std::int32_t n_;
  Labels id_, owner_;  // of each module that is left
  std::vector<Join> joins_;
};

// Unites the most strongly linked modules of a partition 0..k-1, while the linkage is at least
// `least_linkage` and more than `fewest_modules` are left. The gain of a join is its linkage.
inline std::vector<Join> link(const Graphs& graphs, const Labels& labels, std::int32_t n_modules,
                              const LinkOptions& linking, Crew& crew, Monitor& monitor) {
  LinkageRounds rounds(LevelGraph(graphs).contract(labels, n_modules, crew), linking, crew);
  rounds.run(linking.many, monitor);
  const LevelGraph& modules = rounds.modules();
  ContractedGraph graph(modules);
  LinkageObjective objective(modules, linking.lesser, linking.greater);
  AgglomerationOptions options;
  options.least_gain = linking.least_linkage;
  options.fewest_modules = linking.fewest_modules;
  if (!linking.owner.empty()) options.owner = rounds.owner();
  const std::vector<Join> rest =
      Agglomeration<LinkageObjective>(graph, objective, modules.size(), options).run(monitor);
  return std::move(rounds).joins(rest);
}

}  // namespace sentree
