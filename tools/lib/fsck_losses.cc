// SPDX-License-Identifier: Apache-2.0
#include "fsck_losses.h"

#include "base/status.h"
#include "fs/describe_loss.h"

namespace betr::tools {

void FsckLosses::Add(std::span<const store::LostRange> lost) {
  for (const store::LostRange& range : lost) {
    is_complete_ = is_complete_ && (!range.is_partial || range.IsDoubt());
    has_doubts_ = has_doubts_ || range.IsDoubt();
  }
  fs::DescribeRanges({lost.begin(), lost.end()}, [&](const fs::Loss& loss) { report_.GivingUp(loss); });
  report_.Flush();
  pending_.insert(pending_.end(), lost.begin(), lost.end());
}

absl::Status FsckLosses::TellByNames(const Store& store) {
  BETR_RETURN_IF_ERROR(fs::DescribeLosses(store, pending_, [&](const fs::Loss& loss) { report_.Lost(loss); }));
  pending_.clear();
  return absl::OkStatus();
}

void FsckLosses::TellByKeys() {
  if (pending_.empty()) {
    return;
  }
  if (std::any_of(pending_.begin(), pending_.end(), [](const auto& range) { return !range.tree.empty(); })) {
    report_.Note("what is lost is told by keys: which files have that cannot be told now");
  }
  fs::DescribeRanges(std::move(pending_), [&](const fs::Loss& loss) { report_.Lost(loss); });
  pending_.clear();
}

}  // namespace betr::tools
