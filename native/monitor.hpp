// Lets the caller of a kernel show progress or stop it.
#pragma once

#include <cstdint>
#include <functional>

namespace sentree {

// Kernels count their work here (one unit is about one gain evaluated). Every kInterval units the
// caller's function runs; it may throw to stop the kernel.
class Monitor {
 public:
  explicit Monitor(std::function<void(double)> poll = {}) : poll_(std::move(poll)) {}

  // `done` is the finished share of the whole kernel call, between 0 and 1.
  void work(std::int64_t units, double done) {
    pending_ += units;
    if (pending_ < kInterval) return;
    pending_ = 0;
    if (poll_) poll_(done);
  }

  static constexpr std::int64_t kInterval = 20000;  // about a millisecond

 private:
  std::function<void(double)> poll_;
  std::int64_t pending_ = 0;
};

}  // namespace sentree
