// SPDX-License-Identifier: Apache-2.0
#include "layout/space_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/status.h"
#include "layout/extent_map.h"

namespace betr::layout {
namespace {

constexpr uint64_t kNoPlace = UINT64_MAX;

// How many free ranges an allocation looks at before it gives up on being near the hint.
constexpr int kNextFitSteps = 32;

// The largest free range is left alone while enough is free elsewhere: kSpread times as much as is used, and at least
// kLeastSpread units. Then what is free elsewhere is still in pieces that are large compared with a node.
constexpr uint64_t kSpread = 3;
constexpr uint64_t kLeastSpread = UnitsFor(MiB(64));

}  // namespace

Extent::~Extent() {
  if (space_ != nullptr) space_->Free(address_);
}

std::shared_ptr<SpaceMap> SpaceMap::Create(UnitRange area) {
  Check(area.start <= kMaxDeviceUnits && area.units <= kMaxDeviceUnits, "an area is not larger than any device");
  std::shared_ptr<SpaceMap> space(new SpaceMap(area));
  const MutexLock lock(space->mutex_);
  space->next_ = area.start;
  if (area.units > 0) space->Insert(area);
  return space;
}

absl::StatusOr<ExtentRef> SpaceMap::Allocate(uint32_t units, uint64_t hint) {
  Check(units > 0 && units <= kMaxExtentUnits, "an allocated extent has 1 to kMaxExtentUnits units");
  ExtentAddress address{kNoPlace, units};
  {
    const MutexLock lock(mutex_);
    if (!Scarce()) address.start = FindNext(units, hint == kNoHint ? next_ : hint);
    if (address.start == kNoPlace) address.start = FindBest(units);
    if (address.start == kNoPlace) {
      return absl::ResourceExhaustedError(fmt::format("no space for {} units: {} free, at most {} in one piece", units,
                                                      free_units_, by_size_.empty() ? 0 : by_size_.rbegin()->first));
    }
    Take(address);
    next_ = address.end();
  }
  return std::make_shared<const Extent>(shared_from_this(), address);
}

// A scattered extent gets the pages of its map first, then pieces of the largest ranges.
absl::StatusOr<ExtentRef> SpaceMap::AllocateAnyhow(uint32_t units, uint64_t hint) {
  absl::StatusOr<ExtentRef> whole = Allocate(units, hint);
  if (!absl::IsResourceExhausted(whole.status()) || units == 1) return whole;
  std::vector<ExtentRef> pages;
  while (pages.size() < MaxMapPages(units)) {
    BETR_ASSIGN_OR_RETURN(pages.emplace_back(), Allocate(1));
  }
  std::vector<ExtentRef> pieces;
  for (uint32_t left = units; left > 0; left -= pieces.back()->address().units) {
    BETR_ASSIGN_OR_RETURN(pieces.emplace_back(), AllocateUpTo(left));
  }
  pages.resize((pieces.size() + kPiecesPerPage - 1) / kPiecesPerPage);
  return std::make_shared<const Extent>(units, std::move(pieces), std::move(pages));
}

absl::StatusOr<ExtentRef> SpaceMap::AllocateApart(uint32_t units) {
  ExtentAddress address{kNoPlace, units};
  {
    const MutexLock lock(mutex_);
    int steps = kNextFitSteps;
    for (auto range = by_start_.rbegin(); range != by_start_.rend() && steps > 0; ++range, --steps) {
      if (range->second >= units) {
        address.start = range->first + range->second - units;
        Take(address);
        break;
      }
    }
  }
  return address.start == kNoPlace ? AllocateAnyhow(units)
                                   : std::make_shared<const Extent>(shared_from_this(), address);
}

absl::StatusOr<ExtentRef> SpaceMap::AllocateUpTo(uint32_t units) {
  ExtentAddress address;
  {
    const MutexLock lock(mutex_);
    if (by_size_.empty()) {
      return absl::ResourceExhaustedError(fmt::format("no space for {} units: none is free", units));
    }
    const auto& [largest, start] = *by_size_.rbegin();
    address = {start, static_cast<uint32_t>(std::min<uint64_t>(units, largest))};
    Take(address);
  }
  return std::make_shared<const Extent>(shared_from_this(), address);
}

uint64_t SpaceMap::UnitsWithMap(uint32_t units) { return uint64_t{units} + MaxMapPages(units); }

absl::StatusOr<ExtentRef> SpaceMap::Claim(const ExtentAddress& address) {
  if (address.Nowhere() || address.scattered || address.units > kMaxExtentUnits || !area_.Covers(address)) {
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

std::vector<ExtentRef> SpaceMap::ClaimRest(const ExtentAddress& address) {
  const MutexLock lock(mutex_);
  return TakeAll(FreePieces(address));
}

std::vector<ExtentRef> SpaceMap::ClaimSpare(const ExtentAddress& address, uint64_t spare) {
  const MutexLock lock(mutex_);
  const std::vector<ExtentAddress> pieces = FreePieces(address);
  uint64_t units = spare;
  for (const ExtentAddress& piece : pieces) units += piece.units;
  return free_units_ < promised_units_ + units ? std::vector<ExtentRef>() : TakeAll(pieces);
}

void SpaceMap::Promise(uint64_t units) {
  const MutexLock lock(mutex_);
  promised_units_ += units;
}

void SpaceMap::TakeBack(uint64_t units) {
  const MutexLock lock(mutex_);
  Check(units <= promised_units_, "a promise that is taken back was made");
  promised_units_ -= units;
}

bool SpaceMap::Fits(uint64_t units) const {
  const MutexLock lock(mutex_);
  return free_units_ >= promised_units_ + units;
}

std::vector<ExtentRef> SpaceMap::TakeAll(const std::vector<ExtentAddress>& pieces) {
  std::vector<ExtentRef> extents;
  extents.reserve(pieces.size());
  for (const ExtentAddress& piece : pieces) {
    Take(piece);
    extents.push_back(std::make_shared<const Extent>(shared_from_this(), piece));
  }
  return extents;
}

// While space is scarce, a place that fits matters more than one near the hint.
bool SpaceMap::Scarce() const { return free_units_ < promised_units_ + area_.units / 16; }

SpaceFigures SpaceMap::Figures() const {
  const MutexLock lock(mutex_);
  const uint64_t largest = by_size_.empty() ? 0 : by_size_.rbegin()->first;
  return {UnitBytes(area_.units), UnitBytes(free_units_), UnitBytes(largest), UnitBytes(promised_units_),
          by_start_.size()};
}

std::vector<UnitRange> SpaceMap::FreeRanges() const {
  const MutexLock lock(mutex_);
  std::vector<UnitRange> ranges;
  ranges.reserve(by_start_.size());
  for (const auto& [start, units] : by_start_) ranges.push_back({start, units});
  return ranges;
}

std::vector<ExtentAddress> SpaceMap::FreePieces(const ExtentAddress& address) const {
  std::vector<ExtentAddress> pieces;
  auto range = by_start_.upper_bound(address.start);
  if (range != by_start_.begin()) --range;
  for (; range != by_start_.end() && range->first < address.end(); ++range) {
    const uint64_t start = std::max(range->first, address.start);
    const uint64_t end = std::min(range->first + range->second, address.end());
    if (start < end) pieces.push_back({start, static_cast<uint32_t>(end - start)});
  }
  return pieces;
}

uint64_t SpaceMap::FindNext(uint32_t units, uint64_t hint) const {
  const uint64_t next = FindFrom(units, hint);
  if (next == kNoPlace || !LeftAlone(next)) return next;
  const uint64_t again = FindFrom(units, area_.start);
  return again == kNoPlace ? next : again;
}

bool SpaceMap::LeftAlone(uint64_t start) const {
  const auto& [largest, largest_start] = *by_size_.rbegin();
  const uint64_t spread = std::max(kLeastSpread, kSpread * (area_.units - free_units_));
  return start >= largest_start && start - largest_start < largest && free_units_ - largest >= spread;
}

uint64_t SpaceMap::FindFrom(uint32_t units, uint64_t hint) const {
  auto range = by_start_.upper_bound(hint);
  if (range != by_start_.begin()) {
    const auto& [start, size] = *std::prev(range);
    if (hint < start + size && start + size - hint >= units) return hint;
  }
  for (int step = 0; step < kNextFitSteps && range != by_start_.end(); ++step, ++range) {
    if (range->second >= units) return range->first;
  }
  return kNoPlace;
}

uint64_t SpaceMap::FindBest(uint32_t units) const {
  const auto best = by_size_.lower_bound({units, 0});
  return best == by_size_.end() ? kNoPlace : best->second;
}

std::map<uint64_t, uint64_t>::iterator SpaceMap::Holding(const ExtentAddress& address) {
  auto range = by_start_.upper_bound(address.start);
  if (range == by_start_.begin()) return by_start_.end();
  --range;
  return UnitRange{range->first, range->second}.Covers(address) ? range : by_start_.end();
}

void SpaceMap::Take(const ExtentAddress& address) {
  const auto range = Holding(address);
  Check(range != by_start_.end(), "space that is taken was free");
  const UnitRange whole{range->first, range->second};
  Erase(range);
  if (whole.start < address.start) Insert({whole.start, address.start - whole.start});
  if (address.end() < whole.end()) Insert({address.end(), whole.end() - address.end()});
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
