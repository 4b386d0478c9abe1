// SPDX-License-Identifier: Apache-2.0
// Paths that lead to what a process has open, or to where it is: `/dev/stdout`, `/proc/self/fd/3/x`, `/proc/7/cwd/x`.
// Pure; O(bytes).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "replay/trace/process_event.h"

namespace betr::replay {

struct ProcessPath {
  enum class Kind : uint8_t { kDescriptor, kDirectory, kRoot };
  Kind kind = Kind::kDescriptor;
  std::optional<ThreadNumber> thread{};  // nothing: the one that says it
  int descriptor = -1;                   // of kDescriptor
  std::string rest{};                    // the way on from there, "." if there is only a slash; empty: none
};

// Parses such a path; nothing for other paths.
std::optional<ProcessPath> ParseProcessPath(std::string_view path);

}  // namespace betr::replay
