// SPDX-License-Identifier: Apache-2.0
// BETR_IOC_COMPARE and BETR_IOC_DIFFERENCES: who may learn how files differ, and what they are told.
#pragma once

#include <cstdint>

#include "fuse_api.h"
#include "open_files.h"

namespace betr::fuse {

// Begins a comparison of `before`, the inode that the handle has open, with the source `after` (OpenFiles::SourceOf).
// Answers the request later.
void Compare(fuse_req_t request, InodeId before, Handle* handle, uint64_t after);

// Answers with the next differences of the handle's comparison.
void TellDifferences(fuse_req_t request, Handle* handle);

}  // namespace betr::fuse
