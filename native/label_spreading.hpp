// Labels spread over a graph: the belief of a vertex is the mean of its neighbours' beliefs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "monitor.hpp"

namespace sentree {

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
        least_(least),
        shares_(static_cast<std::size_t>(n) * kMost),
        count_(n, 0),
        sum_(n_classes, 0.0) {}

  std::int32_t count(std::int32_t i) const { return count_[i]; }
  const Share* shares(std::int32_t i) const {
    return &shares_[static_cast<std::size_t>(i) * kMost];
  }

  void know(std::int32_t i, std::int32_t code) {
    count_[i] = 1;
    shares_[static_cast<std::size_t>(i) * kMost] = {code, 1.0};
  }

  // Gives i the weighted mean of its neighbours that have beliefs; returns how much it changed.
  double average(const Csr& graph, std::int32_t i) {
    seen_.clear();
    for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
      const std::int32_t j = graph.indices[e];
      if (graph.weights[e] == 0) continue;
      const Share* share = shares(j);
      for (std::int32_t s = 0; s < count_[j]; ++s) {
        double& sum = sum_[share[s].code];
        if (sum == 0) seen_.push_back(share[s].code);
        sum += graph.weights[e] * share[s].value;
      }
    }
    fresh_.clear();
    for (const std::int32_t code : seen_) {
      fresh_.push_back({code, sum_[code]});
      sum_[code] = 0;
    }
    keep_largest();
    return replace(i);
  }

 private:
  // Keeps the largest shares (on a tie the smaller class) and scales them to a sum of 1.
  void keep_largest() {
    std::sort(fresh_.begin(), fresh_.end(), [](const Share& a, const Share& b) {
      return a.value != b.value ? a.value > b.value : a.code < b.code;
    });
    double total = 0;
    for (const Share& share : fresh_) total += share.value;
    std::size_t kept = 0;
    double kept_total = 0;
    while (kept < fresh_.size() && kept < static_cast<std::size_t>(most_) &&
           fresh_[kept].value >= least_ * total) {
      kept_total += fresh_[kept++].value;
    }
    fresh_.resize(kept);
    for (Share& share : fresh_) share.value /= kept_total;
  }

  double replace(std::int32_t i) {
    Share* old = &shares_[static_cast<std::size_t>(i) * kMost];
    double change = 0;
    for (const Share& share : fresh_) change += share.value;
    for (std::int32_t s = 0; s < count_[i]; ++s) {
      change += old[s].value;
      for (const Share& share : fresh_) {
        if (share.code == old[s].code) change -= 2 * std::min(share.value, old[s].value);
      }
    }
    count_[i] = static_cast<std::int32_t>(fresh_.size());
    std::copy(fresh_.begin(), fresh_.end(), old);
    return change;
  }

  std::int32_t most_;
  double least_;
  std::vector<Share> shares_;
  Labels count_;
  std::vector<double> sum_;  // scratch of average, by class
  Labels seen_;
  std::vector<Share> fresh_;
};

// Weights for spreading labels: an edge is kept if it is among the `most` strongest of either end,
// or ties with them. Its weight, relative to the largest of all, is raised to a power.
inline std::vector<double> sharpened(const Csr& graph, std::int32_t most, double power,
                                     Monitor& monitor) {
  const std::int64_t m = graph.indptr[graph.n];
  const double largest = m > 0 ? *std::max_element(graph.weights, graph.weights + m) : 1.0;
  std::vector<double> limit(graph.n, 0.0), row;
  for (std::int32_t i = 0; i < graph.n; ++i) {
    const std::int64_t degree = graph.indptr[i + 1] - graph.indptr[i];
    monitor.work(1 + degree, 0.0);
    if (degree <= most) continue;
    row.assign(graph.weights + graph.indptr[i], graph.weights + graph.indptr[i + 1]);
    std::nth_element(row.begin(), row.begin() + (most - 1), row.end(), std::greater<double>());
    limit[i] = row[most - 1];
  }
  std::vector<double> sharp(m);
  for (std::int32_t i = 0; i < graph.n; ++i) {
    for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
      const double weight = graph.weights[e];
      const bool strong = weight >= limit[i] || weight >= limit[graph.indices[e]];
      sharp[e] = strong ? std::pow(weight / largest, power) : 0.0;
    }
  }
  return sharp;
}

// Spreads the classes of the labelled vertices until beliefs change by less than a limit. Vertices
// are averaged in the order in which labels reach them, then in reverse order, and so on.
inline Beliefs spread_labels(const Csr& graph, const Labels& index, const Labels& code,
                             Beliefs beliefs, std::int32_t most_sweeps, double least_change,
                             Monitor& monitor) {
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
      if (reached[j]) continue;
      reached[j] = 1;
      order.push_back(j);
    }
  }
  order.erase(order.begin(), order.begin() + known);
  for (std::int32_t sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0;
    for (const std::int32_t i : order) {
      monitor.work(1 + graph.indptr[i + 1] - graph.indptr[i],
                   static_cast<double>(sweep) / most_sweeps);
      change += beliefs.average(graph, i);
    }
    if (change <= least_change * static_cast<double>(order.size())) break;
    std::reverse(order.begin(), order.end());
  }
  return beliefs;
}

}  // namespace sentree
