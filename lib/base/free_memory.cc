// SPDX-License-Identifier: Apache-2.0
#include "base/free_memory.h"

#include <malloc.h>

namespace betr {
namespace {

constexpr Bytes kFreeAtEnd = MiB(64);
constexpr Bytes kLargestInArena = MiB(32);

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

void TrimFreeMemory(Bytes slack) {
#ifdef __GLIBC__
  if (mallinfo2().fordblks > slack.value) {
    malloc_trim(0);
  }
#else
  static_cast<void>(slack);
#endif
}

}  // namespace betr
