// SPDX-License-Identifier: Apache-2.0
// Repairs an image when something is gone. What can be read is kept, the rest is cut out, and what was lost is said.
//
//   a page of the node table      its nodes are looked for on the whole device; of each the newest version is taken
//                                 that the checkpoint may have. Unless the page's checksum proves that it is what the
//                                 page had (salvage_vouch.h), it is said that what it shows may be older.
//   a node in the wrong place     is found too, by its id and write version
//   the catalog                   is made anew of the newest one that is found (salvage_trees.h); trees whose roots
//                                 are not known get names that begin with kLostTreePrefix, in the order in which their
//                                 roots were written
//   an unreadable node            becomes a null edge, or an erase where a goto named it; a root, an empty tree
//   an unreadable block           leaves its node: a gap in a leaf; buffered changes are forgotten, and what they
//                                 changed is seen as it was before
//   what only lost nodes named    becomes a tree of its own whose name begins with kLostTreePrefix. Keys have lost what
//                                 the lost nodes had stripped from their front.
//   counts, nodes nobody names    as in repair_store.h
//
// What a failing device does not give is not taken for lost. If any read fails, even of space that nothing is known of,
// nothing is changed. A copy of what the device does give can be repaired.
//
// All changes are one new checkpoint. After it the image passes CheckStore. The log stays (log_cut.h).
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/offline/inspect.h"
#include "store/offline/lost_range.h"

namespace betr::store {

inline constexpr std::string_view kLostTreePrefix = "lost+found.";

// How far what is lost is followed to the keys that show it. A node that clones share may be reached in exponentially
// many ways. Where a limit ends the search, what was not followed becomes partial ranges, a few for each tree.
struct SalvageLimits {
  uint64_t ways = 1'000'000;       // that are gone from node to node; shared out among the trees
  size_t ranges = kMaxLostRanges;  // that are listed; shared out, too
};

struct Salvaged {
  std::vector<std::string> actions;     // what was done, for people
  std::vector<LostRange> lost;          // before the log; as many as SalvageLimits allows, and partial ones
  std::vector<std::string> lost_trees;  // made of what nobody named any more
  uint64_t nodes_kept = 0;
  uint64_t nodes_lost = 0;
};

// Reads the whole device, and writes a new checkpoint. `loses` is told all that is lost before anything is written,
// even if writing then fails. Requires: the device is writable and locked. Afterwards the look at the image is out of
// date. Memory: proportional to the number of nodes on the device, plus the cache. Errors: kUnimplemented if the image
// has features that this build may only read; kResourceExhausted; kCancelled; the device's.
absl::StatusOr<Salvaged> SalvageStore(Inspection& image, const SalvageLimits& limits = {},
                                      const TellLosses& loses = nullptr);

}  // namespace betr::store
