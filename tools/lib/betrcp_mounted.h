// SPDX-License-Identifier: Apache-2.0
// betrcp --clone and --remove on paths of a mounted image: the mount does it.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// Whether the operands of a command inside an image name none, so that they must be paths on a mount.
bool NamesNoImage(const Tool& tool, const BetrcpOptions& options);

// That a path is on no mount; why a mount refused a call, by errno.
absl::Status NotMounted(const std::string& path);
absl::Status MountError(const std::string& path);

// Returns an exit code. Requires: CommandOf(options) said kClone.
int CloneOnMount(Tool& tool, const BetrcpOptions& options);

// The same for kRemove: each operand, whatever becomes of the others. Nothing of other file systems is removed.
int RemoveOnMount(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
