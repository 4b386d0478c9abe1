// SPDX-License-Identifier: Apache-2.0
// BETR_IOC_COMPARE and BETR_IOC_DIFFERENCES: who may know how files differ, and what is told.
#pragma once

#include <cstdint>

#include "fuse_api.h"
#include "open_files.h"

namespace betr::fuse {

// Begins the comparison of what the handle is open for, `before`, with a source (OpenFiles::SourceOf). Answers the
// request later.
void Compare(fuse_req_t request, InodeId before, Handle* handle, uint64_t after);

// Answers with what comes next in the handle's comparison.
void TellDifferences(fuse_req_t request, Handle* handle);

}  // namespace betr::fuse
