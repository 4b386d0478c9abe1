// SPDX-License-Identifier: Apache-2.0
// A device that takes the time of a disk (disk_model.h), or only says how long that would be.
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "device/disk_model.h"
#include "device/forwarding_device.h"

namespace betr {

// Threads: any. Requests reach the model in the order in which they arrive here.
class DiskDevice final : public ForwardingDevice {
 public:
  enum class Timing {
    kAccount,  // requests take what the inner device takes; the model counts
    kWait,     // callers really wait, at least as long as the model says
  };

  // `inner` and `clock` outlive this. The clock says how long the disk is idle.
  DiskDevice(BlockDevice& inner, const DiskProfile& profile, Timing timing, Clock& clock, uint64_t seed = 1);

  absl::Status Read(Bytes offset, std::span<char> out) override;
  absl::Status Write(Bytes offset, std::string_view data) override;
  absl::Status Flush() override;
  // These do not count: a hint is not waited for.
  absl::Status Discard(Bytes offset, Bytes length) override { return inner().Discard(offset, length); }
  absl::Status Readahead(Bytes offset, Bytes length) override { return inner().Readahead(offset, length); }

  // The figures so far, as of one consistent moment.
  DiskStats Stats() const;

 private:
  // Does `act`, after `account` has worked out, from the model and the idle time, how long that takes.
  template <typename Account, typename Act>
  absl::Status Do(Account account, Act act);
  // Time since a request last ended, by the clock.
  std::chrono::nanoseconds Idle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Ends a request that began at `begun` and takes `duration` by the model.
  void Finish(std::chrono::nanoseconds begun, std::chrono::nanoseconds duration);

  const Timing timing_;
  Clock& clock_;
  mutable Mutex mutex_;
  DiskModel model_ ABSL_GUARDED_BY(mutex_);
  std::chrono::nanoseconds last_ ABSL_GUARDED_BY(mutex_){0};  // when a request last ended, by the clock
};

}  // namespace betr
