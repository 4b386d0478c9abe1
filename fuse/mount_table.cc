// SPDX-License-Identifier: Apache-2.0
#include "mount_table.h"

#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

namespace betr::fuse {
namespace {

constexpr size_t kEscapeSize = 4;  // "\040"

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// Whether a path is another one or below it. Both begin with a slash; "/" contains everything.
bool IsWithin(std::string_view path, std::string_view top) {
  if (top == "/") return true;
  return path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
}

// Returns where in its parent's file system something is mounted.
std::string PlaceIn(const MountInfo& parent, const MountInfo& mounted) {
  const std::string_view directory = mounted.directory;
  const std::string_view below = parent.directory == "/" ? directory : directory.substr(parent.directory.size());
  return (parent.root == "/" ? "" : parent.root) + std::string(below);
}

// Decodes every "\NNN". getmntent(3) would leave some alone that only some kernels write, such as that for '#'.
std::string Unescaped(std::string_view field) {
  std::string text;
  while (!field.empty()) {
    const bool is_escape =
        field.size() >= kEscapeSize && field[0] == '\\' && IsOctal(field[1]) && IsOctal(field[2]) && IsOctal(field[3]);
    text += is_escape ? static_cast<char>((field[1] - '0') * 64 + (field[2] - '0') * 8 + (field[3] - '0')) : field[0];
    field.remove_prefix(is_escape ? kEscapeSize : 1);
  }
  return text;
}

}  // namespace

std::vector<MountEntry> ReadMountTable(std::istream& lines) {
  std::vector<MountEntry> entries;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string source;
    std::string directory;
    std::string type;
    if (!(fields >> source >> directory >> type)) continue;
    entries.push_back({Unescaped(source), Unescaped(directory), Unescaped(type)});
  }
  return entries;
}

std::vector<MountInfo> ReadMountInfos(std::istream& lines) {
  std::vector<MountInfo> infos;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string id;
    std::string parent;
    std::string device;
    std::string root;
    std::string directory;
    if (!(fields >> id >> parent >> device >> root >> directory)) continue;
    // The mount's options, optional fields, type and source come between. The file system's options are last.
    const std::string options = line.substr(line.rfind(' ') + 1);
    const bool is_read_only = options == "ro" || options.starts_with("ro,");
    infos.push_back({id, parent, device, Unescaped(root), Unescaped(directory), is_read_only});
  }
  return infos;
}

bool IsMountedWithin(const std::vector<MountInfo>& infos, std::string_view device, std::string_view path) {
  for (const MountInfo& parent : infos) {
    if (parent.device != device) continue;
    for (const MountInfo& mounted : infos) {
      const bool is_on = mounted.parent == parent.id && IsWithin(mounted.directory, parent.directory);
      if (is_on && IsWithin(PlaceIn(parent, mounted), path)) return true;
    }
  }
  return false;
}

std::vector<MountInfo> MountInfos() { return MountInfosOf("self"); }

std::vector<MountInfo> MountInfosOf(const std::string& process) {
  std::ifstream table("/proc/" + process + "/mountinfo");
  return ReadMountInfos(table);
}

MountEntry MountedOn(const std::string& directory) {
  MountEntry top;
  for (MountEntry& entry : MountTable()) {
    if (entry.directory == directory) top = std::move(entry);
  }
  return top;
}

std::vector<MountEntry> MountTable() {
  std::ifstream table("/proc/self/mounts");
  return ReadMountTable(table);
}

}  // namespace betr::fuse
