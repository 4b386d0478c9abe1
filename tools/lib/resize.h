// SPDX-License-Identifier: Apache-2.0
// resize.betr: makes an image larger, and the file that it is in; or has that file take less space.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>

#include "tool.h"

namespace betr::tools {

struct ResizeOptions {
  std::string image;
  std::string size;  // as it was typed; empty: that of the file or device
  bool dry_run = false;
  bool trim = false;
};

ToolDescription ResizeDescription();
// Separate, so that a test can compare the parser with the manual page. Both outlive the parsing.
void AddResizeOptions(Tool* tool, ResizeOptions* options);

// What "8G" or "+8G" makes of an image of that size, in whole units. kInvalidArgument for what is no size, or too
// large.
absl::StatusOr<Bytes> NewSize(const std::string& text, Bytes before);

// The whole program. Returns its exit code.
int ResizeMain(Arguments args, ToolIo& io);

}  // namespace betr::tools
