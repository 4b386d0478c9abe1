// SPDX-License-Identifier: Apache-2.0
#include "store/trim.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/status.h"
#include "store/headroom.h"
#include "store/impl.h"

namespace betr {
namespace {

// Limits of a portion, and the part of what the store can spare that it should be. An open store does without a portion
// for a moment. A writer that needs more space waits for that moment.
constexpr uint32_t kPortion = 1 << 14;  // units: 64 MiB
constexpr uint32_t kLeastPortion = 1 << 4;
constexpr uint64_t kPartOfSpare = 16;

}  // namespace

absl::StatusOr<Bytes> store::ForEachPortion(const layout::SpaceMap& space, const TrimOptions& options, uint32_t units,
                                            VisitPortion visit) {
  const uint64_t first = layout::UnitsFor(options.begin);
  const uint64_t last = options.end / layout::kUnit;
  Bytes sum{0};
  for (const layout::UnitRange& range : space.FreeRanges()) {
    const uint64_t end = std::min(range.end(), last);
    uint64_t from = std::max(range.start, first);
    if (from >= end || layout::UnitBytes(end - from) < options.least) continue;
    for (uint32_t size = 0; from < end; from += size) {
      size = static_cast<uint32_t>(std::min<uint64_t>(units, end - from));
      BETR_ASSIGN_OR_RETURN(const Bytes done, visit({from, size}));
      sum += done;
    }
  }
  return sum;
}

absl::StatusOr<Bytes> Store::Impl::Trim(const TrimOptions& options) {
  if (const absl::Status status = GiveBackNow(); !absl::IsResourceExhausted(status)) BETR_RETURN_IF_ERROR(status);
  signals_.AwaitCheckpoints();  // otherwise what they keep would not count as free
  const layout::SpaceFigures space = core_->space->Figures();
  const Bytes needed = space.promised + core_->reserve;
  const uint64_t spare = space.free < needed ? 0 : (space.free - needed) / layout::kUnit;
  const uint64_t units = std::clamp<uint64_t>(spare / kPartOfSpare, kLeastPortion, kPortion);
  return store::ForEachPortion(*core_->space, options, static_cast<uint32_t>(units),
                               [&](const layout::ExtentAddress& portion) { return TrimPortion(portion); });
}

absl::StatusOr<Bytes> Store::Impl::TrimPortion(const layout::ExtentAddress& portion) {
  std::optional<store::Signals::Step> under_way;  // outlives `claimed`; whoever makes room waits for it
  std::vector<layout::ExtentRef> claimed;
  {
    const MutexLock lock(write_mutex_);
    BETR_RETURN_IF_ERROR(CheckOpen());
    BETR_RETURN_IF_ERROR(core_->health.status());
    under_way.emplace(signals_);
    // No other writer and no step is at work. So nobody has found space that they have not promised or taken yet.
    BETR_RETURN_IF_ERROR(structure_.WithoutSteps([&] {
      const uint64_t checkpoint = store::CheckpointUnits(*core_, fronts_, *fronts_.state());
      claimed = core_->space->ClaimSpare(portion, layout::UnitsFor(core_->reserve) + checkpoint);
      return absl::OkStatus();
    }));
  }
  Bytes sum{0};
  for (const layout::ExtentRef& extent : claimed) {
    BETR_RETURN_IF_ERROR(core_->device->Discard(extent->address().Offset(), extent->address().Size()));
    sum += extent->address().Size();
  }
  return sum;
}

}  // namespace betr
