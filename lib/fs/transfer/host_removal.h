// SPDX-License-Identifier: Apache-2.0
// Removes trees on the host.
#pragma once

#include <absl/status/status.h>
#include <sys/types.h>

#include <map>
#include <optional>
#include <string>

#include "fs/transfer/host_directory.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

// Removes what has `name` in `directory`, with everything below it. Symbolic links are not followed. The image stays,
// and so does what is mounted somewhere in it, even another directory of the same file system: both are EBUSY. The
// first thing that cannot be removed ends this. What was removed before is gone. kAborted as from HostDirectory::Leave.
absl::Status RemoveHostTree(HostDirectory* directory, const std::string& name, const std::string& path,
                            const std::optional<HostFileId>& image);

// How many of its names each file would have lost. Without directories.
using LostNames = std::map<HostFileId, nlink_t>;

// Looks at everything that RemoveHostTree would remove, and adds it to `lost`, but removes nothing. Errors: those of
// RemoveHostTree, as far as looking can tell.
absl::Status TryToRemoveHostTree(HostDirectory* directory, const std::string& name, const std::string& path,
                                 const std::optional<HostFileId>& image, LostNames* lost);

}  // namespace betr::fs
