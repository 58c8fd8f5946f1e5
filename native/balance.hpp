// Moves with bounds on the sizes of modules: the cheapest chains of moves that bring all sizes
// within the bounds, then moves and chains that lower the objective and keep them there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <unordered_set>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "level_graph.hpp"
#include "local_moves.hpp"
#include "monitor.hpp"

namespace sentree {

struct SizeOptions {
  double least;                // of a module
  double most;                 // of a module
  double price;                // bits for each unit of size outside the bounds; infinite if hard
  std::int32_t n_samples = 0;  // vertices that count; every module keeps one of them
  std::int32_t n_modules = 0;
  double least_gain = 1e-12;  // above rounding, so that sweeps end
  std::int32_t most_sweeps = 30;
};

// Modules are the nodes of a small graph. The arc from a to b costs what the objective loses by the
// cheapest move of a vertex of a to b; a path from a module that is too large to one with room is a
// chain of moves that changes the sizes of its ends alone (if all vertices have the same size).
class Balance {
 public:
  Balance(const LevelGraph& graph, LevelPartition& partition, const double* size,
          const SizeOptions& options, Monitor& monitor)
      : graph_(graph),
        partition_(partition),
        size_(size),
        options_(options),
        monitor_(monitor),
        total_(options.n_modules, 0.0),
        samples_(options.n_modules, 0),
        changed_(options.n_modules, 0),
        entered_(graph.size(), 0),
        arcs_(options.n_modules) {
    for (std::int32_t i = 0; i < graph.size(); ++i) {
      const std::int32_t u = partition.labels()[i];
      total_[u] += size[i];
      samples_[u] += i < options.n_samples;
    }
    for (std::int32_t i = 0; i < options.n_samples; ++i) enter(i);
  }

  // Returns the sum of the gains; below 0 where the bounds cost bits.
  double run() {
    const double sum = repair();
    return sum + improve();
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kNothing = 1e-12;
  static constexpr double kLittle = 1e-3;  // a sweep that gains this share of all is the last
  // Chains are repeated as often as the graph has this many vertices, and at most so often.
  static constexpr std::int32_t kLarge = 1000, kMostRepeats = 32;
  static constexpr double kAlike = 0.05;  // by how much the cost of a repeated chain may grow
  static constexpr std::int64_t kMostOpened = 50'000'000;  // vertices entered into arcs by `open`

  using Entry = std::pair<double, std::int32_t>;  // loss and vertex
  struct Arc {
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
    Entry best{0, -1};             // the cheapest, if it was looked for
    std::int64_t looked_for = -1;  // when
  };
  struct Shift {
    std::int32_t vertex, from, to;
  };
  using Chain = std::vector<Shift>;

  double outside(double total) const {
    return std::max({0.0, options_.least - total, total - options_.most});
  }

  std::int32_t label(std::int32_t i) const { return partition_.labels()[i]; }
  bool movable(std::int32_t i) const { return i < options_.n_samples && size_[i] > 0; }

  // Enters the moves of i to the modules that it touches.
  void enter(std::int32_t i) {
    if (!movable(i)) return;
    const std::int32_t from = label(i);
    partition_.each(i, [&](std::int32_t to, double gain) { push(from, to, {-gain, i}); });
    monitor_.work(1 + partition_.degree(i), 0.0);
  }

  void push(std::int32_t from, std::int32_t to, Entry entry) {
    Arc& arc = arcs_[from][to];
    arc.heap.push(entry);
    arc.looked_for = -1;
  }

  // The cheapest move from a to b; vertex -1 if there is none. Losses in the heap may be out of
  // date: those at the top are computed again.
  Entry cheapest(std::int32_t a, std::int32_t b, Arc& arc) {
    if (arc.looked_for > std::max(changed_[a], changed_[b])) return arc.best;
    arc.best = {kInfinity, -1};
    while (!arc.heap.empty()) {
      const auto [loss, i] = arc.heap.top();
      if (label(i) != a || partition_.apart(i, b)) {
        arc.heap.pop();
        continue;
      }
      const double now = -partition_.gain(i, b);
      monitor_.work(1 + partition_.degree(i), 0.0);
      if (now > loss) {
        arc.heap.pop();
        arc.heap.push({now, i});
        continue;
      }
      arc.best = {now, i};
      break;
    }
    arc.looked_for = ++clock_;
    return arc.best;
  }

  // The cheapest chain from a module that may give to one that may take, of less than `limit`;
  // empty if there is none. Moves that gain count as 0.
  template <class Gives, class Takes>
  Chain chain(Gives gives, Takes takes, double limit) {
    const std::int32_t k = options_.n_modules;
    std::vector<double> distance(k, kInfinity);
    std::vector<Shift> last(k, {-1, -1, -1});
    using Node = std::pair<double, std::int32_t>;
    std::priority_queue<Node, std::vector<Node>, std::greater<>> queue;
    for (std::int32_t a = 0; a < k; ++a) {
      if (gives(a)) queue.push({distance[a] = 0, a});
    }
    while (!queue.empty()) {
      const auto [so_far, a] = queue.top();
      queue.pop();
      if (so_far > distance[a]) continue;
      if (last[a].vertex >= 0 && takes(a)) {
        Chain found;
        for (std::int32_t b = a; last[b].vertex >= 0; b = last[b].from) found.push_back(last[b]);
        return found;  // the last move first
      }
      for (auto& [b, arc] : arcs_[a]) {
        if (distance[b] <= so_far) continue;
        const auto [loss, i] = cheapest(a, b, arc);
        if (i < 0) continue;
        const double there = so_far + std::max(loss, 0.0);
        if (there >= distance[b] || there >= limit) continue;
        distance[b] = there;
        last[b] = {i, a, b};
        queue.push({there, b});
      }
    }
    return {};
  }

  // By how much the sizes outside the bounds would grow.
  double growth(const Chain& moves) const {
    double sum = 0;
    std::map<std::int32_t, double> change;
    for (const Shift& s : moves) {
      change[s.from] -= size_[s.vertex];
      change[s.to] += size_[s.vertex];
    }
    for (const auto& [u, by] : change) sum += outside(total_[u] + by) - outside(total_[u]);
    return sum;
  }

  // What sizes outside the bounds cost; within the tolerance they cost nothing.
  double cost(double growth) const {
    if (std::abs(growth) <= kNothing) return 0.0;
    return growth > 0 ? options_.price * growth : -options_.price * -growth;
  }

  double shift(const Shift& s) {
    const double gain = partition_.gain(s.vertex, s.to);
    partition_.move(s.vertex, s.to);
    total_[s.from] -= size_[s.vertex];
    total_[s.to] += size_[s.vertex];
    samples_[s.from] -= s.vertex < options_.n_samples;
    samples_[s.to] += s.vertex < options_.n_samples;
    changed_[s.from] = changed_[s.to] = ++clock_;
    return gain;
  }

  // Does all moves and returns true, or none if one of them is not possible.
  bool apply(const Chain& moves, double& gain) {
    for (std::size_t done = 0; done < moves.size(); ++done) {
      if (partition_.apart(moves[done].vertex, moves[done].to)) {
        undo({moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(done)});
        return false;
      }
      gain += shift(moves[done]);
    }
    return true;
  }

  void undo(const Chain& moves) {
    for (auto s = moves.rbegin(); s != moves.rend(); ++s) shift({s->vertex, s->to, s->from});
  }

  // Enters the moves that have become cheaper: of what moved, and of neighbours elsewhere.
  void refresh(const Chain& moves) {
    ++clock_;
    const auto once = [&](std::int32_t i) {
      if (entered_[i] == clock_) return;
      entered_[i] = clock_;
      enter(i);
    };
    for (const Shift& s : moves) {
      once(s.vertex);
      for (std::int64_t e = graph_.indptr[s.vertex]; e < graph_.indptr[s.vertex + 1]; ++e) {
        if (label(graph_.indices[e]) != s.to) once(graph_.indices[e]);
      }
    }
  }

  // Repeats a chain with the next vertices of each module, while it costs about the same. Adds the
  // moves to `moves`, and returns what they gain.
  double repeat(Chain& moves, double loss) {
    const std::size_t length = moves.size();
    double sum = 0;
    for (std::int32_t times = 1; times < graph_.size() / kLarge && times < kMostRepeats; ++times) {
      Chain next(moves.end() - static_cast<std::ptrdiff_t>(length), moves.end());
      double cost = 0;
      for (Shift& s : next) {
        const auto [now, i] = cheapest(s.from, s.to, arcs_[s.from][s.to]);
        if (i < 0) return sum;
        cost += std::max(now, 0.0);
        s.vertex = i;
      }
      const double better = -growth(next);
      double gain = 0;
      if (!(better > kNothing) || cost > (1 + kAlike) * loss + options_.least_gain ||
          cost >= options_.price * better || samples_[next.back().from] < 2) {
        return sum;
      }
      if (!apply(next, gain)) return sum;
      sum += gain;
      moves.insert(moves.end(), next.begin(), next.end());
    }
    return sum;
  }

  bool may_give(std::int32_t u) const { return samples_[u] > 1 && total_[u] > options_.least; }
  bool may_take(std::int32_t u) const { return total_[u] < options_.most; }

  // Chains from modules that are too large, then to modules that are too small, the cheapest
  // first, until all sizes are within the bounds (or outside they cost less).
  double repair() {
    double sum = 0;
    std::vector<std::pair<Shift, double>> aside;  // moves of vertices that are too large
    while (true) {
      bool large = false, small = false;
      for (const double total : total_) {
        large |= total > options_.most;
        small |= total < options_.least;
      }
      if (!large && !small) break;
      const auto gives = [&](std::int32_t u) {
        return large ? total_[u] > options_.most && samples_[u] > 1 : may_give(u);
      };
      const auto takes = [&](std::int32_t u) {
        return large ? may_take(u) : total_[u] < options_.least;
      };
      Chain moves = chain(gives, takes, kInfinity);
      if (moves.empty()) {
        if (open(gives, takes)) continue;
        break;
      }
      const double better = -growth(moves);
      double gain = 0;
      const bool fits = better > kNothing && apply(moves, gain);
      if (fits && gain + options_.price * better <= 0) {
        undo(moves);
        break;
      }
      if (fits) {
        sum += gain + repeat(moves, std::max(-gain, 0.0));
        refresh(moves);
        for (const auto& [s, loss] : aside) {
          if (label(s.vertex) == s.from) push(s.from, s.to, {loss, s.vertex});
        }
        aside.clear();
        continue;
      }
      const Shift& largest = *std::max_element(
          moves.begin(), moves.end(),
          [&](const Shift& x, const Shift& y) { return size_[x.vertex] < size_[y.vertex]; });
      Arc& arc = arcs_[largest.from][largest.to];
      const Entry dropped = cheapest(largest.from, largest.to, arc);
      if (dropped.second == largest.vertex) {
        aside.push_back({largest, dropped.first});
        arc.heap.pop();
      }
      arc.looked_for = -1;
    }
    return sum;
  }

  // Enters the moves of all vertices between modules that do not touch: of those that may give to
  // those that may take, then of all to all. Returns false where nothing is left to enter.
  template <class Gives, class Takes>
  bool open(Gives gives, Takes takes) {
    const std::int32_t k = options_.n_modules;
    for (const bool all : {false, true}) {
      std::vector<char> from(k), to(k);
      for (std::int32_t u = 0; u < k; ++u) from[u] = all || gives(u), to[u] = all || takes(u);
      bool entered = false;
      for (std::int32_t i = 0; i < options_.n_samples; ++i) {
        const std::int32_t a = label(i);
        if (!from[a] || !movable(i)) continue;
        for (std::int32_t b = 0; b < k && opened_ < kMostOpened; ++b) {
          if (b == a || !to[b] || partition_.apart(i, b)) continue;
          if (!seen_.insert(static_cast<std::int64_t>(i) * k + b).second) continue;
          ++opened_;
          entered = true;
          push(a, b, {-partition_.gain(i, b), i});
        }
        monitor_.work(k, 0.0);
      }
      if (entered) return true;
    }
    return false;
  }

  // Moves single vertices, and chains that begin with a move for which there is no room, until a
  // sweep gains little.
  double improve() {
    double sum = 0;
    for (std::int32_t sweep = 0; sweep < options_.most_sweeps; ++sweep) {
      double gained = 0;
      for (std::int32_t i = 0; i < graph_.size(); ++i) {
        gained += improve(i);
        monitor_.work(1 + partition_.degree(i), static_cast<double>(sweep) / options_.most_sweeps);
      }
      sum += gained;
      if (gained <= kLittle * sum) break;
    }
    return sum;
  }

  double improve(std::int32_t i) {
    const std::int32_t a = label(i);
    if (i < options_.n_samples && samples_[a] < 2) return 0;
    std::int32_t best = -1, wanted = -1;
    double most = options_.least_gain, wish = options_.least_gain;
    near_.clear();
    partition_.each(i, [&](std::int32_t to, double gain) {
      if (gain > wish) near_.push_back({gain, to});
    });
    for (const auto& [gain, to] : near_) {
      if (partition_.apart(i, to)) continue;
      const double net = gain - cost(growth({{i, a, to}}));
      if (net > most || (net == most && to < best)) {
        best = to;
        most = net;
      }
      if (gain > wish || (gain == wish && to < wanted)) {
        wanted = to;
        wish = gain;
      }
    }
    if (best >= 0) {
      const Chain moves{{i, a, best}};
      const double gain = shift(moves[0]);
      refresh(moves);
      return gain;
    }
    return wanted >= 0 ? improve_by_chain({i, a, wanted}, wish) : 0;
  }

  // Does a move for which there is no room, if a chain makes room for less than it gains.
  double improve_by_chain(const Shift& first, double gain) {
    const double size = size_[first.vertex];
    const bool large = total_[first.to] + size > options_.most;
    const bool small = total_[first.from] - size < options_.least;
    Chain moves =
        chain([&](std::int32_t u) { return large ? u == first.to : may_give(u); },
              [&](std::int32_t u) { return u == first.from || (!small && may_take(u)); }, gain);
    if (moves.empty()) return 0;
    for (const Shift& s : moves) {
      if (s.vertex == first.vertex) return 0;
    }
    moves.push_back(first);
    if (growth(moves) > kNothing) return 0;
    const std::vector<std::int64_t> unchanged = changed_;
    double sum = 0;
    const bool done = apply(moves, sum);
    if (done && sum > options_.least_gain) {
      refresh(moves);
      return sum;
    }
    if (done) undo(moves);
    changed_ = unchanged;  // as before, so what is known of arcs still holds
    return 0;
  }

  const LevelGraph& graph_;
  LevelPartition& partition_;
  const double* size_;
  SizeOptions options_;
  Monitor& monitor_;
  std::vector<double> total_;          // size of each module
  Labels samples_;                     // number of its samples
  std::vector<std::int64_t> changed_;  // when each module changed
  std::vector<std::int64_t> entered_;  // when the moves of each vertex were entered
  std::int64_t clock_ = 0;
  std::vector<std::map<std::int32_t, Arc>> arcs_;  // of each module, by the module that it leads to
  std::unordered_set<std::int64_t> seen_;          // moves that `open` entered
  std::int64_t opened_ = 0;
  std::vector<std::pair<double, std::int32_t>> near_;  // scratch of improve
};

}  // namespace sentree
