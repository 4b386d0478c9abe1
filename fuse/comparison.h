// SPDX-License-Identifier: Apache-2.0
// A comparison begun by BETR_IOC_COMPARE, which gives the answers of BETR_IOC_DIFFERENCES. Thread-safe.
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
  // `user` is the one who began it.
  Comparison(std::unique_ptr<DifferenceStream> stream, uint32_t user);

  // Fills an answer, which must be all zeros, with the next records. An error is returned once all records before it
  // have been told, and from then on again by each call. EPERM if `user` is another one.
  absl::Status Tell(uint32_t user, betr_differences* answer);
  // Whether nobody has asked for a while, or everything has been told. Waits for a Tell in progress.
  bool IsIdle();
  // Ends the comparison. From now on Tell returns ETIMEDOUT, unless the comparison had already found everything.
  // Returns the stream, or null; destroying it releases what it kept alive. Waits for a Tell in progress.
  std::unique_ptr<DifferenceStream> GiveUp();

 private:
  using Clock = std::chrono::steady_clock;

  // Whether there is a difference to be told; it is in `next_`.
  bool Find() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint32_t user_;
  Mutex mutex_;  // held while differences are read, as they come one by one
  std::unique_ptr<DifferenceStream> stream_ ABSL_GUARDED_BY(mutex_);  // null: over
  std::optional<EntryDifference> next_ ABSL_GUARDED_BY(mutex_);       // found but not yet told
  absl::Status error_ ABSL_GUARDED_BY(mutex_);                        // the one that ended it
  Clock::time_point used_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::fuse
