// SPDX-License-Identifier: Apache-2.0
// The format of a converted trace: one file with the initial state, the operations, and what the trace says of itself.
// docs/replay.md has it byte by byte.
//
// A header is followed by blocks. Each block has one kind of content, and kinds come in the order of BlockKind. The
// last block is the only one with the outcome, and nothing follows it. So a file that was cut is recognised. The
// checksum of a block covers its header and its stored bytes. It is seeded with the number of the block, counted from
// 1.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/compression.h"
#include "base/units.h"

namespace betr::replay {

inline constexpr std::string_view kTraceMagic = "betrOPS1";
inline constexpr uint32_t kTraceVersion = 1;
inline constexpr size_t kTraceHeaderSize = 24;
inline constexpr size_t kBlockHeaderSize = 24;
// A writer ends a block when it has this much.
inline constexpr Bytes kUsualBlock = KiB(256);
// The most that a reader accepts: the usual size and one item more.
inline constexpr Bytes kLargestBlock = MiB(1);

enum class BlockKind : uint8_t {
  kRoot = 1,          // the directory that is replayed, as the trace names it
  kInitial = 2,       // lines of the manifest
  kRecords = 3,       // operation_codec.h
  kFinal = 4,         // lines of the listing that the trace leads to
  kUnknownModes = 5,  // paths, one a line
  kOutcome = 6,       // counts and samples
};

struct BlockHeader {
  uint64_t checksum = 0;
  BlockKind kind = BlockKind::kRoot;
  Compression compression = Compression::kNone;
  uint32_t stored_size = 0;
  uint32_t raw_size = 0;
  uint32_t items = 0;  // lines, records; else 1
};

std::string EncodeTraceHeader();
// Checks the header of the file. Errors: kDataLoss; kUnimplemented for another version.
absl::Status CheckTraceHeader(std::string_view bytes);

// Returns a whole block, with its header. `number` counts from 0.
std::string EncodeBlock(BlockKind kind, uint64_t number, uint32_t items, std::string_view raw);
// Decodes the header from a block's first bytes. Its sizes are then within the limits. Errors: kDataLoss.
absl::StatusOr<BlockHeader> DecodeBlockHeader(std::string_view bytes);
// Returns the content, decompressed. `bytes` is the whole block. Errors: kDataLoss.
absl::StatusOr<std::string> DecodeBlock(const BlockHeader& header, uint64_t number, std::string_view bytes);

// Corrects the checksum of a block that was changed. For tests that want to get past it.
void SealBlock(uint64_t number, std::string* block);

}  // namespace betr::replay
