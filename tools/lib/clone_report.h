// SPDX-License-Identifier: Apache-2.0
// What `betrcp --clone` says, in an image that it opens and on one that is mounted.
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
  bool is_shared = false;  // the nodes are those that others have touched meanwhile, too
};

// With --json a document, with -v a line.
void TellOfClone(const Tool& tool, const CloneReport& report);

// A destination inside the source is refused, as cp does.
absl::Status CloneIntoItself(const std::string& to);

}  // namespace betr::tools
