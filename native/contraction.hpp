// The two graphs as they come in, and the graph that remains when modules are united.
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace sentree {

// A symmetric sparse matrix in CSR form with sorted rows and no diagonal; owned by the caller.
struct Csr {
  const std::int64_t* indptr;
  const std::int32_t* indices;
  const double* weights;
  std::int32_t n;

  double row_sum(std::int32_t i) const {
    double sum = 0;
    for (std::int64_t e = indptr[i]; e < indptr[i + 1]; ++e) sum += weights[e];
    return sum;
  }
};

// What the kernels optimise on: data graph G, its degrees, and the relation graph G'.
struct Problem {
  Csr graph;
  Csr relation;
  const double* degree;

  double total_volume() const {
    double sum = 0;
    for (std::int32_t i = 0; i < graph.n; ++i) sum += degree[i];
    return sum;
  }
};

// G and G' while vertices are united. Each pair of touching modules has one edge record; each
// module lists its records, and a record knows its place in both lists, so that uniting two
// modules costs the length of their lists and nothing is ever left behind.
class ContractedGraph {
 public:
  struct Edge {
    std::int32_t end[2];
    std::int32_t place[2];
    double weight;    // of G
    double relation;  // of G'
    std::int32_t other(std::int32_t u) const { return end[0] == u ? end[1] : end[0]; }
  };

  explicit ContractedGraph(const Problem& problem)
      : incident_(problem.graph.n), joining_(problem.graph.n, kNone) {
    const Csr& g = problem.graph;
    const Csr& r = problem.relation;
    edges_.reserve((g.indptr[g.n] + r.indptr[r.n]) / 2);
    for (std::int32_t i = 0; i < g.n; ++i) {
      incident_[i].reserve(g.indptr[i + 1] - g.indptr[i] + r.indptr[i + 1] - r.indptr[i]);
    }
    for (std::int32_t i = 0; i < g.n; ++i) {
      std::int64_t a = g.indptr[i], b = r.indptr[i];
      const std::int64_t a_end = g.indptr[i + 1], b_end = r.indptr[i + 1];
      while (a < a_end || b < b_end) {
        const std::int32_t ja = a < a_end ? g.indices[a] : g.n;
        const std::int32_t jb = b < b_end ? r.indices[b] : g.n;
        const std::int32_t j = ja < jb ? ja : jb;
        const double weight = ja == j ? g.weights[a++] : 0.0;
        const double relation = jb == j ? r.weights[b++] : 0.0;
        if (j > i) add(i, j, weight, relation);
      }
    }
  }

  std::int32_t degree(std::int32_t u) const {
    return static_cast<std::int32_t>(incident_[u].size());
  }

  // Calls visit(neighbour, edge) for every module that touches u in G or G'.
  template <class Visit>
  void each_neighbour(std::int32_t u, Visit visit) const {
    for (const std::int32_t e : incident_[u]) visit(edges_[e].other(u), edges_[e]);
  }

  // The edge between u and v; u and v must touch.
  const Edge& between(std::int32_t u, std::int32_t v) const {
    if (degree(u) > degree(v)) std::swap(u, v);
    for (const std::int32_t e : incident_[u]) {
      if (edges_[e].other(u) == v) return edges_[e];
    }
    assert(false && "modules do not touch");
    return edges_.front();
  }

  // Module u takes in module v, which is empty afterwards.
  void unite(std::int32_t u, std::int32_t v) {
    for (const std::int32_t e : incident_[u]) joining_[edges_[e].other(u)] = e;
    for (const std::int32_t e : incident_[v]) {
      const std::int32_t t = edges_[e].other(v);
      if (t == u) {
        detach(e, u);
      } else if (joining_[t] != kNone) {
        Edge& kept = edges_[joining_[t]];
        kept.weight += edges_[e].weight;
        kept.relation += edges_[e].relation;
        detach(e, t);
      } else {
        Edge& edge = edges_[e];
        const int side = edge.end[0] == v ? 0 : 1;
        edge.end[side] = u;
        edge.place[side] = degree(u);
        incident_[u].push_back(e);
      }
    }
    for (const std::int32_t e : incident_[u]) joining_[edges_[e].other(u)] = kNone;
    joining_[v] = kNone;
    std::vector<std::int32_t>().swap(incident_[v]);
  }

 private:
  static constexpr std::int32_t kNone = -1;

  void add(std::int32_t i, std::int32_t j, double weight, double relation) {
    const auto e = static_cast<std::int32_t>(edges_.size());
    edges_.push_back({{i, j}, {degree(i), degree(j)}, weight, relation});
    incident_[i].push_back(e);
    incident_[j].push_back(e);
  }

  // Takes edge e out of the list of u; the last edge of the list fills its place.
  void detach(std::int32_t e, std::int32_t u) {
    std::vector<std::int32_t>& list = incident_[u];
    const std::int32_t at = edges_[e].place[edges_[e].end[0] == u ? 0 : 1];
    const std::int32_t last = list.back();
    list[at] = last;
    edges_[last].place[edges_[last].end[0] == u ? 0 : 1] = at;
    list.pop_back();
  }

  std::vector<Edge> edges_;
  std::vector<std::vector<std::int32_t>> incident_;
  std::vector<std::int32_t> joining_;  // scratch of unite: edge from u to each neighbour
};

}  // namespace sentree
