// SPDX-License-Identifier: Apache-2.0
// What the kernel says is mounted where.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace betr::fuse {

struct MountEntry {
  std::string source;
  std::string directory;
  std::string type;
};

// In the order of mounting: of several on one directory the last is to be seen. Empty if the kernel does not tell.
// Any thread.
std::vector<MountEntry> MountTable();

// The entries of a table as /proc/self/mounts has it.
std::vector<MountEntry> ReadMountTable(std::istream& lines);

}  // namespace betr::fuse
