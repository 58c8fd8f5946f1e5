// Improving a large encoding tree: inside many subtrees at the same time, then between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "csr.hpp"
#include "level_graph.hpp"
#include "monitor.hpp"
#include "subtree_moves.hpp"
#include "tree_levels.hpp"

namespace sentree {

// How many times as many leaves as a region those around it have.
constexpr std::int64_t kWiden = 16;

// The regions of a tree: its largest subtrees with at most so many leaves.
struct TreeRegions {
  Labels tops;    // the uppermost node of each
  Labels depths;  // and its depth
  Labels region;  // of every node below a top; for others, -1

  TreeRegions(const Parents& parent, std::int32_t n_leaves, std::int64_t most)
      : region(parent.size(), -1) {
    const auto root = static_cast<std::int32_t>(parent.size()) - 1;
    Labels size(parent.size(), 0), depth(parent.size(), 0);
    std::fill(size.begin(), size.begin() + n_leaves, 1);
    for (std::int32_t a = 0; a < root; ++a) size[parent[a]] += size[a];
    for (std::int32_t a = root - 1; a >= 0; --a) {
      const std::int32_t p = parent[a];
      depth[a] = depth[p] + 1;
      if (region[p] >= 0) {
        region[a] = region[p];
      } else if (a >= n_leaves && size[a] > 2 && size[a] <= most) {
        region[a] = static_cast<std::int32_t>(tops.size());
        tops.push_back(a);
        depths.push_back(depth[a]);
      }
    }
    for (std::size_t r = 0; r < tops.size(); ++r) region[tops[r]] = -1;
  }
};

// One round of moves inside every region of at most so many leaves, several at the same time.
// `settled` are smaller regions of the leaves, in which this has been done, and becomes these.
// Returns the gain times V_G.
inline double move_inside_regions(const LevelGraph& leaves, Parents& parent, const Labels& clusters,
                                  std::int64_t most, Labels& settled,
                                  const SubtreeMoveOptions& options, Crew& crew, Monitor& monitor) {
  const TreeRegions regions(parent, leaves.size(), most);
  const auto k = static_cast<std::int32_t>(regions.tops.size());
  const auto root = static_cast<std::int32_t>(parent.size()) - 1;
  Labels owner = regions.region;  // the region of every node; k for none
  std::replace(owner.begin(), owner.end(), -1, k);
  const Groups groups(owner, k + 1);
  std::vector<Parents> found(k);
  std::vector<double> gains(k, 0.0);
  crew.share(k, 1, [&](std::int64_t begin, std::int64_t, std::int32_t worker) {
    const auto r = static_cast<std::int32_t>(begin);
    const LevelGraph inside = groups.inside(leaves, owner, r);
    const Labels& nodes = groups.members[r];
    const auto top = static_cast<std::int32_t>(nodes.size());
    Labels kept, done;
    for (const std::int32_t a : nodes) {
      const std::int32_t above = parent[a];
      found[r].push_back(above == regions.tops[r] ? top : groups.place[above]);
      if (a < leaves.size() && !clusters.empty()) kept.push_back(clusters[a]);
      if (a < leaves.size() && !settled.empty()) done.push_back(settled[a]);
    }
    found[r].push_back(-1);
    if (!(inside.total_volume > 0)) return;
    SubtreeMoveOptions local = options;
    if (options.height > 0) local.height = std::max(1, options.height - regions.depths[r]);
    Crew alone(1);
    Monitor silent;  // only the thread of the caller may call Python
    SubtreeMoves moves(inside, found[r], kept, std::move(done), local, alone,
                       worker == 0 ? monitor : silent);
    for (const double gain : moves.run()) gains[r] += gain * inside.total_volume;
    found[r] = moves.parents();
  });
  double sum = 0;
  for (std::int32_t r = 0; r < k; ++r) {
    sum += gains[r];
    Labels below;
    for (const std::int32_t a : groups.members[r]) {
      parent[a] = -1;
      if (a < leaves.size()) below.push_back(a);
    }
    put_tree(found[r], below, regions.tops[r], parent);
  }
  parent = ordered(parent, leaves.size(), root);
  settled.assign(regions.region.begin(), regions.region.begin() + leaves.size());
  return sum;
}

// Rounds of moves of subtrees (see SubtreeMoves); returns their gains. In a large tree, a round
// first moves inside small regions, then inside larger ones what touches another small one, and so
// on up to the whole tree.
inline std::vector<double> move_subtrees(const LevelGraph& leaves, Parents& parent,
                                         const Labels& clusters, const SubtreeMoveOptions& options,
                                         Crew& crew, Monitor& monitor) {
  if (!crew.shares(leaves.size())) {
    SubtreeMoves moves(leaves, parent, clusters, {}, options, crew, monitor);
    std::vector<double> gains = moves.run();
    parent = moves.parents();
    return gains;
  }
  std::vector<double> gains;
  SubtreeMoveOptions one = options;
  one.most_rounds = 1;
  for (std::int32_t round = 0; round < options.most_rounds; ++round) {
    double inside = 0;
    Labels settled;
    for (std::int64_t most = crew.few(); most < leaves.size(); most *= kWiden) {
      inside += move_inside_regions(leaves, parent, clusters, most, settled, one, crew, monitor);
    }
    SubtreeMoves moves(leaves, parent, clusters, std::move(settled), one, crew, monitor);
    gains.push_back(inside / leaves.total_volume + moves.run().front());
    parent = moves.parents();
    if (!(gains.back() > SubtreeMoves::kLeastRound)) break;
  }
  return gains;
}

}  // namespace sentree
