// SPDX-License-Identifier: Apache-2.0
#include "mount_table.h"

#include <mntent.h>

#include <array>
#include <cstdio>

namespace betr::fuse {
namespace {

constexpr size_t kLongestLine = size_t{32} << 10;  // bytes: two paths, in which four characters may stand for one

}  // namespace

std::vector<MountEntry> MountTable() {
  std::vector<MountEntry> entries;
  FILE* const table = setmntent("/proc/self/mounts", "re");
  if (table == nullptr) return entries;
  mntent entry{};
  std::array<char, kLongestLine> line{};
  while (getmntent_r(table, &entry, line.data(), static_cast<int>(line.size())) != nullptr) {
    entries.push_back({entry.mnt_fsname, entry.mnt_dir, entry.mnt_type});
  }
  endmntent(table);
  return entries;
}

}  // namespace betr::fuse
