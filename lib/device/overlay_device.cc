// SPDX-License-Identifier: Apache-2.0
#include "device/overlay_device.h"

#include <algorithm>

#include "base/status.h"

namespace betr {

absl::Status OverlayDevice::Read(Bytes offset, std::span<char> out) {
  BETR_RETURN_IF_ERROR(ForwardingDevice::Read(offset, out));
  const MutexLock lock(mutex_);
  for (size_t done = 0; done < out.size() && !written_.empty();) {
    const uint64_t at = offset.value + done;
    const size_t within = static_cast<size_t>(at % kBlockSize.value);
    const size_t size = std::min<size_t>(kBlockSize.value - within, out.size() - done);
    if (const auto block = written_.find(at / kBlockSize.value); block != written_.end()) {
      block->second.copy(out.data() + done, size, within);
    }
    done += size;
  }
  return absl::OkStatus();
}

absl::Status OverlayDevice::Write(Bytes offset, std::string_view data) {
  BETR_RETURN_IF_ERROR(CheckBlockRange(*this, "write", offset, Bytes{data.size()}));
  const MutexLock lock(mutex_);
  for (size_t at = 0; at < data.size(); at += kBlockSize.value) {
    written_[(offset.value + at) / kBlockSize.value] = data.substr(at, kBlockSize.value);
  }
  return absl::OkStatus();
}

absl::Status OverlayDevice::Flush() { return absl::OkStatus(); }

absl::Status OverlayDevice::Discard(Bytes offset, Bytes length) {
  return CheckBlockRange(*this, "discard", offset, length);
}

}  // namespace betr
