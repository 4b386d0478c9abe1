// SPDX-License-Identifier: Apache-2.0
// The upsert that changes part of a block without reading it.
//
// A block is a value of up to 4096 bytes. What is missing at its end reads as zero. An absent block is a hole.
//
// A delta is a list of edits, applied in order. Each is a kind u8, then
//   write      1: offset varint, bytes with length   extends the value with zeros up to the offset if need be
//   zero       2: offset varint, size varint         never extends, never fills a hole
//   truncate   3: size varint                        cuts what is behind
// A value that becomes empty makes the block absent. A delta that cannot be decoded, or that leads beyond 4096 bytes,
// changes nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "betr/upsert.h"

namespace betr::fs {

inline constexpr uint16_t kBlockUpsert = 17;

struct BlockEdit {
  enum class Kind : uint8_t { kWrite = 1, kZero = 2, kTruncate = 3 };
  Kind kind = Kind::kWrite;
  uint32_t offset = 0;     // of write and zero; the new size for truncate
  uint32_t size = 0;       // of zero
  std::string_view bytes;  // of write
};

// Encode deltas of one edit. Require: it stays within 4096 bytes.
std::string EncodeBlockWrite(uint32_t offset, std::string_view bytes);
std::string EncodeBlockZero(uint32_t offset, uint32_t size);
std::string EncodeBlockTruncate(uint32_t size);

// Returns nothing if the delta cannot be decoded. The views point into `delta`.
std::vector<BlockEdit> DecodeBlockDelta(std::string_view delta);

class BlockUpsert final : public UpsertFunction {
 public:
  uint16_t Number() const override { return kBlockUpsert; }
  std::string_view Name() const override { return "betr.fs.block"; }
  std::optional<std::string> Apply(std::optional<std::string_view> old, std::string_view delta) const override;
  // Composes up to 16 edits with up to 4096 bytes in all. Writes that touch or overlap become one.
  std::optional<std::string> Compose(std::string_view older, std::string_view newer) const override;
};

}  // namespace betr::fs
