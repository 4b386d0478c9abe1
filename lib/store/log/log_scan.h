// SPDX-License-Identifier: Apache-2.0
// Reads a log from a position on: for recovery, for the dumper, for the checker. Writes nothing.
//
// 1. The log goes on as long as the next block begins a frame of this store with the expected sequence number and chain
//    value, and the records of the frame have their checksum. A frame that has all of this and is malformed
//    nevertheless is damage.
// 2. The first block that begins no such frame is the end of the log. But if an intact header elsewhere says that the
//    place had been durable, it is damage. Such a header is looked for as far as a log can have written without a
//    flush.
// 3. Memory: one frame, or 1 MiB.
//
// Threads: one at a time. Cost: reads what it delivers, and at the end up to kMaxUnflushed and one frame more.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "device/block_device.h"
#include "store/log/log_format.h"

namespace betr::store {

class LogScanner {
 public:
  // Requires: the device outlives the scanner; the area is valid (CheckLogArea).
  LogScanner(BlockDevice& device, const LogArea& area, uint64_t salt, const LogPosition& start);

  // Whether there is a header that continues the log. Reads no more than a chunk.
  absl::StatusOr<bool> GoesOn();

  // Goes to the next frame. False at the end of the log, after a search for damage behind it. Errors: kDataLoss naming
  // the place; the device's.
  absl::StatusOr<bool> Next();

  // The frame that Next went to; views are valid until the next call.
  const FrameHeader& header() const { return header_; }
  std::string_view records() const { return records_; }

  // Calls `visit` with its records. Errors: kDataLoss if they are malformed; those of `visit`.
  absl::Status ForEachRecord(absl::FunctionRef<absl::Status(const LogRecord&)> visit) const;

  // Behind the last frame delivered.
  LogPosition position() const { return position_; }

  // At the end: no frame that begins there or behind, valid or not, has a larger opening number.
  uint64_t opening() const { return opening_; }

  // At the end: whether there is the header of a frame that continues the log, but not all of its records.
  bool is_torn() const { return is_torn_; }

  // "DEVICE: log frame 17 at offset 69632".
  std::string Place(uint64_t sequence) const;

 private:
  // A view of `count` blocks from `sequence` on, valid until the next call.
  absl::StatusOr<std::string_view> View(uint64_t sequence, uint64_t count);
  // Whether a log can have written the header into that block.
  bool MayLieAt(const FrameHeader& header, uint64_t sequence) const;
  // The header that is in a block, if it is of this store.
  absl::StatusOr<std::optional<FrameHeader>> HeaderAt(uint64_t sequence);
  absl::StatusOr<bool> End();

  BlockDevice& device_;
  const LogArea area_;
  const uint64_t salt_;
  const uint64_t limit_;  // sequence: once round from the start
  LogPosition position_;
  FrameHeader header_;
  std::string_view records_;
  uint64_t opening_ = 0;
  bool is_torn_ = false;

  std::string cache_;  // the blocks from cache_begin_ on
  uint64_t cache_begin_ = 0;
};

}  // namespace betr::store
