// SPDX-License-Identifier: Apache-2.0
// A comparison of BETR_IOC_COMPARE, and the answers of BETR_IOC_DIFFERENCES. Any thread.
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "betr/difference_stream.h"
#include "betr/mount_ioctl.h"

namespace betr::fuse {

class Comparison {
 public:
  // `user`: whose it is.
  Comparison(std::unique_ptr<DifferenceStream> stream, uint32_t user);

  // Fills an answer, which is zeros, with the next records. Their errors come alone, and stay. EPERM: another user.
  absl::Status Tell(uint32_t user, betr_differences* answer);
  // Whether nobody has asked for a while, or it is told to the end. Waits for Tell.
  bool IsIdle();
  // From now on Tell says ETIMEDOUT, unless all was found already. What it kept alive goes with what is returned, which
  // may be null. Waits for Tell.
  std::unique_ptr<DifferenceStream> GiveUp();

 private:
  using Clock = std::chrono::steady_clock;

  // Whether there is one to be told: `next_`.
  bool Find() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint32_t user_;
  Mutex mutex_;  // held while differences are read: they are given one by one
  std::unique_ptr<DifferenceStream> stream_ ABSL_GUARDED_BY(mutex_);  // null: over
  std::optional<EntryDifference> next_ ABSL_GUARDED_BY(mutex_);       // found, but not told yet
  absl::Status error_ ABSL_GUARDED_BY(mutex_);                        // that ended it
  Clock::time_point used_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::fuse
