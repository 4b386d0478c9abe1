// SPDX-License-Identifier: Apache-2.0
// Writes all or fails: for copies, and for the pages of a kernel.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string_view>

#include "betr/filesystem.h"

namespace betr::fs {

// Writes all of `bytes`. FileSystem::Write may take only a part of what it is given, and does not say why. This writes
// the rest, and returns the error of that. What was written before stays.
absl::Status WriteAll(FileSystem* fs, InodeId inode, uint64_t offset, std::string_view bytes);

// The same, but the times of the file stay: whoever writes pages that were changed before says the times, too.
absl::Status WriteAllButTimes(FileSystem* fs, InodeId inode, uint64_t offset, std::string_view bytes);

}  // namespace betr::fs
