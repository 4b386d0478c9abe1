// SPDX-License-Identifier: Apache-2.0
#include "base/forks.h"

#include <pthread.h>

#include <atomic>

#include "base/check.h"

namespace betr {
namespace {

std::atomic<uint64_t> forks{0};

}  // namespace

uint64_t Forks() {
  static const bool is_counting = [] {
    Check(pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); }) == 0,
          "there is memory for a handler of forks");
    return true;
  }();
  static_cast<void>(is_counting);
  return forks.load(std::memory_order_relaxed);
}

}  // namespace betr
