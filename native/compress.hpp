// Compressing an encoding tree to a given height.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "entropy.hpp"
#include "heap.hpp"
#include "monitor.hpp"

namespace sentree {

// A tree as arrays: every node precedes its parent, leaves come first, the root is the last.
struct Tree {
  const std::int32_t* parent;
  const double* volume;
  const double* cut;
  const double* relation_cut;
  std::int32_t n_nodes;
  std::int32_t n_leaves;
};

// Numbers under range addition, with the largest of a range on request; O(log n) each.
class RangeMax {
 public:
  explicit RangeMax(const std::vector<std::int32_t>& values) {
    while (size_ < values.size()) size_ *= 2;
    max_.assign(2 * size_, 0);
    add_.assign(2 * size_, 0);
    for (std::size_t i = 0; i < values.size(); ++i) max_[size_ + i] = values[i];
    for (std::size_t i = size_ - 1; i > 0; --i) max_[i] = std::max(max_[2 * i], max_[2 * i + 1]);
  }

  void add(std::size_t first, std::size_t last, std::int32_t amount) {
    add(1, 0, size_, first, last, amount);
  }

  std::int32_t largest(std::size_t first, std::size_t last) const {
    return largest(1, 0, size_, first, last);
  }

 private:
  void add(std::size_t node, std::size_t low, std::size_t high, std::size_t first, std::size_t last,
           std::int32_t amount) {
    if (last <= low || high <= first) return;
    if (first <= low && high <= last) {
      max_[node] += amount;
      add_[node] += amount;
      return;
    }
    const std::size_t middle = (low + high) / 2;
    add(2 * node, low, middle, first, last, amount);
    add(2 * node + 1, middle, high, first, last, amount);
    max_[node] = std::max(max_[2 * node], max_[2 * node + 1]) + add_[node];
  }

  std::int32_t largest(std::size_t node, std::size_t low, std::size_t high, std::size_t first,
                       std::size_t last) const {
    if (last <= low || high <= first) return 0;
    if (first <= low && high <= last) return max_[node];
    const std::size_t middle = (low + high) / 2;
    return add_[node] + std::max(largest(2 * node, low, middle, first, last),
                                 largest(2 * node + 1, middle, high, first, last));
  }

  std::size_t size_ = 1;
  std::vector<std::int32_t> max_, add_;
};

struct Removal {
  std::int32_t node;
  double gain;
};

// Removes inner nodes, the one with the largest gain first (the smaller id on a tie), until no
// leaf is deeper than `height`. Only nodes above a leaf that is too deep are removed. With the
// leaves in depth-first order a subtree is a range of leaves, so "is there a leaf too deep below
// a" is the largest depth in a range, and removing a subtracts one from it.
class Compression {
 public:
  Compression(const Tree& tree, bool leaf_penalty)
      : tree_(tree),
        entropy_(tree.volume[tree.n_nodes - 1], leaf_penalty),
        parent_(tree.parent, tree.parent + tree.n_nodes),
        children_cut_(tree.n_nodes, 0.0),
        first_child_(tree.n_nodes, kNone),
        next_sibling_(tree.n_nodes, kNone),
        previous_sibling_(tree.n_nodes, kNone),
        gain_(tree.n_nodes, 0.0),
        first_leaf_(tree.n_nodes),
        n_leaves_(tree.n_nodes, 0),
        depth_(leaf_depths()),
        heap_(tree.n_nodes, Before{&gain_}) {
    const std::int32_t root = tree.n_nodes - 1;
    for (std::int32_t a = 0; a < root; ++a) {
      children_cut_[parent_[a]] += effective_cut(a);
      if (a >= tree.n_leaves) adopt(parent_[a], a);
    }
    for (std::int32_t a = tree.n_leaves; a < root; ++a) weigh(a);
  }

  std::vector<Removal> run(std::int32_t height, Monitor& monitor) {
    std::vector<Removal> removed;
    const std::size_t all = static_cast<std::size_t>(tree_.n_leaves);
    while (depth_.largest(0, all) > height && !heap_.empty()) {
      const std::int32_t a = heap_.top();
      heap_.remove(a);
      const std::size_t first = first_leaf_[a], last = first + n_leaves_[a];
      if (depth_.largest(first, last) <= height) continue;  // for good: depths only fall
      removed.push_back({a, gain_[a]});
      depth_.add(first, last, -1);
      monitor.work(10 + splice(a), static_cast<double>(removed.size()) / tree_.n_leaves);
    }
    return removed;
  }

 private:
  static constexpr std::int32_t kNone = -1;

  struct Before {
    const std::vector<double>* gain;
    bool operator()(std::int32_t a, std::int32_t b) const {
      if ((*gain)[a] != (*gain)[b]) return (*gain)[a] > (*gain)[b];
      return a < b;
    }
  };

  // Gives every node its range of leaves; returns the leaves' depths in that order.
  std::vector<std::int32_t> leaf_depths() {
    const std::int32_t root = tree_.n_nodes - 1;
    for (std::int32_t a = 0; a < tree_.n_nodes; ++a) {
      if (a < tree_.n_leaves) n_leaves_[a] = 1;
      if (a != root) n_leaves_[parent_[a]] += n_leaves_[a];
    }
    std::vector<std::int32_t> depth(tree_.n_nodes, 0), cursor(tree_.n_nodes, 0);
    std::vector<std::int32_t> by_place(tree_.n_leaves, 0);
    first_leaf_[root] = 0;
    for (std::int32_t a = root; a >= 0; --a) {
      if (a != root) {
        const std::int32_t p = parent_[a];
        depth[a] = depth[p] + 1;
        first_leaf_[a] = cursor[p];
        cursor[p] += n_leaves_[a];
      }
      cursor[a] = first_leaf_[a];
      if (a < tree_.n_leaves) by_place[first_leaf_[a]] = depth[a];
    }
    return by_place;
  }

  // A node without volume contributes nothing to the objective, whatever its constraints.
  double effective_cut(std::int32_t a) const {
    if (!(tree_.volume[a] > 0)) return 0.0;
    return entropy_.effective_cut(tree_.cut[a], tree_.relation_cut[a], a < tree_.n_leaves);
  }

  // Puts a at the head of the list of the inner children of p.
  void adopt(std::int32_t p, std::int32_t a) {
    parent_[a] = p;
    next_sibling_[a] = first_child_[p];
    previous_sibling_[a] = kNone;
    if (first_child_[p] != kNone) previous_sibling_[first_child_[p]] = a;
    first_child_[p] = a;
  }

  void leave(std::int32_t p, std::int32_t a) {
    const std::int32_t next = next_sibling_[a], previous = previous_sibling_[a];
    if (next != kNone) previous_sibling_[next] = previous;
    (previous == kNone ? first_child_[p] : next_sibling_[previous]) = next;
  }

  void weigh(std::int32_t a) {
    gain_[a] = entropy_.compress_gain(children_cut_[a], effective_cut(a), tree_.volume[a],
                                      tree_.volume[parent_[a]]);
    heap_.update(a);
  }

  // Gives the children of a to its parent; returns the number of inner ones. Nodes that have left
  // the heap for good (no leaf below is too deep) stay in the lists.
  std::int64_t splice(std::int32_t a) {
    const std::int32_t p = parent_[a];
    children_cut_[p] += children_cut_[a] - effective_cut(a);
    std::int64_t moved = 0;
    for (std::int32_t b = first_child_[a]; b != kNone; ++moved) {
      const std::int32_t next = next_sibling_[b];
      adopt(p, b);
      if (heap_.contains(b)) weigh(b);
      b = next;
    }
    leave(p, a);
    if (heap_.contains(p)) weigh(p);
    return moved;
  }

  Tree tree_;
  TreeEntropy entropy_;
  std::vector<std::int32_t> parent_;
  std::vector<double> children_cut_;
  std::vector<std::int32_t> first_child_, next_sibling_, previous_sibling_;  // inner children only
  std::vector<double> gain_;
  std::vector<std::int32_t> first_leaf_, n_leaves_;
  RangeMax depth_;
  IndexedHeap<Before> heap_;
};

}  // namespace sentree
