// SPDX-License-Identifier: Apache-2.0
// Doing what a plan of mkfs.betr says.
#pragma once

#include <absl/status/status.h>

#include <memory>
#include <optional>

#include "mkfs_plan.h"
#include "transfer.h"

namespace betr::tools {

// Makes the file if there is none, the file system in it, and its content. `target` is what OpenTarget gave. The number
// of files that were copied into it, if any were to be.
//
// The same options, input and time give the same bytes: what was in a file before is dropped first, and the store works
// in one thread.
//
// A file that this makes appears when it is whole: after an error, or if a signal ends the program, nothing is left of
// it (device/unseen_file.h, removed_if_killed.h). One that was there holds no file system after an error.
absl::StatusOr<std::optional<TransferCounts>> MakeFileSystem(const Tool& tool, const MkfsOptions& options,
                                                             const MkfsPlan& plan, std::unique_ptr<FileDevice> target);

}  // namespace betr::tools
