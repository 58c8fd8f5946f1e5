// The gain of every step, in bits, positive when the objective falls: the only C++ formulas.
//
// G is the data graph with total volume V_G, G' the relation graph with the penalty inside its
// signed weights. A module X has its volume V_X (sum of degrees) and its association
//     A_X = V_X - g_X - g'_X        (g, g': weight of G and G' that leaves X),
// and the objective of a partition is  L = H1 + sum_X A_X log2(V_X / V_G) / V_G.
//
// Moves among a fixed number of clusters may shrink volumes towards their mean, V_G / k, and use
// (1 - s) V_X + s V_G / k in place of V_X. Then an edge into a small cluster does not count many
// times more than one into a large cluster, and clusters of unequal size are not evened out. s = 0
// is the objective itself.
#pragma once

#include <cmath>
#include <cstdint>

namespace sentree {

// Bits by which a bound of a gain is raised, so that a rounded gain never exceeds it.
constexpr double kRounding = 1e-13;

// A module of a partition; adding and removing members is adding and subtracting modules.
struct Module {
  double association;  // A_X
  double volume;       // V_X
};

class PartitionEntropy {
 public:
  explicit PartitionEntropy(double total_volume, double shrinkage = 0, std::int32_t n_modules = 1)
      : total_(total_volume),
        log_total_(std::log2(total_volume)),
        kept_(1 - shrinkage),
        added_(shrinkage * total_volume / n_modules) {}

  // log2(V_X / V_G), or 0 where there is no volume: such a module contributes nothing.
  double log_share(double volume) const {
    return volume > 0 ? std::log2(kept_ * volume + added_) - log_total_ : 0.0;
  }

  // f(X) = A_X log2(V_X / V_G).
  double term(const Module& x) const { return x.association * log_share(x.volume); }

  // X and Y as one module; `between` is the weight of G and G' between them.
  static Module unite(const Module& x, const Module& y, double between) {
    return {x.association + y.association + 2 * between, x.volume + y.volume};
  }

  // X without its part Y; `between` is the weight of G and G' between Y and the rest of X.
  static Module without(const Module& x, const Module& y, double between) {
    return {x.association - y.association - 2 * between, x.volume - y.volume};
  }

  // [f(X) + f(Y) - f(X u Y)] / V_G, given the terms of X and Y.
  double merge_gain(const Module& x, double x_term, const Module& y, double y_term,
                    double between) const {
    return gain(x_term + y_term - term(unite(x, y, between)));
  }

  // Upper bound of merge_gain while the volume of X grows from x_volume to most_volume and its
  // density A_X / V_X is at least least_density. V_G times the gain is
  //     f(Y) + (A_Y + 2 between) log2(V_G / (V_X + V_Y)) - (A_X / V_X) V_X log2(1 + V_Y / V_X),
  // where the first logarithm falls and V_X log2(1 + V_Y / V_X) rises with V_X.
  double merge_bound(double x_volume, double least_density, double most_volume, const Module& y,
                     double y_term, double between) const {
    const double joining = y.association + 2 * between;
    const double spread = least_density >= 0 ? x_volume : most_volume;
    return gain(y_term - joining * log_share((joining >= 0 ? x_volume : most_volume) + y.volume) -
                least_density * spread * std::log2(1 + y.volume / spread)) +
           kRounding;
  }

  // Upper bound of f(X) - f(X u Y) without a logarithm, for associations >= 0 and volumes > 0: as
  // if the volume did not grow. `joining` is A_Y plus twice the weight between X and Y.
  static double most_gained(double joining, double x_log_share) { return -joining * x_log_share; }

  // The gain of any step: the terms before less the terms after, over V_G. A vertex i that leaves X
  // for Y changes f(X) + f(Y) into f(X without i) + f(Y with i).
  double gain(double terms_lost) const { return terms_lost / total_; }

 private:
  double total_;
  double log_total_;
  double kept_, added_;  // a volume counts as kept_ V_X + added_
};

// The objective of an encoding tree, L(T) = - sum_a c_a / V_G log2(V_a / V_parent(a)), with
// c_a = g_a + g'_a, or c_a = g_a for a leaf unless the penalty includes leaves.
class TreeEntropy {
 public:
  TreeEntropy(double total_volume, bool leaf_penalty)
      : total_(total_volume), leaf_penalty_(leaf_penalty) {}

  double effective_cut(double cut, double relation_cut, bool leaf) const {
    return leaf && !leaf_penalty_ ? cut : cut + relation_cut;
  }

  // Nodes a and b below the root get a parent of their own: (c_a + c_b - c_ab) / V log2(V / V_ab).
  // `saved` is c_a + c_b - c_ab, `volume` is V_ab.
  double stretch_gain(double saved, double volume) const {
    return volume > 0 ? saved / total_ * std::log2(total_ / volume) : 0.0;
  }

  // The objective written otherwise: inner node p costs S_p log2(V_p) / V_G, where S_p is the sum
  // of c over its children less c_p, and the leaves cost a constant. This is V_G times that cost.
  static double node_cost(double split, double log_volume) { return split * log_volume; }

  // Inner node a is removed, its children go to its parent p: (sum c_b - c_a) / V log2(V_a / V_p).
  double compress_gain(double children_cut, double own_cut, double volume,
                       double parent_volume) const {
    return volume > 0 ? (children_cut - own_cut) / total_ * std::log2(volume / parent_volume) : 0.0;
  }

 private:
  double total_;
  bool leaf_penalty_;
};

}  // namespace sentree
