// SPDX-License-Identifier: Apache-2.0
// A device that remembers whether a read has failed. For callers that would otherwise take for damaged what merely
// could not be read.
#pragma once

#include "base/mutex.h"
#include "device/forwarding_device.h"

namespace betr {

// Hands everything on. Threads: as any device.
class NotingDevice final : public ForwardingDevice {
 public:
  // `inner` must outlive this device.
  explicit NotingDevice(BlockDevice& inner) : ForwardingDevice(inner) {}

  // The error of the first read that failed because the device did (kUnavailable) or because it is time to stop
  // (kCancelled). Ok if there was none.
  absl::Status ReadError() const;

  absl::Status Read(Bytes offset, std::span<char> out) override;

 private:
  mutable Mutex mutex_;
  absl::Status read_error_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr
