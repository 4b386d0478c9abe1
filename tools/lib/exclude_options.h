// SPDX-License-Identifier: Apache-2.0
// The options that say what is not copied.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <vector>

#include "fs/transfer/exclusions.h"
#include "tool.h"

namespace betr::tools {

struct ExcludeOptions {
  std::vector<std::string> patterns;
  std::vector<std::string> files;  // of patterns

  bool Empty() const { return patterns.empty() && files.empty(); }
};

// Adds --exclude and --exclude-from to the parser. `options` must outlive it.
void AddExcludeOptions(Tool* tool, ExcludeOptions* options);

// Returns all patterns: those given, and those in the files, one a line. Empty lines and lines that begin with # are
// skipped. Errors name the file and the line.
absl::StatusOr<fs::Exclusions> ExclusionsOf(const ExcludeOptions& options);

}  // namespace betr::tools
