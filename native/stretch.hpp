// Stretching a star to a binary encoding tree: always join the two nodes below the root that gain
// most.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agglomerate.hpp"
#include "contracted_graph.hpp"
#include "csr.hpp"
#include "entropy.hpp"
#include "monitor.hpp"

namespace sentree {

// The objective of an encoding tree under stretching below the root.
class StretchObjective {
 public:
  StretchObjective(const Graphs& graphs, bool leaf_penalty)
      : entropy_(graphs.total_volume(), leaf_penalty),
        related_(graphs.relation.indptr[graphs.relation.n] > 0),
        total_(graphs.total_volume()) {
    for (std::int32_t i = 0; i < graphs.graph.n; ++i) {
      const double cut = graphs.graph.row_sum(i), relation_cut = graphs.relation.row_sum(i);
      nodes_.push_back({graphs.degree[i], cut, relation_cut, true});
    }
  }

  double gain(std::int32_t u, std::int32_t v, double weight, double relation) const {
    const Node joined = unite_nodes(nodes_[u], nodes_[v], weight, relation);
    return entropy_.stretch_gain(effective(nodes_[u]) + effective(nodes_[v]) - effective(joined),
                                 joined.volume);
  }

  bool related() const { return related_; }

  // What a join saves does not depend on volumes, and its factor log2(V / V_ab) falls when either
  // node grows. A gain can rise only with relations: when a leaf becomes an inner node its own
  // relations start to count, and what a join saves may be negative.
  bool unite(std::int32_t u, std::int32_t v, double weight, double relation) {
    const bool leaf = nodes_[u].leaf;
    nodes_[u] = unite_nodes(nodes_[u], nodes_[v], weight, relation);
    return !leaf && !related_;
  }

  struct Leeway {
    bool leaf;
    double most_volume;
  };

  Leeway leeway(std::int32_t u, double share) const {
    return {nodes_[u].leaf, nodes_[u].volume * (1 + share)};
  }

  bool within(std::int32_t u, const Leeway& leeway) const {
    return nodes_[u].leaf == leeway.leaf && (!related_ || nodes_[u].volume <= leeway.most_volume);
  }

  double bound(std::int32_t u, std::int32_t v, double weight, double relation,
               const Leeway& leeway) const {
    const Node joined = unite_nodes(nodes_[u], nodes_[v], weight, relation);
    const double saved = effective(nodes_[u]) + effective(nodes_[v]) - effective(joined);
    const double volume = saved >= 0 ? joined.volume : leeway.most_volume + nodes_[v].volume;
    return entropy_.stretch_gain(saved, std::min(volume, total_)) + kRounding;
  }

 private:
  struct Node {
    double volume, cut, relation_cut;
    bool leaf;
  };

  static Node unite_nodes(const Node& a, const Node& b, double weight, double relation) {
    return {a.volume + b.volume, a.cut + b.cut - 2 * weight,
            a.relation_cut + b.relation_cut - 2 * relation, false};
  }

  double effective(const Node& a) const {
    return entropy_.effective_cut(a.cut, a.relation_cut, a.leaf);
  }

  TreeEntropy entropy_;
  bool related_;
  double total_;
  std::vector<Node> nodes_;
};

// The joins of the binary tree. In a graph of several components they stop at one tree for each.
inline std::vector<Join> stretch(const Graphs& graphs, bool leaf_penalty, bool must_link_first,
                                 Monitor& monitor) {
  ContractedGraph graph(graphs);
  StretchObjective objective(graphs, leaf_penalty);
  AgglomerationOptions options;
  options.must_link_first = must_link_first;
  return Agglomeration<StretchObjective>(graph, objective, graphs.graph.n, options).run(monitor);
}

}  // namespace sentree
