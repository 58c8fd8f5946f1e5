// Greedy agglomeration: always unite the two touching modules with the largest gain.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "contraction.hpp"
#include "entropy.hpp"
#include "heap.hpp"
#include "monitor.hpp"

namespace sentree {

struct Join {
  std::int32_t first;   // ids: vertices 0..n-1, then n, n + 1, ... in the order of the joins
  std::int32_t second;  // first < second
  double gain;
};

struct AgglomerationOptions {
  double least_gain = -std::numeric_limits<double>::infinity();
  std::int32_t fewest_modules = 1;
  bool must_link_first = false;  // see Agglomeration::rank
};

// Unites pairs of modules that are adjacent in G until no gain reaches `least_gain` or
// `fewest_modules` are left. The Objective knows the formula:
//     double gain(u, v, weight, relation) const;   gain of uniting modules u and v
//     void unite(u, v, weight, relation);          module u takes in v
// Each module keeps its best partner; the modules stand in a heap by the gain of that pair. When a
// pair unites, only pairs with the new module change. A module whose best partner lost value is
// not searched again at once: its old gain is an upper bound of its new one, so it is marked stale
// and searched when it comes to the top. Ties go to the pair with the smaller ids.
// Cost: O(degree) gains per join, plus the searches.
template <class Objective>
class Agglomeration {
 public:
  Agglomeration(ContractedGraph& graph, Objective& objective, std::int32_t n,
                const AgglomerationOptions& options)
      : graph_(graph),
        objective_(objective),
        options_(options),
        n_(n),
        id_(n),
        grown_by_(n, 0),
        best_(n),
        heap_(n, Before{&best_}) {
    std::iota(id_.begin(), id_.end(), 0);
  }

  std::vector<Join> run(Monitor& monitor) {
    for (std::int32_t u = 0; u < n_; ++u) {
      search(u);
      monitor.work(1 + graph_.degree(u), 0.0);
    }
    std::vector<Join> joins;
    while (!heap_.empty() && n_ - static_cast<std::int32_t>(joins.size()) > options_.fewest_modules) {
      const std::int32_t u = heap_.top();
      if (best_[u].stale()) {
        search(u);
      } else {
        joins.push_back(join(u, best_[u].partner, n_ + static_cast<std::int32_t>(joins.size())));
      }
      monitor.work(1 + graph_.degree(u), static_cast<double>(joins.size()) / n_);
    }
    return joins;
  }

 private:
  struct Candidate {
    int rank = 0;
    double gain = 0;
    std::int32_t low = 0, high = 0;  // ids of the pair; low < 0 marks a stale upper bound
    std::int32_t partner = -1;

    bool stale() const { return low < 0; }
    bool before(const Candidate& other) const {
      if (rank != other.rank) return rank > other.rank;
      if (gain != other.gain) return gain > other.gain;
      if (low != other.low) return low < other.low;
      return high < other.high;
    }
  };

  struct Before {
    const std::vector<Candidate>* best;
    bool operator()(std::int32_t u, std::int32_t v) const {
      const Candidate &a = (*best)[u], &b = (*best)[v];
      if (a.before(b)) return true;
      if (b.before(a)) return false;
      return u < v;  // the two ends of one pair, or two stale bounds
    }
  };

  Candidate candidate(std::int32_t u, std::int32_t v, const ContractedGraph::Edge& edge) const {
    Candidate c;
    c.gain = objective_.gain(u, v, edge.weight, edge.relation);
    c.rank = rank(u, v, edge);
    c.low = id_[u] < id_[v] ? id_[u] : id_[v];
    c.high = id_[u] < id_[v] ? id_[v] : id_[u];
    c.partner = v;
    return c;
  }

  // With must_link_first, pairs of rank 1 unite before those of rank 0, and these before -1. A pair
  // has the sign of its relation. Where it has none, its later module passes on the sign of the
  // relation that made it, so that a module grown by a must-link grows on first.
  int rank(std::int32_t u, std::int32_t v, const ContractedGraph::Edge& edge) const {
    if (!options_.must_link_first) return 0;
    if (edge.relation != 0) return sign(edge.relation);
    return grown_by_[id_[u] > id_[v] ? u : v];
  }

  static std::int8_t sign(double x) { return static_cast<std::int8_t>((x > 0) - (x < 0)); }

  // Only pairs adjacent in G may unite, and only for at least the least gain.
  bool allowed(const Candidate& c, const ContractedGraph::Edge& edge) const {
    return edge.weight > 0 && c.gain >= options_.least_gain;
  }

  // Finds the best partner of u anew.
  void search(std::int32_t u) {
    bool found = false;
    Candidate best;
    graph_.each_neighbour(u, [&](std::int32_t t, const ContractedGraph::Edge& edge) {
      const Candidate c = candidate(u, t, edge);
      if (allowed(c, edge) && (!found || c.before(best))) {
        best = c;
        found = true;
      }
    });
    settle(u, found, best);
  }

  void settle(std::int32_t u, bool found, const Candidate& best) {
    if (found) {
      best_[u] = best;
      heap_.update(u);
    } else {
      heap_.remove(u);
    }
  }

  Join join(std::int32_t u, std::int32_t v, std::int32_t new_id) {
    if (graph_.degree(u) < graph_.degree(v)) std::swap(u, v);
    Join result{id_[u] < id_[v] ? id_[u] : id_[v], id_[u] < id_[v] ? id_[v] : id_[u],
                best_[u].gain};
    const ContractedGraph::Edge edge = graph_.between(u, v);
    objective_.unite(u, v, edge.weight, edge.relation);
    graph_.unite(u, v);
    heap_.remove(v);
    id_[u] = new_id;
    grown_by_[u] = sign(edge.relation);

    bool found = false;
    Candidate best;
    graph_.each_neighbour(u, [&](std::int32_t t, const ContractedGraph::Edge& touching) {
      const Candidate c = candidate(t, u, touching);
      const bool good = allowed(c, touching);
      if (good && (!found || c.before(best))) {
        best = c;
        best.partner = t;
        found = true;
      }
      revise(t, good, c, v);
    });
    settle(u, found, best);
    return result;
  }

  // Module t sees that its pair with c.partner has changed and that `gone` is no more.
  void revise(std::int32_t t, bool good, const Candidate& c, std::int32_t gone) {
    if (!heap_.contains(t)) {
      if (good) settle(t, true, c);
      return;
    }
    Candidate& mine = best_[t];
    if (good && c.before(mine)) {
      mine = c;
      heap_.update(t);
    } else if (!mine.stale() && (mine.partner == c.partner || mine.partner == gone)) {
      mine.low = -1;
      heap_.update(t);
    }
  }

  ContractedGraph& graph_;
  Objective& objective_;
  AgglomerationOptions options_;
  std::int32_t n_;
  std::vector<std::int32_t> id_;  // of the module in each slot
  std::vector<std::int8_t> grown_by_;  // sign of the relation that made the module; 0 for a vertex
  std::vector<Candidate> best_;
  IndexedHeap<Before> heap_;
};

// The objective of a partition under merging.
class MergeObjective {
 public:
  explicit MergeObjective(const Problem& problem) : entropy_(problem.total_volume()) {
    modules_.reserve(problem.graph.n);
    terms_.reserve(problem.graph.n);
    for (std::int32_t i = 0; i < problem.graph.n; ++i) {
      modules_.push_back({problem.degree[i] - problem.graph.row_sum(i) - problem.relation.row_sum(i),
                          problem.degree[i]});
      terms_.push_back(entropy_.term(modules_.back()));
    }
  }

  double gain(std::int32_t u, std::int32_t v, double weight, double relation) const {
    return entropy_.merge_gain(modules_[u], terms_[u], modules_[v], terms_[v], weight + relation);
  }

  void unite(std::int32_t u, std::int32_t v, double weight, double relation) {
    modules_[u] = PartitionEntropy::unite(modules_[u], modules_[v], weight + relation);
    terms_[u] = entropy_.term(modules_[u]);
  }

 private:
  PartitionEntropy entropy_;
  std::vector<Module> modules_;
  std::vector<double> terms_;
};

// Merges from single vertices. With `fewest_modules` > 0 exactly that many are left if G allows,
// whatever it costs; with 0 merging ends when nothing is gained any more.
inline std::vector<Join> merge(const Problem& problem, std::int32_t fewest_modules,
                               bool must_link_first, Monitor& monitor) {
  ContractedGraph graph(problem);
  MergeObjective objective(problem);
  AgglomerationOptions options;
  options.must_link_first = must_link_first;
  if (fewest_modules > 0) {
    options.fewest_modules = fewest_modules;
  } else {
    options.least_gain = 0;
  }
  return Agglomeration<MergeObjective>(graph, objective, problem.graph.n, options).run(monitor);
}

}  // namespace sentree
