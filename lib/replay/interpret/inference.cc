// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/inference.h"

#include <algorithm>

#include "replay/trace/scan.h"

namespace betr::replay {
namespace {

constexpr uint32_t kUsualFile = 0644;
constexpr uint32_t kUsualDirectory = 0755;
constexpr size_t kLongestDirectory = 3840;  // leaves room for one more name
constexpr std::string_view kEntry = "/.betrreplay-entry";
constexpr size_t kMostWays = 64;  // names of a path that may be the symlink

std::string_view LastOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Inference::Inference(InitialNames* names, NameSpace* space) : names_(*names) {
  names_.ForEachLink([&](const std::string& path, const std::string& target) {
    const NodeNumber link = Put(space, path, FileType::kSymlink);
    if (link == NodeNumber{}) return;
    Node& node = space->Get(link);
    node.target = target;
    node.size = node.initial_size = target.size();
  });
  for (const std::string& path : names_.files()) {
    const NodeNumber file = Put(space, path, FileType::kRegular);
    if (file != NodeNumber{}) space->Get(file).is_type_sure = true;
  }
}

// What an earlier reading has taken for a directory on the way may be a link by now; then there is no such path.
NodeNumber Inference::Put(NameSpace* space, const std::string& path, FileType type) {
  const std::string root = space->PathOf(space->root());
  const std::string below = path.substr(root == "/" ? 0 : root.size());
  NodeNumber at = space->root();
  for (const std::string_view part : SplitNonEmpty(below, '/')) {
    if (space->Get(at).type != FileType::kDirectory) return {};
    const std::string name(part);
    const bool is_last = part.data() + part.size() == below.data() + below.size();
    const bool is_known = space->Get(at).children.contains(name);
    if (!is_known && !Conjure(space, at, name, is_last ? type : FileType::kDirectory)) return {};
    at = space->Get(at).children.at(name);
  }
  return space->Get(at).type == type ? at : NodeNumber{};
}

std::string Inference::InitialPathOf(const NameSpace& space, NodeNumber node) const {
  std::vector<std::string_view> names;
  if (const auto opened = opened_.find(node); opened != opened_.end()) {
    names.push_back(opened->second.second);
    node = opened->second.first;
  }
  while (node != space.root()) {
    const auto key = keys_.find(node);
    if (key == keys_.end()) return "";
    names.push_back(key->second->second);
    node = key->second->first;
  }
  std::string path = space.PathOf(node);
  if (path == "/") path.clear();
  for (auto name = names.rbegin(); name != names.rend(); ++name) path.append("/").append(*name);
  return path;
}

void Inference::SeeMade(const NameSpace& space, const Place& place, bool is_sure) {
  const Key key{place.parent, place.name};
  const bool is_initial_directory = place.parent == space.root() || keys_.contains(place.parent);
  if (!is_initial_directory || initial_.contains(key)) return;
  if (is_sure) {
    free_.insert(key);
  } else if (!free_.contains(key)) {
    opened_.emplace(place.node, key);
  }
}

void Inference::SeeOlder(const NameSpace& space, NodeNumber node) {
  if (!opened_.contains(node)) return;
  const std::string path = InitialPathOf(space, node);
  if (!path.empty()) NoteFile(path);
}

void Inference::NoteFile(const std::string& path) {
  if (names_.NoteFile(path)) has_found_names_ = true;
}

void Inference::NoteLink(const std::string& path, const InitialLink& seen) {
  if (!path.empty() && names_.NoteLink(path, seen)) has_found_names_ = true;
}

// What was known in time to be a link is none of those that are collected.
void Inference::SeeLink(const NameSpace& space, NodeNumber node, const InitialLink& seen) {
  if (replaced_.contains(node) || (space.Get(node).type == FileType::kSymlink && !names_.HasLinks())) return;
  const std::string path = InitialPathOf(space, node);
  if (space.Get(node).type != FileType::kSymlink || names_.HasLink(path)) NoteLink(path, seen);
}

void Inference::SeeReplacedLink(const NameSpace& space, NodeNumber node) {
  SeeLink(space, node, {});
  replaced_.insert(node);
}

void Inference::SeeNoLink(const NameSpace& space, NodeNumber node) {
  if (!keys_.contains(node) || replaced_.contains(node) || !in_place_.insert(node).second) return;
  if (space.Get(node).type != FileType::kSymlink) return;
  if (names_.RefuteLink(InitialPathOf(space, node))) has_found_names_ = true;
}

void Inference::SeeFollowed(const NameSpace& space, NodeNumber link) {
  NoteLink(InitialPathOf(space, link), {.size = space.Get(link).size});
}

void Inference::SeePath(const NameSpace& space, const Place& place, std::string_view told) {
  if (space.PathOf(place) == told) {
    const bool is_initial = keys_.contains(place.node);
    NodeNumber node = is_initial ? place.node : place.parent;
    while (keys_.contains(node) && in_place_.insert(node).second) node = space.Get(node).parent;
    return;
  }
  Ways ways{.nodes = {place.node}, .told = std::string(told)};
  const bool may_be_link = keys_.contains(place.node) || opened_.contains(place.node);
  if (!may_be_link) ways.nodes.front() = NodeNumber{};
  NodeNumber node = place.parent;
  std::string_view name = place.name;
  while (keys_.contains(node) && name == LastOf(told) && told.rfind('/') != 0 && ways.nodes.size() < kMostWays) {
    told = told.substr(0, told.rfind('/'));
    ways.nodes.push_back(node);
    name = space.Get(node).name;
    node = space.Get(node).parent;
  }
  // Then it is the root, or a directory above, that has another name there.
  const bool is_by_root = node == space.root() && name == LastOf(told) && !told.starts_with(space.PathOf(node) + "/");
  if (is_by_root) return;
  const NodeNumber nearest = ways.nodes.size() > 1 ? place.parent : place.node;
  elsewhere_.try_emplace(nearest, std::move(ways));
}

bool Inference::CollectNames(const NameSpace& space) {
  for (auto& [nearest, ways] : elsewhere_) {
    // The highest that may be one.
    while (!ways.nodes.empty() && (ways.nodes.back() == NodeNumber{} || in_place_.contains(ways.nodes.back()))) {
      ways.nodes.pop_back();
    }
    if (ways.nodes.empty()) continue;
    const std::string path = InitialPathOf(space, ways.nodes.back());
    for (size_t level = 1; level < ways.nodes.size(); ++level) ways.told.erase(ways.told.rfind('/'));
    if (!path.empty() && names_.NoteWay(path, ways.told)) has_found_names_ = true;
  }
  for (const NodeNumber directory : not_empty_) {
    const auto first = initial_.lower_bound({directory, ""});
    const bool has_initial = first != initial_.end() && first->first.first == directory;
    const std::string path = has_initial ? "" : InitialPathOf(space, directory);
    if (!path.empty()) NoteFile(path + std::string(kEntry));
  }
  return has_found_names_;
}

bool Inference::Conjure(NameSpace* space, NodeNumber parent, const std::string& name, FileType type) {
  if (!space->Has(parent)) return false;
  Node& directory = space->Get(parent);
  if (!directory.is_initial || directory.names == 0 || initial_.contains({parent, name})) return false;
  if (free_.contains(Key(parent, name))) return false;
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
    if (!node.is_type_sure && node.type_guess == TypeGuess::kDirectory) entry.type = FileType::kDirectory;
    const bool is_directory = entry.type == FileType::kDirectory;
    entry.permissions = node.initial_permissions.value_or(is_directory ? kUsualDirectory : kUsualFile);
    if (entry.type == FileType::kRegular || entry.type == FileType::kSymlink) entry.size = node.initial_size;
    entry.target = node.target;
    if (node.type == FileType::kSymlink) {
      entry.permissions = 0777;
      if (entry.target.empty()) entry.target.assign(std::clamp<uint64_t>(entry.size, 1, kLongestPath), 'x');
      entry.size = entry.target.size();
    }
    manifest->entries.push_back(entry);
    // No path in a manifest may be longer than a system call takes.
    if (is_directory && entry.path.size() <= kLongestDirectory) Add(entry.path, at->second, space, manifest);
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
