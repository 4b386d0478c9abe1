// SPDX-License-Identifier: Apache-2.0
// Names; what is done to one inode is in model_inode.cc.
#include "support/ace/model.h"

#include <utility>

#include "base/check.h"

namespace betr::ace {
namespace {

constexpr uint64_t kRoot = 0;

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Node NewNode(FileType type, uint32_t permissions) {
  Node node;
  node.type = type;
  node.permissions = permissions;
  node.links = type == FileType::kDirectory ? 2 : 1;
  return node;
}

}  // namespace

Model::Model(FileTime now) {
  Node root = NewNode(FileType::kDirectory, kDirectoryPermissions);
  root.number = 1;
  root.accessed = root.modified = root.changed = root.born = now;
  nodes_[kRoot] = std::make_shared<const Node>(std::move(root));
}

const Node* Model::Find(const std::string& path) const {
  uint64_t id = kRoot;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const Node& node = At(id);
    const auto entry = node.entries.find(path.substr(begin, end - begin));
    if (entry == node.entries.end()) return nullptr;
    id = entry->second;
    begin = end + 1;
  }
  return &At(id);
}

uint64_t Model::IdOf(const std::string& path) const {
  if (path.empty()) return kRoot;
  const Node* parent = Find(ParentOf(path));
  Check(parent != nullptr && parent->entries.contains(NameOf(path)), "workloads name what is there");
  return parent->entries.at(NameOf(path));  // NOLINT(clang-analyzer-core.CallAndMessage): Check does not return
}

Node& Model::Change(uint64_t id) {
  auto copy = std::make_shared<Node>(At(id));
  Node& node = *copy;
  nodes_[id] = std::move(copy);
  return node;
}

Node& Model::Touch(const std::string& path, FileTime now) {
  Node& parent = Change(ParentOf(path));
  parent.modified = parent.changed = now;
  return parent;
}

void Model::ForEach(const Visitor& visit) const { Visit("", kRoot, visit); }

void Model::Visit(const std::string& path, uint64_t id, const Visitor& visit) const {
  visit(path, id, At(id));
  for (const auto& [name, child] : At(id).entries) Visit(path.empty() ? name : path + "/" + name, child, visit);
}

void Model::Make(const std::string& path, Node node, FileTime now, uint64_t number) {
  node.number = number;
  node.accessed = node.modified = node.changed = node.born = now;
  const uint64_t id = next_++;
  nodes_[id] = std::make_shared<const Node>(std::move(node));
  Enter(path, id, now);
}

void Model::Enter(const std::string& path, uint64_t id, FileTime now) {
  Node& parent = Touch(path, now);
  Check(parent.entries.emplace(NameOf(path), id).second, "a new name is free");
  parent.links += At(id).type == FileType::kDirectory ? 1 : 0;
}

void Model::Leave(const std::string& path, FileTime now) {
  const uint64_t id = IdOf(path);
  Node& parent = Touch(path, now);
  parent.entries.erase(NameOf(path));
  if (At(id).type == FileType::kDirectory) {
    --parent.links;
    DropTree(id);
  } else if (At(id).links == 1) {
    nodes_.erase(id);
  } else {
    Node& node = Change(id);
    --node.links;
    node.changed = now;
  }
}

// Requires: no name below is a link to the outside.
void Model::DropTree(uint64_t id) {
  const std::map<std::string, uint64_t> entries = At(id).entries;
  for (const auto& [name, child] : entries) {
    if (nodes_.contains(child)) DropTree(child);
  }
  nodes_.erase(id);
}

void Model::DropLinks(uint64_t directory, FileTime now) {
  const std::map<std::string, uint64_t> entries = At(directory).entries;
  for (const auto& [name, child] : entries) {
    if (At(child).type == FileType::kDirectory) {
      DropLinks(child, now);
    } else if (At(child).was_linked) {
      Change(directory).entries.erase(name);
      Node& node = Change(child);
      node.changed = now;
      if (--node.links == 0) nodes_.erase(child);
    }
  }
}

void Model::Rename(const Call& call, FileTime now) {
  const uint64_t id = IdOf(call.path);
  if (Find(call.other) != nullptr) {
    if (IdOf(call.other) == id) return;
    Leave(call.other, now);
  }
  const bool is_directory = At(id).type == FileType::kDirectory;
  Node& from = Touch(call.path, now);
  from.entries.erase(NameOf(call.path));
  from.links -= is_directory ? 1 : 0;
  Enter(call.other, id, now);
  Change(id).changed = now;
}

void Model::Exchange(const Call& call, FileTime now) {
  const uint64_t a = IdOf(call.path);
  const uint64_t b = IdOf(call.other);
  const auto place = [&](const std::string& path, uint64_t id, uint64_t before) {
    Node& parent = Touch(path, now);
    parent.entries[NameOf(path)] = id;
    parent.links += At(id).type == FileType::kDirectory ? 1 : 0;
    parent.links -= At(before).type == FileType::kDirectory ? 1 : 0;
  };
  if (a != b) {
    place(call.path, b, a);
    place(call.other, a, b);
    Change(a).changed = now;
    Change(b).changed = now;
  }
}

// A copy of everything below, in which links stay links of each other; the outside is not linked.
uint64_t Model::CloneBelow(uint64_t id, std::map<uint64_t, uint64_t>* copies) {
  if (const auto known = copies->find(id); known != copies->end()) {
    const uint64_t copy = known->second;
    ++Change(copy).links;
    return copy;
  }
  const uint64_t copy = next_++;
  (*copies)[id] = copy;
  Node node = At(id);
  node.number = 0;
  if (node.type != FileType::kDirectory) node.links = 1;
  for (auto& [name, child] : node.entries) child = CloneBelow(child, copies);
  nodes_[copy] = std::make_shared<const Node>(std::move(node));
  return copy;
}

void Model::Clone(const Call& call, FileTime now, uint64_t number) {
  std::map<uint64_t, uint64_t> copies;
  const uint64_t id = CloneBelow(IdOf(call.path), &copies);
  Node& node = Change(id);
  node.number = number;
  node.changed = node.born = now;
  node.was_linked = false;
  Enter(call.other, id, now);
}

void Model::Apply(const Call& call, FileTime now, uint64_t number) {
  if (ChangesInode(call.kind)) {
    ApplyToInode(call, now);
  } else {
    ApplyToNames(call, now, number);
  }
}

void Model::ApplyToNames(const Call& call, FileTime now, uint64_t number) {
  switch (call.kind) {
    case Call::Kind::kCreate:
      return Make(call.path, NewNode(FileType::kRegular, kFilePermissions), now, number);
    case Call::Kind::kMakeDirectory:
      return Make(call.path, NewNode(FileType::kDirectory, kDirectoryPermissions), now, number);
    case Call::Kind::kMakeFifo:
      return Make(call.path, NewNode(FileType::kFifo, kFilePermissions), now, number);
    case Call::Kind::kMakeSymlink: {
      Node node = NewNode(FileType::kSymlink, 0777);
      node.content = std::make_shared<const std::string>(call.path);
      return Make(call.other, std::move(node), now, number);
    }
    case Call::Kind::kLink: {
      Node& node = Change(call.path);
      ++node.links;
      node.was_linked = true;
      node.changed = now;
      return Enter(call.other, IdOf(call.path), now);
    }
    case Call::Kind::kUnlink:
    case Call::Kind::kRemoveDirectory:
    case Call::Kind::kRemoveTree:
      return Leave(call.path, now);
    case Call::Kind::kDropLinks:
      return DropLinks(IdOf(call.path), now);
    case Call::Kind::kRename:
      return Rename(call, now);
    case Call::Kind::kLeave:
      Rename(call, now);
      return Make(call.path, NewNode(FileType::kFifo, kFilePermissions), now, number);
    case Call::Kind::kExchange:
      return Exchange(call, now);
    case Call::Kind::kClone:
      return Clone(call, now, number);
    default:
      return;  // nothing that can be seen afterwards
  }
}

}  // namespace betr::ace
