// SPDX-License-Identifier: Apache-2.0
// A look at an image as its newest superblock has it. Nothing is replayed and nothing is written. Damage is collected
// instead of ending the look. For the checker and the dumper.
//
// Invariants
//   1. What could be read is in state(), what could not is in problems(); both may be empty.
//   2. Extents that overlap are both there: which of them is right their content must tell.
//   3. What a failing device did not give looks like damage; ReadError() tells that there is such. A repair that cuts
//      out or writes anew asks it before it writes.
//
// Threads: one while opening; then as any state. Memory: proportional to the number of nodes, plus the cache.
// Cost of opening: two superblocks and their copy, the catalog, every page of the table.
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/noting_device.h"
#include "layout/catalog_codec.h"
#include "layout/table_page.h"
#include "store/core.h"
#include "store/log/log.h"
#include "store/state.h"

namespace betr::store {

// A piece of space and what holds it. A scattered extent is several of these: one for each piece, and one for each page
// of its map.
struct UsedExtent {
  // A piece is of a scattered node, or a page of its map.
  enum class Holder : uint8_t { kNode, kPiece, kTablePage, kCatalog };
  layout::ExtentAddress extent;
  Holder holder = Holder::kNode;
  uint64_t id = 0;  // of the node; the first id of a table page; which copy of the catalog

  // "node 5", "table page of ids from 64", "catalog".
  std::string Name() const;
};

// Something that could not be read, or is in the wrong place.
struct Problem {
  enum class Part : uint8_t { kCatalog, kTable, kSpace };
  Part part;
  absl::Status status;  // kDataLoss, or the device's errors; names its place
};

class Inspection {
 public:
  // Errors: those of layout::ReadNewest; kCancelled. `device` outlives this.
  static absl::StatusOr<std::unique_ptr<Inspection>> Open(BlockDevice& device, Bytes cache_size);

  const layout::Superblock& superblock() const { return core_.superblock; }
  // Which slot the superblock is in, and what is wrong with the other one.
  size_t slot() const { return slot_; }
  const absl::Status& other_slot() const { return other_slot_; }
  // As of layout::NewestSuperblock.
  bool IsKnownNewest() const { return is_known_newest_; }
  // What is wrong with the copy (layout/superblock_copy.h).
  const absl::Status& copy() const { return copy_; }

  const layout::StoredCatalog& catalog() const { return catalog_; }
  const StatePtr& state() const { return state_; }
  // By ascending start.
  const std::vector<UsedExtent>& extents() const { return extents_; }
  uint64_t table_pages() const { return table_pages_; }
  const std::vector<Problem>& problems() const { return problems_; }
  // Whether a read has failed because the device did or because it is time to stop (kUnavailable, kCancelled). Returns
  // the first such error, of all reads that went through device() or loaded something from it; ok if there was none.
  absl::Status ReadError() const { return device_->ReadError(); }

  BlockDevice& device() { return *core_.device; }
  const layout::SpaceMap& space() const { return *core_.space; }
  LogArea log_area() const;
  uint64_t log_salt() const;
  // What a replay begins with.
  Log::Checkpoint log_start() const;

  // What writing a repaired state needs (repair_store.h, salvage.h).
  Core& core() { return core_; }
  // Takes the space, even if it is in use, and remembers what holds it. Null if there is no such space on the device.
  layout::ExtentRef Use(const UsedExtent& used);
  // The same for the scattered extent of a node, whose map is read.
  layout::ExtentRef UseScattered(const UsedExtent& used, uint64_t version);
  // Whether the page of the table that would have the node cannot be read.
  bool IsPageLost(NodeId id) const;
  // The pages that cannot be read. Nothing is known of those below them.
  const std::vector<layout::ExpectedPage>& lost_pages() const { return lost_pages_; }
  // Whether in a node's space lies something that had been taken before.
  bool Overlaps(NodeId id) const { return overlapping_.contains(id); }

 private:
  Inspection() = default;
  void Prepare(layout::Superblock superblock, Bytes cache_size);
  void ReadCatalog();
  void AddCatalog(const layout::Extent& extent, uint64_t copy);
  void ReadTable();
  void ReadPage(State& state, const layout::ExpectedPage& expected);
  void AddNode(State& state, uint64_t first_id, const layout::NodeEntry& entry);
  void FindOverlaps();
  void Damaged(Problem::Part part, const std::string& what);

  Core core_;
  NotingDevice* device_ = nullptr;  // the core's
  size_t slot_ = 0;
  absl::Status other_slot_;
  bool is_known_newest_ = true;
  absl::Status copy_;
  layout::StoredCatalog catalog_;
  StatePtr state_;
  std::vector<UsedExtent> extents_;
  std::vector<layout::ExtentRef> kept_;  // so that a repair does not write over it
  absl::flat_hash_set<NodeId> overlapping_;
  std::vector<layout::ExpectedPage> lost_pages_;
  uint64_t table_pages_ = 0;
  std::vector<Problem> problems_;
};

}  // namespace betr::store
