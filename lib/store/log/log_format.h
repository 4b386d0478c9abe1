// SPDX-License-Identifier: Apache-2.0
// The redo log as bytes: where its blocks lie, and what is in a frame. docs/log.md gives the reasons.
//
// The area is a ring of 4 KiB blocks. Blocks are counted from the beginning of the store: block number s lies in
// block s mod Blocks() of the area. A frame is what one write put there, whole blocks from its sequence number on:
//   offset 0    8  checksum of bytes 8 to 79
//          8    8  magic "betrLOG1"
//         16    8  salt: names the store
//         24    8  sequence: number of the frame's first block
//         32    8  chain: the first field of the frame before; of the first frame ever, 0
//         40    8  opening: larger than that of any frame that was in the area when the store was opened
//         48    8  durable: every block before this number was durable when the frame was written
//         56    8  LSN of the first record
//         64    4  length of the records in bytes
//         68    4  number of records, not 0
//         72    8  checksum of all bytes from 80 to the end of the last block
//         80  ...  records: { 4 length of payload; 8 LSN; payload }, one after the other
//              ...  zeros to the end of the block
//
// 1. A header lies in one sector, so it is never torn. An intact header in its own place was written by a log. What it
//    says of `durable` is true, whether or not the rest of its frame arrived. (The exception is content that somebody
//    made to look like one, who knew the image's UUID and where in the log it would come to lie.)
// 2. The first field covers `chain` and the checksum of the records. So it names the whole history of the log.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"
#include "device/block_device.h"

namespace betr::store {

// Where the log lies. Requires: whole blocks, at least kMinSize.
struct LogArea {
  Bytes offset;
  Bytes size;

  static constexpr Bytes kMinSize = KiB(64);

  uint64_t Blocks() const { return size / kBlockSize; }
};

// A place between two frames. The next frame has this sequence number and this chain value. A new log begins at {}.
struct LogPosition {
  uint64_t sequence = 0;
  uint64_t chain = 0;

  friend bool operator==(const LogPosition&, const LogPosition&) = default;
};

struct FrameHeader {
  static constexpr size_t kSize = 80;

  uint64_t salt = 0;
  LogPosition position;
  uint64_t opening = 0;
  uint64_t durable = 0;
  Lsn first_lsn;
  uint32_t record_bytes = 0;
  uint32_t record_count = 0;
  uint64_t record_checksum = 0;
  uint64_t checksum = 0;  // the first field: filled by StoreFrameHeader and LoadFrameHeader

  // How many blocks the frame takes.
  uint64_t Blocks() const;
  // Where the frame after this one begins.
  LogPosition End() const { return {position.sequence + Blocks(), checksum}; }
};

struct LogRecord {
  static constexpr size_t kHeaderSize = 12;

  Lsn lsn;
  std::string_view payload;
};

// Checks that the area is as LogArea requires and lies on the device. Errors: kInvalidArgument.
absl::Status CheckLogArea(const BlockDevice& device, const LogArea& area);

// How many blocks a frame with so many bytes of records takes.
uint64_t FrameBlocks(uint64_t record_bytes);

// Writes the kSize bytes at `out`, and sets header->checksum. Requires: out.size() >= kSize.
void StoreFrameHeader(FrameHeader* header, std::span<char> out);

// Reads the header that the bytes begin with. Nothing if they begin with none that is intact. Bounds nothing: the
// numbers are only what was written. Requires: bytes.size() >= kSize.
std::optional<FrameHeader> LoadFrameHeader(std::string_view bytes);

// Appends one record. Requires: the payload has less than 4 GiB.
void AppendRecord(Lsn lsn, std::string_view payload, std::string* out);

// Takes the first record off the front of `*records`. kDataLoss if they do not begin with one.
absl::StatusOr<LogRecord> TakeRecord(std::string_view* records);

// Read or write whole blocks from number `sequence` on, going on at the start of the area where it ends. One device
// operation, or two. Requires: not more blocks than there are.
absl::Status ReadLogBlocks(BlockDevice& device, const LogArea& area, uint64_t sequence, std::span<char> out);
absl::Status WriteLogBlocks(BlockDevice& device, const LogArea& area, uint64_t sequence, std::string_view data);

// The largest payload that a log of this area takes: a quarter of it, and never more than 1 GiB.
Bytes MaxLogPayload(const LogArea& area);

// The most blocks that a frame takes: as many as kFrameTarget bytes need, or one record of the largest payload.
inline constexpr Bytes kFrameTarget = MiB(1);
uint64_t MaxFrameBlocks(const LogArea& area);

// The most that a log has written without a flush before the frame that it writes last. So whatever a crash leaves
// behind begins within this distance of what was durable.
inline constexpr Bytes kMaxUnflushed = MiB(4);

}  // namespace betr::store
