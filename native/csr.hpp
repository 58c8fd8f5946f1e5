// The two graphs as they come in, as sparse matrices.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "entropy.hpp"

namespace sentree {

// The relation between two vertices that must never be in one module; it does not count as a
// weight.
constexpr double kApart = -std::numeric_limits<double>::infinity();

// Prefetches memory that will be read soon; does nothing if the compiler has no such builtin.
inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

// A symmetric sparse matrix in CSR form with sorted rows and no diagonal; owned by the caller.
struct Csr {
  const std::int64_t* indptr;
  const std::int32_t* indices;
  const double* weights;
  std::int32_t n;

  double row_sum(std::int32_t i) const {
    double sum = 0;
    for (std::int64_t e = indptr[i]; e < indptr[i + 1]; ++e) {
      if (weights[e] > kApart) sum += weights[e];
    }
    return sum;
  }
};

// The input of the kernels: the data graph G, its degrees, and the relation graph G'.
struct Graphs {
  Csr graph;
  Csr relation;
  const double* degree;

  double total_volume() const {
    double sum = 0;
    for (std::int32_t i = 0; i < graph.n; ++i) sum += degree[i];
    return sum;
  }

  // Vertex i as a module of its own.
  Module single(std::int32_t i) const {
    return {degree[i] - graph.row_sum(i) - relation.row_sum(i), degree[i]};
  }

  // Calls visit(j, weight of G, weight of G') for every j that touches i in either, increasing.
  template <class Visit>
  void each_pair(std::int32_t i, Visit visit) const {
    std::int64_t a = graph.indptr[i], b = relation.indptr[i];
    const std::int64_t a_end = graph.indptr[i + 1], b_end = relation.indptr[i + 1];
    while (a < a_end || b < b_end) {
      const std::int32_t ja = a < a_end ? graph.indices[a] : graph.n;
      const std::int32_t jb = b < b_end ? relation.indices[b] : graph.n;
      const std::int32_t j = ja < jb ? ja : jb;
      const double weight = ja == j ? graph.weights[a++] : 0.0;
      const double related = jb == j ? relation.weights[b++] : 0.0;
      visit(j, weight, related);
    }
  }
};

using Labels = std::vector<std::int32_t>;

// Numbers the labels 0, 1, ... by first appearance; returns how many there are.
inline std::int32_t compact(Labels& labels, std::int32_t bound) {
  Labels fresh(bound, -1);
  std::int32_t count = 0;
  for (std::int32_t& u : labels) {
    if (fresh[u] < 0) fresh[u] = count++;
    u = fresh[u];
  }
  return count;
}

}  // namespace sentree
