// SPDX-License-Identifier: Apache-2.0
#include "device/overlay_device.h"

#include <algorithm>

#include "base/status.h"

namespace betr {

// Reads from the device below only what is not hidden, since the rest may be unreadable.
absl::Status OverlayDevice::Read(Bytes offset, std::span<char> out) {
  BETR_RETURN_IF_ERROR(CheckRange(*this, "read", offset, Bytes{out.size()}));
  const auto read_below = [&](size_t from, size_t to) {
    return from == to ? absl::OkStatus() : inner().Read(offset + Bytes{from}, out.subspan(from, to - from));
  };
  size_t filled = 0;
  for (size_t at = 0; at < out.size();) {
    const size_t rest_of_block = static_cast<size_t>(kBlockSize.value - (offset.value + at) % kBlockSize.value);
    const size_t end = std::min(at + rest_of_block, out.size());
    if (CopyWritten(offset + Bytes{at}, out.subspan(at, end - at))) {
      BETR_RETURN_IF_ERROR(read_below(filled, at));
      filled = end;
    }
    at = end;
  }
  return read_below(filled, out.size());
}

bool OverlayDevice::CopyWritten(Bytes offset, std::span<char> out) {
  const MutexLock lock(mutex_);
  const auto block = written_.find(offset.value / kBlockSize.value);
  if (block == written_.end()) return false;
  block->second.copy(out.data(), out.size(), static_cast<size_t>(offset.value % kBlockSize.value));
  return true;
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
