// SPDX-License-Identifier: Apache-2.0
#include "fs/zone_mover.h"

#include <utility>

#include "base/status.h"

namespace betr::fs {

ZoneMover::ZoneMover(Core* core, Bytes zone_size, std::vector<PrefixMove> moves, std::unique_ptr<Mover> larger,
                     std::unique_ptr<Mover> smaller)
    : core_(*core),
      zone_size_(zone_size),
      moves_(std::move(moves)),
      larger_(std::move(larger)),
      smaller_(std::move(smaller)) {}

absl::StatusOr<Bytes> ZoneMover::Size() const {
  Bytes size{0};
  for (const PrefixMove& move : moves_) {
    BETR_ASSIGN_OR_RETURN(const RangeEstimate estimate, core_.store().Estimate(move.tree, Range::Prefix(move.from)));
    size += estimate.bytes;
  }
  return size;
}

absl::Status ZoneMover::Prepare(Slot* to) {
  BETR_RETURN_IF_ERROR(core_.Flush());  // what is pending counts
  BETR_ASSIGN_OR_RETURN(const Bytes size, Size());
  mover_ = size > zone_size_ ? larger_.get() : smaller_.get();
  return mover_->Prepare(to);
}

void ZoneMover::AddTo(WriteBatch* batch) { mover_->AddTo(batch); }

absl::Status ZoneMover::Finish() { return mover_->Finish(); }

}  // namespace betr::fs
