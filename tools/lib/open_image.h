// SPDX-License-Identifier: Apache-2.0
// Opens the image that a tool works on, locked, with the functions that a file system's messages need.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "betr/filesystem.h"
#include "betr/store.h"
#include "tool.h"

namespace betr::tools {

enum class ImageAccess {
  kReadOnly,
  kStale,  // read-only, as the last checkpoint has it; not locked, so others may write meanwhile
  kReadWrite,
  kTrial  // as kReadWrite, but writes stay in memory and are lost at the end; locked as for reading
};

// Adds --stale-ok.
void AddStaleOk(Tool& tool, bool* stale_ok);
// Adds --experiment. A wrong value is an error of usage.
void AddExperiments(Tool& tool, Experiments* experiments);
// Adds to an error of reading a stale image what else it may be than damage.
absl::Status ExplainStale(const absl::Status& status);
// Adds to an error of work why the store has become read-only, if closing it said so and the error does not.
absl::Status WithReason(const absl::Status& failed, const absl::Status& closed);

// Returns the options of a store on an image for `tool`: with the program's name and the file system's upserts.
absl::StatusOr<StoreOptions> ImageOptions(const Tool& tool, ImageAccess access);

// Prints why an image could not be opened. Returns the exit code for it.
int FailToOpen(Tool& tool, const absl::Status& status);

}  // namespace betr::tools
