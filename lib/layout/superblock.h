// SPDX-License-Identifier: Apache-2.0
// The superblock says what an image is and where its current state begins. There are two slots at the start of the
// device. A checkpoint becomes the stable state by one write: that of the slot that holds the older generation. A copy
// at the end of the image (superblock_copy.h) is for repair.
//
// One slot, 4096 bytes, integers little-endian (docs/format.md tells the story):
//   offset 0    8  magic "BETRFS01"
//          8   16  uuid
//         24   64  label, padded with zeros
//         88    2  format version, major        90  2  minor        92  4  zeros
//         96    8  compatible features         104  8  read-only-compatible    112  8  incompatible
//        120    8  generation
//        128    8  device size in units
//        136    8  log area: first unit        144  8  units
//        152    8  node size                   160  8  basement size           168  4  fanout
//        172    1  compression of new trees    173  1  its level               174  2  zeros
//        176    8  checkpoint LSN              184  8  log head: first frame to replay
//        192    8  next node id                200  8  next tree id            208  8  next write version
//        216    8  made at, nanoseconds since 1970 UTC (signed)
//        224   32  node table: root page's unit (8), units (4: 1, or 0 for an empty table), level (1), zeros (3),
//                  checksum (8), number of nodes (8)
//        256   24  catalog: unit (8), units (4), zeros (4), checksum (8)
//        280   64  made by, padded with zeros
//        344    8  log chain: what the first frame to replay names as its predecessor
//        352    8  log opening: the log ends at its head, if not 0
//        360   16  second copy of the catalog: unit (8), units (4), zeros (4)
//        376    8  write version of the session that has begun to write, or 0
//        384    4  reserve, in ten-thousandths of what there is for extents; 0: the usual one
//        388    4  zeros
//        392    8  first write version of the image; 0: FirstVersionOf(uuid)
//        400       zeros
//        504    8  checksum of bytes 0 to 503
//        512       zeros
//
// Invariants
//   1. Generation g lives in slot g mod 2, so one that is in the wrong place is not taken for good.
//   2. The extents that it names lie behind the log and before the copy.
//   3. What it refers to was durable before it was written.
//   4. All that counts lies in one sector: a crash leaves the superblock that was there or the new one, never a
//      mixture. So one that is neither is damage.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/compression.h"
#include "base/units.h"
#include "base/uuid.h"
#include "layout/extent.h"

namespace betr::layout {

// Where things are that do not move. A slot is one unit.
inline constexpr Bytes kSlotOffset[2] = {Bytes{0}, KiB(4)};
inline constexpr Bytes kOwnerOffset = KiB(8);  // device/owner_record.h
inline constexpr Bytes kLogOffset = KiB(64);

inline constexpr std::string_view kSuperblockMagic = "BETRFS01";
// The largest value that something counted up (ids, LSNs, versions) may have in a superblock. So nothing overflows as
// long as anybody writes.
inline constexpr uint64_t kMaxCounter = uint64_t{1} << 62;
inline constexpr size_t kLabelSize = 64;
inline constexpr size_t kMadeBySize = 64;

// Images of another major version cannot be read. A larger minor version adds only what the feature masks say.
inline constexpr uint16_t kFormatMajor = 1;
inline constexpr uint16_t kFormatMinor = 0;

// Bits of format features.
struct Features {
  uint64_t compatible = 0;            // unknown: ignore
  uint64_t read_only_compatible = 0;  // unknown: open read-only
  uint64_t incompatible = 0;          // unknown: do not open

  friend bool operator==(const Features&, const Features&) = default;
};
// Read-only-compatible: bytes 384 to 399 say something. Set if and only if they do.
inline constexpr uint64_t kTuned = 1;
// Incompatible: nodes and the node table may say how many entries there are. Interior nodes may say how many of those
// in their blocks are erases. Whoever writes nodes does so, and therefore sets it.
inline constexpr uint64_t kCounted = 1;
inline constexpr Features kKnownFeatures{.read_only_compatible = kTuned, .incompatible = kCounted};

// The first write version of an image that is made with this uuid, below 2^61. Nodes of other images may be left behind
// on the device, or lie in a file of this image. Because of their versions, a search for nodes (scan.h) does not take
// them for nodes of this one.
uint64_t FirstVersionOf(const Uuid& uuid);

struct Superblock {
  Uuid uuid;
  std::string label;
  uint16_t minor_version = kFormatMinor;
  Features features;
  Generation generation;
  uint64_t device_units = 0;
  UnitRange log;
  Bytes node_size{0};
  Bytes basement_size{0};
  uint32_t fanout = 0;
  Codec codec;  // of new trees
  Lsn checkpoint_lsn;
  uint64_t log_head = 0;   // opaque here: the log's number of the first frame to replay,
  uint64_t log_chain = 0;  // and what it names as its predecessor (store/log/log_format.h)
  // After a clean end not 0: then the log ends at its head, and no frame has a larger opening number. It is set to 0
  // before anything is written behind the head.
  uint64_t log_opening = 0;
  NodeId next_node_id;
  TreeId next_tree_id;
  uint64_t next_version = 0;     // what the checkpoint consists of has write versions below
  uint64_t session_version = 0;  // the first one of the session that wrote last; 0: none has
  std::chrono::nanoseconds made_at{0};
  std::string made_by;
  TableAddress table;
  CatalogAddress catalog;
  BasisPoints reserve;         // of the extent area; 0: the usual one
  uint64_t first_version = 0;  // 0: that of the uuid

  friend bool operator==(const Superblock&, const Superblock&) = default;

  // What extents are allocated from: everything behind the log except the unit of the copy.
  UnitRange ExtentArea() const { return {log.end(), CopyUnit() - log.end()}; }
  // Whether bytes 384 to 399 say something.
  bool IsTuned() const { return reserve.value != 0 || first_version != 0; }
  // No node of the image has a smaller write version.
  uint64_t FirstVersion() const { return first_version == 0 ? FirstVersionOf(uuid) : first_version; }
  // The unit of the copy: the last one.
  uint64_t CopyUnit() const { return device_units - 1; }
  // No write had this version or a larger one: none of the checkpoint, none after it, and none that a crash has lost.
  // Requires: each session that writes first records where its versions begin.
  uint64_t UnusedVersion() const;
  // Whether this build may write to the image. / The same as a status. Errors: kUnimplemented naming the features if it
  // may not.
  bool Writable() const { return CheckWritable().ok(); }
  absl::Status CheckWritable() const;
};

// Whether both are of one image: they have the same uuid, or began with the same one when the image was made. The
// second condition is for images that were given another uuid. A crash in the midst of that leaves superblocks with
// both uuids. One more crash, in the session after that, leaves a copy with the old uuid beside slots of a newer state.
bool AreOfOneImage(const Superblock& a, const Superblock& b);

// Checks that what a superblock says is possible at all, whatever the device: sizes are in their limits, everything is
// in its place. Errors: kDataLoss naming the field, what it says and what is allowed.
absl::Status CheckSuperblock(const Superblock& superblock);

// Exactly one unit. Requires: CheckSuperblock is ok.
std::string EncodeSuperblock(const Superblock& superblock);

// Requires: bytes.size() == kUnit. Errors: kNotFound if there is no magic; kDataLoss; kUnimplemented for another
// major version or unknown incompatible features.
absl::StatusOr<Superblock> DecodeSuperblock(std::string_view bytes);

}  // namespace betr::layout
