// SPDX-License-Identifier: Apache-2.0
// The free space of a device, in memory only: it is the complement of the extents that somebody holds. An extent is
// owned through references; when the last one goes its units are free again at once. So space that the stable
// state uses is not reused before the next checkpoint, simply because the store keeps the stable state's table and
// with it the references.
//
// Nodes in memory are promised the space that they will need, each as one piece of at most so many units. Fits()
// says whether all promises could be kept, whatever the free ranges look like; the store does nothing after which
// they could not. That is why a checkpoint always finds its space, if it writes the largest nodes first.
//
// Invariants
//   1. Free ranges lie inside the area, do not overlap and do not touch (touching ones are joined).
//   2. Units of the area are either in one free range or in one living Extent.
//   3. Both indexes, by address and by size, hold the same ranges.
//
// Threads: any. Cost: O(log free ranges) each; an allocation looks at no more than a few ranges beside that.
#pragma once

#include <absl/base/thread_annotations.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "layout/extent.h"

namespace betr::layout {

class SpaceMap;

// Used space. Free again when it is destroyed; keeps its map alive.
class Extent {
 public:
  Extent(std::shared_ptr<SpaceMap> space, ExtentAddress address) : space_(std::move(space)), address_(address) {}
  ~Extent();
  Extent(const Extent&) = delete;
  Extent& operator=(const Extent&) = delete;

  const ExtentAddress& address() const { return address_; }

 private:
  std::shared_ptr<SpaceMap> space_;
  ExtentAddress address_;
};

using ExtentRef = std::shared_ptr<const Extent>;

// Who asks for space. The reserve is there for what is needed to finish a checkpoint and to delete.
enum class Privilege : uint8_t { kNormal, kMayUseReserve };

// Pieces of space: how many there are of each number of units, the largest first.
using Pieces = std::map<uint32_t, uint64_t, std::greater<>>;

struct SpaceFigures {
  Bytes total{0};
  Bytes free{0};     // the reserve included
  Bytes reserve{0};  // as set, even if less than that is free
  Bytes largest{0};  // the largest free range
  Bytes promised{0};
  size_t ranges = 0;  // free ranges
};

class SpaceMap : public std::enable_shared_from_this<SpaceMap> {
 public:
  // All of `area` is free.
  static std::shared_ptr<SpaceMap> Create(UnitRange area, Bytes reserve);

  // Go on after the last allocation.
  static constexpr uint64_t kNoHint = UINT64_MAX;

  // Space of exactly that size. Next fit: the first place from unit `hint` on, if there is one among the next few
  // free ranges, so that what is allocated one after another is adjacent on disk; else, or if promises might not be
  // kept otherwise, the beginning of the smallest range that is large enough. Errors: kResourceExhausted. Requires: 0 <
  // units <= kMaxExtentUnits.
  absl::StatusOr<ExtentRef> Allocate(uint32_t units, uint64_t hint = kNoHint, Privilege privilege = Privilege::kNormal);

  // Takes a given extent out of the free space: what an opened image uses. Errors: kDataLoss if it is not wholly
  // inside the area and free.
  absl::StatusOr<ExtentRef> Claim(const ExtentAddress& address);

  // Promises a piece of space, and takes the promise back, once it is kept or not needed any more.
  void Promise(uint32_t units);
  void TakeBack(uint32_t units);
  // Whether all promised pieces and `more` find space, if the largest are allocated first, at the beginning of the
  // smallest range that will do. Cost: O(1) with plenty of space, else O(free ranges).
  bool Fits(const Pieces& more) const;
  // Whether promises are kept whatever the order and place of allocations.
  bool Plenty() const;

  // How much only privileged allocations may use.
  void SetReserve(Bytes reserve);

  SpaceFigures Figures() const;
  // Ascending.
  std::vector<UnitRange> FreeRanges() const;
  UnitRange area() const { return area_; }

 private:
  friend class Extent;
  explicit SpaceMap(UnitRange area) : area_(area) {}

  // A place for so many units; UINT64_MAX if there is none.
  uint64_t FindFrom(uint32_t units, uint64_t hint) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t FindBest(uint32_t units) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The free range that holds all of the extent; end() if there is none.
  std::map<uint64_t, uint64_t>::iterator Holding(const ExtentAddress& address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether any order and place of allocating leaves enough for all promises, and for a piece of so many units.
  bool Roomy(uint64_t units, uint64_t largest) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Take(const ExtentAddress& address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Free(const ExtentAddress& address);
  void Insert(UnitRange range) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Erase(std::map<uint64_t, uint64_t>::iterator range) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const UnitRange area_;
  mutable Mutex mutex_;
  uint64_t reserve_units_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t free_units_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_ ABSL_GUARDED_BY(mutex_) = 0;  // where the last allocation ended
  Pieces promised_ ABSL_GUARDED_BY(mutex_);
  uint64_t promised_units_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, uint64_t> by_start_ ABSL_GUARDED_BY(mutex_);            // start -> units
  std::set<std::pair<uint64_t, uint64_t>> by_size_ ABSL_GUARDED_BY(mutex_);  // (units, start)
};

}  // namespace betr::layout
