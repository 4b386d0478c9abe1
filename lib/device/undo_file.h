// SPDX-License-Identifier: Apache-2.0
// A file that keeps what is overwritten on a device, so that it can be put back.
//
// Integers little-endian. The file is a header of 4096 bytes, then records of 4120 bytes:
//   header   0    8  magic "betrUNDO"      8  8  checksum of bytes 16 to 4095
//           16    8  size of the device   24     zeros
//   record   0    8  checksum of bytes 8 to 4119     8  8  offset on the device    16  8  zeros
//           24 4096  what was there
// Each block is kept once, as it was first. A record is durable before its block is overwritten; so one that is cut
// short at the end of the file belongs to a write that was never made, and is ignored.
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "base/mutex.h"
#include "device/forwarding_device.h"

namespace betr {

// Hands everything on, and keeps what writes replace. Discards are not handed on. Threads: as any device.
class UndoDevice final : public ForwardingDevice {
 public:
  // Makes the file at `path`, which must not exist. `inner` outlives this device.
  // Errors: kAlreadyExists, and what the system says.
  static absl::StatusOr<std::unique_ptr<UndoDevice>> Create(BlockDevice& inner, const std::string& path);
  ~UndoDevice() override;

  absl::Status Write(Bytes offset, std::string_view data) override;
  absl::Status Discard(Bytes offset, Bytes length) override;

 private:
  UndoDevice(BlockDevice& inner, std::string path, int file)
      : ForwardingDevice(inner), path_(std::move(path)), file_(file) {}
  absl::Status Keep(Bytes offset);
  absl::Status Append(std::string_view bytes);

  const std::string path_;
  const int file_;
  Mutex mutex_;
  absl::flat_hash_set<uint64_t> kept_ ABSL_GUARDED_BY(mutex_);  // numbers of blocks
};

struct Undone {
  uint64_t blocks = 0;
  bool is_cut_short = false;  // the file ends in the middle of a record
};

// Puts back all that the file keeps, and flushes. The file is read to its end before anything is written.
// Errors: kDataLoss naming the record that is damaged; kInvalidArgument if it is no such file, or of a device of
// another size; the device's.
absl::StatusOr<Undone> ApplyUndoFile(const std::string& path, BlockDevice& device);

}  // namespace betr
