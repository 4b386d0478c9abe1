// SPDX-License-Identifier: Apache-2.0
// What a repair loses, told in any case: by keys before it is given up, whatever becomes of the repair then; and by
// files, names and bytes as soon as the store can be read again, as the log leaves them.
#pragma once

#include <absl/status/status.h>

#include <span>
#include <vector>

#include "betr/store.h"
#include "fsck_report.h"
#include "store/inspect.h"
#include "store/lost_range.h"

namespace betr::tools {

// One thread.
class FsckLosses {
 public:
  // `report` outlives this. No more ranges than `limit` are made of what is added.
  FsckLosses(FsckReport& report, size_t limit) : report_(report), limit_(limit) {}

  // Nothing was written yet that gives these up.
  void Add(std::span<const store::LostRange> lost);
  // Whether some of that is still to be followed through the log.
  bool AreBeforeLog() const;
  // Follows it. Requires: what is in the log was not replayed for good, and can be replayed to its end. Errors: of
  // reading it; then nothing has changed.
  absl::Status FollowLog(store::Inspection& image);
  // All that was added since the last time, by names, but for what is before the log. Errors: of reading the store;
  // then it is still to be told.
  absl::Status TellByNames(const Store& store);
  // What is still to be told.
  void TellByKeys();

  bool AllTold() const { return pending_.empty(); }
  // Whether all that is lost was listed so far, but for what nobody knows.
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
