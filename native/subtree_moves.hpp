// Improving an encoding tree: vertices and whole subtrees go to other parents.
//
// The objective of a tree is sum_p S_p log2(V_p) / V_G + const over its inner nodes p, where S_p is
// twice the weight between different children of p (plus the relations of leaves that the penalty
// leaves out). So moving a subtree changes only the nodes above its old and its new place.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "csr.hpp"
#include "entropy.hpp"
#include "level_graph.hpp"
#include "monitor.hpp"
#include "tree_levels.hpp"
#include "waiting_queue.hpp"

namespace sentree {

struct SubtreeMoveOptions {
  std::int32_t most_rounds = 3;
  std::int32_t height = 0;  // 0: any
  double least_gain = 1e-12;
};

// A tree under moves of subtrees. A "unit" is a subtree that moves as a whole: first the leaves,
// later larger subtrees, which are vertices of a contracted graph.
class SubtreeMoves {
 public:
  static constexpr double kLeastRound = 1e-9;  // bits that a round must gain to be repeated

  // Parents with leaves first, every node before its parent, the root last. Given clusters that are
  // nodes of the tree stay nodes with the same leaves. Where the regions of leaves are given (-1:
  // none), moves inside of each have been made: what touches no other region moves only after a
  // neighbour has.
  SubtreeMoves(const LevelGraph& leaves, const Parents& parent, const Labels& clusters,
               Labels regions, const SubtreeMoveOptions& options, Crew& crew, Monitor& monitor)
      : leaves_(leaves),
        regions_(std::move(regions)),
        options_(options),
        crew_(crew),
        monitor_(monitor),
        total_(leaves.total_volume),
        n_leaves_(leaves.size()),
        root_(static_cast<std::int32_t>(parent.size()) - 1),
        nodes_(parent.size()),
        states_(parent.size()),
        seen_(parent.size(), 0) {
    for (std::int32_t a = root_ - 1; a >= 0; --a) link(a, parent[a]);
    weigh(parent);
    if (!clusters.empty()) put_walls(clusters);
    nodes_[root_].wall = true;
  }

  // Rounds of moves, each from the leaves up to the children of the root; returns their gains.
  std::vector<double> run() {
    std::vector<double> gains;
    for (std::int32_t round = 0; round < options_.most_rounds; ++round) {
      gains.push_back(one_round() / total_);
      if (!(gains.back() > kLeastRound)) break;
    }
    return gains;
  }

  Parents parents() const {
    Parents parent(nodes_.size());
    for (std::size_t a = 0; a < nodes_.size(); ++a) parent[a] = nodes_[a].parent;
    return ordered(parent, n_leaves_, root_);
  }

 private:
  static constexpr std::int32_t kNone = -1;

  struct Node {
    std::int32_t parent = kNone, first = kNone, next = kNone, previous = kNone;
    std::int32_t n_children = 0;
    std::int32_t height = 0;  // of the subtree, or more
    double volume = 0;
    double split = 0;   // S: twice the weight between the children, and their `own`
    double own = 0;     // of a leaf: the relations that the penalty leaves out
    double log = 0;     // log2 of the volume
    bool wall = false;  // its leaves stay below it
    bool unit = false;  // now moves as a whole
  };

  // The state of a node while the best place for one unit is searched.
  struct NodeState {
    double split, volume, log;  // of the node without the unit
    double grown;               // log2 of the volume with the unit
    double within;              // weight between the unit and the node
    double above;               // extra cost of the nodes above it if the unit goes below it
    std::int32_t depth;
  };

  struct Place {
    std::int32_t node = kNone;
    bool beside = false;       // below a new node, together with `node`; else a child of `node`
    double gain = 0;           // times V_G
    std::uint64_t search = 0;  // the stamp of the search that found it
  };

  static double cost(double split, double log_volume) {
    return TreeEntropy::node_cost(split, log_volume);
  }

  static double log_of(double volume) { return volume > 0 ? std::log2(volume) : 0.0; }

  template <class Visit>
  void each_child(std::int32_t a, Visit visit) const {
    for (std::int32_t b = nodes_[a].first; b != kNone;) {
      const std::int32_t next = nodes_[b].next;
      visit(b);
      b = next;
    }
  }

  void link(std::int32_t a, std::int32_t p) {
    Node& node = nodes_[a];
    node.parent = p;
    node.previous = kNone;
    node.next = nodes_[p].first;
    if (node.next != kNone) nodes_[node.next].previous = a;
    nodes_[p].first = a;
    ++nodes_[p].n_children;
  }

  void unlink(std::int32_t a) {
    const Node& node = nodes_[a];
    Node& parent = nodes_[node.parent];
    if (node.next != kNone) nodes_[node.next].previous = node.previous;
    (node.previous == kNone ? parent.first : nodes_[node.previous].next) = node.next;
    --parent.n_children;
  }

  std::int32_t new_node() {
    if (free_.empty()) {
      nodes_.emplace_back();
      states_.emplace_back();
      seen_.push_back(0);
      return static_cast<std::int32_t>(nodes_.size()) - 1;
    }
    const std::int32_t a = free_.back();
    free_.pop_back();
    nodes_[a] = Node{};
    return a;
  }

  void drop(std::int32_t a) {
    nodes_[a] = Node{};
    free_.push_back(a);
  }

  // Volumes, heights and splits of all nodes, from the leaves; nodes precede their parents.
  void weigh(const Parents& above) {
    for (std::int32_t a = 0; a <= root_; ++a) {
      Node& node = nodes_[a];
      if (a < n_leaves_) {
        node.volume = leaves_.vertices[a].volume;
        node.own = leaves_.vertices[a].association;
      }
      node.log = log_of(node.volume);
      if (a == root_) break;
      Node& parent = nodes_[node.parent];
      parent.volume += node.volume;
      parent.split += node.own;
      parent.height = std::max(parent.height, node.height + 1);
    }
    const Ancestry ancestry(above);
    for (std::int32_t i = 0; i < n_leaves_; ++i) {
      monitor_.work(1 + leaves_.indptr[i + 1] - leaves_.indptr[i], 0.0);
      for (std::int64_t e = leaves_.indptr[i]; e < leaves_.indptr[i + 1]; ++e) {
        const std::int32_t j = leaves_.indices[e];
        if (j < i) continue;
        nodes_[ancestry.lowest(i, j)].split += 2 * leaves_.weights[e];
      }
    }
  }

  // A wall is the uppermost node with leaves of one cluster only.
  void put_walls(const Labels& clusters) {
    constexpr std::int32_t kMixed = -2;
    Labels cluster(root_ + 1, kNone);
    std::copy(clusters.begin(), clusters.end(), cluster.begin());
    for (std::int32_t a = 0; a < root_; ++a) {
      std::int32_t& above = cluster[nodes_[a].parent];
      above = above == kNone || above == cluster[a] ? cluster[a] : kMixed;
    }
    for (std::int32_t a = n_leaves_; a < root_; ++a) {
      nodes_[a].wall = cluster[a] != kMixed && cluster[nodes_[a].parent] == kMixed;
    }
  }

  // Moves units on all levels: the leaves, then subtrees of growing height, each one vertex of the
  // contracted graph.
  double one_round() {
    Labels order = unfold();
    measure_heights(order);
    Labels node_of = singles(n_leaves_);  // the node of every vertex of `graph`
    std::stable_sort(node_of.begin(), node_of.end(), [&](std::int32_t i, std::int32_t j) {
      return nodes_[i].parent < nodes_[j].parent;  // siblings are close in memory
    });
    Labels place(n_leaves_);
    for (std::int32_t v = 0; v < n_leaves_; ++v) place[node_of[v]] = v;
    LevelGraph graph = leaves_.contract(place, n_leaves_, crew_);
    Labels region(regions_.size());  // of every vertex of `graph`, if there are any
    for (std::size_t i = 0; i < regions_.size(); ++i) region[place[i]] = regions_[i];
    double sum = 0;
    for (std::int32_t height = 0; node_of.size() > 2;) {
      sum += move_units_from_queue(graph, node_of, unsettled(graph, region));
      const std::int32_t step = 1 + height / 4;  // deep trees are climbed in few steps
      height += step;
      Labels next;
      const Labels labels = contraction(node_of, step, next);
      if (next.size() == node_of.size()) break;
      graph = graph.contract(labels, static_cast<std::int32_t>(next.size()), crew_);
      node_of = std::move(next);
      if (!region.empty()) region = common(labels, region, graph.size());
    }
    return sum + dissolve();
  }

  // The vertices that a round looks at: all, or those that touch another region or have none.
  static Labels unsettled(const LevelGraph& graph, const Labels& region) {
    if (region.empty()) return singles(graph.size());
    Labels found;
    for (std::int32_t v = 0; v < graph.size(); ++v) {
      bool inside = region[v] >= 0;
      for (std::int64_t e = graph.indptr[v]; inside && e < graph.indptr[v + 1]; ++e) {
        inside = region[graph.indices[e]] == region[v];
      }
      if (!inside) found.push_back(v);
    }
    return found;
  }

  // The region that all vertices with the same label have; -1 where they differ.
  static Labels common(const Labels& labels, const Labels& region, std::int32_t k) {
    constexpr std::int32_t kUnseen = -2;
    Labels found(k, kUnseen);
    for (std::size_t v = 0; v < labels.size(); ++v) {
      std::int32_t& one = found[labels[v]];
      one = one == kUnseen || one == region[v] ? region[v] : kNone;
    }
    return found;
  }

  // Makes every leaf a unit again and returns the inner nodes, each after its parent.
  Labels unfold() {
    walls_left_ = false;
    for (std::size_t a = 0; a < nodes_.size(); ++a) {
      nodes_[a].unit = static_cast<std::int32_t>(a) < n_leaves_;
      if (nodes_[a].wall && static_cast<std::int32_t>(a) != root_) walls_left_ = true;
    }
    return inner_nodes();
  }

  // The inner nodes that are not units, each after its parent.
  Labels inner_nodes() const {
    Labels order{root_};
    for (std::size_t k = 0; k < order.size(); ++k) {
      each_child(order[k], [&](std::int32_t b) {
        if (!nodes_[b].unit) order.push_back(b);
      });
    }
    return order;
  }

  void measure_heights(const Labels& order) {
    for (auto a = order.rbegin(); a != order.rend(); ++a) {
      std::int32_t height = 0;
      each_child(*a, [&](std::int32_t b) { height = std::max(height, nodes_[b].height); });
      nodes_[*a].height = height + 1;
    }
  }

  // Makes larger units of subtrees with up to `step` levels of units. Returns the new vertex of
  // every old one; `next` lists the nodes of the new vertices. While there are walls that are not
  // units, only subtrees below them become units.
  Labels contraction(const Labels& node_of, std::int32_t step, Labels& next) {
    const Labels order = inner_nodes();
    std::vector<std::int32_t> level(nodes_.size(), 0);
    std::vector<char> enclosed(nodes_.size(), !walls_left_);
    for (const std::int32_t a : order) {
      if (a == root_) continue;
      enclosed[a] = enclosed[a] || nodes_[a].wall || enclosed[nodes_[a].parent];
    }
    walls_left_ = false;
    for (auto a = order.rbegin(); a != order.rend(); ++a) {
      each_child(*a, [&](std::int32_t b) { level[*a] = std::max(level[*a], level[b] + 1); });
      if (!enclosed[*a] || *a == root_) level[*a] = step + 1;
      if (level[*a] > step && nodes_[*a].wall && *a != root_) walls_left_ = true;
    }
    Labels vertex_of(nodes_.size(), kNone), labels(node_of.size());
    for (std::size_t v = 0; v < node_of.size(); ++v) {
      std::int32_t a = node_of[v];
      while (level[nodes_[a].parent] <= step) a = nodes_[a].parent;
      if (vertex_of[a] == kNone) {
        vertex_of[a] = static_cast<std::int32_t>(next.size());
        next.push_back(a);
        nodes_[a].unit = true;
      }
      labels[v] = vertex_of[a];
    }
    return labels;
  }

  // Moves units from a queue, which starts with the given vertices, until it is empty; a move puts
  // the neighbours back into the queue.
  double move_units_from_queue(const LevelGraph& graph, const Labels& node_of, Labels first) {
    WaitingQueue queue(std::move(first), graph.size());
    double sum = 0;
    while (queue.size() > 0) {
      const std::int32_t v = queue.pop();
      const Place place = best_place(graph, node_of, v);
      if (!(place.gain > options_.least_gain * total_)) continue;
      move(node_of[v], place);
      sum += place.gain;
      for (std::int64_t e = graph.indptr[v]; e < graph.indptr[v + 1]; ++e) {
        queue.push(graph.indices[e]);
      }
    }
    return sum;
  }

  // Lists the nodes from a up to the first that was seen or is a wall above a, which is returned.
  // The upper ones come first.
  std::int32_t climb(std::int32_t a) {
    const std::size_t start = touched_.size();
    std::int32_t end = a;
    for (bool first = true; seen_[end] != stamp_; first = false) {
      touched_.push_back(end);
      if (nodes_[end].wall && !first) break;
      end = nodes_[end].parent;
    }
    std::reverse(touched_.begin() + start, touched_.end());
    for (std::size_t k = start; k < touched_.size(); ++k) seen_[touched_[k]] = stamp_;
    return end;
  }

  // The best place for vertex v. Considers the nodes above it and above its neighbours, up to the
  // wall that it must stay below.
  Place best_place(const LevelGraph& graph, const Labels& node_of, std::int32_t v) {
    const std::int32_t a = node_of[v], from = nodes_[a].parent;
    touched_.clear();
    ++stamp_;
    climb(a);
    touched_.pop_back();  // a itself
    seen_[a] = 0;
    const std::int32_t top = touched_.front();
    if (walls_left_ && top == root_) return {};
    const std::size_t n_above = touched_.size();
    for (std::size_t k = 0; k < n_above; ++k) states_[touched_[k]].within = 0;
    for (std::int64_t e = graph.indptr[v]; e < graph.indptr[v + 1]; ++e) {
      const std::int32_t b = node_of[graph.indices[e]];
      const std::size_t start = touched_.size();
      const std::int32_t end = climb(b);
      if (nodes_[end].wall && end != top && end != b) {  // on the other side of a wall
        for (; touched_.size() > start; touched_.pop_back()) seen_[touched_.back()] = 0;
        continue;
      }
      for (std::size_t k = start; k < touched_.size(); ++k) states_[touched_[k]].within = 0;
      states_[b].within += graph.weights[e];
    }
    monitor_.work(static_cast<std::int64_t>(touched_.size()), 0.0);
    if (touched_.size() == n_above) return {};
    for (std::size_t k = touched_.size(); k-- > 1;) {
      states_[nodes_[touched_[k]].parent].within += states_[touched_[k]].within;
    }
    const double saved = lift(a, n_above);
    return cheapest(a, from, n_above, saved);
  }

  // Computes the states of the nodes above a (the first n_above touched) without it; returns by how
  // much their cost falls.
  double lift(std::int32_t a, std::size_t n_above) {
    const Node& unit = nodes_[a];
    double saved = 0, below = 0;
    double handed = unit.own;  // what leaves the split in addition to weights
    for (std::size_t k = n_above; k-- > 0;) {
      const Node& node = nodes_[touched_[k]];
      NodeState& state = states_[touched_[k]];
      state.split = node.split - 2 * (state.within - below) - handed;
      state.volume = node.volume - unit.volume;
      handed = 0;
      if (k + 1 == n_above && node.n_children == 2) {  // the only child left replaces the node
        handed = -nodes_[sibling(a)].own;
        state.split = 0;
      }
      state.log = log_of(state.volume);
      state.grown = node.log;
      saved += cost(node.split, node.log) - cost(state.split, state.log);
      below = state.within;
    }
    return saved;
  }

  std::int32_t sibling(std::int32_t a) const {
    const std::int32_t b = nodes_[nodes_[a].parent].first;
    return b == a ? nodes_[b].next : b;
  }

  Place cheapest(std::int32_t a, std::int32_t from, std::size_t n_above, double saved) {
    const Node& unit = nodes_[a];
    const bool pair = nodes_[from].n_children == 2;
    const std::int32_t other = pair ? sibling(a) : kNone;
    const std::int32_t top = touched_.front();
    if (pair && from == top && nodes_[other].unit) return {};
    Place best;
    const auto offer = [&](std::int32_t node, bool beside, double cost) {
      if (saved - cost > best.gain) best = {node, beside, saved - cost, stamp_};
    };
    for (std::size_t k = 0; k < touched_.size(); ++k) {
      const std::int32_t u = touched_[k];
      const Node& node = nodes_[u];
      NodeState& state = states_[u];
      if (k >= n_above) {
        state.split = node.split;
        state.volume = node.volume;
        state.log = node.log;
        state.grown = log_of(node.volume + unit.volume);
      }
      double parent_grown = 0;
      if (k == 0) {
        state.above = 0;
        state.depth = options_.height > 0 ? depth(top) : 0;
      } else {
        const NodeState& p = states_[node.parent];
        parent_grown = p.grown;
        state.above =
            p.above + cost(p.split + 2 * (p.within - state.within), p.grown) - cost(p.split, p.log);
        state.depth = p.depth + 1;
      }
      if (pair && (u == from || (u == other && node.unit))) continue;  // its present place
      if (!node.unit && u != from && fits(state.depth + 1 + unit.height)) {
        offer(u, false,
              state.above + cost(state.split + 2 * state.within + unit.own, state.grown) -
                  cost(state.split, state.log));
      }
      if (u != other && fits(state.depth + 1 + std::max(unit.height, node.height))) {
        offer(u, true,
              state.above + cost(2 * state.within + unit.own + node.own, state.grown) -
                  cost(node.own, parent_grown));
      }
    }
    return best;
  }

  bool fits(std::int32_t depth) const { return options_.height <= 0 || depth <= options_.height; }

  std::int32_t depth(std::int32_t a) const {
    std::int32_t steps = 0;
    for (; a != root_; a = nodes_[a].parent) ++steps;
    return steps;
  }

  void resize(Node& node, double volume) {
    node.volume = volume;
    node.log = log_of(volume);
  }

  // Moves a to the place that the last search found for it. The states of nodes from that search
  // are valid only until the first move.
  void move(std::int32_t a, Place place) {
    assert(place.search == stamp_);
    ++stamp_;
    const std::int32_t top = touched_.front(), from = nodes_[a].parent;
    for (std::int32_t u = from;; u = nodes_[u].parent) {
      nodes_[u].split = states_[u].split;
      resize(nodes_[u], states_[u].volume);
      if (u == top) break;
    }
    unlink(a);
    if (nodes_[from].n_children == 1) {
      const std::int32_t child = nodes_[from].first;
      if (from != top) {
        replace(from, child);
      } else {
        if (place.node == child) place.node = top;
        swallow(top, child);
      }
    }
    std::int32_t below = a;
    double inside = 0;
    if (place.beside) {
      below = place.node == top ? push_down(top) : put_above(place.node);
      if (place.node == top) {
        link(a, top);
        nodes_[top].split = 2 * states_[top].within + nodes_[a].own;
        resize(nodes_[top], nodes_[top].volume + nodes_[a].volume);
        raise(top);
        return;
      }
      inside = states_[place.node].within;
      link(a, below);
      Node& node = nodes_[below];
      node.split = 2 * inside + nodes_[a].own + nodes_[place.node].own;
      resize(node, nodes_[place.node].volume + nodes_[a].volume);
      nodes_[node.parent].split -= nodes_[place.node].own;
    } else {
      link(a, place.node);
      nodes_[place.node].split += nodes_[a].own;
    }
    for (std::int32_t u = nodes_[below].parent;; u = nodes_[u].parent) {
      nodes_[u].split += 2 * (states_[u].within - inside);
      resize(nodes_[u], nodes_[u].volume + nodes_[a].volume);
      inside = states_[u].within;
      if (u == top) break;
    }
    raise(nodes_[a].parent);
  }

  // Replaces a node by its only child.
  void replace(std::int32_t a, std::int32_t child) {
    const std::int32_t p = nodes_[a].parent;
    unlink(child);
    unlink(a);
    link(child, p);
    drop(a);
  }

  // A node takes over the children of its only child.
  void swallow(std::int32_t a, std::int32_t child) {
    unlink(child);
    each_child(child, [&](std::int32_t b) { link(b, a); });
    nodes_[a].split = nodes_[child].split;
    drop(child);
  }

  // Makes a new node, which gets the children of a and becomes its only child.
  std::int32_t push_down(std::int32_t a) {
    const std::int32_t fresh = new_node();
    each_child(a, [&](std::int32_t b) { link(b, fresh); });
    nodes_[a].first = kNone;
    nodes_[a].n_children = 0;
    nodes_[fresh].split = nodes_[a].split;
    nodes_[fresh].height = nodes_[a].height;
    resize(nodes_[fresh], nodes_[a].volume);
    link(fresh, a);
    return fresh;
  }

  // Makes a new node in the place of a, with a as its only child.
  std::int32_t put_above(std::int32_t a) {
    const std::int32_t fresh = new_node(), p = nodes_[a].parent;
    unlink(a);
    link(fresh, p);
    link(a, fresh);
    return fresh;
  }

  // Raises the heights of a and of all nodes above it to at least those of their subtrees.
  void raise(std::int32_t a) {
    if (options_.height <= 0) return;
    for (; a != kNone; a = nodes_[a].parent) {
      std::int32_t height = nodes_[a].height;
      each_child(a, [&](std::int32_t b) { height = std::max(height, nodes_[b].height + 1); });
      nodes_[a].height = height;
    }
  }

  // Removes the inner nodes that raise the objective: those whose children repel each other.
  double dissolve() {
    double sum = 0;
    const Labels order = unfold();
    for (auto a = order.rbegin(); a != order.rend(); ++a) {
      if (nodes_[*a].wall || nodes_[*a].split >= 0) continue;
      const std::int32_t p = nodes_[*a].parent;
      const double gain =
          cost(nodes_[*a].split, nodes_[*a].log) - cost(nodes_[*a].split, nodes_[p].log);
      if (!(gain > options_.least_gain * total_)) continue;
      sum += gain;
      nodes_[p].split += nodes_[*a].split;
      unlink(*a);
      each_child(*a, [&](std::int32_t b) { link(b, p); });
      drop(*a);
    }
    return sum;
  }

  const LevelGraph& leaves_;
  Labels regions_;  // of the leaves, if given
  SubtreeMoveOptions options_;
  Crew& crew_;
  Monitor& monitor_;
  double total_;
  std::int32_t n_leaves_, root_;
  std::vector<Node> nodes_;
  bool walls_left_ = false;          // whether some walls are not units yet
  std::vector<NodeState> states_;    // of the touched nodes
  std::vector<std::uint64_t> seen_;  // the last search that touched a node
  std::uint64_t stamp_ = 0;          // of the present search
  Labels touched_, free_;
};

}  // namespace sentree
