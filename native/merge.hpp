// Greedy agglomeration: always unite the two touching modules with the largest gain.
#pragma once

#include <algorithm>
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
  Labels owner;                  // of each module, -1 for none; two that have one never unite
};

// Unites pairs of modules that are adjacent in G until no gain reaches `least_gain` or
// `fewest_modules` are left; ties go to the pair with the smaller ids. The Objective knows the
// formula:
//     double gain(u, v, weight, relation) const;   gain of uniting modules u and v
//     bool unite(u, v, weight, relation);          module u takes in v; "did its pairs fade?"
//     bool fading() const;                         whether unite may ever say so
//
// Each module keeps its best pair, and the modules stand in a heap by its gain. What a module keeps
// may be an upper bound only (a "stale" pair): it is searched anew when it comes to the top. When u
// takes in v, the pairs of all neighbours of u and v change. A neighbour whose best pair lost value
// becomes stale with its old gain, which still bounds the new one.
//
// The pairs of u fade when each gain >= 0 of u with a module that did not touch v has fallen, and
// none below 0 has risen above. Then these modules need not be visited, for what they keep stays a
// bound, and a hub with thousands of neighbours takes in a vertex in the time of that vertex. A hub
// searches its best pair in a heap of its own, of bounds as well. Pairs that would lose are left
// out until no other pair remains; then the plain way takes over.
template <class Objective>
class Agglomeration {
 public:
  Agglomeration(ContractedGraph& graph, Objective& objective, std::int32_t n,
                const AgglomerationOptions& options)
      : graph_(graph),
        objective_(objective),
        options_(options),
        fading_(objective.fading() && !options.must_link_first),
        n_(n),
        id_(n),
        grown_by_(n, 0),
        best_(n),
        rows_(fading_ ? n : 0),
        heap_(n, Before{&best_}) {
    std::iota(id_.begin(), id_.end(), 0);
  }

  std::vector<Join> run(Monitor& monitor) {
    std::vector<Join> joins;
    search_all(monitor, joins);
    while (n_ - static_cast<std::int32_t>(joins.size()) > options_.fewest_modules) {
      if (heap_.empty()) {
        if (!fading_ || options_.least_gain >= 0) break;
        fading_ = false;
        search_all(monitor, joins);
        continue;
      }
      const std::int32_t u = heap_.top();
      work_ = 1;
      if (stale(u)) {
        search(u);
      } else {
        joins.push_back(join(u, best_[u].partner, n_ + static_cast<std::int32_t>(joins.size())));
      }
      monitor.work(work_, static_cast<double>(joins.size()) / n_);
    }
    return joins;
  }

 private:
  static constexpr std::int32_t kHub = 64;  // neighbours above which a module has a heap of its own

  struct Candidate {
    int rank = 0;
    double gain = 0;
    std::int32_t low = 0, high = 0;  // ids of the pair; low < 0 marks a stale upper bound
    std::int32_t partner = -1;

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

  // Upper bounds of the gains of a hub's pairs, as a binary heap.
  struct Bound {
    double gain;
    std::int32_t edge;
    bool operator<(const Bound& other) const { return gain < other.gain; }
  };
  using Row = std::vector<Bound>;

  void search_all(Monitor& monitor, const std::vector<Join>& joins) {
    for (std::int32_t u = 0; u < n_; ++u) {
      work_ = 1;
      search(u);
      monitor.work(work_, static_cast<double>(joins.size()) / n_);
    }
  }

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

  // Only pairs adjacent in G that nothing keeps apart may unite, for at least the least gain.
  bool allowed(double gain, const ContractedGraph::Edge& edge) const {
    return edge.weight > 0 && edge.relation > kApart && gain >= options_.least_gain &&
           (gain >= 0 || !fading_) && !(owned(edge.end[0]) && owned(edge.end[1]));
  }

  bool owned(std::int32_t u) const { return !options_.owner.empty() && options_.owner[u] >= 0; }

  // Whether what u keeps is a bound only: marked so, or its partner has grown since.
  bool stale(std::int32_t u) const {
    const Candidate& c = best_[u];
    return c.low < 0 || static_cast<std::int64_t>(id_[u]) + id_[c.partner] !=
                            static_cast<std::int64_t>(c.low) + c.high;
  }

  // Finds the best pair of u anew.
  void search(std::int32_t u) {
    if (fading_ && graph_.degree(u) > kHub) {
      search_row(u);
      return;
    }
    bool found = false;
    Candidate best;
    work_ += graph_.degree(u);
    graph_.each_neighbour(u, [&](std::int32_t t, std::int32_t e) {
      consider(candidate(u, t, graph_.edge(e)), graph_.edge(e), found, best);
    });
    settle(u, found, best);
  }

  void consider(const Candidate& c, const ContractedGraph::Edge& edge, bool& found,
                Candidate& best) const {
    if (allowed(c.gain, edge) && (!found || c.before(best))) {
      best = c;
      found = true;
    }
  }

  // Finds the best pair of a hub: renews the largest bounds until the largest is a gain.
  void search_row(std::int32_t u) {
    Row& row = rows_[u];
    if (row.empty() || static_cast<std::int32_t>(row.size()) > 3 * graph_.degree(u)) fill_row(u);
    bool found = false;
    Candidate best;
    renewed_.clear();
    while (!row.empty() && !(found && row.front().gain < best.gain)) {
      const Bound top = row.front();
      std::pop_heap(row.begin(), row.end());
      row.pop_back();
      const ContractedGraph::Edge& edge = graph_.edge(top.edge);
      ++work_;
      if (edge.end[0] < 0) continue;  // the pair is no more
      const Candidate c = candidate(u, edge.other(u), edge);
      if (!allowed(c.gain, edge)) continue;  // comes back when it changes
      consider(c, edge, found, best);
      renewed_.push_back({c.gain, top.edge});
    }
    for (const Bound& bound : renewed_) push(row, bound);
    settle(u, found, best);
  }

  void fill_row(std::int32_t u) {
    Row& row = rows_[u];
    row.clear();
    work_ += graph_.degree(u);
    graph_.each_neighbour(u, [&](std::int32_t t, std::int32_t e) {
      const ContractedGraph::Edge& edge = graph_.edge(e);
      const double gain = objective_.gain(u, t, edge.weight, edge.relation);
      if (allowed(gain, edge)) row.push_back({gain, e});
    });
    std::make_heap(row.begin(), row.end());
  }

  static void push(Row& row, const Bound& bound) {
    row.push_back(bound);
    std::push_heap(row.begin(), row.end());
  }

  // A hub's heap learns of a changed pair.
  void note(std::int32_t u, double gain, std::int32_t e) {
    if (fading_ && !rows_[u].empty()) push(rows_[u], {gain, e});
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
    const std::int32_t low = id_[u] < id_[v] ? id_[u] : id_[v];
    const std::int32_t high = id_[u] < id_[v] ? id_[v] : id_[u];
    const Join result{low, high,
                      best_[u].partner == v && !stale(u) ? best_[u].gain : best_[v].gain};
    const ContractedGraph::Edge edge = graph_.edge(graph_.find(u, v));
    const bool all = !objective_.unite(u, v, edge.weight, edge.relation) || !fading_;
    id_[u] = new_id;
    if (owned(v)) options_.owner[u] = options_.owner[v];
    grown_by_[u] = sign(edge.relation);
    heap_.remove(v);
    if (fading_) Row().swap(rows_[v]);
    if (fading_ && all) rows_[u].clear();

    touched_.clear();
    graph_.unite(u, v, [&](std::int32_t t, std::int32_t e) {
      if (!all) touched_.push_back({t, e});
    });
    if (all) {
      graph_.each_neighbour(u, [&](std::int32_t t, std::int32_t e) { touched_.push_back({t, e}); });
    }
    work_ += static_cast<std::int64_t>(touched_.size());
    bool found = false;
    Candidate best;
    for (const auto& [t, e] : touched_) {
      const ContractedGraph::Edge& touching = graph_.edge(e);
      Candidate c = candidate(t, u, touching);
      const bool good = allowed(c.gain, touching);
      if (good) {
        note(t, c.gain, e);
        note(u, c.gain, e);
      }
      revise(t, good, c, v);
      c.partner = t;
      consider(c, touching, found, best);
    }
    if (all) {
      settle(u, found, best);
    } else {
      revise(u, found, best, v);
      best_[u].low = -1;  // the pairs that were not visited are bounded by what u kept
      heap_.update(u);
    }
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
    } else if (mine.low >= 0 && (mine.partner == c.partner || mine.partner == gone)) {
      mine.low = -1;
      heap_.update(t);
    }
  }

  ContractedGraph& graph_;
  Objective& objective_;
  AgglomerationOptions options_;
  bool fading_;
  std::int32_t n_;
  std::vector<std::int32_t> id_;       // of the module in each slot
  std::vector<std::int8_t> grown_by_;  // sign of the relation that made the module; 0 for a vertex
  std::vector<Candidate> best_;
  std::vector<Row> rows_;  // of hubs; empty otherwise
  IndexedHeap<Before> heap_;
  std::int64_t work_ = 0;
  std::vector<std::pair<std::int32_t, std::int32_t>> touched_;  // scratch of join
  std::vector<Bound> renewed_;                                  // scratch of search_row
};

// The objective of a partition under merging.
class MergeObjective {
 public:
  explicit MergeObjective(const Problem& problem)
      : entropy_(problem.total_volume()),
        related_(problem.relation.indptr[problem.relation.n] > 0) {
    modules_.reserve(problem.graph.n);
    for (std::int32_t i = 0; i < problem.graph.n; ++i) {
      const Module single = problem.single(i);
      modules_.push_back({single, entropy_.term(single)});
    }
  }

  double gain(std::int32_t u, std::int32_t v, double weight, double relation) const {
    const State &x = modules_[u], &y = modules_[v];
    return entropy_.merge_gain(x.module, x.term, y.module, y.term, weight + relation);
  }

  bool fading() const { return !related_; }

  // V_G times the gain of t and u is a constant of the pair plus
  //     (A_t + 2 w) log2(V_G / (V_t + V_u)) - (A_u / V_u) V_u log2(1 + V_t / V_u),
  // where both logarithmic factors only lose when V_u grows. Without relations A_t >= 0, so the
  // gain falls whenever the density A_u / V_u does not.
  bool unite(std::int32_t u, std::int32_t v, double weight, double relation) {
    const Module before = modules_[u].module;
    const Module after = PartitionEntropy::unite(before, modules_[v].module, weight + relation);
    modules_[u] = {after, entropy_.term(after)};
    return after.association * before.volume >= before.association * after.volume;
  }

 private:
  struct State {
    Module module;
    double term;
  };

  PartitionEntropy entropy_;
  bool related_;
  std::vector<State> modules_;
};

// Merges from single vertices. With `fewest_modules` > 0 exactly that many are left if G allows,
// whatever it costs; with 0 merging ends when nothing is gained any more. Vertices with an owner
// (>= 0) never come together.
inline std::vector<Join> merge(const Problem& problem, std::int32_t fewest_modules,
                               bool must_link_first, Labels owner, Monitor& monitor) {
  ContractedGraph graph(problem);
  MergeObjective objective(problem);
  AgglomerationOptions options;
  options.must_link_first = must_link_first;
  options.owner = std::move(owner);
  if (fewest_modules > 0) {
    options.fewest_modules = fewest_modules;
  } else {
    options.least_gain = 0;
  }
  return Agglomeration<MergeObjective>(graph, objective, problem.graph.n, options).run(monitor);
}

}  // namespace sentree
