// SPDX-License-Identifier: Apache-2.0
// Gives back to the file system what a salvage of the store (store/offline/salvage.h) could only keep as trees without
// a name.
//
// If "meta" or "data" is missing, the newest lost tree that has what only that tree has takes its place. If there is no
// such tree, a copy of the last snapshot that is one does. Any other lost tree goes to /lost+found/node-N
// (lost_and_found.h), where N is the node that it was found as. Its keys may lack what the lost nodes above had
// stripped. So names there may lack their front, and the content of a file that was cut in its middle starts at the
// beginning of a file. RepairFileSystem then makes the directories and records that are missing.
//
// Each tree is taken over in one batch. If the program is ended, the tree is in the one place or in the other.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "betr/store.h"

namespace betr::fs {

// Returns what AdoptLostTrees would have to do: a sentence for each tree that is lost or missing. Returns none if the
// store does not hold a file system, or what is left of one. Cost: a few keys of each such tree. Errors: the device's.
absl::StatusOr<std::vector<std::string>> FindLostTrees(const Store& store);

// Whether FindLostTrees may find something in a store whose trees have these names.
bool MayHaveLostTrees(std::span<const std::string> names);

// Takes over the lost trees, drops them, and makes trees that are missing. `act` is told of each action when it is
// done. What is done is durable after the next Sync or Close. Requires: no FileSystem has mounted the store, the store
// is writable, and FindLostTrees finds something.
absl::Status AdoptLostTrees(Store* store, absl::FunctionRef<void(std::string_view)> act);

}  // namespace betr::fs
