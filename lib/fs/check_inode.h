// SPDX-License-Identifier: Apache-2.0
// What the checker looks at in the record of one inode.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string_view>

#include "fs/check_context.h"

namespace betr::fs {

// Numbers that are no farther above the bound would be given to new files before long; others came from another
// context.
inline constexpr uint64_t kNumbersAhead = uint64_t{1} << 40;

// The stored number of an inode, or of a zone, lies below the bound, unless it came from another context.
void CheckNumber(CheckContext* context, std::string_view key, uint64_t number);

// There are so many links; "of" what is for the finding.
void CheckLinks(CheckContext* context, std::string_view key, const InodeRecord& record, uint64_t links,
                std::string_view of);

// Every external xattr is there, with its size. A repair takes those that are not out of `record`, too.
absl::Status CheckXattrs(CheckContext* context, std::string_view key, InodeRecord* record);

}  // namespace betr::fs
