// SPDX-License-Identifier: Apache-2.0
// Draws a replay over time.
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "replay/run.h"

namespace betr::tools {

// Returns a picture of three figures over time: operations per second, bytes that programs and the device have written
// per second, and seconds for which the disk was busy by its model. The last two are shown as far as the target knows
// them.
std::string FormatReplayPlot(std::string_view title, const replay::RunResult& result);

// Checks that a file can be written there, without changing what is there. Always ok for an empty path.
absl::Status TryReplayPlot(const std::string& path);

// Writes the same picture to a file. Errors: those of the system.
absl::Status WriteReplayPlot(const std::string& path, std::string_view title, const replay::RunResult& result);

}  // namespace betr::tools
