// SPDX-License-Identifier: Apache-2.0
// Removal of a whole tree: what the kernel cannot see, as it happens in one ioctl, and must be told.
#pragma once

#include <string_view>

#include "server.h"

namespace betr::fuse {

// BETR_IOC_REMOVE. Answers the request later: in a thread that may wait for the kernel, when nothing that is gone is in
// its caches any more.
void RemoveTree(fuse_req_t request, InodeId directory, std::string_view name);

}  // namespace betr::fuse
