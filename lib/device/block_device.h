// SPDX-License-Identifier: Apache-2.0
// The narrow seam to storage: everything that a store reads or writes goes through a BlockDevice. Below it are files
// and raw devices (file_device.h), memory (memory_device.h), and wrappers that record, count or fail
// (recording_device.h, counting_device.h, fault_device.h). What the bytes mean is known only above it.
//
// 1. A device is an array of Size() bytes; bytes never written are zero.
// 2. Reads may have any offset and length. Writes and discards consist of whole blocks of kBlockSize.
// 3. A completed write is seen by every later read, but survives a crash only after a Flush that began after the
//    write completed. Until then any 512-byte sectors of it may be old or new, whatever came later.
// 4. A failed write leaves its blocks in an unknown state. A failed Flush says nothing about any write since the
//    last good one, and the device does not recover from it: every later Flush fails too.
//
// All functions may be called from any thread at any time. Concurrent operations on separate ranges do not interfere.
// What overlapping concurrent writes leave behind is unspecified. So is what a read sees of a concurrent write that
// overlaps it.
//
// Errors: kUnavailable (the device failed, or what is behind it has no space), kFailedPrecondition (opened read-only),
// kOutOfRange (beyond Size()). Never kResourceExhausted. The message names device, operation and offset.
#pragma once

#include <absl/status/status.h>

#include <span>
#include <string>
#include <string_view>

#include "base/units.h"

namespace betr {

// The unit of writes and of space.
inline constexpr Bytes kBlockSize = KiB(4);

// The unit in which storage may tear a write.
inline constexpr Bytes kSectorSize{512};

class BlockDevice {
 public:
  virtual ~BlockDevice() = default;
  BlockDevice(const BlockDevice&) = delete;
  BlockDevice& operator=(const BlockDevice&) = delete;

  // Fills `out` with the bytes from `offset` on, all or an error.
  virtual absl::Status Read(Bytes offset, std::span<char> out) = 0;

  // Requires: offset and data.size() are multiples of kBlockSize.
  virtual absl::Status Write(Bytes offset, std::string_view data) = 0;

  // The barrier: when it returns ok, every write completed before the call is durable.
  virtual absl::Status Flush() = 0;

  // A hint that the contents are not needed any more. They become undefined, and storage may be given back. Like a
  // write, it may take effect at any time before the next Flush. Requires: whole blocks.
  virtual absl::Status Discard(Bytes offset, Bytes length) = 0;

  // A hint that the range will be read soon. Does not wait.
  virtual absl::Status Readahead(Bytes offset, Bytes length) = 0;

  // A multiple of kBlockSize.
  virtual Bytes Size() const = 0;

  // For messages: a path, or what kind of device it is.
  virtual std::string Name() const = 0;

 protected:
  BlockDevice() = default;
};

// For implementations: kOutOfRange unless the range lies within the device. `operation`: "read", "write", ...
absl::Status CheckRange(const BlockDevice& device, std::string_view operation, Bytes offset, Bytes length);

// The same for writes and discards, whose range also must consist of whole blocks.
absl::Status CheckBlockRange(const BlockDevice& device, std::string_view operation, Bytes offset, Bytes length);

}  // namespace betr
