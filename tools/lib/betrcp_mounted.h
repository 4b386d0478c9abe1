// SPDX-License-Identifier: Apache-2.0
// betrcp --clone and --remove on paths of a mounted image. The mount does the work. Also what all commands for such
// paths share.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "base/scoped_fd.h"
#include "betrcp_options.h"

namespace betr::tools {

// Whether no operand of a command inside an image names an image. They must then be paths on a mount.
bool NamesNoImage(const Tool& tool, const BetrcpOptions& options);

// The errors for a path that is on no mount, and for a call that a mount refused (from errno).
absl::Status NotMounted(const std::string& path);
absl::Status MountError(const std::string& path);

// Opens a file or a directory on a mount for reading. Refuses anything else, which may do anything when it is opened:
// only files and directories are `done`, as in "compared".
absl::StatusOr<ScopedFd> OpenOnMount(const std::string& path, std::string_view done);

// Clones on a mount. Returns an exit code. Requires: CommandOf(options) returned kClone.
int CloneOnMount(Tool& tool, const BetrcpOptions& options);

// The same for kRemove. Removes each operand, whatever becomes of the others, but nothing of other file systems.
int RemoveOnMount(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
