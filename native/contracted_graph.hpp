// The graph that remains while modules are united pair by pair.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "csr.hpp"
#include "level_graph.hpp"

namespace sentree {

// G and G' while vertices are united. Each pair of touching modules has one edge record; each
// module lists its neighbours with their records, and a record knows its place in both lists, so
// that it can be removed at once. Uniting costs about the length of the shorter list.
class ContractedGraph {
 public:
  struct Edge {
    std::int32_t end[2];  // the holder first; both -1 once the edge is gone
    std::int32_t place[2];
    double weight;    // of G
    double relation;  // of G'
    std::int32_t holder() const { return end[0]; }
    std::int32_t other(std::int32_t u) const { return end[0] == u ? end[1] : end[0]; }
  };

  explicit ContractedGraph(const Graphs& graphs)
      : lists_(graphs.graph.n), joining_(graphs.graph.n, kNone) {
    const Csr& g = graphs.graph;
    const Csr& r = graphs.relation;
    edges_.reserve((g.indptr[g.n] + r.indptr[r.n]) / 2);
    for (std::int32_t i = 0; i < g.n; ++i) {
      lists_[i].reserve(g.indptr[i + 1] - g.indptr[i] + r.indptr[i + 1] - r.indptr[i]);
    }
    for (std::int32_t i = 0; i < g.n; ++i) {
      graphs.each_pair(i, [&](std::int32_t j, double weight, double relation) {
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

  // Makes u the holder of one of its edges; the caller decides what a holder is for.
  void set_holder(std::int32_t e, std::int32_t u) {
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
    // search the shorter list each time. The second avoids walking the list of a hub for every
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

  // Removes edge e; the last entry of u's list fills its place there.
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
