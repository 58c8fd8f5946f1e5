// Beliefs on a tree of units: the class of every unit, given the classes of some.
//
// Edge e joins a light unit to a heavy one. The light unit has the class of the heavy one, unless
// the edge is cut, which has a probability; then its class is drawn from the shares of classes
// (those of the kind of the edge), that of the heavy unit excepted. The last class stands for all
// classes that nobody has seen yet: two units of unseen classes across a cut have different ones.
// Edges are in an order in which a unit is light only once, after all edges in which it is heavy.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sentree {

struct UnitTree {
  const std::int32_t* heavy;
  const std::int32_t* light;
  std::size_t n_edges;
  std::int32_t root;
};

// Beliefs are rows of n_classes; `evidence` has the likelihood of every class of every unit.
class TreeBeliefs {
 public:
  // `share` has a row of classes for each kind of edge; the root has that of the last.
  TreeBeliefs(const UnitTree& tree, const double* cut, const std::uint8_t* kind,
              std::vector<double> share, std::int32_t n_classes, std::vector<double> evidence)
      : tree_(tree),
        cut_(cut),
        kind_(kind),
        shares_(std::move(share)),
        k_(n_classes),
        below_(std::move(evidence)) {
    for (std::size_t at = 0; at < shares_.size(); ++at) {
      // An unseen class has other unseen classes beside it.
      const bool seen = (at + 1) % static_cast<std::size_t>(k_) != 0;
      others_.push_back(seen ? 1.0 / std::max(1.0 - shares_[at], kTiny) : 1.0);
    }
    message_.resize(tree_.n_edges * static_cast<std::size_t>(k_));
    climb();
  }

  // The log of the probability of the evidence.
  double log_likelihood() const { return log_likelihood_; }

  // The probability of every class of every unit.
  std::vector<double> beliefs() {
    descend();
    return belief_;
  }

  // The probability that each edge is cut; after beliefs().
  std::vector<double> cuts() const { return is_cut_; }

 private:
  static constexpr double kTiny = 1e-300;

  double* row(std::vector<double>& of, std::int32_t unit) const {
    return of.data() + static_cast<std::size_t>(unit) * k_;
  }

  const double* of_kind(const std::vector<double>& rows, std::size_t edge) const {
    return rows.data() + static_cast<std::size_t>(kind_[edge]) * k_;
  }

  // Make a row sum to 1, and return its sum.
  double normalise(double* values) const {
    double sum = 0.0;
    for (std::int32_t c = 0; c < k_; ++c) sum += values[c];
    sum = std::max(sum, kTiny);
    for (std::int32_t c = 0; c < k_; ++c) values[c] /= sum;
    return sum;
  }

  void climb() {
    for (std::size_t at = 0; at < below_.size(); at += k_) {
      log_likelihood_ += std::log(normalise(below_.data() + at));
    }
    for (std::size_t e = 0; e < tree_.n_edges; ++e) {
      const double* from = row(below_, tree_.light[e]);
      double* to = row(below_, tree_.heavy[e]);
      double* message = message_.data() + e * k_;
      const double* share = of_kind(shares_, e);
      const double* other = of_kind(others_, e);
      double drawn = 0.0;
      for (std::int32_t c = 0; c < k_; ++c) drawn += share[c] * from[c];
      for (std::int32_t c = 0; c < k_; ++c) {
        const double own = c + 1 < k_ ? share[c] * from[c] : 0.0;
        const double changed = std::max(drawn - own, 0.0) * other[c];
        message[c] = std::max((1.0 - cut_[e]) * from[c] + cut_[e] * changed, kTiny);
        to[c] *= message[c];
      }
      log_likelihood_ += std::log(normalise(to));
    }
    belief_ = below_;
    double* root = row(belief_, tree_.root);
    for (std::int32_t c = 0; c < k_; ++c) root[c] *= shares_[shares_.size() - k_ + c];
    log_likelihood_ += std::log(normalise(root));
  }

  void descend() {
    is_cut_.assign(tree_.n_edges, 0.0);
    std::vector<double> without(k_);
    for (std::size_t e = tree_.n_edges; e-- > 0;) {
      const double* from = row(belief_, tree_.heavy[e]);
      const double* message = message_.data() + e * k_;
      const double* share = of_kind(shares_, e);
      const double* other = of_kind(others_, e);
      for (std::int32_t c = 0; c < k_; ++c) without[c] = from[c] / message[c];
      normalise(without.data());
      double drawn = 0.0;
      for (std::int32_t c = 0; c < k_; ++c) drawn += without[c] * other[c];
      double* to = row(belief_, tree_.light[e]);
      double kept = 0.0, changed = 0.0;
      for (std::int32_t c = 0; c < k_; ++c) {
        const double own = c + 1 < k_ ? without[c] * other[c] : 0.0;
        const double same = (1.0 - cut_[e]) * without[c] * to[c];
        const double drawn_anew = cut_[e] * share[c] * std::max(drawn - own, 0.0) * to[c];
        to[c] = same + drawn_anew;
        kept += same;
        changed += drawn_anew;
      }
      is_cut_[e] = changed / std::max(kept + changed, kTiny);
      normalise(to);
    }
  }

  UnitTree tree_;
  const double* cut_;
  const std::uint8_t* kind_;
  std::vector<double> shares_, others_;
  std::int32_t k_;
  std::vector<double> below_, belief_, message_, is_cut_;
  double log_likelihood_ = 0.0;
};

// For every unit the sum of the values of all units, each times the product of `kept` on the way.
inline std::vector<double> reached(const UnitTree& tree, const double* kept,
                                   std::vector<double> value) {
  for (std::size_t e = 0; e < tree.n_edges; ++e) {
    value[tree.heavy[e]] += kept[e] * value[tree.light[e]];
  }
  std::vector<double> total = value;
  for (std::size_t e = tree.n_edges; e-- > 0;) {
    const double own = value[tree.light[e]];
    total[tree.light[e]] = own + kept[e] * (total[tree.heavy[e]] - kept[e] * own);
  }
  return total;
}

// The same with the greatest in place of the sum.
inline std::vector<double> nearest(const UnitTree& tree, const double* kept,
                                   std::vector<double> value) {
  for (std::size_t e = 0; e < tree.n_edges; ++e) {
    double& to = value[tree.heavy[e]];
    to = std::max(to, kept[e] * value[tree.light[e]]);
  }
  for (std::size_t e = tree.n_edges; e-- > 0;) {
    double& to = value[tree.light[e]];
    to = std::max(to, kept[e] * value[tree.heavy[e]]);
  }
  return value;
}

}  // namespace sentree
