// SPDX-License-Identifier: Apache-2.0
// Who tries once more. A file that the kernel has looked up, and not opened yet, may be gone when the request comes: it
// has been replaced or unlinked, and to keep all files that the kernel knows would double the cost of unlinking any.
// The answer is ESTALE then; the kernel looks the whole path up again and repeats the call, once. To the program that
// is one call, which must not fail the second time: so what its thread looks up meanwhile is kept until the kernel
// forgets it (FileSystem::Keep), and nobody else pays for that.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace betr::fuse {

// Any thread. Some threads of the same slot are taken for those that try once more, which only costs them something.
class Retries {
 public:
  // To be called before `thread` is told ESTALE.
  void Expect(pid_t thread);
  // Whether it was told so a short time ago.
  bool IsExpected(pid_t thread) const;

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr size_t kSlots = 256;
  static size_t SlotOf(pid_t thread) { return static_cast<size_t>(thread) % kSlots; }

  std::array<std::atomic<Clock::rep>, kSlots> until_{};  // 0: never
};

}  // namespace betr::fuse
