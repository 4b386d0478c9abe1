// SPDX-License-Identifier: Apache-2.0
// The options that a mount keeps for its lifetime. A remount may repeat them but not change them.
#pragma once

#include <absl/status/status.h>

#include <map>
#include <string>

#include "mount_options.h"

namespace betr::fuse {

// The values by option name, which is without "no". A value is what was said, or the default.
using LastingOptions = std::map<std::string, std::string>;

// Says whether access times are kept. Like all options without a value, it is "yes" or "no".
inline constexpr char kAtimeOption[] = "atime";

LastingOptions LastingOptionsOf(const MountPlan& plan);

// kInvalidArgument if an option of the command differs from what the mount has; the message names the last such option.
// `plan` is that of the command. Options that `mount` does not contain are not compared.
absl::Status CheckRepeated(const MountCommand& command, const MountPlan& plan, const LastingOptions& mount);

}  // namespace betr::fuse
