// Greedy agglomeration: always unite the two touching modules with the largest gain.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "contracted_graph.hpp"
#include "csr.hpp"
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
  Labels owner;  // of each module, -1 for none; two modules with an owner are never united
};

// Unites pairs of modules that are adjacent in G until no gain reaches `least_gain` or
// `fewest_modules` are left; ties go to the pair with the smaller ids. The Objective knows the
// formula:
//     double gain(u, v, weight, relation) const;      gain of uniting modules u and v
//     bool unite(u, v, weight, relation);             module u takes in v; true if no gain of u
//                                                     with a module not adjacent to v has risen
//     Leeway leeway(u, share) const;                  states of u near its present one
//     bool within(u, leeway) const;                   whether u is in one of these states
//     double bound(u, v, weight, relation, leeway) const;
//                                                     upper bound of the gain of u and v while v
//                                                     stays and u grows within the leeway
//     bool related() const;                           whether any relation is not 0
//
// Each pair is held by one of its two modules, mostly the one with more neighbours. A module keeps
// the best of the pairs that it holds, and the modules are in a heap by its gain. The gain that is
// kept may be only an upper bound (a "stale" pair); the best pair is then searched again when it
// comes to the top of the heap.
//
// When u takes in v, all pairs of u change. Those that were adjacent to v are visited. If `unite`
// returns true, no other pair has become better. Otherwise the pairs of u that others hold are
// visited, too; they are few. Those that u holds are not. Instead, a module with many neighbours (a
// hub) finds its best pair in a heap of upper bounds. They are valid while the hub is within a
// leeway, and are computed again when they come to the top. When the hub leaves its leeway, all
// bounds are computed again. A wide leeway has loose bounds, more of which come to the top in vain;
// a narrow one is left soon. Its width is doubled or halved so that both cost about the same.
template <class Objective>
class Agglomeration {
 public:
  Agglomeration(ContractedGraph& graph, Objective& objective, std::int32_t n,
                const AgglomerationOptions& options)
      : graph_(graph),
        objective_(objective),
        options_(options),
        ranked_(options.must_link_first && objective.related()),
        n_(n),
        id_(n),
        grown_by_(n, 0),
        best_(n),
        rows_(n),
        heap_(n, Before{&best_}) {
    std::iota(id_.begin(), id_.end(), 0);
  }

  std::vector<Join> run(Monitor& monitor) {
    std::vector<Join> joins;
    for (std::int32_t u = 0; u < n_; ++u) {
      work_ = 1;
      search(u);
      monitor.work(work_, 0.0);
    }
    while (n_ - static_cast<std::int32_t>(joins.size()) > options_.fewest_modules &&
           !heap_.empty()) {
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
  using Edge = ContractedGraph::Edge;

  static constexpr std::int32_t kHub = 64;  // a module with more neighbours has a row of bounds

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
      return u < v;  // two stale bounds
    }
  };

  // An upper bound of the gain of a pair.
  struct Bound {
    double gain;
    std::int32_t edge;
    bool operator<(const Bound& other) const { return gain < other.gain; }
  };

  // The bounds of a hub. With ranks, each heap has the pairs of one kind.
  struct Row {
    static constexpr int kKinds = 4;
    std::vector<Bound> heaps[kKinds];   // binary heaps of the pairs that the hub holds
    std::vector<std::int32_t> foreign;  // edges of pairs that it may not hold
    typename Objective::Leeway leeway;
    double share = 1.0 / 64;   // width of the leeway
    std::int64_t in_vain = 0;  // bounds at the top that were too loose, since the last refill

    std::size_t size() const {
      std::size_t sum = 0;
      for (const std::vector<Bound>& heap : heaps) sum += heap.size();
      return sum;
    }
  };

  Candidate candidate(std::int32_t u, std::int32_t v, const Edge& edge) const {
    Candidate c;
    c.gain = objective_.gain(u, v, edge.weight, edge.relation);
    c.rank = rank(u, v, edge);
    c.low = id_[u] < id_[v] ? id_[u] : id_[v];
    c.high = id_[u] < id_[v] ? id_[v] : id_[u];
    c.partner = v;
    return c;
  }

  // With must_link_first, pairs of rank 1 unite before those of rank 0, and these before -1. The
  // rank of a pair is the sign of its relation. Without a relation it is the sign of the relation
  // that made its later module, so that modules made by a must-link grow first.
  int rank(std::int32_t u, std::int32_t v, const Edge& edge) const {
    if (!ranked_) return 0;
    if (edge.relation != 0) return sign(edge.relation);
    return grown_by_[id_[u] > id_[v] ? u : v];
  }

  // The kind of a pair of a hub and module t. The rank of a pair depends on which module is later;
  // highest_rank is an upper bound for each kind.
  int kind(std::int32_t t, const Edge& edge) const {
    if (!ranked_ || edge.relation < 0) return 0;
    return edge.relation > 0 ? 3 : 2 + grown_by_[t];
  }

  int highest_rank(std::int32_t u, int kind) const {
    if (!ranked_) return 0;
    if (kind == 0) return -1;
    return std::max<int>(grown_by_[u], kind - 2);
  }

  static std::int8_t sign(double x) { return static_cast<std::int8_t>((x > 0) - (x < 0)); }

  // Only pairs that are adjacent in G and not kept apart may unite, for at least the least gain.
  bool allowed(const Edge& edge) const {
    return edge.weight > 0 && edge.relation > kApart &&
           !(has_owner(edge.end[0]) && has_owner(edge.end[1]));
  }

  bool allowed(double gain, const Edge& edge) const {
    return gain >= options_.least_gain && allowed(edge);
  }

  bool has_owner(std::int32_t u) const { return !options_.owner.empty() && options_.owner[u] >= 0; }

  // Whether the best pair of u is only a bound: marked so, or its partner has grown since.
  bool stale(std::int32_t u) const {
    const Candidate& c = best_[u];
    return c.low < 0 || static_cast<std::int64_t>(id_[u]) + id_[c.partner] !=
                            static_cast<std::int64_t>(c.low) + c.high;
  }

  // Finds the best pair of u again.
  void search(std::int32_t u) {
    if (!rows_[u] && graph_.degree(u) > kHub) fill_row(u);
    if (rows_[u]) {
      search_row(u);
      return;
    }
    bool found = false;
    Candidate best;
    work_ += graph_.degree(u);
    graph_.each_neighbour(u, [&](std::int32_t t, std::int32_t e) {
      const Edge& edge = graph_.edge(e);
      if (edge.holder() == u) consider(candidate(u, t, edge), edge, found, best);
    });
    keep_best(u, found, best);
  }

  void consider(const Candidate& c, const Edge& edge, bool& found, Candidate& best) const {
    if (allowed(c.gain, edge) && (!found || c.before(best))) {
      best = c;
      found = true;
    }
  }

  // The kind with the largest bound of hub u, -1 if there is none.
  int leading(std::int32_t u) const {
    int first = -1;
    for (int k = 0; k < Row::kKinds; ++k) {
      if (rows_[u]->heaps[k].empty()) continue;
      if (first < 0 || row_top(u, k).before(row_top(u, first))) first = k;
    }
    return first;
  }

  // The largest bound of a kind as a stale pair.
  Candidate row_top(std::int32_t u, int kind) const {
    return {highest_rank(u, kind), rows_[u]->heaps[kind].front().gain, -1, -1, -1};
  }

  // Finds the best pair of a hub: computes the gains of the largest bounds until no other bound is
  // better.
  void search_row(std::int32_t u) {
    Row& row = *rows_[u];
    if (row.in_vain > graph_.degree(u)) {
      row.share /= 2;
      fill_row(u);
    } else if (static_cast<std::int64_t>(row.size()) > 3 * graph_.degree(u)) {
      fill_row(u);
    }
    bool found = false;
    Candidate best;
    renewed_.clear();
    for (int k = leading(u); k >= 0 && !(found && best.before(row_top(u, k))); k = leading(u)) {
      std::vector<Bound>& heap = row.heaps[k];
      const std::int32_t e = heap.front().edge;
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
      ++work_;
      const Edge& edge = graph_.edge(e);
      if (edge.holder() != u || !allowed(edge)) continue;  // gone, or comes back when it changes
      consider(candidate(u, edge.other(u), edge), edge, found, best);
      renewed_.push_back(e);
    }
    std::sort(renewed_.begin(), renewed_.end());
    renewed_.erase(std::unique(renewed_.begin(), renewed_.end()), renewed_.end());
    for (const std::int32_t e : renewed_) {
      if (push(u, e) > best.gain) ++row.in_vain;
    }
    keep_best(u, found, best);
  }

  // Computes the bounds of a hub. It takes over the pairs with modules of fewer neighbours.
  void fill_row(std::int32_t u) {
    if (!rows_[u]) rows_[u] = std::make_unique<Row>();
    Row& row = *rows_[u];
    row.leeway = objective_.leeway(u, row.share);
    row.in_vain = 0;
    row.foreign.clear();
    for (std::vector<Bound>& heap : row.heaps) heap.clear();
    work_ += graph_.degree(u);
    graph_.each_neighbour(u, [&](std::int32_t t, std::int32_t e) {
      const Edge& edge = graph_.edge(e);
      if (edge.holder() == t) choose_holder(e);  // may take a pair, but gives none away unseen
      if (edge.holder() == t) {
        row.foreign.push_back(e);
      } else if (allowed(edge)) {
        const double gain = objective_.bound(u, t, edge.weight, edge.relation, row.leeway);
        if (gain >= options_.least_gain) row.heaps[kind(t, edge)].push_back({gain, e});
      }
    });
    for (std::vector<Bound>& heap : row.heaps) std::make_heap(heap.begin(), heap.end());
  }

  // Puts a pair that hub u holds into its row; returns the bound.
  double push(std::int32_t u, std::int32_t e) {
    const Edge& edge = graph_.edge(e);
    const std::int32_t t = edge.other(u);
    const double gain = objective_.bound(u, t, edge.weight, edge.relation, rows_[u]->leeway);
    if (gain < options_.least_gain) return gain;
    std::vector<Bound>& heap = rows_[u]->heaps[kind(t, edge)];
    heap.push_back({gain, e});
    std::push_heap(heap.begin(), heap.end());
    return gain;
  }

  // Gives a pair to the module with more neighbours; if both have as many, its holder stays.
  void choose_holder(std::int32_t e) {
    const std::int32_t holder = graph_.edge(e).end[0], other = graph_.edge(e).end[1];
    if (graph_.degree(other) <= graph_.degree(holder)) return;
    graph_.set_holder(e, other);
    if (rows_[holder]) rows_[holder]->foreign.push_back(e);
  }

  void keep_best(std::int32_t u, bool found, const Candidate& best) {
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
    const Edge edge = graph_.edge(graph_.find(u, v));
    const bool none_rose = objective_.unite(u, v, edge.weight, edge.relation) && !ranked_;
    id_[u] = new_id;
    if (has_owner(v)) options_.owner[u] = options_.owner[v];
    grown_by_[u] = sign(edge.relation);
    heap_.remove(v);
    rows_[v].reset();
    touched_.clear();
    graph_.unite(u, v, [&](std::int32_t, std::int32_t e) { touched_.push_back(e); });

    const bool filled = renew_row(u);
    if (!none_rose) touch_others(u);
    work_ += static_cast<std::int64_t>(touched_.size());
    bool found = false;
    Candidate best;
    for (const std::int32_t e : touched_) {
      choose_holder(e);
      const Edge& touching = graph_.edge(e);
      const std::int32_t t = touching.other(u), holder = touching.holder();
      Candidate c = candidate(t, u, touching);
      const bool good = allowed(c.gain, touching);
      if (rows_[u] && holder == t) rows_[u]->foreign.push_back(e);
      if (allowed(touching) && rows_[holder] && !(filled && holder == u)) push(holder, e);
      revise(t, good && holder == t, c, v);
      c.partner = t;
      if (holder == u) consider(c, touching, found, best);
    }
    if (none_rose && !filled) {  // the old gain of u bounds the pairs that were not visited
      revise(u, found, best, v);
      best_[u].low = -1;
      if (heap_.contains(u)) heap_.update(u);
    } else if (rows_[u]) {
      const int k = leading(u);
      keep_best(u, k >= 0, k >= 0 ? row_top(u, k) : best);
    } else {
      keep_best(u, found, best);
    }
    return result;
  }

  // Fills the row of a module that has become a hub or has left its leeway; returns whether it did.
  bool renew_row(std::int32_t u) {
    if (!rows_[u] && graph_.degree(u) <= kHub) return false;
    if (rows_[u]) {
      Row& row = *rows_[u];
      if (objective_.within(u, row.leeway)) return false;
      if (row.in_vain < graph_.degree(u) / 4) row.share *= 2;
    }
    fill_row(u);
    return true;
  }

  // Adds the pairs of u that others hold, or all of its pairs if they are not listed.
  void touch_others(std::int32_t u) {
    if (!rows_[u]) {
      touched_.clear();
      graph_.each_neighbour(u, [&](std::int32_t, std::int32_t e) { touched_.push_back(e); });
      return;
    }
    for (const std::int32_t e : rows_[u]->foreign) {
      if (graph_.edge(e).end[1] == u) touched_.push_back(e);
    }
    rows_[u]->foreign.clear();
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  }

  // Updates the best pair of t after its pair with c.partner has changed and `gone` has vanished.
  void revise(std::int32_t t, bool good, const Candidate& c, std::int32_t gone) {
    if (!heap_.contains(t)) {
      if (good) keep_best(t, true, c);
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
  bool ranked_;
  std::int32_t n_;
  std::vector<std::int32_t> id_;       // of the module in each slot
  std::vector<std::int8_t> grown_by_;  // sign of the relation that made the module; 0 for a vertex
  std::vector<Candidate> best_;
  std::vector<std::unique_ptr<Row>> rows_;  // of hubs
  IndexedHeap<Before> heap_;
  std::int64_t work_ = 0;
  std::vector<std::int32_t> touched_;  // scratch of join: edges of u
  std::vector<std::int32_t> renewed_;  // scratch of search_row: edges
};

// The objective of a partition under merging.
class MergeObjective {
 public:
  explicit MergeObjective(const Graphs& graphs)
      : entropy_(graphs.total_volume()), related_(graphs.relation.indptr[graphs.relation.n] > 0) {
    modules_.reserve(graphs.graph.n);
    for (std::int32_t i = 0; i < graphs.graph.n; ++i) {
      const Module single = graphs.single(i);
      modules_.push_back({single, entropy_.term(single)});
    }
  }

  double gain(std::int32_t u, std::int32_t v, double weight, double relation) const {
    const State &x = modules_[u], &y = modules_[v];
    return entropy_.merge_gain(x.module, x.term, y.module, y.term, weight + relation);
  }

  bool related() const { return related_; }

  // V_G times the gain of t and u is a constant of the pair plus
  //     (A_t + 2 w) log2(V_G / (V_t + V_u)) - (A_u / V_u) V_u log2(1 + V_t / V_u),
  // where both logarithmic terms only lower the gain when V_u grows. Without relations A_t >= 0, so
  // the gain cannot rise unless the density A_u / V_u falls.
  bool unite(std::int32_t u, std::int32_t v, double weight, double relation) {
    const Module before = modules_[u].module;
    const Module after = PartitionEntropy::unite(before, modules_[v].module, weight + relation);
    modules_[u] = {after, entropy_.term(after)};
    return !related_ && after.association * before.volume >= before.association * after.volume;
  }

  // The densities and volumes that a module may have.
  struct Leeway {
    double least_density, most_volume;
  };

  Leeway leeway(std::int32_t u, double share) const {
    const Module& x = modules_[u].module;
    const double density = x.association / x.volume;
    return {density - share * std::abs(density), x.volume * (1 + kGrowth * share)};
  }

  bool within(std::int32_t u, const Leeway& leeway) const {
    const Module& x = modules_[u].module;
    return x.association >= leeway.least_density * x.volume &&
           (!related_ || x.volume <= leeway.most_volume);
  }

  double bound(std::int32_t u, std::int32_t v, double weight, double relation,
               const Leeway& leeway) const {
    return entropy_.merge_bound(modules_[u].module.volume, leeway.least_density, leeway.most_volume,
                                modules_[v].module, modules_[v].term, weight + relation);
  }

 private:
  struct State {
    Module module;
    double term;
  };

  static constexpr double kGrowth = 4;  // volumes change more than densities

  PartitionEntropy entropy_;
  bool related_;
  std::vector<State> modules_;
};

// Merges from single vertices. With `fewest_modules` > 0 exactly that many are left if G allows,
// even at a loss; with 0 merging ends when no merge gains. Vertices with an owner (>= 0) are never
// merged with one another.
inline std::vector<Join> merge(const Graphs& graphs, std::int32_t fewest_modules,
                               bool must_link_first, Labels owner, Monitor& monitor) {
  ContractedGraph graph(graphs);
  MergeObjective objective(graphs);
  AgglomerationOptions options;
  options.must_link_first = must_link_first;
  options.owner = std::move(owner);
  if (fewest_modules > 0) {
    options.fewest_modules = fewest_modules;
  } else {
    options.least_gain = 0;
  }
  return Agglomeration<MergeObjective>(graph, objective, graphs.graph.n, options).run(monitor);
}

}  // namespace sentree
