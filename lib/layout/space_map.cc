// SPDX-License-Identifier: Apache-2.0
#include "layout/space_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace betr::layout {
namespace {

constexpr uint64_t kNoPlace = UINT64_MAX;

// How many free ranges an allocation looks at before it gives up on being near the hint.
constexpr int kNextFitSteps = 32;

}  // namespace

Extent::~Extent() { space_->Free(address_); }

std::shared_ptr<SpaceMap> SpaceMap::Create(UnitRange area, Bytes reserve) {
  Check(area.start <= kMaxDeviceUnits && area.units <= kMaxDeviceUnits, "an area is not larger than any device");
  std::shared_ptr<SpaceMap> space(new SpaceMap(area));
  space->SetReserve(reserve);
  const MutexLock lock(space->mutex_);
  space->next_ = area.start;
  if (area.units > 0) {
    space->Insert(area);
  }
  return space;
}

absl::StatusOr<ExtentRef> SpaceMap::Allocate(uint32_t units, uint64_t hint, Privilege privilege) {
  Check(units > 0 && units <= kMaxExtentUnits, "an allocated extent has 1 to kMaxExtentUnits units");
  ExtentAddress address{kNoPlace, units};
  {
    const MutexLock lock(mutex_);
    const uint64_t kept = privilege == Privilege::kNormal ? reserve_units_ : 0;
    if (free_units_ >= units && free_units_ - units >= kept) {
      if (Roomy(units, units)) {
        address.start = FindFrom(units, hint == kNoHint ? next_ : hint);
      }
      if (address.start == kNoPlace) {
        address.start = FindBest(units);
      }
    }
    if (address.start == kNoPlace) {
      return absl::ResourceExhaustedError(
          fmt::format("no space for {} units: {} free, {} of them reserved, at most {} in one piece", units,
                      free_units_, kept, by_size_.empty() ? 0 : by_size_.rbegin()->first));
    }
    Take(address);
    next_ = address.end();
  }
  return std::make_shared<const Extent>(shared_from_this(), address);
}

absl::StatusOr<ExtentRef> SpaceMap::Claim(const ExtentAddress& address) {
  if (address.Nowhere() || address.units > kMaxExtentUnits || !area_.Covers(address)) {
    return absl::DataLossError(
        fmt::format("{}: is not inside the area from unit {} to unit {}", ToString(address), area_.start, area_.end()));
  }
  {
    const MutexLock lock(mutex_);
    if (Holding(address) == by_start_.end()) {
      return absl::DataLossError(ToString(address) + ": overlaps another extent that is in use");
    }
    Take(address);
  }
  return std::make_shared<const Extent>(shared_from_this(), address);
}

void SpaceMap::Promise(uint32_t units) {
  Check(units > 0, "a promised piece is not empty");
  const MutexLock lock(mutex_);
  ++promised_[units];
  promised_units_ += units;
}

void SpaceMap::TakeBack(uint32_t units) {
  const MutexLock lock(mutex_);
  const auto piece = promised_.find(units);
  Check(piece != promised_.end(), "a promise that is taken back was made");
  promised_units_ -= units;
  if (--piece->second == 0) {
    promised_.erase(piece);
  }
}

// Each allocation may leave remains that are too small for the largest piece: one of a range that is cut at its end,
// two of one that is cut in its middle.
bool SpaceMap::Roomy(uint64_t units, uint64_t largest) const {
  largest = std::max<uint64_t>(largest, promised_.empty() ? 1 : promised_.begin()->first);
  return free_units_ >= promised_units_ + units + (by_start_.size() + 1) * (largest - 1);
}

bool SpaceMap::Plenty() const {
  const MutexLock lock(mutex_);
  return Roomy(0, 1);
}

// Let a piece of n units be the first that finds no place. All before it were as large, so they lie in ranges that had
// n units at least, and each of those has less than n left.
bool SpaceMap::Fits(const Pieces& more) const {
  uint64_t units = 0;
  for (const auto& [piece, count] : more) {
    units += piece * count;
  }
  const MutexLock lock(mutex_);
  if (Roomy(units, more.empty() ? 1 : more.begin()->first)) {
    return true;
  }
  Pieces all = promised_;
  for (const auto& [piece, count] : more) {
    all[piece] += count;
  }
  uint64_t needed = 0;
  uint64_t usable = 0;
  uint64_t ranges = 0;
  auto range = by_size_.rbegin();
  for (const auto& [piece, count] : all) {
    for (; range != by_size_.rend() && range->first >= piece; ++range) {
      usable += range->first;
      ++ranges;
    }
    needed += piece * count;
    if (needed + ranges * (piece - 1) > usable) {
      return false;
    }
  }
  return true;
}

void SpaceMap::SetReserve(Bytes reserve) {
  const MutexLock lock(mutex_);
  reserve_units_ = UnitsFor(reserve);
}

SpaceFigures SpaceMap::Figures() const {
  const MutexLock lock(mutex_);
  const uint64_t largest = by_size_.empty() ? 0 : by_size_.rbegin()->first;
  return {UnitBytes(area_.units), UnitBytes(free_units_),     UnitBytes(reserve_units_),
          UnitBytes(largest),     UnitBytes(promised_units_), by_start_.size()};
}

std::vector<UnitRange> SpaceMap::FreeRanges() const {
  const MutexLock lock(mutex_);
  std::vector<UnitRange> ranges;
  ranges.reserve(by_start_.size());
  for (const auto& [start, units] : by_start_) {
    ranges.push_back({start, units});
  }
  return ranges;
}

uint64_t SpaceMap::FindFrom(uint32_t units, uint64_t hint) const {
  auto range = by_start_.upper_bound(hint);
  if (range != by_start_.begin()) {
    const auto& [start, size] = *std::prev(range);
    if (hint < start + size && start + size - hint >= units) {
      return hint;
    }
  }
  for (int step = 0; step < kNextFitSteps && range != by_start_.end(); ++step, ++range) {
    if (range->second >= units) {
      return range->first;
    }
  }
  return kNoPlace;
}

uint64_t SpaceMap::FindBest(uint32_t units) const {
  const auto best = by_size_.lower_bound({units, 0});
  return best == by_size_.end() ? kNoPlace : best->second;
}

std::map<uint64_t, uint64_t>::iterator SpaceMap::Holding(const ExtentAddress& address) {
  auto range = by_start_.upper_bound(address.start);
  if (range == by_start_.begin()) {
    return by_start_.end();
  }
  --range;
  return UnitRange{range->first, range->second}.Covers(address) ? range : by_start_.end();
}

void SpaceMap::Take(const ExtentAddress& address) {
  const auto range = Holding(address);
  Check(range != by_start_.end(), "space that is taken was free");
  const UnitRange whole{range->first, range->second};
  Erase(range);
  if (whole.start < address.start) {
    Insert({whole.start, address.start - whole.start});
  }
  if (address.end() < whole.end()) {
    Insert({address.end(), whole.end() - address.end()});
  }
}

void SpaceMap::Free(const ExtentAddress& address) {
  const MutexLock lock(mutex_);
  UnitRange freed{address.start, address.units};
  auto after = by_start_.lower_bound(freed.start);
  Check(after == by_start_.end() || after->first >= freed.end(), "space that is freed was used up to its end");
  if (after != by_start_.end() && after->first == freed.end()) {
    freed.units += after->second;
    Erase(after++);
  }
  if (after != by_start_.begin()) {
    const auto before = std::prev(after);
    const uint64_t before_end = before->first + before->second;
    Check(before_end <= freed.start, "space that is freed was used from its start");
    if (before_end == freed.start) {
      freed = {before->first, before->second + freed.units};
      Erase(before);
    }
  }
  Insert(freed);
}

void SpaceMap::Insert(UnitRange range) {
  by_start_.emplace(range.start, range.units);
  by_size_.emplace(range.units, range.start);
  free_units_ += range.units;
}

void SpaceMap::Erase(std::map<uint64_t, uint64_t>::iterator range) {
  free_units_ -= range->second;
  by_size_.erase({range->second, range->first});
  by_start_.erase(range);
}

}  // namespace betr::layout
