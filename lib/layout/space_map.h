// SPDX-License-Identifier: Apache-2.0
// The free space of a device, in memory only. It is the complement of the extents that somebody holds. An extent is
// owned through references. When the last one goes, its units are free again at once. The store keeps the table of the
// stable state, and with it references to all space that this state uses. So none of that is reused before the next
// checkpoint.
//
// One rule about space: units are counted, and any unit is as good as any other. This holds because an extent that
// finds no piece that is large enough is scattered (extent_map.h). Nodes in memory are promised the units that they may
// need. The store does nothing after which more is promised than is free. That is why a checkpoint always finds its
// space.
//
// Invariants
//   1. Free ranges lie inside the area, do not overlap and do not touch (touching ones are joined).
//   2. Units of the area are either in one free range or in one living Extent.
//   3. Both indexes, by address and by size, hold the same ranges.
//
// Threads: any. Cost: O(log free ranges) for each piece.
#pragma once

#include <absl/base/thread_annotations.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "layout/extent.h"

namespace betr::layout {

class SpaceMap;

class Extent;
using ExtentRef = std::shared_ptr<const Extent>;

// Used space. It is free again when this is destroyed. Keeps its space map alive.
class Extent {
 public:
  // An extent of one piece.
  Extent(std::shared_ptr<SpaceMap> space, ExtentAddress address) : space_(std::move(space)), address_(address) {}
  // A scattered extent.
  Extent(uint32_t units, std::vector<ExtentRef> pieces, std::vector<ExtentRef> map_pages)
      : address_{map_pages.front()->address().start, units, true},
        pieces_(std::move(pieces)),
        map_pages_(std::move(map_pages)) {}
  ~Extent();
  Extent(const Extent&) = delete;
  Extent& operator=(const Extent&) = delete;

  const ExtentAddress& address() const { return address_; }
  // Of a scattered extent; else empty.
  const std::vector<ExtentRef>& pieces() const { return pieces_; }
  const std::vector<ExtentRef>& map_pages() const { return map_pages_; }
  // All that it takes, the map included.
  Bytes Space() const { return UnitBytes(address_.units + map_pages_.size()); }

 private:
  std::shared_ptr<SpaceMap> space_;  // null if scattered
  ExtentAddress address_;
  std::vector<ExtentRef> pieces_;
  std::vector<ExtentRef> map_pages_;
};

struct SpaceFigures {
  Bytes total{0};
  Bytes free{0};
  Bytes largest{0};  // the largest free range
  Bytes promised{0};
  size_t ranges = 0;  // free ranges
};

class SpaceMap : public std::enable_shared_from_this<SpaceMap> {
 public:
  // A map in which all of `area` is free.
  static std::shared_ptr<SpaceMap> Create(UnitRange area);

  // Go on after the last allocation.
  static constexpr uint64_t kNoHint = UINT64_MAX;

  // Allocates exactly that many units, in one piece. Next fit: takes the first place from unit `hint` on, if there is
  // one among the next few free ranges. So what is allocated one after another is adjacent on disk. If there is none,
  // or if space is scarce, takes the beginning of the smallest range that is large enough.
  //
  // While enough is free elsewhere, the largest range is left alone and allocation goes on from the beginning of the
  // area. So what was ever used of a sparse file, and the part of a disk that the head moves over, stay in proportion
  // to what is in use. Errors: kResourceExhausted. Requires: 0 < units <= kMaxExtentUnits.
  absl::StatusOr<ExtentRef> Allocate(uint32_t units, uint64_t hint = kNoHint);
  // The same, but the extent is scattered if no range is large enough. Errors: kResourceExhausted if fewer than
  // UnitsWithMap(units) are free.
  absl::StatusOr<ExtentRef> AllocateAnyhow(uint32_t units, uint64_t hint = kNoHint);
  // The same for a second copy: near the end of the area if there is room, wherever allocation goes on otherwise.
  absl::StatusOr<ExtentRef> AllocateApart(uint32_t units);
  // The most units that AllocateAnyhow takes, the map included.
  static uint64_t UnitsWithMap(uint32_t units);

  // Takes a given extent of one piece out of the free space: one that an opened image uses. Errors: kDataLoss if it is
  // not wholly inside the area and free.
  absl::StatusOr<ExtentRef> Claim(const ExtentAddress& address);

  // Takes as much of the extent as is inside the area and free, in pieces. Cost: that of a Claim for each.
  std::vector<ExtentRef> ClaimRest(const ExtentAddress& address);
  // The same, but takes nothing if fewer than `spare` units would then be free beside those that are promised.
  std::vector<ExtentRef> ClaimSpare(const ExtentAddress& address, uint64_t spare);

  // Promise units, and take a promise back once it is kept or not needed any more.
  void Promise(uint64_t units);
  void TakeBack(uint64_t units);
  // Whether so many units are free beside those that are promised.
  bool Fits(uint64_t units) const;

  SpaceFigures Figures() const;
  // Ascending.
  std::vector<UnitRange> FreeRanges() const;
  UnitRange area() const { return area_; }

 private:
  friend class Extent;
  explicit SpaceMap(UnitRange area) : area_(area) {}

  // Takes the beginning of the largest range: `units`, or as many as it has.
  absl::StatusOr<ExtentRef> AllocateUpTo(uint32_t units);
  // The parts of the extent that are free, for the caller to take.
  std::vector<ExtentAddress> FreePieces(const ExtentAddress& address) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<ExtentRef> TakeAll(const std::vector<ExtentAddress>& pieces) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Scarce() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Find a place for so many units; UINT64_MAX if there is none.
  uint64_t FindNext(uint32_t units, uint64_t hint) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t FindFrom(uint32_t units, uint64_t hint) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t FindBest(uint32_t units) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether that free place is to be left alone: it is in the largest range, and enough is free elsewhere.
  bool LeftAlone(uint64_t start) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The free range that holds all of the extent; end() if there is none.
  std::map<uint64_t, uint64_t>::iterator Holding(const ExtentAddress& address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Take(const ExtentAddress& address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Free(const ExtentAddress& address);
  void Insert(UnitRange range) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Erase(std::map<uint64_t, uint64_t>::iterator range) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const UnitRange area_;
  mutable Mutex mutex_;
  uint64_t free_units_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_ ABSL_GUARDED_BY(mutex_) = 0;  // where the last allocation ended
  uint64_t promised_units_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, uint64_t> by_start_ ABSL_GUARDED_BY(mutex_);            // start -> units
  std::set<std::pair<uint64_t, uint64_t>> by_size_ ABSL_GUARDED_BY(mutex_);  // (units, start)
};

}  // namespace betr::layout
