// SPDX-License-Identifier: Apache-2.0
// Clones of files whose times come later than their content, from a kernel that gathers writes (WriteAllButTimes).
#pragma once

#include <absl/status/statusor.h>

#include <string_view>
#include <vector>

#include "betr/filesystem.h"

namespace betr::fs {

// As FileSystem::Clone. But those of `files` whose content was written since somebody said their times appear in the
// clone as changed now. Nobody will say the times of the clone, and those of before the change would hide it from
// programs that compare them. The files themselves keep theirs. Ids that are not known are ignored.
absl::StatusOr<Entry> CloneWithLateTimes(FileSystem* fs, const std::vector<InodeId>& files, InodeId source,
                                         InodeId parent, std::string_view name, const SeenOwner* seen);

}  // namespace betr::fs
