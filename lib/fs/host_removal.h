// SPDX-License-Identifier: Apache-2.0
// Removing trees on the host.
#pragma once

#include <absl/status/status.h>
#include <sys/types.h>

#include <map>
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

// How many of its names each file would have lost, directories left out.
using LostNames = std::map<HostFileId, nlink_t>;

// Removes nothing, but looks at everything that RemoveHostTree would remove, and adds it to `lost`. Its errors, as far
// as a look tells.
absl::Status TryToRemoveHostTree(HostDirectory* directory, const std::string& name, const std::string& path,
                                 const std::optional<HostFileId>& image, LostNames* lost);

}  // namespace betr::fs
