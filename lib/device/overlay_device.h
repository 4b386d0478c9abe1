// SPDX-License-Identifier: Apache-2.0
// A device that can be written to while the one below stays as it is. What is written is kept in memory and hides what
// is below. For trying out what a repair would do.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>

#include "base/mutex.h"
#include "device/forwarding_device.h"

namespace betr {

// Memory: what was written. Threads: as any device.
class OverlayDevice final : public ForwardingDevice {
 public:
  // `inner` outlives this device, and is only read.
  explicit OverlayDevice(BlockDevice& inner) : ForwardingDevice(inner) {}

  // A place that cannot be read below can be read once it was written here.
  absl::Status Read(Bytes offset, std::span<char> out) override;
  absl::Status Write(Bytes offset, std::string_view data) override;
  absl::Status Flush() override;
  // Leaves the contents as they are.
  absl::Status Discard(Bytes offset, Bytes length) override;

 private:
  // Copies out a part of one block, if that block was written.
  bool CopyWritten(Bytes offset, std::span<char> out);

  Mutex mutex_;
  absl::flat_hash_map<uint64_t, std::string> written_ ABSL_GUARDED_BY(mutex_);  // by number of the block
};

}  // namespace betr
