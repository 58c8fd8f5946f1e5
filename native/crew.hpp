// Threads that share the work of one kernel call.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "monitor.hpp"

namespace sentree {

// A few threads, which end with the call that made them: a process that forks later has none to
// miss. Work is given out in parts, to whoever is free; so it must come to the same whoever does
// which part, and in whatever order.
class Crew {
 public:
  // With `many` vertices or more, several are decided at the same time; whether there are several
  // threads or not, so that the result is the same.
  explicit Crew(std::int32_t threads, std::int64_t many = 0) : many_(many) {
    for (std::int32_t worker = 1; worker < threads; ++worker) {
      helpers_.emplace_back([this, worker] { serve(worker); });
    }
  }

  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
  }

  bool shares(std::int64_t n) const { return n >= many_; }

  // The most vertices that are for one thread.
  std::int64_t few() const { return std::max<std::int64_t>(many_ - 1, 1); }

  std::int32_t size() const { return static_cast<std::int32_t>(helpers_.size()) + 1; }

  // Calls work(begin, end, worker) for parts of 0..n-1 of at most `part` each, and waits for all.
  // No two calls at the same time have the same worker, which is less than size(); 0 is the thread
  // of the caller. If a call throws, no further part is begun.
  template <class Work>
  void share(std::int64_t n, std::int64_t part, const Work& work) {
    if (n <= 0) return;
    next_ = 0;
    const auto take = [&, n, part](std::int32_t worker) {
      for (std::int64_t begin; (begin = next_.fetch_add(part)) < n;) {
        work(begin, std::min(begin + part, n), worker);
      }
    };
    if (helpers_.empty() || n <= part) {
      take(0);
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      task_ = take;
      busy_ = size() - 1;
      ++given_;
    }
    wake_.notify_all();
    attempt(take, 0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void serve(std::int32_t worker) {
    std::int64_t seen = 0;
    while (true) {
      std::function<void(std::int32_t)> task;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return ended_ || given_ > seen; });
        if (ended_) return;
        seen = given_;
        task = task_;
      }
      attempt(task, worker);
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  template <class Task>
  void attempt(const Task& task, std::int32_t worker) {
    try {
      task(worker);
    } catch (...) {
      next_ = std::numeric_limits<std::int64_t>::max() / 2;
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  std::int64_t many_;
  std::vector<std::thread> helpers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::function<void(std::int32_t)> task_;
  std::atomic<std::int64_t> next_{0};
  std::int64_t given_ = 0;
  std::int32_t busy_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;
};

// Calls work(i, worker) for 0..n-1, in turns between which the monitor may stop it.
template <class Work>
void in_turns(std::int32_t n, Crew& crew, Monitor& monitor, const Work& work) {
  constexpr std::int32_t turn = 8192;
  for (std::int32_t start = 0; start < n; start += turn) {
    crew.share(std::min(turn, n - start), 64,
               [&](std::int64_t begin, std::int64_t end, std::int32_t worker) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   work(start + static_cast<std::int32_t>(i), worker);
                 }
               });
    monitor.work(Monitor::kInterval, 0.0);
  }
}

}  // namespace sentree
