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

std::vector<MountInfo> ReadMountInfos(std::istream& lines) {
  std::vector<MountInfo> infos;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    MountInfo info;
    fields >> info.id >> info.parent >> info.device >> info.root >> info.directory;
    // The mount's options and optional fields come before a lone dash.
    for (std::string field; field != "-" && fields >> field;) {
    }
    // Only the source may be empty.
    std::string options;
    if (!(fields >> info.type && fields.get() && std::getline(fields, info.source, ' ') && fields >> options)) continue;
    for (std::string* text : {&info.root, &info.directory, &info.type, &info.source}) *text = Unescaped(*text);
    info.read_only = options == "ro" || options.starts_with("ro,");
    infos.push_back(std::move(info));
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

MountInfo MountedOn(const std::string& directory) {
  MountInfo top;
  for (MountInfo& info : MountInfos()) {
    if (info.directory == directory) top = std::move(info);
  }
  return top;
}

}  // namespace betr::fuse
