// What lies around one vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sentree {

// The modules that touch one vertex, and its own.
class Surroundings {
 public:
  struct Near {
    std::int32_t module;
    std::int32_t slot;  // its place in the table
    double between;     // weight between the vertex and the module
    double pull;        // of the module on the vertex
  };

  // Starts anew, for a vertex with this many neighbours.
  void clear(std::int64_t degree) {
    for (const Near& one : near_) table_[one.slot] = kFree;
    near_.clear();
    std::size_t size = table_.size();
    while (static_cast<std::int64_t>(size) < 2 * (degree + 1)) size *= 2;
    if (size == table_.size()) return;
    table_.assign(size, kFree);
    while (size >> (32 - shift_) != 1) --shift_;
  }

  Near& operator[](std::int32_t module) {
    const std::size_t slot = slot_of(module);
    if (table_[slot] == kFree) {
      table_[slot] = static_cast<std::int32_t>(near_.size());
      near_.push_back({module, static_cast<std::int32_t>(slot), 0.0, 0.0});
    }
    return near_[table_[slot]];
  }

  // What is known of a module; null if it does not touch the vertex.
  Near* find(std::int32_t module) {
    const std::int32_t at = table_[slot_of(module)];
    return at == kFree ? nullptr : &near_[at];
  }

  double between(std::int32_t module) const {
    const std::int32_t at = table_[slot_of(module)];
    return at == kFree ? 0.0 : near_[at].between;
  }

  // In the order in which they were touched first.
  const std::vector<Near>& all() const { return near_; }

 private:
  static constexpr std::int32_t kFree = -1;

  std::size_t slot_of(std::int32_t module) const {
    std::size_t slot = (static_cast<std::uint32_t>(module) * 0x9E3779B1u) >> shift_;
    while (table_[slot] != kFree && near_[table_[slot]].module != module) {
      slot = (slot + 1) & (table_.size() - 1);
    }
    return slot;
  }

  std::vector<std::int32_t> table_ = std::vector<std::int32_t>(64, kFree);
  int shift_ = 26;  // 32 less the binary logarithm of the size of the table
  std::vector<Near> near_;
};

}  // namespace sentree
