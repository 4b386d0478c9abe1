// SPDX-License-Identifier: Apache-2.0
// Opening the image that a tool works on, locked, with the functions that a file system's messages need.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "betr/filesystem.h"
#include "betr/store.h"
#include "tool.h"

namespace betr::tools {

enum class ImageAccess {
  kReadOnly,
  kStale,  // read-only, and as the last checkpoint has it: no lock, others may write meanwhile
  kReadWrite,
  kTrial  // as kReadWrite, but what is written stays in memory, and is gone at the end: locked as for reading
};

// --stale-ok
void AddStaleOk(Tool& tool, bool* stale_ok);
// --experiment. A wrong one is an error of usage.
void AddExperiments(Tool& tool, Experiments* experiments);
// For an error of reading a stale image: what else it may be than damage.
absl::Status ExplainStale(const absl::Status& status);
// For an error of work on a store that was closed then: with why it has become read-only, if closing said so and the
// error does not.
absl::Status WithReason(const absl::Status& failed, const absl::Status& closed);

// Options of a store on an image for `tool`: the program's name, the file system's upserts.
absl::StatusOr<StoreOptions> ImageOptions(const Tool& tool, ImageAccess access);

// Prints why an image could not be opened; the exit code for it.
int FailToOpen(Tool& tool, const absl::Status& status);

}  // namespace betr::tools
