// SPDX-License-Identifier: Apache-2.0
// What `betrcp --clone` prints, both for an image that it opens and for a mounted one.
#pragma once

#include <absl/status/status.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tool.h"

namespace betr::tools {

struct CloneReport {
  std::string from;
  std::string to;
  std::chrono::nanoseconds took{0};
  std::optional<uint64_t> nodes_touched{};
  bool is_shared = false;  // the nodes include those that others touched meanwhile
};

// Prints a document with --json, a line with -v.
void TellOfClone(const Tool& tool, const CloneReport& report);

// The error for a destination inside the source, which is refused as cp does.
absl::Status CloneIntoItself(const std::string& to);

}  // namespace betr::tools
