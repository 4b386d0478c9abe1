// SPDX-License-Identifier: Apache-2.0
// What the kernel knows of a caller and a request does not say.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace betr::fuse {

// Whether a thread has CAP_FOWNER over a file of this owner and group, as in the kernel's capable_wrt_inode_uidgid: the
// capability counts in a user namespace that has both of them. False if that cannot be seen from here. Reads /proc.
// Requires: the thread waits for an answer of ours.
bool ActsAsOwner(pid_t thread, uint32_t uid, uint32_t gid);

}  // namespace betr::fuse
