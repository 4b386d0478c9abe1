// SPDX-License-Identifier: Apache-2.0
// How copies take names that are in use, from trees as from archives, and as cp(1) does: a directory that is there is
// merged with one that is copied, what is no directory takes the place of what is none. Anything else is refused, so
// that no copy removes a tree: EISDIR, ENOTDIR.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string_view>

#include "betr/filesystem.h"

namespace betr::fs {

// Whether what `is_directory` may take the name of what `was_directory`.
absl::Status CheckReplaces(bool was_directory, bool is_directory);

// Makes `file`, or finds the directory that is to be merged. The caller forgets the inode.
absl::StatusOr<Entry> CreateOrReplace(FileSystem* fs, InodeId parent, std::string_view name, const NewFile& file);

// Makes another name for `inode`, which is no directory; nothing if the name is one of its names already.
absl::Status LinkOrReplace(FileSystem* fs, InodeId inode, InodeId parent, std::string_view name);

}  // namespace betr::fs
