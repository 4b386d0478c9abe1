// SPDX-License-Identifier: Apache-2.0
// Which threads are about to try a call once more.
//
// The kernel may have looked up a file but not opened it yet. When its next request comes, the file may be gone,
// replaced or unlinked. Keeping every file that the kernel knows would double the cost of unlinking. So the answer is
// ESTALE. The kernel then looks the whole path up again and repeats the call, once.
//
// To the program that is one call, and it must not fail the second time. So what its thread looks up meanwhile is kept
// until the kernel forgets it (FileSystem::Keep). Nobody else pays for that.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace betr::fuse {

// Thread-safe. A thread is sometimes taken for another one in the same slot that tries once more. That only costs it
// something.
class Retries {
 public:
  // Notes that `thread` will try once more. Call it before telling it ESTALE.
  void Expect(pid_t thread);
  // Whether `thread` was told ESTALE a short time ago.
  bool IsExpected(pid_t thread) const;

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr size_t kSlots = 256;
  static size_t SlotOf(pid_t thread) { return static_cast<size_t>(thread) % kSlots; }

  std::array<std::atomic<Clock::rep>, kSlots> until_{};  // 0: never
};

}  // namespace betr::fuse
