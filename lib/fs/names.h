// SPDX-License-Identifier: Apache-2.0
// The operations on names. Their contracts, errors and costs are those of the FileSystem methods of the same names.
#pragma once

#include <string_view>

#include "fs/core.h"
#include "fs/sticky.h"

namespace betr::fs {

absl::StatusOr<Inode*> Create(Core& core, Inode& directory, std::string_view name, const NewFile& file);
absl::StatusOr<Inode*> CreateUnnamed(Core& core, Inode& directory, const NewFile& file);
absl::Status Link(Core& core, Inode& inode, Inode& directory, std::string_view name);
absl::Status Unlink(Core& core, Inode& directory, std::string_view name, const StickyCheck& check = {});
absl::Status RemoveDirectory(Core& core, Inode& directory, std::string_view name, const StickyCheck& check = {});
absl::Status RemoveTree(Core& core, Inode& directory, std::string_view name, RemovedTree* removed,
                        const SeenTree* seen);
absl::Status Rename(Core& core, Inode& from_directory, std::string_view from_name, Inode& to_directory,
                    std::string_view to_name, RenameMode mode, const NewFile* left, const StickyCheck& check = {});
absl::StatusOr<Inode*> Clone(Core& core, Inode& source, Inode& directory, std::string_view name);

// Erases a file that is unlinked and has just lost its last opener.
absl::Status ReclaimOrphan(Core& core, Inode& inode);

}  // namespace betr::fs
