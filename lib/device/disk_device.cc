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

template <typename Account, typename Act>
absl::Status DiskDevice::Do(Account account, Act act) {
  const nanoseconds begun = clock_.Monotonic();
  nanoseconds duration{0};
  {
    const MutexLock lock(mutex_);
    duration = account(model_, Idle());
    last_ = clock_.Monotonic();
  }
  absl::Status status = act();
  Finish(begun, duration);
  return status;
}

absl::Status DiskDevice::Read(Bytes offset, std::span<char> out) {
  return Do([&](DiskModel& model, nanoseconds idle) { return model.Read(offset, Bytes{out.size()}, idle); },
            [&] { return inner().Read(offset, out); });
}

absl::Status DiskDevice::Write(Bytes offset, std::string_view data) {
  return Do([&](DiskModel& model, nanoseconds idle) { return model.Write(offset, Bytes{data.size()}, idle); },
            [&] { return inner().Write(offset, data); });
}

absl::Status DiskDevice::Flush() {
  return Do([](DiskModel& model, nanoseconds idle) { return model.Flush(idle); }, [this] { return inner().Flush(); });
}

DiskStats DiskDevice::Stats() const {
  const MutexLock lock(mutex_);
  return model_.stats();
}

}  // namespace betr
