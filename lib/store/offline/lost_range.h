// SPDX-License-Identifier: Apache-2.0
// Keys of which a repair knows that something about them is gone.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "betr/bound.h"

namespace betr::store {

struct LostRange {
  std::string tree;  // its name; "" if nobody knows of which
  Range range;
  bool changes_only = false;  // the latest changes are gone; older contents show
  std::string why;            // names the structure and its place
  // Further keys in the range, which are not listed, may be lost; `why` says what limit ended the list. So whatever is
  // lost lies in some range. With changes_only it is not known whether anything is lost: contents may be older.
  bool is_partial = false;
  // Lost from a checkpoint. What its log has done since is not yet taken into account (carry_losses.h).
  bool before_log = false;
  // What was written in the range later is not lost. Where that is known key by key, the range has gaps instead.
  bool but_written = false;

  bool IsDoubt() const { return changes_only && is_partial; }
};

// What a state lacks that may not be the newest.
inline LostRange LostLater(const std::string& why) {
  return {"", Range::All(), true, "what may have been synced later: " + why};
}

// A guess that is not known to be the newest state.
inline LostRange Doubt(const std::string& what) { return {"", Range::All(), true, what + " may be older", true}; }

// The most ranges in a list, not counting partial ones. It bounds the memory of a repair.
inline constexpr size_t kMaxLostRanges = 100'000;

// Is told what a repair is about to give up, before the repair writes anything that gives it up. May be null.
using TellLosses = std::function<void(std::span<const LostRange>)>;

}  // namespace betr::store
