// SPDX-License-Identifier: Apache-2.0
// Blocks (dag/block.h) as they are stored inside the extent of a node. Each is compressed on its own, has a checksum,
// and can be read without the others. A block that is clean moves to a node's next extent as it is, without being
// decompressed.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/compression.h"
#include "base/units.h"
#include "dag/block.h"
#include "dag/node.h"

namespace betr::layout {

// What a node's header says about one of its blocks.
struct BlockEntry {
  Bytes offset{0};  // in the node's extent
  Bytes stored_size{0};
  Bytes raw_size{0};
  Compression compression = Compression::kNone;
  uint64_t checksum = 0;  // of the stored bytes
  uint32_t count = 0;     // entries
  // How many of the entries are erases. None: nobody has counted them.
  std::optional<uint32_t> erases;

  friend bool operator==(const BlockEntry&, const BlockEntry&) = default;
};

// A block ready to be put into an extent.
struct StoredBlock {
  Compression compression = Compression::kNone;
  Bytes raw_size{0};
  uint64_t checksum = 0;
  uint32_t count = 0;
  std::optional<uint32_t> erases;
  std::string bytes;
};

StoredBlock MakeStoredBlock(const Codec& codec, const dag::Block& block);

// Checks size and checksum alone. Errors: kDataLoss saying what is wrong with which block.
absl::Status CheckStoredBlock(const BlockEntry& entry, std::string_view stored);

// Decodes a block, after checking all that can be checked. Errors: kDataLoss saying what is wrong with which block.
absl::StatusOr<std::shared_ptr<const dag::Block>> DecodeBlock(const BlockEntry& entry, std::string stored);

// Checks size and checksum of stored bytes that are to be copied as they are, and makes a StoredBlock of them.
absl::StatusOr<StoredBlock> CopyStoredBlock(const BlockEntry& entry, std::string stored);

// One of the blocks that a node needs. `shown`: the parts of it that the node's views show, in the block's own key
// space.
struct BlockUse {
  const dag::BlockSlot* slot = nullptr;
  std::vector<Range> shown;
};

// The distinct blocks of a node, in the order in which its views name them first.
std::vector<BlockUse> BlocksOf(const dag::Node& node);

// A copy of the block with only the entries that are shown, if those are less than half. Otherwise null. Views keep
// their affixes and clips. O(shown entries).
std::shared_ptr<const dag::Block> Trim(const dag::Block& block, const std::vector<Range>& shown);

}  // namespace betr::layout
