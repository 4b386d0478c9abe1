// SPDX-License-Identifier: Apache-2.0
// Carries out a plan of mkfs.betr.
#pragma once

#include <absl/status/status.h>

#include <memory>
#include <optional>

#include "mkfs_plan.h"
#include "transfer.h"

namespace betr::tools {

// Makes the file if there is none, the file system in it, and its content. `target` is what OpenTarget returned.
// Returns the number of files that were copied into it, if any were to be.
//
// The same options, input and time give the same bytes. For this, what was in the file before is dropped first, and the
// store works in one thread.
//
// A file that this makes appears only when it is complete. After an error, or if a signal ends the program, nothing is
// left of it (device/unseen_file.h, removed_if_killed.h). A file that was there before holds no file system after an
// error.
absl::StatusOr<std::optional<fs::CopyTotals>> MakeFileSystem(const Tool& tool, const MkfsOptions& options,
                                                             const MkfsPlan& plan, std::unique_ptr<FileDevice> target);

}  // namespace betr::tools
