// SPDX-License-Identifier: Apache-2.0
// Removes a whole tree in one ioctl. The kernel cannot see what that removes, so it must be told.
#pragma once

#include <string_view>

#include "server.h"

namespace betr::fuse {

// Serves BETR_IOC_REMOVE. Answers the request later, once the caches of the kernel hold nothing that is gone. That
// happens in a thread that may wait for the kernel.
void RemoveTree(fuse_req_t request, InodeId directory, std::string_view name);

}  // namespace betr::fuse
