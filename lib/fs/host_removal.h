// SPDX-License-Identifier: Apache-2.0
// Removing trees on the host.
#pragma once

#include <absl/status/status.h>

#include <optional>
#include <string>

#include "fs/host_directory.h"
#include "fs/tree_copy.h"

namespace betr::fs {

// Removes what has `name` in `directory`, with everything below it; symbolic links are not followed. What is mounted
// somewhere in it, and be it another directory of the same file system, and the image stay: EBUSY. The first thing that
// cannot be removed ends this, and what was removed before is gone. kAborted as HostDirectory::Leave.
absl::Status RemoveHostTree(HostDirectory* directory, const std::string& name, const std::string& path,
                            const std::optional<HostFileId>& image);

}  // namespace betr::fs
