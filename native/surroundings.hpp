// What lies around one vertex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sentree {

// The modules that touch one vertex, and the weight between them and it, in a small table. Each is
// in cache lines of its own, so that those of several threads do not wait for each other.
class alignas(128) Surroundings {
 public:
  // Starts anew, for a vertex with this many neighbours.
  void clear(std::int64_t degree) {
    for (std::size_t k = 0; k < count_; ++k) slots_[used_[k]].module = kFree;
    count_ = 0;
    if (degree < static_cast<std::int64_t>(used_.size())) return;
    std::size_t size = slots_.size();
    while (static_cast<std::int64_t>(size) <= 2 * degree) {
      size *= 2;
      --shift_;
    }
    slots_.assign(size, Slot{});
    used_.resize(size / 2);
  }

  // Adds weight between the vertex and a module.
  void add(std::int32_t module, double weight) {
    const std::uint32_t at = place(module);
    Slot& slot = slots_[at];
    if (slot.module == kFree) {
      slot = {module, 0.0};
      used_[count_++] = at;
    }
    slot.between += weight;
  }

  double between(std::int32_t module) const {
    const Slot& slot = slots_[place(module)];
    return slot.module == kFree ? 0.0 : slot.between;
  }

  // Calls visit(module, weight) for all modules, in the order in which they were touched first.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t k = 0; k < count_; ++k) {
      const Slot& slot = slots_[used_[k]];
      visit(slot.module, slot.between);
    }
  }

 private:
  static constexpr std::int32_t kFree = -1;
  struct Slot {
    std::int32_t module = kFree;
    double between = 0;
  };

  std::uint32_t place(std::int32_t module) const {
    std::uint32_t at = (static_cast<std::uint32_t>(module) * 0x9E3779B1u) >> shift_;
    while (slots_[at].module != module && slots_[at].module != kFree) {
      at = (at + 1) & static_cast<std::uint32_t>(slots_.size() - 1);
    }
    return at;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(64);
  int shift_ = 26;  // 32 less the binary logarithm of the size of the table
  std::vector<std::uint32_t> used_ = std::vector<std::uint32_t>(32);
  std::size_t count_ = 0;
};

}  // namespace sentree
