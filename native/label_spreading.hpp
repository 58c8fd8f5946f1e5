// Labels spread over a graph: the belief of a vertex is the mean of its neighbours' beliefs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "csr.hpp"
#include "level_graph.hpp"
#include "monitor.hpp"

namespace sentree {

// The edges of a graph, as they are.
struct PlainEdges {
  const Csr& graph;
  double weight(std::int32_t, std::int64_t e) const { return graph.weights[e]; }
  bool connects(std::int32_t, std::int64_t) const { return true; }
};

// What `sharpened` makes of the edges of a graph, computed where it is needed: that takes no
// memory.
struct SharpEdges {
  const Csr& graph;
  const double* limit;  // of each vertex: the least weight of its strongest edges
  double largest;       // of all weights
  double power;

  double weight(std::int32_t i, std::int64_t e) const {
    const double weight = graph.weights[e];
    if (weight < limit[i] && weight < limit[graph.indices[e]]) return 0.0;
    const double share = weight / largest;
    return power == 3 ? share * share * share : std::pow(share, power);
  }
  bool connects(std::int32_t i, std::int64_t e) const { return weight(i, e) > 0; }
};

inline double largest_weight(const Csr& graph) {
  const std::int64_t m = graph.indptr[graph.n];
  return m > 0 ? *std::max_element(graph.weights, graph.weights + m) : 1.0;
}

// The least weight of the `most` strongest edges of each vertex; 0 where it has no more.
inline std::vector<double> strongest_limits(const Csr& graph, std::int32_t most, Crew& crew,
                                            Monitor& monitor) {
  std::vector<double> limit(graph.n, 0.0);
  std::vector<std::vector<double>> rows(crew.size());
  in_turns(graph.n, crew, monitor, [&](std::int32_t i, std::int32_t worker) {
    if (graph.indptr[i + 1] - graph.indptr[i] <= most) return;
    std::vector<double>& row = rows[worker];
    row.assign(graph.weights + graph.indptr[i], graph.weights + graph.indptr[i + 1]);
    std::nth_element(row.begin(), row.begin() + (most - 1), row.end(), std::greater<double>());
    limit[i] = row[most - 1];
  });
  return limit;
}

// The beliefs of every vertex: classes by falling share. Small shares are left out, so that memory
// and time do not grow with the number of classes.
class Beliefs {
 public:
  static constexpr std::int32_t kMost = 8;  // classes that a vertex has room for

  struct Share {
    std::int32_t code;
    double value;
  };

  // Keeps at most `most` classes per vertex, and none with less than the smallest share.
  Beliefs(std::int32_t n, std::int32_t n_classes, std::int32_t most, double least)
      : most_(std::min(most, kMost)),
        n_classes_(n_classes),
        least_(least),
        shares_(static_cast<std::size_t>(n) * most_),
        count_(n, 0) {}

  std::int32_t count(std::int32_t i) const { return count_[i]; }
  const Share* shares(std::int32_t i) const {
    return &shares_[static_cast<std::size_t>(i) * most_];
  }

  std::int32_t n() const { return static_cast<std::int32_t>(count_.size()); }

  // Vertices by classes.
  Rows rows() const {
    Rows rows;
    rows.indptr.reserve(count_.size() + 1);
    const std::int64_t size = std::accumulate(count_.begin(), count_.end(), std::int64_t{0});
    rows.indices.reserve(size);
    rows.weights.reserve(size);
    for (std::int32_t i = 0; i < n(); ++i) {
      Share sorted[kMost];
      const auto end = std::copy(shares(i), shares(i) + count_[i], sorted);
      std::sort(sorted, end, [](const Share& a, const Share& b) { return a.code < b.code; });
      for (const Share* share = sorted; share != end; ++share) rows.add(share->code, share->value);
      rows.end_row();
    }
    return rows;
  }

  void know(std::int32_t i, std::int32_t code) {
    count_[i] = 1;
    shares_[static_cast<std::size_t>(i) * most_] = {code, 1.0};
  }

  // Classes by falling share, as they are found for one vertex.
  struct Mean {
    std::vector<Share> shares;
    std::vector<double> sum;  // scratch, by class
    Labels seen;
  };

  // Finds the weighted mean of the neighbours of i that have beliefs.
  template <class Edges>
  void average(const Edges& edges, std::int32_t i, Mean& mean) const {
    const Csr& graph = edges.graph;
    mean.sum.resize(n_classes_, 0.0);
    mean.seen.clear();
    for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
      const std::int32_t j = graph.indices[e];
      const double weight = edges.weight(i, e);
      if (weight == 0) continue;
      const Share* share = shares(j);
      for (std::int32_t s = 0; s < count_[j]; ++s) {
        double& sum = mean.sum[share[s].code];
        if (sum == 0) mean.seen.push_back(share[s].code);
        sum += weight * share[s].value;
      }
    }
    mean.shares.clear();
    for (const std::int32_t code : mean.seen) {
      mean.shares.push_back({code, mean.sum[code]});
      mean.sum[code] = 0;
    }
    keep_largest(mean.shares);
  }

  // Gives i a new belief; returns how much it changed.
  double replace(std::int32_t i, const Share* fresh, std::int32_t size) {
    Share* old = &shares_[static_cast<std::size_t>(i) * most_];
    double change = 0;
    for (std::int32_t f = 0; f < size; ++f) change += fresh[f].value;
    for (std::int32_t s = 0; s < count_[i]; ++s) {
      change += old[s].value;
      for (std::int32_t f = 0; f < size; ++f) {
        if (fresh[f].code == old[s].code) change -= 2 * std::min(fresh[f].value, old[s].value);
      }
    }
    count_[i] = size;
    std::copy(fresh, fresh + size, old);
    return change;
  }

 private:
  // Keeps the largest shares (on a tie the smaller class) and scales them to a sum of 1.
  void keep_largest(std::vector<Share>& found) const {
    std::sort(found.begin(), found.end(), [](const Share& a, const Share& b) {
      return a.value != b.value ? a.value > b.value : a.code < b.code;
    });
    double total = 0;
    for (const Share& share : found) total += share.value;
    std::size_t kept = 0;
    double kept_total = 0;
    while (kept < found.size() && kept < static_cast<std::size_t>(most_) &&
           found[kept].value >= least_ * total) {
      kept_total += found[kept++].value;
    }
    found.resize(kept);
    for (Share& share : found) share.value /= kept_total;
  }

  std::int32_t most_, n_classes_;
  double least_;
  std::vector<Share> shares_;
  Labels count_;
};

// Weights for spreading labels: an edge is kept if it is among the `most` strongest of either end,
// or ties with them. Its weight, relative to the largest of all, is raised to a power.
inline Rows sharpened(const Csr& graph, std::int32_t most, double power, Crew& crew,
                      Monitor& monitor) {
  const double largest = largest_weight(graph);
  const std::vector<double> limit = strongest_limits(graph, most, crew, monitor);
  // Powers of relative weights below about this are 0, and no edges.
  const double tiny = 2 * std::pow(std::numeric_limits<double>::min(), 1 / power);
  const auto is_kept = [&](std::int32_t i, std::int64_t e) {
    const double weight = graph.weights[e];
    if (weight < limit[i] && weight < limit[graph.indices[e]]) return false;
    return weight / largest > tiny || std::pow(weight / largest, power) > 0;
  };
  Rows kept;
  kept.indptr.assign(graph.n + std::size_t{1}, 0);
  in_turns(graph.n, crew, monitor, [&](std::int32_t i, std::int32_t) {
    for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
      kept.indptr[i + 1] += is_kept(i, e);
    }
  });
  std::partial_sum(kept.indptr.begin(), kept.indptr.end(), kept.indptr.begin());
  kept.indices.resize(kept.indptr.back());
  kept.weights.resize(kept.indptr.back());
  in_turns(graph.n, crew, monitor, [&](std::int32_t i, std::int32_t) {
    std::int64_t at = kept.indptr[i];
    for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
      if (!is_kept(i, e)) continue;
      kept.indices[at] = graph.indices[e];
      kept.weights[at++] = std::pow(graph.weights[e] / largest, power);
    }
  });
  return kept;
}

// Blocks that the vertices of a sweep are divided into.
constexpr std::int64_t kParts = 32;

// Sweeps that give the vertices of an order their means: one after the other, or in blocks, those
// of a block at the same time, from the beliefs before it.
template <class Edges>
class Sweeps {
 public:
  Sweeps(const Edges& edges, Beliefs& beliefs, std::int64_t block, Crew& crew)
      : edges_(edges),
        beliefs_(beliefs),
        crew_(crew),
        means_(crew.size()),
        fresh_(block * Beliefs::kMost),
        size_(block),
        change_(block) {}

  // Returns the sum of the changes.
  double run(const Labels& order, double done, Monitor& monitor) {
    return size_.size() > 1 ? in_blocks(order, done, monitor) : in_order(order, done, monitor);
  }

 private:
  static constexpr std::int64_t kPart = 256;

  double in_order(const Labels& order, double done, Monitor& monitor) {
    const std::vector<Beliefs::Share>& found = means_[0].shares;
    double sum = 0;
    for (const std::int32_t i : order) {
      monitor.work(1 + edges_.graph.indptr[i + 1] - edges_.graph.indptr[i], done);
      beliefs_.average(edges_, i, means_[0]);
      sum += beliefs_.replace(i, found.data(), static_cast<std::int32_t>(found.size()));
    }
    return sum;
  }

  double in_blocks(const Labels& order, double done, Monitor& monitor) {
    const auto n = static_cast<std::int64_t>(order.size());
    const auto block = static_cast<std::int64_t>(size_.size());
    double sum = 0;
    for (std::int64_t start = 0; start < n; start += block) {
      const std::int64_t count = std::min(block, n - start);
      const std::int32_t* vertex = order.data() + start;
      crew_.share(count, kPart, [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
        for (std::int64_t k = begin; k < end; ++k) {
          const std::vector<Beliefs::Share>& found = means_[worker].shares;
          beliefs_.average(edges_, vertex[k], means_[worker]);
          std::copy(found.begin(), found.end(), &fresh_[k * Beliefs::kMost]);
          size_[k] = static_cast<std::int32_t>(found.size());
        }
      });
      crew_.share(count, kPart, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
        for (std::int64_t k = begin; k < end; ++k) {
          change_[k] = beliefs_.replace(vertex[k], &fresh_[k * Beliefs::kMost], size_[k]);
        }
      });
      for (std::int64_t k = 0; k < count; ++k) sum += change_[k];
      monitor.work(Monitor::kInterval, done);
    }
    return sum;
  }

  const Edges& edges_;
  Beliefs& beliefs_;
  Crew& crew_;
  std::vector<Beliefs::Mean> means_;   // of each worker
  std::vector<Beliefs::Share> fresh_;  // of each vertex of the block
  Labels size_;
  std::vector<double> change_;
};

// Spreads the classes of the labelled vertices until beliefs change by less than a limit. Vertices
// are averaged in the order in which labels reach them, then in reverse order, and so on; in blocks
// if there are many.
template <class Edges>
Beliefs spread_labels(const Edges& edges, const Labels& index, const Labels& code, Beliefs beliefs,
                      std::int32_t most_sweeps, double least_change, Crew& crew, Monitor& monitor) {
  const Csr& graph = edges.graph;
  std::vector<char> reached(graph.n, 0);
  Labels order;
  order.reserve(graph.n);
  for (std::size_t k = 0; k < index.size(); ++k) {
    beliefs.know(index[k], code[k]);
    if (!reached[index[k]]) order.push_back(index[k]);
    reached[index[k]] = 1;
  }
  const auto known = static_cast<std::ptrdiff_t>(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    for (std::int64_t e = graph.indptr[order[at]]; e < graph.indptr[order[at] + 1]; ++e) {
      const std::int32_t j = graph.indices[e];
      if (reached[j] || !edges.connects(order[at], e)) continue;
      reached[j] = 1;
      order.push_back(j);
    }
  }
  order.erase(order.begin(), order.begin() + known);
  const auto size = static_cast<std::int64_t>(order.size());
  Sweeps<Edges> sweeps(edges, beliefs,
                       crew.shares(size) ? std::max<std::int64_t>(size / kParts, 2) : 1, crew);
  for (std::int32_t sweep = 0; sweep < most_sweeps; ++sweep) {
    const double change = sweeps.run(order, static_cast<double>(sweep) / most_sweeps, monitor);
    if (change <= least_change * static_cast<double>(order.size())) break;
    std::reverse(order.begin(), order.end());
  }
  return beliefs;
}

}  // namespace sentree
