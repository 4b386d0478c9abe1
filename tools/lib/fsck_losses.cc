// SPDX-License-Identifier: Apache-2.0
#include "fsck_losses.h"

#include "base/status.h"
#include "fs/check/describe_loss.h"
#include "store/offline/carry_losses.h"

namespace betr::tools {

void FsckLosses::Add(std::span<const store::LostRange> lost) {
  NoteCompleteness(lost);
  fs::DescribeRanges({lost.begin(), lost.end()}, [&](const fs::Loss& loss) { report_.GivingUp(loss); });
  report_.Flush();
  pending_.insert(pending_.end(), lost.begin(), lost.end());
}

void FsckLosses::NoteCompleteness(std::span<const store::LostRange> lost) {
  for (const store::LostRange& range : lost) {
    is_complete_ = is_complete_ && (!range.is_partial || range.IsDoubt());
    has_doubts_ = has_doubts_ || range.IsDoubt();
  }
}

bool FsckLosses::AreBeforeLog() const {
  return std::any_of(pending_.begin(), pending_.end(), [](const auto& range) { return range.before_log; });
}

absl::Status FsckLosses::FollowLog(store::Inspection& image) {
  BETR_ASSIGN_OR_RETURN(pending_, store::CarryThroughLog(image, pending_, limit_));
  NoteCompleteness(pending_);
  return absl::OkStatus();
}

absl::Status FsckLosses::TellByNames(const Store& store) {
  const auto before =
      std::stable_partition(pending_.begin(), pending_.end(), [](const auto& range) { return !range.before_log; });
  BETR_RETURN_IF_ERROR(
      fs::DescribeLosses(store, {pending_.begin(), before}, [&](const fs::Loss& loss) { report_.Lost(loss); }));
  pending_.erase(pending_.begin(), before);
  return absl::OkStatus();
}

void FsckLosses::TellByKeys() {
  if (pending_.empty()) return;
  if (std::any_of(pending_.begin(), pending_.end(), [](const auto& range) { return !range.tree.empty(); })) {
    report_.Note("what is lost is told by keys: which files have that cannot be told now");
  }
  if (AreBeforeLog()) {
    report_.Note("the keys are those of the last checkpoint: what the log has changed since is not seen to");
  }
  fs::DescribeRanges(std::move(pending_), [&](const fs::Loss& loss) { report_.Lost(loss); });
  pending_.clear();
}

}  // namespace betr::tools
