// SPDX-License-Identifier: Apache-2.0
#include "replay/inference.h"

#include <algorithm>

#include "replay/scan.h"

namespace betr::replay {
namespace {

constexpr uint32_t kUsualFile = 0644;
constexpr uint32_t kUsualDirectory = 0755;
constexpr size_t kLongestPath = 3840;  // leaves room for one more name

std::string_view LastOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Inference::Inference(InitialLinks* links, NameSpace* space) : links_(*links) {
  links_.ForEach([&](const std::string& path, const std::string& target) { PutLink(space, path, target); });
}

// What an earlier reading has taken for a directory on the way may be a link by now; then there is no such path.
void Inference::PutLink(NameSpace* space, const std::string& path, const std::string& target) {
  const std::string root = space->PathOf(space->root());
  const std::string below = path.substr(root == "/" ? 0 : root.size());
  NodeNumber at = space->root();
  for (const std::string_view part : SplitNonEmpty(below, '/')) {
    if (space->Get(at).type != FileType::kDirectory) return;
    const std::string name(part);
    const bool is_last = part.data() + part.size() == below.data() + below.size();
    const FileType type = is_last ? FileType::kSymlink : FileType::kDirectory;
    if (!space->Get(at).children.contains(name) && !Conjure(space, at, name, type)) return;
    at = space->Get(at).children.at(name);
  }
  Node& link = space->Get(at);
  if (link.type != FileType::kSymlink) return;
  link.target = target;
  link.size = link.initial_size = target.size();
}

std::string Inference::InitialPathOf(const NameSpace& space, NodeNumber node) const {
  std::string path;
  if (const auto made = made_.find(node); made != made_.end()) {
    path = "/" + made->second.second;
    node = made->second.first;
  }
  while (node != space.root()) {
    const auto key = keys_.find(node);
    if (key == keys_.end()) return "";
    path.insert(0, "/" + key->second->second);
    node = key->second->first;
  }
  const std::string root = space.PathOf(node);
  return root == "/" ? path : root + path;
}

void Inference::Note(const std::string& path, const InitialLink& seen) {
  if (!path.empty() && links_.Note(path, seen)) has_found_links_ = true;
}

// What was known in time to be a link is none of those that are collected.
void Inference::SeeLink(const NameSpace& space, NodeNumber node, const InitialLink& seen) {
  if (space.Get(node).type == FileType::kSymlink && links_.empty()) return;
  const std::string path = InitialPathOf(space, node);
  if (space.Get(node).type != FileType::kSymlink || links_.Has(path)) Note(path, seen);
}

void Inference::SeeFollowed(const NameSpace& space, NodeNumber link) {
  Note(InitialPathOf(space, link), {.size = space.Get(link).size});
}

void Inference::SeeMade(const NameSpace& space, const Place& place) {
  const bool is_initial_directory = place.parent == space.root() || keys_.contains(place.parent);
  const Key key{place.parent, place.name};
  if (is_initial_directory && !initial_.contains(key)) made_.emplace(place.node, key);
}

void Inference::SeePath(const NameSpace& space, const Place& place, std::string_view told) {
  if (space.PathOf(place) == told) {
    NodeNumber node = place.node == NodeNumber{} ? place.parent : place.node;
    while (keys_.contains(node) && in_place_.insert(node).second) node = space.Get(node).parent;
    return;
  }
  std::vector<Way> ways;
  if (keys_.contains(place.node) || made_.contains(place.node)) ways.push_back({place.node, std::string(told)});
  NodeNumber node = place.parent;
  std::string_view name = place.name;
  while (keys_.contains(node) && name == LastOf(told) && told.rfind('/') != 0) {
    told = told.substr(0, told.rfind('/'));
    ways.push_back({node, std::string(told)});
    name = space.Get(node).name;
    node = space.Get(node).parent;
  }
  // Then it is the root, or a directory above, that has another name there.
  const bool is_by_root = node == space.root() && name == LastOf(told) && !told.starts_with(space.PathOf(node) + "/");
  if (ways.empty() || is_by_root) return;
  const NodeNumber nearest = ways[ways.size() > 1 ? 1 : 0].node;
  elsewhere_.try_emplace(nearest, std::move(ways));
}

bool Inference::CollectLinks(const NameSpace& space) {
  for (const auto& [nearest, ways] : elsewhere_) {
    const auto link =
        std::find_if(ways.rbegin(), ways.rend(), [&](const Way& way) { return !in_place_.contains(way.node); });
    if (link == ways.rend()) continue;
    const std::string path = InitialPathOf(space, link->node);
    if (!path.empty() && links_.NoteWay(path, link->leads_to)) has_found_links_ = true;
  }
  return has_found_links_;
}

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
  keys_.emplace(number, &initial_.emplace(Key(parent, name), number).first->first);
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
