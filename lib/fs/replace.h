// SPDX-License-Identifier: Apache-2.0
// How copies of trees and archives take names that are in use, as cp(1) does. A directory that is copied is merged with
// one that is there. Anything else that is copied replaces what is there, unless that is a directory. The other two
// cases are refused (EISDIR, ENOTDIR), so that no copy removes a tree.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string_view>

#include "betr/filesystem.h"

namespace betr::fs {

// EISDIR or ENOTDIR unless what is copied (`is_directory`) may take the name of what is there (`was_directory`).
absl::Status CheckReplaces(bool was_directory, bool is_directory);

// Makes `file`, or finds the directory to merge with. The caller forgets the inode.
absl::StatusOr<Entry> CreateOrReplace(FileSystem* fs, InodeId parent, std::string_view name, const NewFile& file);

// Makes another name for `inode`, which is no directory. Does nothing if it already has that name.
absl::Status LinkOrReplace(FileSystem* fs, InodeId inode, InodeId parent, std::string_view name);

}  // namespace betr::fs
