// SPDX-License-Identifier: Apache-2.0
// Finds out whether what a copy reads or writes is the image itself, under whatever name, before anything is written.
#pragma once

#include <absl/status/status.h>

#include <string>

namespace betr::tools {

// kInvalidArgument if the archive is the image, even through a link or another node of the same device. For the archive
// "-", `stream` is the descriptor or -1. Ok if one of them does not exist. Opens nothing.
absl::Status CheckIsNotImage(const std::string& archive, int stream, const std::string& image);

// kInvalidArgument if the image has a name in the directory or below it; the message has the path. Passes over what
// cannot be looked at, since a copy reports it. Cost: lstat for each entry.
absl::Status CheckIsOutside(const std::string& image, const std::string& directory);

}  // namespace betr::tools
