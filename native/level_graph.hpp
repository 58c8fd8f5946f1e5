// The graph of multilevel searches: the sum of both graphs, whose vertices are modules of the
// original vertices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "csr.hpp"
#include "entropy.hpp"
#include "monitor.hpp"
#include "surroundings.hpp"

namespace sentree {

// The weight that leaves each module 0..k-1 of a symmetric matrix.
inline std::vector<double> module_cuts(const Csr& graph, const std::int32_t* labels, std::int32_t k,
                                       Crew& crew, Monitor& monitor) {
  std::vector<double> leaving(graph.n, 0.0), cut(k, 0.0);
  in_turns(graph.n, crew, monitor, [&](std::int32_t i, std::int32_t) {
    for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
      if (labels[graph.indices[e]] != labels[i]) leaving[i] += graph.weights[e];
    }
  });
  for (std::int32_t i = 0; i < graph.n; ++i) cut[labels[i]] += leaving[i];
  return cut;
}

// A read-only array: its own, or one of the caller, which must outlive it.
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

// The vertices of every module 0..k-1, in the order in which they were given.
class Members {
 public:
  // All vertices, in order of their numbers.
  Members(const Labels& labels, std::int32_t k) : Members(labels, k, labels.size()) {
    for (std::size_t i = 0; i < labels.size(); ++i) put(labels[i], static_cast<std::int32_t>(i));
  }

  // The vertices of an order.
  Members(const Labels& labels, std::int32_t k, const Labels& order)
      : Members(labels, k, order.size()) {
    for (const std::int32_t i : order) put(labels[i], i);
  }

  struct Range {
    const std::int32_t *first, *last;
    const std::int32_t* begin() const { return first; }
    const std::int32_t* end() const { return last; }
  };

  Range of(std::int32_t u) const {
    return {list_.data() + (u == 0 ? 0 : end_[u - 1]), list_.data() + end_[u]};
  }
  const std::int32_t* end() const { return list_.data() + list_.size(); }

 private:
  Members(const Labels& labels, std::int32_t k, std::size_t size) : end_(k + 1, 0), list_(size) {
    for (const std::int32_t u : labels) ++end_[u + 1];
    std::partial_sum(end_.begin(), end_.end(), end_.begin());
  }

  void put(std::int32_t u, std::int32_t i) { list_[end_[u]++] = i; }

  Labels end_;  // of each module, once all are put
  Labels list_;
};

// G and G' added up; a vertex is a module of original vertices. The weight inside a vertex is part
// of its association, so the same formulas hold on every level.
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

  explicit LevelGraph(const Graphs& graphs) : total_volume(graphs.total_volume()) {
    const Csr& g = graphs.graph;
    const Csr& r = graphs.relation;
    vertices.reserve(g.n);
    if (r.indptr[r.n] == 0) {  // no relations: use the arrays of G
      indptr = Column(g.indptr);
      indices = Column(g.indices);
      weights = Column(g.weights);
      for (std::int32_t i = 0; i < g.n; ++i) vertices.push_back(graphs.single(i));
      return;
    }
    Rows rows;
    rows.indptr.reserve(g.n + 1);
    rows.indices.reserve(g.indptr[g.n] + r.indptr[r.n]);
    rows.weights.reserve(g.indptr[g.n] + r.indptr[r.n]);
    apart_indptr.push_back(0);
    for (std::int32_t i = 0; i < g.n; ++i) {
      graphs.each_pair(i, [&](std::int32_t j, double weight, double relation) {
        if (relation == kApart) {
          apart_indices.push_back(j);
          if (weight == 0) return;
          relation = 0;
        }
        rows.add(j, weight + relation);
      });
      rows.end_row();
      apart_indptr.push_back(static_cast<std::int64_t>(apart_indices.size()));
      vertices.push_back(graphs.single(i));
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

  // The weights between the modules 0..k-1.
  Rows contracted(const Labels& labels, std::int32_t k, Crew& crew) const {
    std::vector<Module> modules(k);
    return contracted(labels, k, Members(labels, k), modules, crew);
  }

  // The graph of the modules 0..k-1.
  LevelGraph contract(const Labels& labels, std::int32_t k, Crew& crew) const {
    LevelGraph out;
    out.total_volume = total_volume;
    out.vertices.assign(k, Module{0, 0});
    const Members members(labels, k);
    out.take(contracted(labels, k, members, out.vertices, crew));
    if (!any_apart()) return out;
    out.apart_indptr.push_back(0);
    Labels last(k, -1);  // the module that was kept apart from each last
    for (std::int32_t u = 0; u < k; ++u) {
      for (const std::int32_t i : members.of(u)) {
        for (std::int64_t e = apart_indptr[i]; e < apart_indptr[i + 1]; ++e) {
          const std::int32_t v = labels[apart_indices[e]];
          if (last[v] != u) out.apart_indices.push_back(v);
          last[v] = u;
        }
      }
      out.apart_indptr.push_back(static_cast<std::int64_t>(out.apart_indices.size()));
    }
    return out;
  }

  LevelGraph contract(const Labels& labels, std::int32_t k) const {
    Crew alone(1);
    return contract(labels, k, alone);
  }

 private:
  static constexpr std::int64_t kPart = 512;  // modules in one part of the work

  // The weights between modules, and the modules as vertices.
  Rows contracted(const Labels& labels, std::int32_t k, const Members& members,
                  std::vector<Module>& modules, Crew& crew) const {
    std::vector<Rows> parts((k + kPart - 1) / kPart);
    std::vector<Surroundings> around(crew.size());
    crew.share(k, kPart, [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
      Rows& rows = parts[begin / kPart];
      for (auto u = static_cast<std::int32_t>(begin); u < end; ++u) {
        modules[u] = contract_row(labels, members, u, around[worker], rows);
      }
    });
    return joined(parts, k, crew);
  }

  // Adds the row of module u; returns the vertex that it becomes.
  Module contract_row(const Labels& labels, const Members& members, std::int32_t u,
                      Surroundings& around, Rows& rows) const {
    Module module{0, 0};
    std::int64_t degree = 0;
    for (const std::int32_t i : members.of(u)) degree += indptr[i + 1] - indptr[i];
    around.clear(degree);
    for (const std::int32_t& i : members.of(u)) {
      if (&i + 1 < members.end()) prefetch(indices.data() + indptr[(&i)[1]]);
      module = PartitionEntropy::unite(module, vertices[i], 0.0);
      for (std::int64_t e = indptr[i]; e < indptr[i + 1]; ++e) {
        around.add(labels[indices[e]], weights[e]);
      }
    }
    around.each([&](std::int32_t v, double between) {
      if (v == u) {
        module.association += between;  // every pair inside was seen twice
      } else {
        rows.add(v, between);
      }
    });
    rows.end_row();
    return module;
  }

  // Parts of k rows, one below the other.
  static Rows joined(std::vector<Rows>& parts, std::int32_t k, Crew& crew) {
    if (parts.size() == 1) return std::move(parts[0]);
    Rows all;
    all.indptr.resize(k + 1);
    std::vector<std::int64_t> first(parts.size() + 1, 0);
    for (std::size_t p = 0; p < parts.size(); ++p) first[p + 1] = first[p] + parts[p].indptr.back();
    all.indices.resize(first.back());
    all.weights.resize(first.back());
    crew.share(
        static_cast<std::int64_t>(parts.size()), 1,
        [&](std::int64_t p, std::int64_t, std::int32_t) {
          Rows& part = parts[p];
          std::copy(part.indices.begin(), part.indices.end(), all.indices.begin() + first[p]);
          std::copy(part.weights.begin(), part.weights.end(), all.weights.begin() + first[p]);
          for (std::size_t r = 1; r < part.indptr.size(); ++r) {
            all.indptr[p * kPart + r] = first[p] + part.indptr[r];
          }
          part = Rows();
        });
    return all;
  }
};

}  // namespace sentree
