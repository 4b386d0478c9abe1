// SPDX-License-Identifier: Apache-2.0
// Decides whose the names are that refer to a link group and that its home does not list.
//
// A clone's link groups have the numbers of those that they are copies of. So if a clone has lost its groups, its names
// seem to refer to those of the home above: the originals. A name that the list has lost is still a name of its group.
// A name that was never in the list must not become one: it would show another file's content, and share it from then
// on. So a name
//
//   below another home that should have the group        is lost;
//   with nothing doubtful on its way up to the home      is the group's, as far as links are left for it: links that
//                                                        nothing is listed for; by a guess also those for which a name
//                                                        is listed that is gone (it was renamed, and the change is
//                                                        lost)
//   below /lost+found, with the end of such a name       is that one, by a guess;
//   below another directory whose record was lost        is the group's, by a guess, as far as links are left that
//                                                        nothing is listed for.
//
// Where there are more names than links left, nobody knows which ones are the group's: all of these are lost.
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "fs/check/check_context.h"

namespace betr::fs {

// A group, and its names.
struct GroupCount {
  uint32_t links = 0;   // as the record says
  uint32_t listed = 0;  // in the home
  uint32_t names = 0;   // of these, that are references to it; and others that are its own
  bool has_unlisted = false;
  std::vector<std::string> gone;  // listed names that are no references to it; only with `has_unlisted`
  bool is_open = false;           // there are names that only a salvage decides on

  void Add(std::string_view name, bool is_true) {
    ++listed;
    names += is_true ? 1 : 0;
    if (has_unlisted && !is_true) gone.emplace_back(name);
  }
};

// Settles which unlisted names are the group's. Requires: the scan of "meta" is over, and all that the home lists has
// been added.
absl::Status SettleUnlisted(CheckContext* context, const std::string& home, uint64_t id, GroupCount* count);

}  // namespace betr::fs
