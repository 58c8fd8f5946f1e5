// Nearest neighbours within cells: each query is compared with the members of the cells it is in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "crew.hpp"
#include "large_pages.hpp"
#include "monitor.hpp"

// The compiler makes a version of a function for each width of vectors, and the loader chooses.
// All give the same result: no sum is regrouped, and no product is fused with a sum.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__) && \
    !defined(SENTREE_SANITIZE)
#define SENTREE_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#define SENTREE_FUSED __attribute__((optimize("fp-contract=fast")))
#else
#define SENTREE_WIDE
#define SENTREE_FUSED
#endif

namespace sentree {

// Rows of numbers, and the cells that each is in: as many numbers for each row, -1 for none.
struct CellRows {
  const float* values;
  const std::int32_t* cells;
  std::int32_t n, width, per_row;

  const float* row(std::int64_t i) const { return values + i * width; }
  const std::int32_t* cells_of(std::int64_t i) const { return cells + i * per_row; }
};

// Members of a panel, and queries of a tile.
constexpr std::int32_t kLanes = 16, kTile = 4;

// One number of each member of a panel. A line of the cache: a load across two takes twice as long.
struct alignas(64) Lanes {
  float at[kLanes];
};

// The squared distances of a tile of queries to the members of panels, row by row. They are sums of
// squared differences, feature by feature: the same for a pair whichever comes first.
SENTREE_WIDE inline void tile_distances(const float* const queries[kTile], const Lanes* panels,
                                        std::int64_t n_panels, std::int32_t width, float* out) {
  const float *a = queries[0], *b = queries[1], *c = queries[2], *d = queries[3];
  const std::int64_t step = n_panels * kLanes;
  for (std::int64_t panel = 0; panel < n_panels; ++panel) {
    float sum[kTile][kLanes] = {};
    for (std::int32_t k = 0; k < width; ++k) {
      const float* column = panels[panel * width + k].at;
      for (std::int32_t l = 0; l < kLanes; ++l) {
        const float from_a = a[k] - column[l], from_b = b[k] - column[l];
        const float from_c = c[k] - column[l], from_d = d[k] - column[l];
        sum[0][l] += from_a * from_a;
        sum[1][l] += from_b * from_b;
        sum[2][l] += from_c * from_c;
        sum[3][l] += from_d * from_d;
      }
    }
    for (std::int32_t q = 0; q < kTile; ++q) {
      for (std::int32_t l = 0; l < kLanes; ++l) out[q * step + panel * kLanes + l] = sum[q][l];
    }
  }
}

// Lists the panels in which the product of a query and a member, less half the squared norm of the
// member, reaches the bound of the query. Here products may be fused with sums: bounds leave room
// for rounding, so what is then computed from the panels does not depend on it.
SENTREE_WIDE SENTREE_FUSED inline std::int64_t promising(
    const float* const queries[kTile], const float bounds[kTile], const Lanes* panels,
    const Lanes* half_norms, std::int64_t n_panels, std::int32_t width, std::int32_t* out) {
  const float *a = queries[0], *b = queries[1], *c = queries[2], *d = queries[3];
  std::int64_t count = 0;
  for (std::int64_t panel = 0; panel < n_panels; ++panel) {
    float sum[kTile][kLanes];
    for (std::int32_t l = 0; l < kLanes; ++l) {
      sum[0][l] = sum[1][l] = sum[2][l] = sum[3][l] = -half_norms[panel].at[l];
    }
    for (std::int32_t k = 0; k < width; ++k) {
      const float* column = panels[panel * width + k].at;
      for (std::int32_t l = 0; l < kLanes; ++l) {
        sum[0][l] += a[k] * column[l];
        sum[1][l] += b[k] * column[l];
        sum[2][l] += c[k] * column[l];
        sum[3][l] += d[k] * column[l];
      }
    }
    float most[kLanes];  // above the bounds
    for (std::int32_t l = 0; l < kLanes; ++l) {
      most[l] = std::max(std::max(sum[0][l] - bounds[0], sum[1][l] - bounds[1]),
                         std::max(sum[2][l] - bounds[2], sum[3][l] - bounds[3]));
    }
    // Lanes without a member are the last, and not numbers: a maximum with a number is that one.
    for (std::int32_t l = 0; l < 8; ++l) most[l] = std::max(most[l], most[l + 8]);
    for (std::int32_t l = 0; l < 4; ++l) most[l] = std::max(most[l], most[l + 4]);
    for (std::int32_t l = 0; l < 2; ++l) most[l] = std::max(most[l], most[l + 2]);
    out[count] = static_cast<std::int32_t>(panel);
    count += std::max(most[0], most[1]) >= 0;
  }
  return count;
}

// Whether one of the next distances is at most a limit; those without a member are not numbers.
SENTREE_WIDE inline bool any_within(const float* distance, float limit) {
  std::int32_t found = 0;
  for (std::int32_t l = 0; l < kLanes; ++l) found |= distance[l] <= limit;
  return found != 0;
}

// The p nearest members of one query, nearest first; of equally near ones those of smaller numbers.
// Where there are fewer, the last have the number -1 and are infinitely far.
class NearList {
 public:
  // Uses arrays of the caller, which hold such a list.
  NearList(std::int32_t* ids, float* distances, std::int32_t p)
      : ids_(ids), distances_(distances), p_(p) {}

  void clear() {
    std::fill(ids_, ids_ + p_, -1);
    std::fill(distances_, distances_ + p_, std::numeric_limits<float>::infinity());
  }

  // The distance up to which a member may be among the nearest.
  float limit() const { return distances_[p_ - 1]; }

  void add(std::int32_t id, float distance) {
    std::int32_t at = p_;
    while (at > 0 && (ids_[at - 1] < 0 || distance < distances_[at - 1] ||
                      (distance == distances_[at - 1] && id < ids_[at - 1]))) {
      --at;
    }
    // A pair in two cells has one distance, so its other copy is right before the place.
    if (at == p_ || (at > 0 && ids_[at - 1] == id)) return;
    std::copy_backward(ids_ + at, ids_ + p_ - 1, ids_ + p_);
    std::copy_backward(distances_ + at, distances_ + p_ - 1, distances_ + p_);
    ids_[at] = id;
    distances_[at] = distance;
  }

 private:
  std::int32_t* ids_;
  float* distances_;
  std::int32_t p_;
};

inline double squared_norm(const float* row, std::int32_t width) {
  double sum = 0;
  for (std::int32_t k = 0; k < width; ++k) sum += double{row[k]} * row[k];
  return sum;
}

// The members of each cell, laid out in panels: feature by feature, kLanes members at a time.
class Panels {
 public:
  Panels(const CellRows& members, std::int32_t n_cells, Crew& crew)
      : width_(members.width), first_(n_cells + 1, 0), largest_(n_cells, 0) {
    std::vector<std::int64_t> count(n_cells, 0);
    each(members, [&](std::int32_t, std::int32_t cell) { ++count[cell]; });
    for (std::int32_t cell = 0; cell < n_cells; ++cell) {
      first_[cell + 1] = first_[cell] + (count[cell] + kLanes - 1) / kLanes;
    }
    ids_.assign(first_.back() * kLanes, -1);
    std::fill(count.begin(), count.end(), 0);
    each(members, [&](std::int32_t i, std::int32_t cell) {
      ids_[first_[cell] * kLanes + count[cell]++] = i;
    });
    Lanes none;
    std::fill(none.at, none.at + kLanes, std::numeric_limits<float>::quiet_NaN());
    values_ = in_large_pages<Lanes>(first_.back() * width_, none);
    half_norms_.assign(first_.back(), none);
    crew.share(first_.back(), 256, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
      for (std::int64_t panel = begin; panel < end; ++panel) {
        for (std::int32_t l = 0; l < kLanes; ++l) {
          const std::int32_t i = ids_[panel * kLanes + l];
          if (i < 0) break;
          const float* row = members.row(i);
          Lanes* to = values_.data() + panel * width_;
          for (std::int32_t k = 0; k < width_; ++k) to[k].at[l] = row[k];
          half_norms_[panel].at[l] = static_cast<float>(squared_norm(row, width_) / 2);
        }
      }
    });
    for (std::int32_t cell = 0; cell < n_cells; ++cell) {
      for (std::int64_t m = first_[cell] * kLanes; m < first_[cell + 1] * kLanes; ++m) {
        if (ids_[m] >= 0)
          largest_[cell] = std::max(largest_[cell], 2 * half_norms_[m / kLanes].at[m % kLanes]);
      }
    }
  }

  std::int64_t count(std::int32_t cell) const { return first_[cell + 1] - first_[cell]; }
  const Lanes* values(std::int32_t cell) const { return values_.data() + first_[cell] * width_; }
  const std::int32_t* ids(std::int32_t cell) const { return ids_.data() + first_[cell] * kLanes; }
  const Lanes* half_norms(std::int32_t cell) const { return half_norms_.data() + first_[cell]; }
  // The largest squared norm in a cell.
  float largest(std::int32_t cell) const { return largest_[cell]; }

 private:
  template <class Visit>
  static void each(const CellRows& members, Visit visit) {
    for (std::int32_t i = 0; i < members.n; ++i) {
      const std::int32_t* cells = members.cells_of(i);
      for (std::int32_t c = 0; c < members.per_row; ++c) {
        if (cells[c] >= 0) visit(i, cells[c]);
      }
    }
  }

  std::int32_t width_;
  std::vector<std::int64_t> first_;  // panel of each cell
  std::vector<std::int32_t> ids_;    // member of each lane, -1 for none
  std::vector<Lanes> values_, half_norms_;
  std::vector<float> largest_;
};

// Finds, for each query, the p nearest members of its cells, with squared distances. `own` is the
// member that is each query itself, which does not count; null where there is none.
class CellSearch {
 public:
  CellSearch(const CellRows& queries, const CellRows& members, std::int32_t n_cells, std::int32_t p,
             const std::int32_t* own, Crew& crew)
      : queries_(queries), p_(p), own_(own), panels_(members, n_cells, crew), n_cells_(n_cells) {}

  void run(std::int32_t* ids, float* distances, Crew& crew, Monitor& monitor) const {
    const std::vector<std::int32_t> order = by_first_cell();
    std::vector<Work> work(crew.size());
    const auto n = static_cast<std::int64_t>(order.size());
    const std::int64_t turn = kTurn * kPart * crew.size();
    for (std::int64_t start = 0; start < n; start += turn) {
      const std::int64_t count = std::min(turn, n - start);
      crew.share(count, kPart, [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
        search(order.data() + start + begin, end - begin, ids, distances, work[worker]);
      });
      monitor.work(Monitor::kInterval, static_cast<double>(start + count) / n);
    }
  }

 private:
  // Queries that a thread searches together, since they are in the same cells, and how many times
  // as many are searched between two looks at the monitor.
  static constexpr std::int64_t kPart = 1024, kTurn = 8;
  // Panels that all queries of a cell are compared with before the next ones: in the first cache.
  static constexpr std::int64_t kNear = 12;

  struct Work {
    std::vector<std::pair<std::int32_t, std::int32_t>> asked;  // a cell, and which of the queries
    std::vector<NearList> lists;
    std::vector<double> norms;  // of the queries, squared
    std::vector<float> distances;
    std::vector<std::int32_t> panels;
  };

  // The queries, ordered by their first cell; those in no cell last.
  std::vector<std::int32_t> by_first_cell() const {
    std::vector<std::int32_t> end(n_cells_ + 2, 0), order(queries_.n);
    const auto home = [&](std::int32_t i) {
      const std::int32_t* cells = queries_.cells_of(i);
      const std::int32_t* found =
          std::find_if(cells, cells + queries_.per_row, [](std::int32_t c) { return c >= 0; });
      return found == cells + queries_.per_row ? n_cells_ : *found;
    };
    for (std::int32_t i = 0; i < queries_.n; ++i) ++end[home(i) + 1];
    std::partial_sum(end.begin(), end.end(), end.begin());
    for (std::int32_t i = 0; i < queries_.n; ++i) order[end[home(i)]++] = i;
    return order;
  }

  void search(const std::int32_t* query, std::int64_t count, std::int32_t* ids, float* distances,
              Work& work) const {
    work.asked.clear();
    work.lists.clear();
    work.norms.clear();
    for (std::int32_t k = 0; k < count; ++k) {
      const std::int64_t place = std::int64_t{query[k]} * p_;
      work.lists.emplace_back(ids + place, distances + place, p_);
      work.lists.back().clear();
      work.norms.push_back(squared_norm(queries_.row(query[k]), queries_.width));
    }
    // The nearest cells first: what is found there excludes most of what is in others.
    for (const std::int32_t first : {0, 1}) {
      const auto begin = static_cast<std::ptrdiff_t>(work.asked.size());
      const std::int32_t last = first == 0 ? std::min(1, queries_.per_row) : queries_.per_row;
      for (std::int32_t k = 0; k < count; ++k) {
        const std::int32_t* cells = queries_.cells_of(query[k]);
        for (std::int32_t c = first; c < last; ++c) {
          if (cells[c] >= 0) work.asked.emplace_back(cells[c], k);
        }
      }
      std::sort(work.asked.begin() + begin, work.asked.end());
    }
    for (auto at = work.asked.begin(); at != work.asked.end();) {
      const std::int32_t cell = at->first;
      const auto end = std::find_if(at, work.asked.end(),
                                    [&](const auto& other) { return other.first != cell; });
      for (std::int64_t panel = 0; panel < panels_.count(cell); panel += kNear) {
        const std::int64_t n_panels = std::min(kNear, panels_.count(cell) - panel);
        for (auto tile = at; tile < end; tile += std::min<std::ptrdiff_t>(kTile, end - tile)) {
          ask(cell, panel, n_panels, query, &*tile,
              static_cast<std::int32_t>(std::min<std::ptrdiff_t>(kTile, end - tile)), work);
        }
      }
      at = end;
    }
  }

  // Compares up to kTile queries with the members of some panels of one cell.
  void ask(std::int32_t cell, std::int64_t first, std::int64_t n_panels, const std::int32_t* query,
           const std::pair<std::int32_t, std::int32_t>* asked, std::int32_t count,
           Work& work) const {
    const float* tile[kTile];
    for (std::int32_t q = 0; q < kTile; ++q) {
      tile[q] = queries_.row(query[asked[std::min(q, count - 1)].second]);
    }
    const Lanes* values = panels_.values(cell) + first * queries_.width;
    const std::int32_t* ids = panels_.ids(cell) + first * kLanes;
    float bounds[kTile];
    if (!bound(cell, asked, count, work, bounds)) {
      compare(tile, values, ids, n_panels, query, asked, count, work);
      return;
    }
    work.panels.resize(n_panels);
    const std::int64_t found = promising(tile, bounds, values, panels_.half_norms(cell) + first,
                                         n_panels, queries_.width, work.panels.data());
    for (std::int64_t k = 0; k < found; ++k) {
      const std::int32_t panel = work.panels[k];
      compare(tile, values + std::int64_t{panel} * queries_.width, ids + panel * kLanes, 1, query,
              asked, count, work);
    }
  }

  // What a member of the cell must reach to be as near as the list of a query asks for; false where
  // a list is not full yet, or numbers are too large. A member at the squared distance D has the
  // product (|query|^2 - D) / 2 with the query, less half its own squared norm.
  bool bound(std::int32_t cell, const std::pair<std::int32_t, std::int32_t>* asked,
             std::int32_t count, const Work& work, float bounds[kTile]) const {
    constexpr double most = 1e37, rounding = std::numeric_limits<float>::epsilon();
    for (std::int32_t q = 0; q < kTile; ++q) {
      const std::int32_t k = asked[std::min(q, count - 1)].second;
      const double norm = work.norms[k], limit = work.lists[k].limit();
      const double all = norm + panels_.largest(cell) + limit;
      if (!(all < most)) return false;
      const double slack = (queries_.width + 8) * rounding * all + 1e-30;
      bounds[q] = static_cast<float>((norm - limit) / 2 - slack);
    }
    return true;
  }

  // Compares the queries with the members of some panels.
  void compare(const float* const tile[kTile], const Lanes* values, const std::int32_t* ids,
               std::int64_t n_panels, const std::int32_t* query,
               const std::pair<std::int32_t, std::int32_t>* asked, std::int32_t count,
               Work& work) const {
    const std::int64_t step = n_panels * kLanes;
    work.distances.resize(kTile * step);
    tile_distances(tile, values, n_panels, queries_.width, work.distances.data());
    for (std::int32_t q = 0; q < count; ++q) {
      NearList& list = work.lists[asked[q].second];
      const std::int32_t self = own_ == nullptr ? -1 : own_[query[asked[q].second]];
      const float* distance = work.distances.data() + q * step;
      for (std::int64_t m = 0; m < step; m += kLanes) {
        if (!any_within(distance + m, list.limit())) continue;
        for (std::int64_t l = m; l < m + kLanes; ++l) {
          if (distance[l] <= list.limit() && ids[l] != self) {
            list.add(ids[l], distance[l]);
          }
        }
      }
    }
  }

  CellRows queries_;
  std::int32_t p_;
  const std::int32_t* own_;
  Panels panels_;
  std::int32_t n_cells_;
};

// Adds lists of the nearest of some rows, each once, to those of all rows.
inline void merge_lists(std::int32_t* ids, float* distances, std::int32_t p,
                        const std::int64_t* rows, std::int64_t n_rows, const std::int32_t* more_ids,
                        const float* more_distances, Crew& crew) {
  crew.share(n_rows, 1024, [&](std::int64_t begin, std::int64_t end, std::int32_t) {
    for (std::int64_t r = begin; r < end; ++r) {
      NearList list(ids + rows[r] * p, distances + rows[r] * p, p);
      for (std::int64_t k = r * p; k < (r + 1) * p && more_ids[k] >= 0; ++k) {
        if (more_distances[k] > list.limit()) break;
        list.add(more_ids[k], more_distances[k]);
      }
    }
  });
}

}  // namespace sentree
