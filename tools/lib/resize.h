// SPDX-License-Identifier: Apache-2.0
// resize.betr: makes an image and its file larger, or makes the file take less space.
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
// Separate, so that a test can compare the parser with the manual page. Both must outlive the parsing.
void AddResizeOptions(Tool* tool, ResizeOptions* options);

// Returns the size, in whole units, that "8G" or "+8G" means for an image of size `before`. kInvalidArgument if the
// text is not a size, is too large, or is less than one unit.
absl::StatusOr<Bytes> NewSize(const std::string& text, Bytes before);

// The whole program. Returns its exit code.
int ResizeMain(Arguments args, ToolIo& io);

}  // namespace betr::tools
