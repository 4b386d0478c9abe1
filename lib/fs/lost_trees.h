// SPDX-License-Identifier: Apache-2.0
// Gives the file system back what a salvage of the store (store/salvage.h) could only keep as trees without a name.
//
// A lost tree that has what only "meta" or only "data" has becomes that tree if it is missing. Any other one goes to
// /lost+found/node-N, where N is the node that it was found as. Its keys may lack what the lost nodes above had
// stripped; so names there may be shorter at their front, and the content of a file that was cut in its middle begins
// at the beginning of a file. RepairFileSystem then makes the directories and records that are missing.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "betr/store.h"

namespace betr::fs {

// Whether the store holds a file system, or what is left of one, and lost trees, or not all that a file system needs.
bool HasLostTrees(const Store& store);

// Takes over the lost trees and drops them; makes trees that are missing. `act` is told each action.
// Requires: a store that no FileSystem has mounted and that may be written.
absl::Status AdoptLostTrees(Store* store, absl::FunctionRef<void(std::string_view)> act);

}  // namespace betr::fs
