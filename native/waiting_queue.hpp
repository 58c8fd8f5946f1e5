// A queue of vertices, each at most once.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "csr.hpp"

namespace sentree {

// A first-in, first-out queue of some of the vertices 0..n-1 in a ring of n places.
class WaitingQueue {
 public:
  WaitingQueue(Labels first, std::int32_t n)
      : ring_(std::move(first)), waiting_(n, 0), count_(ring_.size()) {
    assert(count_ <= waiting_.size());
    for (const std::int32_t i : ring_) waiting_[i] = 1;
    ring_.resize(n);
  }

  std::size_t size() const { return count_; }

  // The vertex that comes out after `later` others.
  std::int32_t peek(std::size_t later) const { return ring_[wrapped(head_ + later)]; }

  std::int32_t pop() {
    const std::int32_t i = ring_[head_];
    head_ = wrapped(head_ + 1);
    --count_;
    waiting_[i] = 0;
    return i;
  }

  // Adds a vertex unless it is already in the queue.
  void push(std::int32_t i) {
    if (waiting_[i]) return;
    waiting_[i] = 1;
    ring_[wrapped(head_ + count_)] = i;
    ++count_;
  }

 private:
  std::size_t wrapped(std::size_t at) const { return at < ring_.size() ? at : at - ring_.size(); }

  Labels ring_;
  std::vector<char> waiting_;
  std::size_t head_ = 0, count_;
};

}  // namespace sentree
