// SPDX-License-Identifier: Apache-2.0
// A replay over time as a picture.
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "replay/run.h"

namespace betr::tools {

// Operations per second, what programs and device have written per second, and the seconds that the disk was busy by
// its model; the last two as far as the target knows them.
std::string FormatReplayPlot(std::string_view title, const replay::RunResult& result);

// Whether a file can be written there, without changing what there is; always if the path is empty.
absl::Status TryReplayPlot(const std::string& path);

// Writes the same into a file. Errors: of the system.
absl::Status WriteReplayPlot(const std::string& path, std::string_view title, const replay::RunResult& result);

}  // namespace betr::tools
