// SPDX-License-Identifier: Apache-2.0
#include "device/recording_device.h"

#include <algorithm>
#include <string>

#include "base/status.h"

namespace betr {

absl::Status RecordingDevice::Write(Bytes offset, std::string_view data) {
  const MutexLock lock(order_mutex_);
  BETR_RETURN_IF_ERROR(inner().Write(offset, data));
  history_.AppendWrite(offset, data);
  return absl::OkStatus();
}

absl::Status RecordingDevice::Flush() {
  const MutexLock lock(order_mutex_);
  BETR_RETURN_IF_ERROR(inner().Flush());
  history_.AppendFlush();
  return absl::OkStatus();
}

absl::Status RecordingDevice::Discard(Bytes offset, Bytes length) {
  const MutexLock lock(order_mutex_);
  BETR_RETURN_IF_ERROR(inner().Discard(offset, length));
  history_.AppendDiscard(offset, length);
  return absl::OkStatus();
}

absl::StatusOr<PageMap> CopyPages(BlockDevice& device) {
  PageMap pages;
  std::string piece;
  for (Bytes at; at < device.Size(); at += Bytes{piece.size()}) {
    piece.resize(static_cast<size_t>(std::min(MiB(1), device.Size() - at).value));
    BETR_RETURN_IF_ERROR(device.Read(at, piece));
    for (size_t page = 0; page < piece.size(); page += kBlockSize.value) {
      pages.Set((at.value + page) / kBlockSize.value,
                PageMap::MakePage(std::string_view(piece).substr(page, kBlockSize.value)));
    }
  }
  return pages;
}

}  // namespace betr
