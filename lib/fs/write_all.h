// SPDX-License-Identifier: Apache-2.0
// Writing that is done or fails: for those who copy.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string_view>

#include "betr/filesystem.h"

namespace betr::fs {

// Writes all of it. FileSystem::Write may take only a part of what it is given, and does not say why: here the rest is
// tried, and its error is the answer. What was written before stays.
absl::Status WriteAll(FileSystem* fs, InodeId inode, uint64_t offset, std::string_view bytes);

}  // namespace betr::fs
