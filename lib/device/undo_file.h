// SPDX-License-Identifier: Apache-2.0
// A file that keeps what is overwritten on a device, so that it can be put back.
//
// Integers little-endian. The file is a header of 4096 bytes, then records of 88 or 4184 bytes:
//   header   0    8  magic "betrUNDO"      8  8  checksum of bytes 16 to 4095
//           16    8  size of the device   24  8  version of this format: 2        32  zeros
//   record   0    8  checksum of the rest  8  8  offset on the device
//           16    8  1 if it says what was there, 0 if another record before it does
//           24   64  checksums of the eight sectors that are about to be written
//           88 4096  what was there, if it says that
// What was there is kept once for each block, as it was first. What is written is noted each time. A record is durable
// before its block is overwritten. So one that is not whole at the end of the file belongs to a write that was never
// made. After a power loss the file may have its new length, with anything in place of the last records. So the records
// end with the first one that is not sound, if no sound one begins anywhere behind it. Otherwise the file is damaged.
//
// A device is the one that the file was made for, as it was left, if each sector of all blocks in the file holds what
// was there, or what one of the writes has put there. So the file can be put back after all of the writes, after some
// of them, torn ones among them, and again when putting it back was interrupted. It cannot be put back onto another
// device, nor when something else was written to these blocks since. To notice that in any case, some blocks are kept
// that need not be overwritten, but that differ from device to device and from state to state (`marks`).
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/status/statusor.h>

#include <memory>
#include <span>
#include <string>

#include "base/mutex.h"
#include "device/forwarding_device.h"
#include "device/unseen_file.h"

namespace betr {

// Hands everything on except discards, and keeps what writes replace. What cannot be kept is not overwritten, nor is
// anything after that. Threads: as any device.
class UndoDevice final : public ForwardingDevice {
 public:
  // Makes the file at `path`, which must not exist. The file and its name are durable on return. It appears once its
  // beginning is durable: if the process is killed before, there is none (unseen_file.h). `marks`: offsets of blocks.
  // `inner` outlives this device. Errors: kAlreadyExists, what the system says, and the device's. Then there is no new
  // file.
  static absl::StatusOr<std::unique_ptr<UndoDevice>> Create(BlockDevice& inner, const std::string& path,
                                                            std::span<const Bytes> marks);

  absl::Status Write(Bytes offset, std::string_view data) override;
  absl::Status Discard(Bytes offset, Bytes length) override;

 private:
  UndoDevice(BlockDevice& inner, std::unique_ptr<UnseenFile> file) : ForwardingDevice(inner), file_(std::move(file)) {}
  absl::Status Begin(std::span<const Bytes> marks);
  absl::Status Keep(Bytes offset, std::string_view data) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The record for a block that is to become `next`.
  absl::StatusOr<std::string> Record(Bytes offset, std::string_view next) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Append(std::string_view bytes);

  const std::unique_ptr<UnseenFile> file_;
  Mutex mutex_;
  absl::flat_hash_set<uint64_t> kept_ ABSL_GUARDED_BY(mutex_);  // numbers of blocks
  // The error of keeping, if any. Then the end of the file may be half a record.
  absl::Status error_ ABSL_GUARDED_BY(mutex_);
};

struct Undone {
  uint64_t blocks = 0;        // that held something else
  bool is_cut_short = false;  // the file ends with what is no whole record
};

enum class UndoFit {
  kDemand,  // only onto the device that the file was made for, as it was left
  kIgnore,  // onto any of its size
};

// Puts back all that the file keeps, and flushes. Before anything is written the file is read to its end, and the
// device compared with it. Memory: that of the blocks which were written more than once.
// Errors: kDataLoss naming the record that is damaged; kInvalidArgument if it is no such file, of another version, or
// of a device of another size; kFailedPrecondition naming a block that does not fit; the device's.
absl::StatusOr<Undone> ApplyUndoFile(const std::string& path, BlockDevice& device, UndoFit fit);

}  // namespace betr
