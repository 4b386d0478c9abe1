// SPDX-License-Identifier: Apache-2.0
// A node is stored in one extent: a header section of whole units, then its blocks one after another. Each block is
// there once, however many views show it. A reader loads the header section, and then only the blocks that it needs.
//
// Header section, integers little-endian:
//   offset 0    8  magic "betrNODE"
//          8    8  checksum of byte 16 to the end of the section
//         16    2  format version: 2; or 1 of a node that says nothing of entries and erases
//         18    1  height            19  1  compression of the node's blocks    20  1  its level    21  3  zeros
//         24    8  node id           32  8  write version
//         40    4  units of the header section    44  4  units of the extent    48  4  size of the body
//         52    2  known entries (dag/node.h)    54  10  zeros
//         64  ...  body, then zeros
// Body; a bound is varint 2 * size + (1 if past), bytes; a string is varint size, bytes:
//   bound lo, bound hi                                     the node's bounds
//   varint blocks, each: varint stored size, varint raw size, u8 compression, u64 checksum, varint entries,
//     and of interior nodes varint erases + 1, or 0 if nobody has counted them
//   interior: varint edges, the bounds between them, then each edge:
//     u8 flags: 1 target, 2 translation, 4 runs, 8 gotos   then what the flags say, in this order
//     varint target;  string translation;  varint runs, each a view;  varint gotos, each:
//       u8 flags: 1 target, 2 translation, 4 lo, 8 hi
//       bound lo;  bound hi;  varint target, u8 target height;  string translation;  then always varint over
//   leaf: varint basements, each a view
//   view: u8 flags: 1 lo, 2 hi, 4 affix;  varint block;  bound lo;  bound hi;  string strip, string prepend
// A lo that is not given is the end of the basement or goto before, for the first one and for runs the lo of the
// holder (the edge, or the leaf's bounds). A hi that is not given is that of the holder.
//
// Invariants of the stored form
//   1. The first block begins where the header section ends, each other one where the one before ends; the extent
//      ends in the last one's unit.
//   2. Views name blocks in the order of the table: each names one that was named before, or the next one; so no
//      block is without a view.
//   3. What may be left out is left out, so that a node has one stored form.
//   4. The node passes CheckNode (node_check.h).
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/helpers.h"
#include "dag/node.h"
#include "layout/extent.h"
#include "layout/stored_block.h"

namespace betr::layout {

// No header section is larger: 64 MiB.
inline constexpr uint32_t kMaxHeaderUnits = 1 << 14;

// Gives a block of the node as it is to be stored: copied from where it was, or compressed. It is trimmed if the use
// shows little of it. Must be thread-safe if there are helpers.
using FetchBlock = std::function<absl::StatusOr<StoredBlock>(const BlockUse&)>;

struct NodeImage {
  std::string bytes;          // whole units
  uint32_t header_units = 0;  // of them, the header section
  struct StoredSlot {
    const dag::BlockSlot* slot = nullptr;
    BlockEntry entry;
    // The stored block lacks entries that the slot has, so it serves this node only. The slot, which other nodes may
    // share, must not be made to read from it.
    bool trimmed = false;
  };
  std::vector<StoredSlot> blocks;

  uint32_t Units() const { return static_cast<uint32_t>(UnitsFor({bytes.size()})); }
};

// Encodes a node. `version` is different for every write of any node of the image. The node table has it too, so a
// stale or misplaced node is not taken for the right one. Errors: what `fetch` says; kInternal if the node breaks an
// invariant or is too large to be stored. Cost: what `fetch` costs and a copy of the node.
absl::StatusOr<NodeImage> EncodeNode(NodeId id, uint64_t version, const dag::Node& node, const FetchBlock& fetch,
                                     Helpers* helpers = nullptr);

// Makes the slot through which a block is read when asked for.
using MakeBlockSlot = std::function<std::shared_ptr<const dag::BlockSlot>(const BlockEntry&)>;

// Decodes a node from its header section, `header`, in an extent of that size. `make_slot` is called once for each
// block, in the order of the table, and only once its entry was found to be sound. Errors: kDataLoss naming the node,
// the byte, what is wrong.
absl::StatusOr<dag::Node> DecodeNode(NodeId id, uint64_t version, std::string_view header, Bytes extent_size,
                                     const MakeBlockSlot& make_slot);

}  // namespace betr::layout
