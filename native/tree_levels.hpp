// Growing an encoding tree level by level: group the children of a node, group the groups, and so
// on, until no further level gains.
//
// In the objective of a tree, sum_p S_p log2(V_p) / V_G + const, an inner node p counts with S_p,
// twice the weight between different children of p. New nodes X between p and its children change
// it by sum_X S_X log2(V_X / V_p) / V_G: the objective of a partition of the children in which a
// child holds nothing inside. So the search for partitions finds the levels of trees.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "csr.hpp"
#include "level_graph.hpp"
#include "monitor.hpp"
#include "multilevel.hpp"

namespace sentree {

// The parent of every node of a tree; -1 for the root.
using Parents = std::vector<std::int32_t>;

// Numbers the inner nodes below the root so that each precedes its parent; the leaves come first.
inline Parents ordered(const Parents& parent, std::int32_t n_leaves, std::int32_t root) {
  const auto n = static_cast<std::int32_t>(parent.size());
  Labels first(n + 1, 0), inner;  // the inner children of a are inner[first[a]..first[a + 1]-1]
  for (std::int32_t a = n_leaves; a < n; ++a) {
    if (parent[a] >= 0) ++first[parent[a] + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  inner.resize(first[n]);
  Labels cursor(first.begin(), first.end() - 1);
  for (std::int32_t a = n_leaves; a < n; ++a) {
    if (parent[a] >= 0) inner[cursor[parent[a]]++] = a;
  }
  Labels order, waiting{root};  // depth first, so that subtrees are close in memory
  while (!waiting.empty()) {
    const std::int32_t a = waiting.back();
    waiting.pop_back();
    order.push_back(a);
    waiting.insert(waiting.end(), inner.begin() + first[a], inner.begin() + first[a + 1]);
  }
  Labels number(n, -1);
  auto last = n_leaves + static_cast<std::int32_t>(order.size());
  for (const std::int32_t a : order) number[a] = --last;
  Parents out(n_leaves + order.size(), -1);
  for (std::int32_t i = 0; i < n_leaves; ++i) out[i] = number[parent[i]];
  for (const std::int32_t a : order) {
    if (a != root) out[number[a]] = number[parent[a]];
  }
  return out;
}

// Lowest common ancestors in a tree whose nodes precede their parents, by heavy paths: each path
// follows the child with most nodes. A step from one path to the next at least doubles the size of
// the subtree, so a query takes log n steps, however high the tree is.
class Ancestry {
 public:
  explicit Ancestry(const Parents& parent) : paths_(parent.size()) {
    const auto n = static_cast<std::int32_t>(parent.size());
    Labels size(n, 1), heavy(n, -1);
    for (std::int32_t a = 0; a + 1 < n; ++a) {
      const std::int32_t p = parent[a];
      size[p] += size[a];
      if (heavy[p] < 0 || size[a] > size[heavy[p]]) heavy[p] = a;
    }
    paths_[n - 1] = {n - 1, -1};
    for (std::int32_t a = n - 2; a >= 0; --a) {
      const std::int32_t p = parent[a];
      paths_[a] = heavy[p] == a ? paths_[p] : Path{a, p};
    }
  }

  std::int32_t lowest(std::int32_t a, std::int32_t b) const {
    while (paths_[a].head != paths_[b].head) {
      // The ancestor is not on the path whose head has the smaller number.
      if (paths_[a].head > paths_[b].head) std::swap(a, b);
      a = paths_[a].above;
    }
    return a > b ? a : b;
  }

 private:
  struct Path {
    std::int32_t head, above;  // its uppermost node, and the parent of that
  };

  std::vector<Path> paths_;  // of every node
};

// Volumes and cuts of every node of a tree whose nodes precede their parents.
struct Measures {
  std::vector<double> volume, cut, relation_cut;
};

// Sums from the leaves up. An edge is cut by the nodes below the lowest common ancestor of its
// ends.
inline Measures measure(const Graphs& graphs, const Parents& parent, Monitor& monitor) {
  const auto n = static_cast<std::int32_t>(parent.size());
  std::vector<double> volume(n, 0.0), cut(n, 0.0), relation_cut(n, 0.0);
  const Ancestry ancestry(parent);
  for (std::int32_t i = 0; i < graphs.graph.n; ++i) {
    monitor.work(1 + graphs.graph.indptr[i + 1] - graphs.graph.indptr[i], 0.0);
    volume[i] = graphs.degree[i];
    graphs.each_pair(i, [&](std::int32_t j, double weight, double relation) {
      cut[i] += weight;
      relation_cut[i] += relation;
      if (j < i) return;
      const std::int32_t a = ancestry.lowest(i, j);
      cut[a] -= 2 * weight;
      relation_cut[a] -= 2 * relation;
    });
  }
  for (std::int32_t a = 0; a + 1 < n; ++a) {
    volume[parent[a]] += volume[a];
    cut[parent[a]] += cut[a];
    relation_cut[parent[a]] += relation_cut[a];
  }
  cut[n - 1] = relation_cut[n - 1] = 0;
  return {std::move(volume), std::move(cut), std::move(relation_cut)};
}

// The graph of the leaves as it counts in a tree: leaves hold nothing inside except the relations
// that the penalty leaves out. A leaf without volume contributes nothing anywhere, so it never
// moves.
inline LevelGraph leaf_graph(const Graphs& graphs, bool leaf_penalty) {
  LevelGraph graph(graphs);
  for (std::int32_t i = 0; i < graph.size(); ++i) {
    graph.vertices[i].association = leaf_penalty ? 0.0 : -graphs.relation.row_sum(i);
  }
  const auto weightless = [](const Module& vertex) { return !(vertex.volume > 0); };
  if (std::none_of(graph.vertices.begin(), graph.vertices.end(), weightless)) return graph;
  const double* given = graph.weights.data();
  std::vector<double> weights(given, given + graph.indptr[graph.size()]);
  for (std::int32_t i = 0; i < graph.size(); ++i) {
    for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
      const std::int32_t j = graph.indices[e];
      if (weightless(graph.vertices[i]) || weightless(graph.vertices[j])) weights[e] = 0;
    }
  }
  graph.weights = Column(std::move(weights));
  return graph;
}

// The graph of groups of vertices, as it counts for the next level: a group of several holds
// nothing inside, since what is inside is paid for below.
inline LevelGraph next_level(const LevelGraph& graph, const Labels& labels, std::int32_t k,
                             Crew& crew) {
  LevelGraph groups = graph.contract(labels, k, crew);
  for (Module& module : groups.vertices) module.association = 0;
  Labels size(k, 0);
  for (const std::int32_t u : labels) ++size[u];
  for (std::int32_t i = 0; i < graph.size(); ++i) {
    if (size[labels[i]] == 1) groups.vertices[labels[i]] = graph.vertices[i];
  }
  return groups;
}

inline Labels singles(std::int32_t n) {
  Labels labels(n);
  std::iota(labels.begin(), labels.end(), 0);
  return labels;
}

// A triplet asks that the first two of three vertices join below the third. It is open while the
// three are different children of one node; grouping these decides it.
struct Triplet {
  std::int32_t vertex[3];
  double weight;

  Triplet at(const Labels& place) const {
    return {{place[vertex[0]], place[vertex[1]], place[vertex[2]]}, weight};
  }

  bool apart() const {
    return vertex[0] != vertex[1] && vertex[0] != vertex[2] && vertex[1] != vertex[2];
  }

  bool together() const { return vertex[0] == vertex[1] && vertex[0] == vertex[2]; }
};

using Triplets = std::vector<Triplet>;

// A graph with open triplets: the first two vertices attract each other and repel the third. The
// weights sum to 0, so a group of all three costs nothing and leaves the triplet open.
inline LevelGraph with_triplets(const LevelGraph& graph, const Triplets& triplets) {
  struct Entry {
    std::int32_t from, to;
    double weight;
  };
  std::vector<Entry> entries;
  std::vector<std::int64_t> first(graph.size() + 1, 0);
  for (const Triplet& t : triplets) {
    for (int one = 0; one < 3; ++one) {
      for (int other = 0; other < 3; ++other) {
        if (one == other) continue;
        const double weight = one < 2 && other < 2 ? t.weight : -t.weight / 2;
        entries.push_back({t.vertex[one], t.vertex[other], weight});
        ++first[t.vertex[one] + 1];
      }
    }
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Entry> sorted(entries.size());
  std::vector<std::int64_t> cursor(first.begin(), first.end() - 1);
  for (const Entry& entry : entries) sorted[cursor[entry.from]++] = entry;
  LevelGraph out;
  Rows rows;
  out.vertices = graph.vertices;
  out.total_volume = graph.total_volume;
  for (std::int32_t i = 0; i < graph.size(); ++i) {
    for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
      rows.add(graph.indices[e], graph.weights[e]);
    }
    for (std::int64_t e = first[i]; e < first[i + 1]; ++e) {
      rows.add(sorted[e].to, sorted[e].weight);
    }
    rows.end_row();
  }
  out.take(std::move(rows));
  return out;
}

// The members of the groups 0..k-1, and the place of every vertex in its group.
struct Groups {
  std::vector<Labels> members;
  Labels place;

  Groups(const Labels& labels, std::int32_t k) : members(k), place(labels.size()) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      place[i] = static_cast<std::int32_t>(members[labels[i]].size());
      members[labels[i]].push_back(static_cast<std::int32_t>(i));
    }
  }

  // What is inside one group, as a graph of its own. Members that are not vertices come last.
  LevelGraph inside(const LevelGraph& graph, const Labels& labels, std::int32_t u) const {
    LevelGraph part;
    Rows rows;
    for (const std::int32_t i : members[u]) {
      if (i >= graph.size()) break;
      part.vertices.push_back(graph.vertices[i]);
      part.total_volume += graph.vertices[i].volume;
      for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
        if (labels[graph.indices[e]] != u) continue;
        rows.add(place[graph.indices[e]], graph.weights[e]);
      }
      rows.end_row();
    }
    part.take(std::move(rows));
    return part;
  }
};

// Searches the best grouping of the children of one node, given their graph, open triplets, and
// groups to start from. Returns the gain times V_G.
class GroupSearch {
 public:
  GroupSearch(const MultilevelOptions& options, Crew& crew, Monitor& monitor)
      : options_(options), random_(options.seed), crew_(crew), monitor_(monitor) {}

  double run(const LevelGraph& graph, const Triplets& open, Labels& labels) {
    return open.empty() ? run(graph, labels) : run(with_triplets(graph, open), labels);
  }

  // The same for several nodes at once: the vertices of owner u (0..k-1) are the children of u.
  double run(const LevelGraph& graph, const Triplets& open, const Labels& owners, std::int32_t k,
             Labels& labels) {
    return open.empty() ? run(graph, owners, k, labels)
                        : run(with_triplets(graph, open), owners, k, labels);
  }

  Crew& crew() { return crew_; }

  // Whether a part of a graph of n vertices is searched beside other parts.
  bool beside(std::int64_t n, std::int64_t part) const {
    return crew_.shares(n) && !crew_.shares(part);
  }

  // Calls work(u, search) for the parts 0..k-1 of a graph of n vertices; size(u) is the number of
  // vertices of a part, and `search` is for this part. In a large graph, small parts are searched
  // at the same time, each by a generator of its own, so that the result does not depend on
  // threads.
  template <class Size, class Work>
  void each_part(std::int64_t n, std::int32_t k, const Size& size, const Work& work) {
    Labels small;
    for (std::int32_t u = 0; u < k; ++u) {
      if (beside(n, size(u))) {
        small.push_back(u);
      } else {
        work(u, *this);
      }
    }
    if (small.empty()) return;
    // The largest first: then no thread has much to do when the others have ended.
    std::stable_sort(small.begin(), small.end(),
                     [&](std::int32_t u, std::int32_t v) { return size(u) > size(v); });
    const std::uint64_t seed = random_();
    crew_.share(static_cast<std::int64_t>(small.size()), 1,
                [&](std::int64_t p, std::int64_t, std::int32_t worker) {
                  MultilevelOptions options = options_;
                  options.seed = seed + static_cast<std::uint64_t>(small[p]);
                  Crew alone(1, n);
                  Monitor silent;  // only the thread of the caller may call Python
                  GroupSearch search(options, alone, worker == 0 ? monitor_ : silent);
                  work(small[p], search);
                });
  }

 private:
  double run(const LevelGraph& graph, Labels& labels) {
    if (graph.size() < 3 || !(graph.total_volume > 0)) return 0;
    if (graph.size() == 3 && compact(labels, 3) == 3) return best_pair(graph, labels);
    double sum = 0;
    for (std::int32_t round = 0; round < options_.most_rounds; ++round) {
      const double gain = multilevel_round(graph, labels, options_, random_, crew_, monitor_);
      sum += gain;
      if (!(gain > kLeastRound)) break;
    }
    return sum > options_.least_gain ? sum * graph.total_volume : 0;
  }

  // For three vertices: tries every grouping, which gives the same result without a search.
  double best_pair(const LevelGraph& graph, Labels& labels) const {
    const PartitionEntropy entropy(graph.total_volume);
    double most = 0;
    for (std::int32_t third = 0; third < 3; ++third) {
      const std::int32_t i = third == 0 ? 1 : 0, j = third == 2 ? 1 : 2;
      double between = 0;
      for (std::int64_t e = graph.indptr[i]; e < graph.indptr[i + 1]; ++e) {
        if (graph.indices[e] == j) between += graph.weights[e];
      }
      const Module &x = graph.vertices[i], &y = graph.vertices[j];
      const double gain = entropy.merge_gain(x, entropy.term(x), y, entropy.term(y), between);
      if (!(gain > options_.least_gain && gain > most)) continue;
      most = gain;
      labels[i] = labels[j] = 0;
      labels[third] = 1;
    }
    return most * graph.total_volume;
  }

  double run(const LevelGraph& graph, const Labels& owners, std::int32_t k, Labels& labels) {
    if (k == 1) return run(graph, labels);
    const Groups groups(owners, k);
    std::vector<Labels> found(k);
    std::vector<double> gains(k);
    const auto size = [&](std::int32_t u) { return groups.members[u].size(); };
    each_part(graph.size(), k, size, [&](std::int32_t u, GroupSearch& search) {
      for (const std::int32_t i : groups.members[u]) found[u].push_back(labels[i]);
      compact(found[u], graph.size());
      gains[u] = search.run(groups.inside(graph, owners, u), found[u]);
    });
    double sum = 0;
    std::int32_t next = 0;
    for (std::int32_t u = 0; u < k; ++u) {
      sum += gains[u];
      const Labels& members = groups.members[u];
      for (std::size_t m = 0; m < members.size(); ++m) labels[members[m]] = next + found[u][m];
      next += compact(found[u], graph.size());
    }
    return sum;
  }

  static constexpr double kLeastRound = 1e-9;  // bits that a round must gain to be repeated

  MultilevelOptions options_;
  std::mt19937_64 random_;
  Crew& crew_;
  Monitor& monitor_;
};

// Puts a tree, whose leaves are nodes of another tree, below a node of that tree. Its inner nodes
// become new nodes.
inline void put_tree(const Parents& tree, const Labels& leaves, std::int32_t top, Parents& parent) {
  const std::size_t n = leaves.size(), root = tree.size() - 1;
  const auto first = static_cast<std::int32_t>(parent.size() - n);  // a node a becomes first + a
  const auto node = [&](std::size_t a) {
    return a == root ? top : first + static_cast<std::int32_t>(a);
  };
  for (std::size_t i = 0; i < n; ++i) parent[leaves[i]] = node(tree[i]);
  for (std::size_t a = n; a < root; ++a) parent.push_back(node(tree[a]));
}

// Grows a tree of any height: groups the children of the root, then the groups and the members of
// each group, and so on, until every node has two children or children that do not touch.
class TreeGrowth {
 public:
  TreeGrowth(std::int32_t n, GroupSearch& search)
      : search_(search), n_leaves_(n), parent_(n + 1, n) {
    parent_[n] = -1;
  }

  // Clusters, if any, are the first groups: each is a node.
  Parents run(LevelGraph graph, const Labels& clusters, Triplets triplets) {
    Star star{n_leaves_, std::move(graph), singles(n_leaves_), std::move(triplets)};
    if (clusters.empty() || !group(star, clusters)) waiting_.push_back(std::move(star));
    std::vector<Star> small;
    while (!waiting_.empty()) {
      Star next = std::move(waiting_.back());
      waiting_.pop_back();
      if (search_.beside(n_leaves_, next.graph.size())) {
        small.push_back(std::move(next));
        continue;
      }
      Labels labels = singles(next.graph.size());
      if (search_.run(next.graph, next.open, labels) > 0) group(next, labels);
    }
    grow_beside(small);
    return ordered(parent_, n_leaves_, n_leaves_);
  }

 private:
  // A node, the graph of its children, the children, and the open triplets among them.
  struct Star {
    std::int32_t node;
    LevelGraph graph;
    Labels children;
    Triplets open;
  };

  // Puts a node above every group of children. The groups, and the members of each, are the stars
  // to be searched next. Returns false if there is nothing to group.
  bool group(const Star& star, Labels labels) {
    const std::int32_t k = compact(labels, star.graph.size());
    if (k == 1 || k == star.graph.size()) return false;
    const Groups groups(labels, k);
    Triplets above;
    std::vector<Triplets> inside(star.open.empty() ? 0 : k);
    for (const Triplet& t : star.open) {
      const Triplet grouped = t.at(labels);
      if (grouped.apart()) above.push_back(grouped);
      if (grouped.together()) inside[grouped.vertex[0]].push_back(t.at(groups.place));
    }
    Labels nodes;
    for (std::int32_t u = 0; u < k; ++u) {
      Labels children;
      for (const std::int32_t i : groups.members[u]) children.push_back(star.children[i]);
      if (children.size() == 1) {
        nodes.push_back(children[0]);
        continue;
      }
      nodes.push_back(static_cast<std::int32_t>(parent_.size()));
      parent_.push_back(star.node);
      for (const std::int32_t child : children) parent_[child] = nodes[u];
      if (children.size() > 2) {
        waiting_.push_back({nodes[u], groups.inside(star.graph, labels, u), std::move(children),
                            inside.empty() ? Triplets{} : std::move(inside[u])});
      }
    }
    if (k > 2) {
      waiting_.push_back({star.node, next_level(star.graph, labels, k, search_.crew()),
                          std::move(nodes), std::move(above)});
    }
    return true;
  }

  // Grows a tree of its own below each of some nodes, several at the same time.
  void grow_beside(std::vector<Star>& stars) {
    std::vector<Parents> grown(stars.size());
    const auto size = [&](std::int32_t u) { return stars[u].children.size(); };
    search_.each_part(n_leaves_, static_cast<std::int32_t>(stars.size()), size,
                      [&](std::int32_t u, GroupSearch& search) {
                        TreeGrowth inside(stars[u].graph.size(), search);
                        grown[u] =
                            inside.run(std::move(stars[u].graph), {}, std::move(stars[u].open));
                      });
    for (std::size_t u = 0; u < stars.size(); ++u) {
      put_tree(grown[u], stars[u].children, stars[u].node, parent_);
    }
  }

  GroupSearch& search_;
  std::int32_t n_leaves_;
  Parents parent_;  // leaves, the root, then the nodes as they were made
  std::vector<Star> waiting_;
};

// A tree of a given height, all leaves at the same depth: levels are added one by one, each where
// it gains most, and all levels are searched again after each.
class TreeLevels {
 public:
  TreeLevels(LevelGraph leaves, Triplets triplets, const MultilevelOptions& options, Crew& crew,
             Monitor& monitor)
      : search_(options, crew, monitor),
        most_sweeps_(options.most_rounds),
        triplets_(std::move(triplets)) {
    graphs_.push_back(std::move(leaves));
  }

  // Clusters, if any, are one of the levels.
  Parents run(std::int32_t height, const Labels& clusters) {
    if (!clusters.empty() && height > 1) {
      groups_.emplace_back();
      graphs_.emplace_back();
      set(0, clusters, clusters);
      fixed_ = 0;
    }
    while (static_cast<std::int32_t>(groups_.size()) + 1 < height && add_level()) {
      for (std::int32_t sweep = 0; sweep < most_sweeps_; ++sweep) {
        double gain = 0;
        for (std::size_t l = 0; l < groups_.size(); ++l) {
          if (static_cast<std::int32_t>(l) != fixed_) gain += search_again(l);
        }
        if (!(gain > kLeastSweep * graphs_[0].total_volume)) break;
      }
    }
    return parents();
  }

 private:
  static constexpr double kLeastSweep = 1e-6;

  // The group above each vertex of level l, and how many there are; the root for the uppermost.
  Labels above(std::size_t l, std::int32_t& count) const {
    count = l < groups_.size() ? graphs_[l + 1].size() : 1;
    return l < groups_.size() ? groups_[l] : Labels(graphs_[l].size(), 0);
  }

  // The triplets of different vertices of level l with one owner.
  Triplets open(std::size_t l, const Labels& owners) const {
    Triplets found;
    for (Triplet t : triplets_) {
      for (std::size_t below = 0; below < l; ++below) t = t.at(groups_[below]);
      if (t.apart() && t.at(owners).together()) found.push_back(t);
    }
    return found;
  }

  bool add_level() {
    double most = 0;
    std::size_t where = 0;
    Labels found;
    for (std::size_t l = 0; l <= groups_.size(); ++l) {
      std::int32_t count = 0;
      const Labels owners = above(l, count);
      Labels labels = singles(graphs_[l].size());
      const double gain = search_.run(graphs_[l], open(l, owners), owners, count, labels);
      if (gain > most) {
        most = gain;
        where = l;
        found = std::move(labels);
      }
    }
    if (!(most > 0)) return false;
    std::int32_t count = 0;
    const Labels owners = above(where, count);
    groups_.insert(groups_.begin() + where, Labels());
    graphs_.insert(graphs_.begin() + where + 1, LevelGraph());
    set(where, std::move(found), owners);
    if (static_cast<std::int32_t>(where) <= fixed_) ++fixed_;
    return true;
  }

  // Groups the vertices of level l again, inside the nodes above the groups.
  double search_again(std::size_t l) {
    std::int32_t count = 0;
    const Labels upper = above(l + 1, count);
    Labels owners(graphs_[l].size()), labels = groups_[l];
    for (std::int32_t i = 0; i < graphs_[l].size(); ++i) owners[i] = upper[labels[i]];
    const double gain = search_.run(graphs_[l], open(l, owners), owners, count, labels);
    if (gain > 0) set(l, std::move(labels), owners);
    return gain;
  }

  // Makes these the groups of level l; the owner of a vertex is two levels up.
  void set(std::size_t l, Labels labels, const Labels& owners) {
    const std::int32_t k = compact(labels, graphs_[l].size());
    graphs_[l + 1] = next_level(graphs_[l], labels, k, search_.crew());
    if (l + 1 < groups_.size()) {
      groups_[l + 1].assign(k, 0);
      for (std::size_t i = 0; i < labels.size(); ++i) groups_[l + 1][labels[i]] = owners[i];
      for (std::size_t u = l + 1; u < groups_.size(); ++u) {
        graphs_[u + 1] = next_level(graphs_[u], groups_[u], graphs_[u + 1].size(), search_.crew());
      }
    }
    groups_[l] = std::move(labels);
  }

  // A group of one member is not a node, and a group of all is the root.
  Parents parents() const {
    const std::int32_t n = graphs_[0].size();
    Parents parent(n + 1, n);
    parent[n] = -1;
    Labels nodes = singles(n);  // of the vertices of the level
    for (std::size_t l = 0; l < groups_.size() && graphs_[l + 1].size() > 1; ++l) {
      Labels size(graphs_[l + 1].size(), 0), next(graphs_[l + 1].size(), -1);
      for (const std::int32_t u : groups_[l]) ++size[u];
      for (std::size_t i = 0; i < groups_[l].size(); ++i) {
        const std::int32_t u = groups_[l][i];
        if (size[u] > 1 && next[u] < 0) {
          next[u] = static_cast<std::int32_t>(parent.size());
          parent.push_back(n);
        }
        if (size[u] > 1) {
          parent[nodes[i]] = next[u];
        } else {
          next[u] = nodes[i];
        }
      }
      nodes = std::move(next);
    }
    return ordered(parent, n, n);
  }

  GroupSearch search_;
  std::int32_t most_sweeps_;
  std::int32_t fixed_ = -1;  // the level of the given clusters, if any
  Triplets triplets_;
  std::vector<LevelGraph> graphs_;  // the leaves, then the groups of each level
  std::vector<Labels> groups_;      // the group of every vertex of a level
};

}  // namespace sentree
