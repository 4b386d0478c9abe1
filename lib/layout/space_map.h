// SPDX-License-Identifier: Apache-2.0
// The free space of a device, in memory only: it is the complement of the extents that somebody holds. An extent is
// owned through references; when the last one goes its units are free again at once. So space that the stable
// state uses is not reused before the next checkpoint, simply because the store keeps the stable state's table and
// with it the references.
//
// One rule about space: units are counted, and any unit is as good as any other, because what finds no piece that is
// large enough is scattered (extent_map.h). Nodes in memory are promised the units that they may need; the store does
// nothing after which more is promised than is free. That is why a checkpoint always finds its space.
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

// Used space. Free again when it is destroyed; keeps its map alive.
class Extent {
 public:
  // Of one piece.
  Extent(std::shared_ptr<SpaceMap> space, ExtentAddress address) : space_(std::move(space)), address_(address) {}
  // Scattered.
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
  // All of `area` is free.
  static std::shared_ptr<SpaceMap> Create(UnitRange area);

  // Go on after the last allocation.
  static constexpr uint64_t kNoHint = UINT64_MAX;

  // Space of exactly that size, in one piece. Next fit: the first place from unit `hint` on, if there is one among the
  // next few free ranges, so that what is allocated one after another is adjacent on disk; else, or if space is scarce,
  // the beginning of the smallest range that is large enough. While enough is free elsewhere, the largest range is left
  // alone and allocation goes on from the beginning of the area: so what was ever used of a sparse file, and the part
  // of a disk that the head moves over, stay in proportion to what is in use. Errors: kResourceExhausted. Requires: 0 <
  // units <= kMaxExtentUnits.
  absl::StatusOr<ExtentRef> Allocate(uint32_t units, uint64_t hint = kNoHint);
  // The same; scattered if no range is large enough. Errors: kResourceExhausted if fewer than UnitsWithMap(units) are
  // free.
  absl::StatusOr<ExtentRef> AllocateAnyhow(uint32_t units, uint64_t hint = kNoHint);
  // The same, near the end of the area if there is room, wherever allocation goes on otherwise: for a second copy.
  absl::StatusOr<ExtentRef> AllocateApart(uint32_t units);
  // What AllocateAnyhow takes at most.
  static uint64_t UnitsWithMap(uint32_t units);

  // Takes a given extent of one piece out of the free space: what an opened image uses. Errors: kDataLoss if it is not
  // wholly inside the area and free.
  absl::StatusOr<ExtentRef> Claim(const ExtentAddress& address);

  // Takes as much of it as is inside the area and free, in pieces. Cost: as of a Claim for each.
  std::vector<ExtentRef> ClaimRest(const ExtentAddress& address);
  // The same; nothing if then less than `spare` units were free beside those that are promised.
  std::vector<ExtentRef> ClaimSpare(const ExtentAddress& address, uint64_t spare);

  // Promises units, and takes the promise back, once it is kept or not needed any more.
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

  // The beginning of the largest range, as much as is there.
  absl::StatusOr<ExtentRef> AllocateUpTo(uint32_t units);
  // What of the extent is free; all of it becomes used.
  std::vector<ExtentAddress> FreePieces(const ExtentAddress& address) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<ExtentRef> TakeAll(const std::vector<ExtentAddress>& pieces) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Scarce() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A place for so many units; UINT64_MAX if there is none.
  uint64_t FindNext(uint32_t units, uint64_t hint) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t FindFrom(uint32_t units, uint64_t hint) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t FindBest(uint32_t units) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether that free place is in the largest range, while enough is free elsewhere.
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
