// From the neighbours of every vertex to a symmetric graph, and the check that a graph is one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "csr.hpp"
#include "level_graph.hpp"

namespace sentree {

// Rows that one thread takes at a time.
constexpr std::int64_t kRowsAtATime = 1024;

// Sorts a row by index, and by falling weight where an index is there twice.
inline void sort_row(std::int32_t* indices, double* weights, std::int64_t size,
                     std::vector<std::pair<std::int32_t, double>>& scratch) {
  scratch.clear();
  for (std::int64_t k = 0; k < size; ++k) scratch.emplace_back(indices[k], weights[k]);
  std::sort(scratch.begin(), scratch.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  for (std::int64_t k = 0; k < size; ++k) {
    indices[k] = scratch[k].first;
    weights[k] = scratch[k].second;
  }
}

// Joins vertices to their neighbours: an edge where either end has the other among its neighbours,
// with the larger of the two weights. Weights that are not above 0 are no edges.
class Assembly {
 public:
  // The rows of `found` may be in any order; no vertex is its own neighbour.
  Assembly(const Csr& found, Crew& crew) : found_(found), crew_(crew), count_(found.n) {
    std::int64_t longest = 0;
    for (std::int32_t i = 0; i < found.n; ++i) {
      longest = std::max(longest, found.indptr[i + 1] - found.indptr[i]);
    }
    if (longest > kLong) sort_rows();
  }

  // The two directions are looked up instead of one of them transposed: that takes no memory.
  Rows run() {
    each_neighbour([&](std::int32_t i, std::int32_t j, double, double back) {
      count_[i].fetch_add(1, std::memory_order_relaxed);
      if (!(back > 0)) count_[j].fetch_add(1, std::memory_order_relaxed);
    });
    Rows rows;
    rows.indptr.resize(found_.n + std::size_t{1});
    for (std::int32_t i = 0; i < found_.n; ++i) {
      rows.indptr[i + 1] = rows.indptr[i] + count_[i].exchange(0, std::memory_order_relaxed);
    }
    rows.indices.resize(rows.indptr[found_.n]);
    rows.weights.resize(rows.indptr[found_.n]);
    const auto put = [&](std::int32_t i, std::int32_t j, double weight) {
      const std::int64_t at = rows.indptr[i] + count_[i].fetch_add(1, std::memory_order_relaxed);
      rows.indices[at] = j;
      rows.weights[at] = weight;
    };
    each_neighbour([&](std::int32_t i, std::int32_t j, double weight, double back) {
      put(i, j, std::max(weight, back));
      if (!(back > 0)) put(j, i, weight);
    });
    if (!sorted(rows)) drop_repeated(rows);
    return rows;
  }

 private:
  static constexpr std::int64_t kLong = 64;  // longer rows are sorted, and not looked through
  static constexpr std::int64_t kAhead = 8;

  template <class Visit>
  void each_neighbour(const Visit& visit) {
    crew_.share(found_.n, kRowsAtATime, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
      for (std::int64_t i = begin; i < end; ++i) {
        look_ahead(i);
        for (std::int64_t e = found_.indptr[i]; e < found_.indptr[i + 1]; ++e) {
          const std::int32_t j = found_.indices[e];
          if (!(found_.weights[e] > 0)) continue;
          visit(static_cast<std::int32_t>(i), j, found_.weights[e],
                weight(j, static_cast<std::int32_t>(i)));
        }
      }
    });
  }

  void look_ahead(std::int64_t i) const {
    if (i + kAhead >= found_.n) return;
    const std::int64_t* far = found_.indptr + i + kAhead;
    for (std::int64_t e = far[0]; e < far[1]; ++e) {
      prefetch(found_.indptr + found_.indices[e]);
      prefetch(&count_[found_.indices[e]]);
    }
    const std::int64_t* near = found_.indptr + i + kAhead / 2;
    for (std::int64_t e = near[0]; e < near[1]; ++e) {
      prefetch(found_.indices + found_.indptr[found_.indices[e]]);
      prefetch(found_.weights + found_.indptr[found_.indices[e]]);
    }
  }

  // The weight of j among the neighbours of i; 0 if it is none.
  double weight(std::int32_t i, std::int32_t j) const {
    const std::int32_t* first = found_.indices + found_.indptr[i];
    const std::int32_t* last = found_.indices + found_.indptr[i + 1];
    double most = 0;
    if (!own_indices_.empty()) {
      first = std::lower_bound(first, last, j);
      last = first == last ? last : first + 1;
    }
    for (; first != last; ++first) {
      if (*first == j) most = std::max(most, found_.weights[first - found_.indices]);
    }
    return most;
  }

  // Works on a copy with sorted rows.
  void sort_rows() {
    const std::int64_t size = found_.indptr[found_.n];
    own_indices_.assign(found_.indices, found_.indices + size);
    own_weights_.assign(found_.weights, found_.weights + size);
    found_.indices = own_indices_.data();
    found_.weights = own_weights_.data();
    std::vector<std::vector<std::pair<std::int32_t, double>>> scratch(crew_.size());
    crew_.share(found_.n, kRowsAtATime,
                [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
                  for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t at = found_.indptr[i];
                    sort_row(&own_indices_[0] + at, &own_weights_[0] + at,
                             found_.indptr[i + 1] - at, scratch[worker]);
                  }
                });
  }

  // Sorts the rows, which threads have filled in any order; tells whether no neighbour is there
  // twice.
  bool sorted(Rows& rows) {
    std::atomic<bool> once{true};
    std::vector<std::vector<std::pair<std::int32_t, double>>> scratch(crew_.size());
    crew_.share(found_.n, kRowsAtATime,
                [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
                  for (std::int64_t i = begin; i < end; ++i) {
                    const std::int64_t at = rows.indptr[i], size = rows.indptr[i + 1] - at;
                    std::int32_t* first = rows.indices.data() + at;
                    sort_row(first, rows.weights.data() + at, size, scratch[worker]);
                    if (std::adjacent_find(first, first + size) != first + size) once = false;
                  }
                });
    return once;
  }

  // Keeps the first, which has the largest weight.
  void drop_repeated(Rows& rows) const {
    std::int64_t kept = 0, at = 0;
    for (std::int32_t i = 0; i < found_.n; ++i) {
      const std::int64_t first = kept;
      for (; at < rows.indptr[i + 1]; ++at) {
        if (kept > first && rows.indices[kept - 1] == rows.indices[at]) continue;
        rows.indices[kept] = rows.indices[at];
        rows.weights[kept++] = rows.weights[at];
      }
      rows.indptr[i + 1] = kept;
    }
    rows.indices.resize(kept);
    rows.weights.resize(kept);
  }

  Csr found_;
  Crew& crew_;
  std::vector<std::int32_t> own_indices_;
  std::vector<double> own_weights_;
  std::vector<std::atomic<std::int32_t>> count_;  // of the entries of each row
};

// Whether rows are increasing, without a diagonal, with finite weights above 0, and the same in
// both directions to the last bit.
inline bool is_graph(const Csr& graph, Crew& crew) {
  std::atomic<bool> good{true};
  std::atomic<std::int64_t> excess{0};  // of entries above the diagonal over those below
  crew.share(graph.n, kRowsAtATime, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    std::int64_t more = 0;
    for (std::int64_t i = begin; i < end && good.load(std::memory_order_relaxed); ++i) {
      bool fine = true;
      std::int64_t last = -1;
      const std::int64_t row_end = graph.indptr[i + 1];
      for (std::int64_t e = graph.indptr[i]; e < row_end; ++e) {
        const std::int64_t j = graph.indices[e];
        fine = fine && j > last && j < graph.n && j != i && graph.weights[e] > 0 &&
               std::isfinite(graph.weights[e]);
        last = j;
        if (fine && j > i) prefetch(graph.indptr + j);
      }
      for (std::int64_t e = graph.indptr[i]; fine && e < row_end; ++e) {
        if (graph.indices[e] > i) prefetch(graph.indices + graph.indptr[graph.indices[e]]);
      }
      for (std::int64_t e = graph.indptr[i]; fine && e < row_end; ++e) {
        const std::int32_t j = graph.indices[e];
        more += j > i ? 1 : -1;
        if (j < i) continue;  // seen from the other end, if it is there
        const std::int32_t* first = graph.indices + graph.indptr[j];
        const std::int32_t* stop = graph.indices + graph.indptr[j + 1];
        const std::int32_t* at = std::lower_bound(first, stop, static_cast<std::int32_t>(i));
        fine = at != stop && *at == i && graph.weights[at - graph.indices] == graph.weights[e];
      }
      if (!fine) good = false;
    }
    excess += more;
  });
  return good && excess == 0;
}

// The connected component of every vertex, numbered by first appearance.
inline Labels components(const Csr& graph) {
  Labels component(graph.n, -1), stack;
  std::int32_t count = 0;
  for (std::int32_t root = 0; root < graph.n; ++root) {
    if (component[root] >= 0) continue;
    component[root] = count;
    stack.push_back(root);
    while (!stack.empty()) {
      const std::int32_t i = stack.back();
      stack.pop_back();
      for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
        const std::int32_t j = graph.indices[e];
        if (component[j] >= 0) continue;
        component[j] = count;
        stack.push_back(j);
      }
    }
    ++count;
  }
  return component;
}

}  // namespace sentree
