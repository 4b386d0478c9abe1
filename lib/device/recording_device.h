// SPDX-License-Identifier: Apache-2.0
// A device that records every write, discard and flush that succeeded, for tests of crashes.
//
// Recorded operations are done one at a time. So the record is one of the orders in which they may have happened: a
// write is durable by a flush if it comes before it in the record. Failed operations are not recorded.
#pragma once

#include <absl/status/statusor.h>

#include "base/mutex.h"
#include "device/forwarding_device.h"
#include "device/write_history.h"

namespace betr {

class RecordingDevice final : public ForwardingDevice {
 public:
  // `base`: what is in `inner` now; empty when it is all zeros. For a MemoryDevice: its Pages().
  explicit RecordingDevice(BlockDevice& inner, PageMap base = {})
      : ForwardingDevice(inner), history_(inner.Size(), std::move(base)) {}

  absl::Status Write(Bytes offset, std::string_view data) override;
  absl::Status Flush() override;
  absl::Status Discard(Bytes offset, Bytes length) override;

  const WriteHistory& History() const { return history_; }

 private:
  Mutex order_mutex_;  // held across the inner operation: makes the order of the record the real one
  WriteHistory history_;
};

// The contents of any device as pages: reads all of it.
absl::StatusOr<PageMap> CopyPages(BlockDevice& device);

}  // namespace betr
