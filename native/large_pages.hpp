// Memory for arrays that are read at random places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace sentree {

// A vector of n equal entries, in large pages where the system has them: there are then fewer
// addresses of pages to look up, which takes most of the time of reading at random places.
template <class T>
std::vector<T> in_large_pages(std::size_t n, const T& value = T()) {
  std::vector<T> entries;
  entries.reserve(n);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
  const auto at = reinterpret_cast<std::uintptr_t>(entries.data());
  const std::uintptr_t begin = (at + page - 1) / page * page;
  const std::uintptr_t end = (at + n * sizeof(T)) / page * page;
  // A wish: if it is not granted, nothing is lost.
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
  entries.resize(n, value);
  return entries;
}

}  // namespace sentree
