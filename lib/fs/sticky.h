// SPDX-License-Identifier: Apache-2.0
// Removing and renaming on behalf of callers whom the sticky bit of a directory binds. Whose the names are is asked
// under the lock: what a server, or its kernel, has seen before may be something else by now.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <functional>
#include <string_view>

#include "betr/filesystem.h"
#include "fs/place.h"

namespace betr::fs {

// Is asked, with the lock held, before a name in a sticky directory goes or is given to something else, and says
// whether it may. Must not call the file system. An empty one allows everything.
using StickyCheck = std::function<absl::Status(uint32_t directory_owner, const FileAttributes& victim)>;

// Asks about a taken slot. Costs nothing unless the directory is sticky.
absl::Status CheckSticky(const Slot& slot, const StickyCheck& check);

// The methods of FileSystem of these names, with the errors of `check`, before anything is done. What is renamed loses
// a name, and so does what it replaces or changes places with.
absl::Status UnlinkChecked(FileSystem* fs, InodeId parent, std::string_view name, const StickyCheck& check);
absl::Status RemoveDirectoryChecked(FileSystem* fs, InodeId parent, std::string_view name, const StickyCheck& check);
absl::Status RenameChecked(FileSystem* fs, InodeId from_parent, std::string_view from_name, InodeId to_parent,
                           std::string_view to_name, RenameMode mode, const NewFile* left, const StickyCheck& check);

}  // namespace betr::fs
