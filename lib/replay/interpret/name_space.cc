// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/name_space.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/check.h"
#include "replay/trace/scan.h"

namespace betr::replay {
namespace {

constexpr int kMostSymlinks = 40;
constexpr size_t kLongestName = 255;

}  // namespace

NameSpace::NameSpace(std::string_view root) {
  constexpr uint32_t kUsual = 0755;
  top_ = Make(FileType::kDirectory, kUsual);
  Get(top_).parent = top_;
  Get(top_).names = 1;
  root_ = top_;
  for (const std::string_view name : SplitNonEmpty(root, '/')) {
    Node& above = Get(root_);
    above.is_outside = true;
    above.is_bound = true;
    above.is_mode_known = false;
    const NodeNumber node = Make(FileType::kDirectory, kUsual);
    AddName(root_, std::string(name), node);
    root_ = node;
  }
  Get(root_).is_bound = true;
  Get(root_).is_initial = true;
}

// One walk: the components that are still to be followed, and where it is.
struct NameSpace::Walker {
  const NameSpace& space;
  NodeNumber process_root;
  NodeNumber at;
  std::string path;  // what is left
  FollowLast follow;
  int symlinks = 0;
  WalkResult result{};

  bool TakeName(std::string* name) {
    const size_t begin = path.find_first_not_of('/');
    if (begin == std::string::npos) return false;
    const size_t end = std::min(path.find('/', begin), path.size());
    *name = path.substr(begin, end - begin);
    path.erase(0, end);
    return true;
  }

  bool IsLast() const { return path.find_first_not_of('/') == std::string::npos; }

  WalkResult Fail(int error) {
    result.error = error;
    return result;
  }

  // Steps into `name`; true if the walk is over.
  bool Step(const std::string& name) {
    result.place = {};
    if (name == ".") return false;
    if (name == "..") {
      if (at != process_root && space.Has(space.Get(at).parent)) at = space.Get(at).parent;
      return false;
    }
    const Node& directory = space.Get(at);
    const auto found = directory.children.find(name);
    if (found == directory.children.end()) return Miss(directory, name);
    const Node& node = space.Get(found->second);
    const bool is_last = IsLast();
    const bool is_followed = follow == FollowLast::kYes || (follow == FollowLast::kNo && !path.empty());
    if (node.type == FileType::kSymlink && (!is_last || is_followed)) return Follow(found->second, node);
    result.place = {found->second, at, name, {}};
    // The root of the replay has no name in it, nor has what is above.
    if (is_last && directory.is_outside) result.place = {found->second, {}, {}, {}};
    if (is_last) return true;
    if (node.type != FileType::kDirectory) {
      result.place.rest = path.substr(path.find_first_not_of('/'));
      result.error = ENOTDIR;
      return true;
    }
    at = found->second;
    return false;
  }

  bool Miss(const Node& directory, const std::string& name) {
    if (directory.is_outside) {
      result.is_outside = true;
    } else if (name.size() > kLongestName) {
      result.error = ENAMETOOLONG;
    } else {
      result.place = {{}, at, name, {}};
      // Nothing can be made in a directory that is removed.
      result.error = IsLast() && directory.names > 0 ? 0 : ENOENT;
    }
    return true;
  }

  bool Follow(NodeNumber number, const Node& link) {
    if (link.target.empty()) result.untold = number;
    if (++symlinks > kMostSymlinks) {
      result.error = ELOOP;
      return true;
    }
    if (link.target.starts_with('/')) at = process_root;
    path = link.target + path;
    return false;
  }

  WalkResult Run() {
    std::string name;
    while (TakeName(&name)) {
      result.wants_directory = !path.empty();
      if (Step(name)) return result;
    }
    result.place.node = at;
    return result;
  }
};

WalkResult NameSpace::Walk(NodeNumber base, NodeNumber process_root, std::string_view path, FollowLast follow) const {
  Walker walker{.space = *this,
                .process_root = process_root,
                .at = path.starts_with('/') ? process_root : base,
                .path = std::string(path),
                .follow = follow};
  if (path.empty()) return walker.Fail(ENOENT);
  if (path.size() > kLongestPath) return walker.Fail(ENAMETOOLONG);
  return walker.Run();
}

NodeNumber NameSpace::Make(FileType type, uint32_t permissions) {
  const NodeNumber number{next_++};
  Node& node = nodes_[number];
  node.type = type;
  node.permissions = permissions;
  return number;
}

void NameSpace::AddName(NodeNumber parent, const std::string& name, NodeNumber node) {
  const bool is_new = Get(parent).children.emplace(name, node).second;
  Check(is_new, "a name that is given is free");
  Node& named = Get(node);
  ++named.names;
  named.parent = parent;
  named.name = name;
}

void NameSpace::BecomeDirectory(NodeNumber node) {
  Node& known = Get(node);
  Check(!known.is_type_sure, "what is sure does not change");
  known.type = FileType::kDirectory;
  known.is_type_sure = true;
  known.is_size_sure = true;
}

NodeNumber NameSpace::RemoveName(NodeNumber parent, const std::string& name) {
  auto& children = Get(parent).children;
  const auto found = children.find(name);
  Check(found != children.end(), "a name that is taken away is there");
  const NodeNumber node = found->second;
  children.erase(found);
  --Get(node).names;
  return node;
}

void NameSpace::DropUse(NodeNumber node) {
  Check(Get(node).uses > 0, "a use that is given back was taken");
  --Get(node).uses;
}

bool NameSpace::Reap(NodeNumber node) {
  const Node& known = Get(node);
  if (known.names > 0 || known.uses > 0) return false;
  nodes_.erase(node);
  return true;
}

NodeNumber NameSpace::ApplyRename(const Place& from, const Place& to, bool is_exchange) {
  if (from.node == to.node) return {};
  RemoveName(from.parent, from.name);
  if (to.node != NodeNumber{}) {
    RemoveName(to.parent, to.name);
    if (is_exchange) AddName(from.parent, from.name, to.node);
  }
  AddName(to.parent, to.name, from.node);
  return is_exchange ? NodeNumber{} : to.node;
}

bool NameSpace::IsBelow(NodeNumber node, NodeNumber above) const {
  while (node != above && node != top_) {
    if (!Has(node)) return false;
    node = Get(node).parent;
  }
  return node == above;
}

int NameSpace::CheckRename(const Place& from, const Place& to, bool is_exchange) const {
  const Node& moved = Get(from.node);
  const bool is_directory = moved.type == FileType::kDirectory;
  if (is_directory && IsBelow(to.parent, from.node)) return EINVAL;
  if (to.node == NodeNumber{}) return 0;
  const Node& replaced = Get(to.node);
  const bool was_directory = replaced.type == FileType::kDirectory;
  if (was_directory && IsBelow(from.parent, to.node)) return is_exchange ? EINVAL : ENOTEMPTY;
  if (is_exchange || from.node == to.node) return 0;
  if (is_directory && !was_directory) return ENOTDIR;
  if (!is_directory && was_directory) return EISDIR;
  return was_directory && !replaced.children.empty() ? ENOTEMPTY : 0;
}

std::string NameSpace::PathOf(NodeNumber directory) const {
  std::vector<std::string_view> names;
  for (NodeNumber at = directory; at != top_; at = Get(at).parent) {
    names.push_back(Get(at).name);
    if (!Has(Get(at).parent)) break;
  }
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) path.append("/").append(*name);
  return path.empty() ? "/" : path;
}

std::string NameSpace::PathOf(const Place& place) const {
  if (place.parent == NodeNumber{}) return PathOf(place.node);
  const std::string directory = PathOf(place.parent);
  return (directory == "/" ? "" : directory) + "/" + place.name;
}

Place NameSpace::FindName(NodeNumber node) const {
  const Node& known = Get(node);
  const Place last{node, known.parent, known.name, {}};
  if (known.names == 0) return last;
  if (Has(last.parent)) {
    const auto found = Get(last.parent).children.find(last.name);
    if (found != Get(last.parent).children.end() && found->second == node) return last;
  }
  for (const auto& [number, directory] : nodes_) {
    for (const auto& [name, child] : directory.children) {
      if (child == node) return {node, number, name, {}};
    }
  }
  return last;
}

std::string NameSpace::AnyPathOf(NodeNumber node) const {
  if (node == NodeNumber{} || !Has(node)) return "";
  if (Get(node).type == FileType::kDirectory) return PathOf(node);
  const Place place = FindName(node);
  return Has(place.parent) ? PathOf(place) : place.name;
}

}  // namespace betr::replay
