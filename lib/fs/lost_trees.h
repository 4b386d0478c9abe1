// SPDX-License-Identifier: Apache-2.0
// Gives the file system back what a salvage of the store (store/salvage.h) could only keep as trees without a name.
//
// A lost tree that has what only "meta" or only "data" has becomes that tree if it is missing: the newest of them; if
// there is none, what the last snapshot has that is one is shown. Any other one goes to
// /lost+found/node-N (lost_and_found.h), where N is the node that it was found as. Its keys may lack what the lost
// nodes above had stripped; so names there may be shorter at their front, and the content of a file that was cut in its
// middle begins at the beginning of a file. RepairFileSystem then makes the directories and records that are missing.
//
// Each tree is taken over in one batch, so that whoever ends the program finds it in the one place or in the other.
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

// What AdoptLostTrees would have to do, a sentence for each tree that is lost or missing: nothing if the store does not
// hold a file system, or what is left of one. Cost: a few keys of each such tree. Errors: the device's.
absl::StatusOr<std::vector<std::string>> FindLostTrees(const Store& store);

// Whether FindLostTrees may find something in a store whose trees have these names.
bool MayHaveLostTrees(std::span<const std::string> names);

// Takes over the lost trees and drops them; makes trees that are missing. `act` is told each action when it is done.
// What is done is durable after the next Sync or Close. Requires: a store that no FileSystem has mounted and that may
// be written, and FindLostTrees finds something.
absl::Status AdoptLostTrees(Store* store, absl::FunctionRef<void(std::string_view)> act);

}  // namespace betr::fs
