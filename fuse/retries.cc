// SPDX-License-Identifier: Apache-2.0
#include "retries.h"

namespace betr::fuse {
namespace {

// The kernel tries again without waiting, but on a busy machine its thread may have to wait.
constexpr std::chrono::seconds kLongest{10};

}  // namespace

void Retries::Expect(pid_t thread) {
  const Clock::duration until = Clock::now().time_since_epoch() + kLongest;
  until_[SlotOf(thread)].store(until.count(), std::memory_order_relaxed);
}

bool Retries::IsExpected(pid_t thread) const {
  const Clock::rep until = until_[SlotOf(thread)].load(std::memory_order_relaxed);
  return until != 0 && Clock::now().time_since_epoch().count() < until;
}

}  // namespace betr::fuse
