// SPDX-License-Identifier: Apache-2.0
// The options that a mount keeps for its life: a remount may repeat them, but not change them.
#pragma once

#include <absl/status/status.h>

#include <map>
#include <string>

#include "mount_options.h"

namespace betr::fuse {

// By name, without "no": what was said, or the default.
using LastingOptions = std::map<std::string, std::string>;

// The name of the one that says whether times of access are kept: "yes" or "no", as for all that have no value.
inline constexpr char kAtimeOption[] = "atime";

LastingOptions LastingOptionsOf(const MountPlan& plan);

// kInvalidArgument, naming the last option of the command that says something else than the mount has. `plan`: of the
// command. What `mount` does not say is not compared.
absl::Status CheckRepeated(const MountCommand& command, const MountPlan& plan, const LastingOptions& mount);

}  // namespace betr::fuse
