// SPDX-License-Identifier: Apache-2.0
// Mends what CheckStore found and what needs no guessing: reference counts, nodes that nobody names, a superblock slot
// or a copy of the catalog that is not needed. The log is left for the next opening, which replays it onto the mended
// state.
#pragma once

#include <absl/status/status.h>

#include <span>
#include <string>

#include "store/offline/check_store.h"

namespace betr::store {

// Writes a new checkpoint with everything mended that can be. `findings` are all that a full CheckStore of this look at
// the image reported. Nothing that the old checkpoint uses is written over, so a crash changes nothing. Requires:
// Repairable(findings); the device is writable and locked. Afterwards the look at the image is out of date. Errors:
// kUnimplemented if the image has features that this build may only read; kResourceExhausted; the device's.
absl::Status RepairStore(Inspection& image, std::span<const Finding> findings);

// Whether there is something to repair, and nothing that makes repairing a guess. Counts that were made where not
// everything could be read would make it one.
bool Repairable(std::span<const Finding> findings);

// "node 5: the reference count is now 2": what RepairStore does about a finding.
std::string DescribeRepair(const Finding& finding);

}  // namespace betr::store
