// SPDX-License-Identifier: Apache-2.0
#include "device/noting_device.h"

namespace betr {

absl::Status NotingDevice::ReadError() const {
  const MutexLock lock(mutex_);
  return read_error_;
}

absl::Status NotingDevice::Read(Bytes offset, std::span<char> out) {
  absl::Status status = ForwardingDevice::Read(offset, out);
  if (absl::IsUnavailable(status) || absl::IsCancelled(status)) {
    const MutexLock lock(mutex_);
    if (read_error_.ok()) read_error_ = status;
  }
  return status;
}

}  // namespace betr
