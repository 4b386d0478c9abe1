// SPDX-License-Identifier: Apache-2.0
// What is said not to be copied.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "fs/exclusions.h"
#include "tool.h"

namespace betr::tools {

struct ExcludeOptions {
  std::vector<std::string> patterns;
  std::vector<std::string> files;  // of patterns

  bool Empty() const { return patterns.empty() && files.empty(); }
};

// Adds --exclude and --exclude-from to the parser. `options` outlives it.
void AddExcludeOptions(Tool* tool, ExcludeOptions* options);

// All patterns, and those in the files: one a line; empty lines, and those that begin with #, are none. Errors name the
// file and the line.
absl::StatusOr<fs::Exclusions> ExclusionsOf(const ExcludeOptions& options);

}  // namespace betr::tools
