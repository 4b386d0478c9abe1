// SPDX-License-Identifier: Apache-2.0
// Whether what a copy reads or writes is the image itself: known before anything is written, under whatever name.
#pragma once

#include <absl/status/status.h>

#include <string>

namespace betr::tools {

// kInvalidArgument if the archive is the image: by a link, or by another node of the same device, too. `archive` "-" is
// `stream`, a descriptor or -1. What is not there is nothing. Opens nothing.
absl::Status CheckIsNotImage(const std::string& archive, int stream, const std::string& image);

// kInvalidArgument, with the path, if the image has a name in the directory or below it. What cannot be looked at is
// passed over: a copy tells of it. Cost: lstat for each entry.
absl::Status CheckIsOutside(const std::string& image, const std::string& directory);

}  // namespace betr::tools
