// SPDX-License-Identifier: Apache-2.0
#include "replay/inference.h"

#include <algorithm>

namespace betr::replay {
namespace {

constexpr uint32_t kUsualFile = 0644;
constexpr uint32_t kUsualDirectory = 0755;
constexpr size_t kLongestPath = 3840;  // leaves room for one more name

}  // namespace

bool Inference::Conjure(NameSpace* space, NodeNumber parent, const std::string& name, FileType type) {
  if (!space->Has(parent)) return false;
  Node& directory = space->Get(parent);
  if (!directory.is_initial || directory.names == 0 || initial_.contains({parent, name})) return false;
  if (directory.type != FileType::kDirectory) {
    // It was taken for a file when it was opened.
    if (directory.is_type_sure) return false;
    space->BecomeDirectory(parent);
  }
  const NodeNumber number = space->Make(type, type == FileType::kDirectory ? kUsualDirectory : kUsualFile);
  Node& node = space->Get(number);
  node.is_initial = true;
  node.is_mode_known = false;
  node.is_size_sure = type != FileType::kRegular;
  node.is_type_sure = type != FileType::kRegular;
  space->AddName(parent, name, number);
  space->AddUse(number);
  initial_.emplace(std::pair(parent, name), number);
  return true;
}

void Inference::Add(const std::string& path, NodeNumber directory, const NameSpace& space, Manifest* manifest) const {
  for (auto at = initial_.lower_bound({directory, ""}); at != initial_.end() && at->first.first == directory; ++at) {
    const Node& node = space.Get(at->second);
    ManifestEntry entry{.path = (path == "/" ? "" : path) + "/" + at->first.second, .type = node.type};
    const bool is_directory = node.type == FileType::kDirectory;
    entry.permissions = node.initial_permissions.value_or(is_directory ? kUsualDirectory : kUsualFile);
    if (node.type == FileType::kRegular || node.type == FileType::kSymlink) entry.size = node.initial_size;
    entry.target = node.target;
    if (node.type == FileType::kSymlink) {
      entry.permissions = 0777;
      if (entry.target.empty()) entry.target.assign(std::clamp<uint64_t>(entry.size, 1, 4095), 'x');
      entry.size = entry.target.size();
    }
    manifest->entries.push_back(entry);
    // No path in a manifest may be longer than a system call takes.
    if (is_directory && entry.path.size() <= kLongestPath) Add(entry.path, at->second, space, manifest);
  }
}

Manifest Inference::Found(const NameSpace& space) const {
  Manifest manifest;
  const std::string root = space.PathOf(space.root());
  const Node& node = space.Get(space.root());
  manifest.entries.push_back(
      {.path = root, .type = FileType::kDirectory, .permissions = node.initial_permissions.value_or(kUsualDirectory)});
  Add(root, space.root(), space, &manifest);
  Sort(&manifest);
  return manifest;
}

}  // namespace betr::replay
