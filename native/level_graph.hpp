// The graph of multilevel searches: the sum of both graphs, whose vertices are modules of the
// original vertices.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "entropy.hpp"

namespace sentree {

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

}  // namespace sentree
