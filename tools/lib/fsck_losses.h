// SPDX-License-Identifier: Apache-2.0
// What a repair loses. It is told in any case: by keys before it is given up, whatever becomes of the repair then; and
// by files, names and bytes as soon as the store can be read again, as the log leaves them.
#pragma once

#include <absl/status/status.h>

#include <span>
#include <vector>

#include "betr/store.h"
#include "fsck_report.h"
#include "store/offline/inspect.h"
#include "store/offline/lost_range.h"

namespace betr::tools {

// One thread.
class FsckLosses {
 public:
  // `report` must outlive this. FollowLog makes at most `limit` ranges of those that were added.
  FsckLosses(FsckReport& report, size_t limit) : report_(report), limit_(limit) {}

  // Adds ranges that are about to be lost, and tells them by keys. Requires: nothing that gives them up has been
  // written yet.
  void Add(std::span<const store::LostRange> lost);
  // Whether some of these ranges are still to be followed through the log.
  bool AreBeforeLog() const;
  // Follows the ranges through the log. Requires: the log can be replayed to its end, and has not been replayed for
  // good. Errors: those of reading it; then nothing has changed.
  absl::Status FollowLog(store::Inspection& image);
  // Tells by names everything added since the last time, except what is still to be followed through the log. Errors:
  // those of reading the store; then it is still to be told.
  absl::Status TellByNames(const Store& store);
  // Tells by keys what is still to be told.
  void TellByKeys();

  bool AllTold() const { return pending_.empty(); }
  // Whether everything lost was listed so far, apart from what nobody knows.
  bool IsComplete() const { return is_complete_; }
  // Whether some of what is shown may be older than it should be.
  bool HasDoubts() const { return has_doubts_; }

 private:
  void NoteCompleteness(std::span<const store::LostRange> lost);

  FsckReport& report_;
  const size_t limit_;
  std::vector<store::LostRange> pending_;
  bool is_complete_ = true;
  bool has_doubts_ = false;
};

}  // namespace betr::tools
