// SPDX-License-Identifier: Apache-2.0
// A device that counts what goes through it, for statistics, benchmarks and tests that promise a number of I/Os. How
// long it would take on a given disk is another matter (disk_device.h).
#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "device/forwarding_device.h"

namespace betr {

// What has been asked of a device, failed operations included.
struct IoStats {
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t flushes = 0;
  uint64_t discards = 0;
  Bytes read_bytes{};
  Bytes written_bytes{};
  Bytes discarded_bytes{};
  // Reads and writes that do not begin where the last read or write ended: what a disk's arm has to move for.
  uint64_t read_seeks = 0;
  uint64_t write_seeks = 0;

  friend bool operator==(const IoStats&, const IoStats&) = default;
};

// What happened between two moments.
IoStats operator-(const IoStats& later, const IoStats& earlier);

class CountingDevice final : public ForwardingDevice {
 public:
  explicit CountingDevice(BlockDevice& inner) : ForwardingDevice(inner) {}

  absl::Status Read(Bytes offset, std::span<char> out) override;
  absl::Status Write(Bytes offset, std::string_view data) override;
  absl::Status Flush() override;
  absl::Status Discard(Bytes offset, Bytes length) override;

  // The counts so far, as of one consistent moment. With several threads, the order of operations is the order in which
  // they arrived here. The number of seeks depends on it.
  IoStats Stats() const;

 private:
  // True when the head has to move. Afterwards it is at the end of the range.
  bool Seek(Bytes offset, Bytes length) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  IoStats stats_ ABSL_GUARDED_BY(mutex_);
  Bytes head_ ABSL_GUARDED_BY(mutex_);  // where the last transfer ended
};

}  // namespace betr
