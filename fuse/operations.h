// SPDX-License-Identifier: Apache-2.0
// The operations of a mount, by subject. Each function adds its own to libfuse's table.
#pragma once

#include "server.h"

namespace betr::fuse {

void AddSessionOperations(fuse_lowlevel_ops* ops);    // init, statfs
void AddNameOperations(fuse_lowlevel_ops* ops);       // lookup, create, unlink, rename, link, ...
void AddAttributeOperations(fuse_lowlevel_ops* ops);  // getattr, setattr, readlink
void AddXattrOperations(fuse_lowlevel_ops* ops);
void AddContentOperations(fuse_lowlevel_ops* ops);    // open, read, write, fallocate, ...
void AddDirectoryOperations(fuse_lowlevel_ops* ops);  // opendir, readdirplus, ...
void AddIoctlOperations(fuse_lowlevel_ops* ops);

}  // namespace betr::fuse
