// SPDX-License-Identifier: Apache-2.0
// What is mounted where, as the kernel tells it.
#pragma once

#include <istream>
#include <string>
#include <string_view>
#include <vector>

namespace betr::fuse {

// A mount and the file system behind it. Other mounts may be of the same file system.
struct MountInfo {
  std::string id;
  std::string parent;  // the id of the mount that it is on
  std::string device;  // "major:minor", of the file system
  std::string root;    // the path within the file system that is mounted
  std::string directory;
  std::string type;
  std::string source;
  bool read_only = false;  // the file system, not only this mount of it
};

// Lists mounts in the order of mounting. If several are on one directory, the last is the visible one. Empty if the
// kernel does not tell. Thread-safe.
std::vector<MountInfo> MountInfos();

// Returns what is mounted on the directory, on top of all else. Its fields are empty if nothing is, or if the kernel
// does not tell.
MountInfo MountedOn(const std::string& directory);

// Lists the mounts that another process sees, by its number. Empty if the process is gone, or may not be asked.
std::vector<MountInfo> MountInfosOf(const std::string& process);

// Whether something is mounted on, or below, a path from the root of a file system.
bool IsMountedWithin(const std::vector<MountInfo>& infos, std::string_view device, std::string_view path);

// Parses a table in the form of /proc/self/mountinfo.
std::vector<MountInfo> ReadMountInfos(std::istream& lines);

}  // namespace betr::fuse
