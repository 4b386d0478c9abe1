// SPDX-License-Identifier: Apache-2.0
// The part of the checker that looks at the record of one inode.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string_view>

#include "fs/check/check_context.h"

namespace betr::fs {

// Numbers above the bound by no more than this would be given to new files before long. Those farther above came from
// another context.
inline constexpr uint64_t kNumbersAhead = uint64_t{1} << 40;

// Checks that the stored number of an inode, or of a zone, lies below the bound, unless it came from another context.
void CheckNumber(CheckContext* context, std::string_view key, uint64_t number);

// Checks that the record counts `links` links. The finding says what they are links "of".
void CheckLinks(CheckContext* context, std::string_view key, const InodeRecord& record, uint64_t links,
                std::string_view of);

// Checks that every external xattr is there, with its size. A repair takes those that are not out of `record`, too.
absl::Status CheckXattrs(CheckContext* context, std::string_view key, InodeRecord* record);

}  // namespace betr::fs
