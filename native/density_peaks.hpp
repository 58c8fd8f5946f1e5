// Peaks of density that stand out. They are found by adding the edges of a graph one by one, by
// falling density.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "monitor.hpp"

namespace sentree {

// How large and high a peak must be. `rise` says how much the log density must fall from where the
// first few, 2 few, 4 few, ... vertices of a peak are connected to where the peak meets another.
// The more vertices, the less it falls by chance. The mass of a peak counts from its first `many`
// vertices on.
struct PeakSize {
  std::int32_t few, many;
  std::vector<double> rise;
  double sure;  // factor for these rises
};

// A peak starts when `few` vertices are connected, grows, and ends where it meets another. A peak
// is one cluster if its excess of mass is greater than that of the clusters within it. The excess
// is the sum over its vertices of the density at which they joined, less that at which the peak
// ends.
class DensityTree {
 public:
  // Heights are minus the log of density, the densest first.
  DensityTree(std::int32_t n, const PeakSize& size)
      : least_(size), up_(n), size_(n, 1), peak_(n, kNone), next_(n), level_(n) {
    std::iota(up_.begin(), up_.end(), 0);
    std::iota(next_.begin(), next_.end(), 0);
    joined_.assign(n, kNone);
  }

  void connect(std::int32_t i, std::int32_t j, double height) {
    std::int32_t a = find(i), b = find(j);
    if (a == b) return;
    if (peak_[a] == kNone || (peak_[b] != kNone && size_[b] > size_[a])) std::swap(a, b);
    if (peak_[a] != kNone && peak_[b] != kNone) {
      const double of_a = clearness(a, height), of_b = clearness(b, height);
      clearest_ = std::max(clearest_, std::min(of_a, of_b));
      peak_[a] = of_a < of_b ? meet(peak_[b], peak_[a], of_a, height)
                             : meet(peak_[a], peak_[b], of_b, height);
    } else if (peak_[a] != kNone) {
      join(b, peak_[a], height);
    }
    up_[b] = a;
    size_[a] += size_[b];
    std::swap(next_[a], next_[b]);  // one ring of the vertices of both
    reach_levels(a, b, height);
    if (peak_[a] == kNone && size_[a] >= least_.few) {
      peak_[a] = new_peak(height);
      join(a, peak_[a], height);
    }
  }

  // The largest rise of the lower of two peaks that meet, as a share of the rise that a peak must
  // have.
  double clearest() const { return clearest_; }

  // The cluster of every vertex: the peak that it belongs to, or -1.
  std::vector<std::int32_t> clusters() {
    std::int32_t parts = 0;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(up_.size()); ++i) {
      if (up_[i] == i && peak_[i] != kNone) {
        peaks_[peak_[i]].is_root = true;
        ++parts;
      }
    }
    for (Peak& peak : peaks_) {
      if (!peak.is_root) continue;
      // A whole component is a cluster only if it has no parts.
      if (parts > 1 || peak.inside == kNone) choose(peak, 0.0);
    }
    std::vector<std::int32_t> owner(peaks_.size(), kNone), result(up_.size(), kNone);
    for (std::int32_t p = static_cast<std::int32_t>(peaks_.size()) - 1; p >= 0; --p) {
      const std::int32_t above = peaks_[p].above;
      if (above != kNone && !peaks_[p].absorbed) owner[p] = owner[above];
      if (owner[p] == kNone && peaks_[p].chosen) owner[p] = p;
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      std::int32_t p = joined_[i];
      while (p != kNone && peaks_[p].absorbed) p = peaks_[p].above;
      if (p != kNone) result[i] = owner[p];
    }
    return result;
  }

 private:
  static constexpr std::int32_t kNone = -1;

  struct Peak {
    double born;          // height
    double mass = 0;      // sum of the densities at which vertices joined
    double count = 0;     // vertices
    double best = 0;      // excess of mass of the best clusters in it
    double of_parts = 0;  // excess of mass of the best clusters in its parts
    std::int32_t above = kNone, inside = kNone;
    bool chosen = false, absorbed = false, is_root = false;
  };

  std::int32_t find(std::int32_t i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }

  std::int32_t new_peak(double height) {
    peaks_.push_back({height});
    return static_cast<std::int32_t>(peaks_.size()) - 1;
  }

  static double density(double height) { return std::exp(-std::clamp(height, -300.0, 300.0)); }

  // Adds the vertices of a component to a peak.
  void join(std::int32_t component, std::int32_t peak, double height) {
    std::int32_t i = component;
    do {
      joined_[i] = peak;
      i = next_[i];
    } while (i != component);
    add(peak, size_[component], height);
  }

  // Adds vertices to a peak. Its mass counts from where it has `many` vertices.
  void add(std::int32_t peak, double count, double height) {
    Peak& at = peaks_[peak];
    const bool was_large = at.count >= least_.many;
    at.count += count;
    at.mass += count * density(height);
    if (was_large || at.count < least_.many || at.inside != kNone) return;
    at.born = height;
    at.mass = at.count * density(height);
  }

  // The largest rise of a component above a height, as a share of the rise that a peak must have.
  double clearness(std::int32_t component, double height) const {
    double most = 0;
    for (std::size_t l = 0; l < level_[component].size(); ++l) {
      most = std::max(most, (height - level_[component][l]) / least_.rise[l]);
    }
    return most;
  }

  // Records the heights at which a component first had few, 2 few, 4 few, ... vertices.
  void reach_levels(std::int32_t a, std::int32_t b, double height) {
    std::vector<double>&to = level_[a], &from = level_[b];
    if (from.size() > to.size()) std::swap(to, from);
    for (std::size_t l = 0; l < from.size(); ++l) to[l] = std::min(to[l], from[l]);
    from = {};
    while (to.size() < least_.rise.size() && (size_[a] >> to.size()) >= least_.few) {
      to.push_back(height);
    }
  }

  // Two peaks meet, of which q is the less clear. If q rises too little, it becomes part of p.
  std::int32_t meet(std::int32_t p, std::int32_t q, double clearness, double height) {
    if (clearness < least_.sure) {
      peaks_[q].above = p;
      peaks_[q].absorbed = true;
      add(p, peaks_[q].count, height);
      return p;
    }
    const std::int32_t both = new_peak(height);
    peaks_[both].born = std::min(peaks_[p].born, peaks_[q].born);
    peaks_[both].inside = p;
    for (const std::int32_t part : {p, q}) {
      choose(peaks_[part], density(height));
      peaks_[part].above = both;
      peaks_[both].of_parts += peaks_[part].best;
      peaks_[both].count += peaks_[part].count;
    }
    peaks_[both].mass = peaks_[both].count * density(height);
    return both;
  }

  // Decides whether a peak that ends at this density is one cluster or several.
  static void choose(Peak& peak, double density) {
    const double excess = peak.mass - peak.count * density;
    peak.chosen = peak.inside == kNone || excess > peak.of_parts;
    peak.best = std::max(excess, peak.of_parts);
  }

  PeakSize least_;
  std::vector<std::int32_t> up_, size_, peak_, next_, joined_;
  std::vector<Peak> peaks_;
  std::vector<std::vector<double>> level_;
  double clearest_ = 0;
};

struct DensityClusters {
  std::vector<std::int32_t> label;  // -1 for vertices of none
  double clearest;
};

// Edges must be sorted by height.
inline DensityClusters density_clusters(const std::int32_t* i, const std::int32_t* j,
                                        const double* height, std::size_t n_edges, std::int32_t n,
                                        const PeakSize& size, Monitor& monitor) {
  DensityTree tree(n, size);
  for (std::size_t e = 0; e < n_edges; ++e) {
    monitor.work(1, static_cast<double>(e) / static_cast<double>(n_edges));
    tree.connect(i[e], j[e], height[e]);
  }
  return {tree.clusters(), tree.clearest()};
}

}  // namespace sentree
