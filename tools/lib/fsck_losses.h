// SPDX-License-Identifier: Apache-2.0
// What a repair loses, told in any case: by keys before it is given up, whatever becomes of the repair then; and by
// files, names and bytes as soon as the store can be read again.
#pragma once

#include <absl/status/status.h>

#include <span>
#include <vector>

#include "betr/store.h"
#include "fsck_report.h"
#include "store/lost_range.h"

namespace betr::tools {

// One thread.
class FsckLosses {
 public:
  // `report` outlives this.
  explicit FsckLosses(FsckReport& report) : report_(report) {}

  // Nothing was written yet that gives these up.
  void Add(std::span<const store::LostRange> lost);
  // All that was added since the last time, by names. Errors: of reading the store; then it is still to be told.
  absl::Status TellByNames(const Store& store);
  // What is still to be told.
  void TellByKeys();

  bool AllTold() const { return pending_.empty(); }
  // Whether all that is lost was listed so far, but for what nobody knows.
  bool IsComplete() const { return is_complete_; }
  // Whether some of what is shown may be older than it should be.
  bool HasDoubts() const { return has_doubts_; }

 private:
  FsckReport& report_;
  std::vector<store::LostRange> pending_;
  bool is_complete_ = true;
  bool has_doubts_ = false;
};

}  // namespace betr::tools
