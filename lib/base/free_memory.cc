// SPDX-License-Identifier: Apache-2.0
#include "base/free_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <fstream>

#include "betr/units.h"

namespace betr {
namespace {

constexpr Bytes kFreeAtEnd = MiB(64);
constexpr Bytes kLargestInArena = MiB(32);
constexpr Bytes kGrowth = MiB(32);

// The resident memory of this process; 0 if the system does not say.
Bytes ResidentMemory() {
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0;
  uint64_t resident = 0;
  file >> all >> resident;
  return Bytes{resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE))};
}

}  // namespace

void TuneMalloc() {
#ifdef __GLIBC__
  // NOLINTBEGIN(concurrency-mt-unsafe): programs call this before they have threads
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, static_cast<int>(kFreeAtEnd.value));
  mallopt(M_MMAP_THRESHOLD, static_cast<int>(kLargestInArena.value));
  // NOLINTEND(concurrency-mt-unsafe)
#endif
}

void TrimFreeMemory() {
#ifdef __GLIBC__
  static std::atomic<uint64_t> smallest{0};
  const Bytes now = ResidentMemory();
  const Bytes before{smallest.load()};
  if (now < before) smallest = now.value;
  if (now < before + kGrowth || mallinfo2().fordblks < kGrowth.value) return;
  malloc_trim(0);
  smallest = ResidentMemory().value;
#endif
}

}  // namespace betr
