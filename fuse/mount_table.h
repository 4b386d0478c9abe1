// SPDX-License-Identifier: Apache-2.0
// What the kernel says is mounted where.
#pragma once

#include <istream>
#include <string>
#include <string_view>
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

// What is mounted on the directory, on top of all else; nothing of it if nothing is, or the kernel does not tell.
MountEntry MountedOn(const std::string& directory);

// The entries of a table as /proc/self/mounts has it.
std::vector<MountEntry> ReadMountTable(std::istream& lines);

// A mount with the file system behind it, which other mounts may be of, too.
struct MountInfo {
  std::string id;
  std::string parent;  // the id of the mount that it is on
  std::string device;  // "major:minor", of the file system
  std::string root;    // what of the file system is mounted
  std::string directory;
  bool read_only = false;  // the file system, not only this mount of it
};

// As MountTable.
std::vector<MountInfo> MountInfos();

// The mounts that another process sees, by its number. Empty if it is gone, or may not be asked.
std::vector<MountInfo> MountInfosOf(const std::string& process);

// Whether something is mounted on what is at a path from the root of a file system, or below.
bool IsMountedWithin(const std::vector<MountInfo>& infos, std::string_view device, std::string_view path);

// The entries of a table as /proc/self/mountinfo has it.
std::vector<MountInfo> ReadMountInfos(std::istream& lines);

}  // namespace betr::fuse
