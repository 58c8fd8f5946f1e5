// The two graphs as they come in, and the graph that remains when modules are united.
#pragma once

#include <cassert>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "entropy.hpp"

namespace sentree {

// The relation between two vertices that may never be in one module. It is no weight.
constexpr double kApart = -std::numeric_limits<double>::infinity();

// Asks for what will be read soon; says nothing where the compiler has no way to.
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

// An array that is read only: its own, or the caller's, which must outlive it.
template <class T>
class Column {
 public:
  Column() = default;
  explicit Column(const T* borrowed) : data_(borrowed) {}
  explicit Column(std::vector<T> own) : own_(std::move(own)), data_(own_.data()) {}
  Column(Column&&) noexcept = default;  // the entries of a vector that is moved stay where they are
  Column& operator=(Column&&) noexcept = default;

  const T& operator[](std::int64_t k) const { return data_[k]; }
  const T* data() const { return data_; }

 private:
  std::vector<T> own_;
  const T* data_ = nullptr;
};

// Rows of a sparse matrix, one after the other.
struct Rows {
  std::vector<std::int64_t> indptr{0};
  std::vector<std::int32_t> indices;
  std::vector<double> weights;

  void add(std::int32_t j, double weight) {
    indices.push_back(j);
    weights.push_back(weight);
  }

  void end_row() { indptr.push_back(static_cast<std::int64_t>(indices.size())); }
};

// G and G' added up, its vertices modules of the original ones. What a vertex holds inside is in
// its association, so the same formulas hold on every level.
struct LevelGraph {
  Column<std::int64_t> indptr;
  Column<std::int32_t> indices;
  Column<double> weights;  // signed: G + G'
  std::vector<Module> vertices;
  double total_volume = 0;
  // Which vertices are kept apart; empty where none are.
  std::vector<std::int64_t> apart_indptr;
  std::vector<std::int32_t> apart_indices;

  LevelGraph() = default;

  explicit LevelGraph(const Problem& problem) : total_volume(problem.total_volume()) {
    const Csr& g = problem.graph;
    const Csr& r = problem.relation;
    vertices.reserve(g.n);
    if (r.indptr[r.n] == 0) {  // nothing to add: the arrays of G serve as they are
      indptr = Column(g.indptr);
      indices = Column(g.indices);
      weights = Column(g.weights);
      for (std::int32_t i = 0; i < g.n; ++i) vertices.push_back(problem.single(i));
      return;
    }
    Rows rows;
    rows.indptr.reserve(g.n + 1);
    rows.indices.reserve(g.indptr[g.n] + r.indptr[r.n]);
    rows.weights.reserve(g.indptr[g.n] + r.indptr[r.n]);
    apart_indptr.push_back(0);
    for (std::int32_t i = 0; i < g.n; ++i) {
      problem.each_pair(i, [&](std::int32_t j, double weight, double relation) {
        if (relation == kApart) {
          apart_indices.push_back(j);
          if (weight == 0) return;
          relation = 0;
        }
        rows.add(j, weight + relation);
      });
      rows.end_row();
      apart_indptr.push_back(static_cast<std::int64_t>(apart_indices.size()));
      vertices.push_back(problem.single(i));
    }
    take(std::move(rows));
  }

  // Makes these the edges.
  void take(Rows rows) {
    indptr = Column(std::move(rows.indptr));
    indices = Column(std::move(rows.indices));
    weights = Column(std::move(rows.weights));
  }

  bool any_apart() const { return !apart_indices.empty(); }
  std::int32_t size() const { return static_cast<std::int32_t>(vertices.size()); }

  // The graph of the modules 0..k-1.
  LevelGraph contract(const Labels& labels, std::int32_t k) const {
    LevelGraph out;
    Rows rows;
    out.total_volume = total_volume;
    out.vertices.assign(k, Module{0, 0});
    Labels first(k + 1, 0), members(size());
    for (const std::int32_t u : labels) ++first[u + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    Labels cursor(first.begin(), first.end() - 1);
    for (std::int32_t i = 0; i < size(); ++i) members[cursor[labels[i]]++] = i;

    std::vector<double> between(k, 0.0);
    std::vector<char> touched(k, 0);
    Labels near;
    const auto touch = [&](std::int32_t v) {
      if (touched[v]) return;
      touched[v] = 1;
      near.push_back(v);
    };
    for (std::int32_t u = 0; u < k; ++u) {
      Module& module = out.vertices[u];
      for (std::int32_t m = first[u]; m < first[u + 1]; ++m) {
        const std::int32_t i = members[m];
        if (m + 1 < first[k]) prefetch(indices.data() + indptr[members[m + 1]]);
        module = PartitionEntropy::unite(module, vertices[i], 0.0);
        for (std::int64_t e = indptr[i]; e < indptr[i + 1]; ++e) {
          const std::int32_t v = labels[indices[e]];
          touch(v);
          between[v] += weights[e];
        }
      }
      for (const std::int32_t v : near) {
        if (v == u) {
          module.association += between[v];  // every pair inside was seen twice
        } else {
          rows.add(v, between[v]);
        }
        between[v] = 0;
        touched[v] = 0;
      }
      near.clear();
      rows.end_row();
    }
    out.take(std::move(rows));
    if (!any_apart()) return out;
    out.apart_indptr.push_back(0);
    for (std::int32_t u = 0; u < k; ++u) {
      for (std::int32_t m = first[u]; m < first[u + 1]; ++m) {
        const std::int32_t i = members[m];
        for (std::int64_t e = apart_indptr[i]; e < apart_indptr[i + 1]; ++e) {
          touch(labels[apart_indices[e]]);
        }
      }
      for (const std::int32_t v : near) {
        out.apart_indices.push_back(v);
        touched[v] = 0;
      }
      near.clear();
      out.apart_indptr.push_back(static_cast<std::int64_t>(out.apart_indices.size()));
    }
    return out;
  }
};

// G and G' while vertices are united. Each pair of touching modules has one edge record; each
// module lists its neighbours with their records, and a record knows its place in both lists, so
// that nothing is ever left behind. Uniting costs about the length of the shorter list.
class ContractedGraph {
 public:
  struct Edge {
    std::int32_t end[2];  // the owner first; both -1 once the edge is gone
    std::int32_t place[2];
    double weight;    // of G
    double relation;  // of G'
    std::int32_t owner() const { return end[0]; }
    std::int32_t other(std::int32_t u) const { return end[0] == u ? end[1] : end[0]; }
  };

  explicit ContractedGraph(const Problem& problem)
      : lists_(problem.graph.n), joining_(problem.graph.n, kNone) {
    const Csr& g = problem.graph;
    const Csr& r = problem.relation;
    edges_.reserve((g.indptr[g.n] + r.indptr[r.n]) / 2);
    for (std::int32_t i = 0; i < g.n; ++i) {
      lists_[i].reserve(g.indptr[i + 1] - g.indptr[i] + r.indptr[i + 1] - r.indptr[i]);
    }
    for (std::int32_t i = 0; i < g.n; ++i) {
      problem.each_pair(i, [&](std::int32_t j, double weight, double relation) {
        if (j > i) add(i, j, weight, relation);
      });
    }
  }

  explicit ContractedGraph(const LevelGraph& level)
      : lists_(level.size()), joining_(level.size(), kNone) {
    for (std::int32_t i = 0; i < level.size(); ++i) {
      for (std::int64_t e = level.indptr[i]; e < level.indptr[i + 1]; ++e) {
        if (level.indices[e] > i) add(i, level.indices[e], level.weights[e], 0.0);
      }
    }
    if (!level.any_apart()) return;
    for (std::int32_t i = 0; i < level.size(); ++i) {
      for (std::int64_t e = level.apart_indptr[i]; e < level.apart_indptr[i + 1]; ++e) {
        const std::int32_t j = level.apart_indices[e];
        if (j <= i) continue;
        const std::int32_t touching = find(i, j);
        if (touching == kNone) {
          add(i, j, 0.0, kApart);
        } else {
          edges_[touching].relation = kApart;
        }
      }
    }
  }

  std::int32_t degree(std::int32_t u) const { return static_cast<std::int32_t>(lists_[u].size()); }

  const Edge& edge(std::int32_t e) const { return edges_[e]; }

  // Calls visit(neighbour, edge number) for every module that touches u in G or G'.
  template <class Visit>
  void each_neighbour(std::int32_t u, Visit visit) const {
    for (const Entry& entry : lists_[u]) visit(entry.neighbour, entry.edge);
  }

  // Makes u the owner of one of its edges. What that means is up to the caller.
  void set_owner(std::int32_t e, std::int32_t u) {
    Edge& edge = edges_[e];
    if (edge.end[0] == u) return;
    std::swap(edge.end[0], edge.end[1]);
    std::swap(edge.place[0], edge.place[1]);
  }

  // The number of the edge between u and v, or -1.
  std::int32_t find(std::int32_t u, std::int32_t v) const {
    if (degree(u) > degree(v)) std::swap(u, v);
    for (const Entry& entry : lists_[u]) {
      if (entry.neighbour == v) return entry.edge;
    }
    return kNone;
  }

  // Module u takes in module v, which is empty afterwards. Calls changed(t, edge number) for every
  // module t that touched v.
  template <class Changed>
  void unite(std::int32_t u, std::int32_t v, Changed changed) {
    // Two ways to find the edge from u to a neighbour t of v: mark all of u's neighbours first, or
    // look through the shorter list each time. The second keeps a hub from being walked for every
    // vertex that it takes in.
    const bool mark = degree(u) < kHubRatio * degree(v);
    if (mark) {
      for (const Entry& entry : lists_[u]) joining_[entry.neighbour] = entry.edge;
    }
    std::vector<Entry> absorbed;
    absorbed.swap(lists_[v]);
    for (const Entry& entry : absorbed) {
      const std::int32_t t = entry.neighbour, e = entry.edge;
      if (t == u) {
        remove(e, u);
        continue;
      }
      const std::int32_t twin = mark ? joining_[t] : find(u, t);
      if (twin == kNone) {
        rename(e, v, u);
        changed(t, e);
      } else {
        edges_[twin].weight += edges_[e].weight;
        edges_[twin].relation += edges_[e].relation;
        remove(e, t);
        changed(t, twin);
      }
    }
    if (mark) {
      for (const Entry& entry : lists_[u]) joining_[entry.neighbour] = kNone;
      joining_[v] = kNone;
    }
  }

 private:
  static constexpr std::int32_t kNone = -1;
  static constexpr std::int32_t kHubRatio = 16;

  struct Entry {
    std::int32_t neighbour;
    std::int32_t edge;
  };

  static int side(const Edge& edge, std::int32_t u) { return edge.end[0] == u ? 0 : 1; }

  void add(std::int32_t i, std::int32_t j, double weight, double relation) {
    const auto e = static_cast<std::int32_t>(edges_.size());
    edges_.push_back({{i, j}, {degree(i), degree(j)}, weight, relation});
    lists_[i].push_back({j, e});
    lists_[j].push_back({i, e});
  }

  // Edge e, which left the list of v, now ends at u.
  void rename(std::int32_t e, std::int32_t v, std::int32_t u) {
    Edge& edge = edges_[e];
    const int at = side(edge, v);
    const std::int32_t t = edge.end[1 - at];
    lists_[t][edge.place[1 - at]].neighbour = u;
    edge.end[at] = u;
    edge.place[at] = degree(u);
    lists_[u].push_back({t, e});
  }

  // Edge e is no more; the last entry of u's list fills its place there.
  void remove(std::int32_t e, std::int32_t u) {
    std::vector<Entry>& list = lists_[u];
    const std::int32_t at = edges_[e].place[side(edges_[e], u)];
    const Entry last = list.back();
    list[at] = last;
    edges_[last.edge].place[side(edges_[last.edge], u)] = at;
    list.pop_back();
    edges_[e].end[0] = edges_[e].end[1] = kNone;
  }

  std::vector<Edge> edges_;
  std::vector<std::vector<Entry>> lists_;
  std::vector<std::int32_t> joining_;  // scratch of unite: edge from u to each neighbour
};

}  // namespace sentree
