// SPDX-License-Identifier: Apache-2.0
#include "device/disk_device.h"

#include <algorithm>
#include <thread>

namespace betr {

using std::chrono::nanoseconds;

DiskDevice::DiskDevice(BlockDevice& inner, const DiskProfile& profile, Timing timing, Clock& clock, uint64_t seed)
    : ForwardingDevice(inner),
      timing_(timing),
      clock_(clock),
      model_(profile, inner.Size(), seed),
      last_(clock.Monotonic()) {}

nanoseconds DiskDevice::Idle() { return std::max(clock_.Monotonic() - last_, nanoseconds{0}); }

void DiskDevice::Finish(nanoseconds begun, nanoseconds duration) {
  if (timing_ == Timing::kWait) {
    const nanoseconds rest = begun + duration - clock_.Monotonic();
    if (rest > nanoseconds{0}) std::this_thread::sleep_for(rest);
  }
  const MutexLock lock(mutex_);
  last_ = std::max(last_, clock_.Monotonic());
}

absl::Status DiskDevice::Read(Bytes offset, std::span<char> out) {
  const nanoseconds begun = clock_.Monotonic();
  nanoseconds duration{0};
  {
    const MutexLock lock(mutex_);
    duration = model_.Read(offset, Bytes{out.size()}, Idle());
    last_ = clock_.Monotonic();
  }
  absl::Status status = inner().Read(offset, out);
  Finish(begun, duration);
  return status;
}

absl::Status DiskDevice::Write(Bytes offset, std::string_view data) {
  const nanoseconds begun = clock_.Monotonic();
  nanoseconds duration{0};
  {
    const MutexLock lock(mutex_);
    duration = model_.Write(offset, Bytes{data.size()}, Idle());
    last_ = clock_.Monotonic();
  }
  absl::Status status = inner().Write(offset, data);
  Finish(begun, duration);
  return status;
}

absl::Status DiskDevice::Flush() {
  const nanoseconds begun = clock_.Monotonic();
  nanoseconds duration{0};
  {
    const MutexLock lock(mutex_);
    duration = model_.Flush(Idle());
    last_ = clock_.Monotonic();
  }
  absl::Status status = inner().Flush();
  Finish(begun, duration);
  return status;
}

DiskStats DiskDevice::Stats() const {
  const MutexLock lock(mutex_);
  return model_.stats();
}

}  // namespace betr
