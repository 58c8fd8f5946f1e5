// A binary heap over the items 0..n-1 whose keys may change while they are inside.
#pragma once

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace sentree {

// `before(a, b)` says whether item a comes out before item b; it must be a strict total order.
template <class Before>
class IndexedHeap {
 public:
  IndexedHeap(std::int32_t n, Before before) : place_(n, kOutside), before_(std::move(before)) {}

  bool empty() const { return items_.empty(); }
  bool contains(std::int32_t item) const { return place_[item] != kOutside; }
  std::int32_t top() const {
    assert(!items_.empty());
    return items_.front();
  }

  // Inserts the item, or moves it to where its changed key belongs.
  void update(std::int32_t item) {
    if (!contains(item)) {
      place_[item] = static_cast<std::int32_t>(items_.size());
      items_.push_back(item);
    }
    if (!rise(place_[item])) sink(place_[item]);
  }

  void remove(std::int32_t item) {
    const std::int32_t hole = place_[item];
    if (hole == kOutside) return;
    const std::int32_t last = items_.back();
    items_.pop_back();
    place_[item] = kOutside;
    if (last == item) return;
    put(hole, last);
    if (!rise(hole)) sink(hole);
  }

 private:
  static constexpr std::int32_t kOutside = -1;

  void put(std::int32_t at, std::int32_t item) {
    items_[at] = item;
    place_[item] = at;
  }

  bool rise(std::int32_t at) {
    const std::int32_t item = items_[at];
    const std::int32_t start = at;
    while (at > 0) {
      const std::int32_t up = (at - 1) / 2;
      if (!before_(item, items_[up])) break;
      put(at, items_[up]);
      at = up;
    }
    put(at, item);
    return at != start;
  }

  void sink(std::int32_t at) {
    const std::int32_t item = items_[at];
    const std::int32_t size = static_cast<std::int32_t>(items_.size());
    while (2 * at + 1 < size) {
      std::int32_t down = 2 * at + 1;
      if (down + 1 < size && before_(items_[down + 1], items_[down])) ++down;
      if (!before_(items_[down], item)) break;
      put(at, items_[down]);
      at = down;
    }
    put(at, item);
  }

  std::vector<std::int32_t> items_;
  std::vector<std::int32_t> place_;
  Before before_;
};

}  // namespace sentree
