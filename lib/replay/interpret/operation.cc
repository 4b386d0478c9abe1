// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/operation.h"

#include <array>

namespace betr::replay {

std::string_view NameOf(OperationKind kind) {
  static constexpr std::array<std::string_view, kOperationKinds> kNames{
      "lookup",   "open",   "create",   "close",     "read",     "write",       "append",   "truncate",
      "allocate", "copy",   "sync",     "fsync",     "seek",     "stat",        "readlink", "list",
      "mkdir",    "mknod",  "symlink",  "link",      "unlink",   "rmdir",       "rename",   "chmod",
      "chown",    "utimes", "getxattr", "listxattr", "setxattr", "removexattr", "statfs",   "forget"};
  return kNames.at(static_cast<size_t>(kind));
}

}  // namespace betr::replay
