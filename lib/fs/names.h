// SPDX-License-Identifier: Apache-2.0
// The operations on names. Contracts, errors and costs are those of FileSystem's methods of the same name.
#pragma once

#include <string_view>

#include "fs/core.h"

namespace betr::fs {

absl::StatusOr<Inode*> Create(Core& core, Inode& directory, std::string_view name, const NewFile& file);
absl::StatusOr<Inode*> CreateUnnamed(Core& core, Inode& directory, const NewFile& file);
absl::Status Link(Core& core, Inode& inode, Inode& directory, std::string_view name);
absl::Status Unlink(Core& core, Inode& directory, std::string_view name);
absl::Status RemoveDirectory(Core& core, Inode& directory, std::string_view name);
absl::Status RemoveTree(Core& core, Inode& directory, std::string_view name, RemovedTree* removed,
                        const SeenTree* seen);
absl::Status Rename(Core& core, Inode& from_directory, std::string_view from_name, Inode& to_directory,
                    std::string_view to_name, RenameMode mode);
absl::StatusOr<Inode*> Clone(Core& core, Inode& source, Inode& directory, std::string_view name);

// What is unlinked but open loses its last opener: erases it.
absl::Status ReclaimOrphan(Core& core, Inode& inode);

}  // namespace betr::fs
