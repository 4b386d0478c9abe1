// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/initial_state.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/status.h"

namespace betr::replay {
namespace {

absl::Status Wrong(const ManifestEntry& entry, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("manifest: {}: {}", Escape(entry.path), why));
}

absl::Status LoadEntry(const ManifestEntry& entry, std::unordered_map<uint64_t, NodeNumber>* groups, NameSpace* space) {
  const WalkResult walk = space->Walk(space->top(), space->top(), entry.path, FollowLast::kNo);
  if (walk.is_outside) return Wrong(entry, "outside of the root");
  if (walk.error != 0) return Wrong(entry, "its directory is missing");
  if (walk.place.node == space->root()) {
    if (entry.type != FileType::kDirectory) return Wrong(entry, "the root is no directory");
    space->Get(space->root()).permissions = entry.permissions;
    return absl::OkStatus();
  }
  if (walk.place.node != NodeNumber{}) return Wrong(entry, "twice there");
  if (entry.type == FileType::kDirectory && entry.link_group != 0) return Wrong(entry, "a directory with two names");
  const auto known = entry.link_group == 0 ? groups->end() : groups->find(entry.link_group);
  NodeNumber number;
  if (known != groups->end()) {
    number = known->second;
    if (space->Get(number).type != entry.type) {
      return Wrong(entry, "of another type than the other names of its inode");
    }
  } else {
    number = space->Make(entry.type, entry.permissions);
    Node& node = space->Get(number);
    node.size = node.initial_size = entry.size;
    node.target = entry.target;
    node.device = entry.device;
    node.is_initial = true;
    if (entry.link_group != 0) groups->emplace(entry.link_group, number);
  }
  space->AddName(walk.place.parent, walk.place.name, number);
  return absl::OkStatus();
}

// Visits what lies below the root; directories before what is in them.
void Visit(const NameSpace& space, NodeNumber root, const std::string& root_path,
           const std::function<void(const std::string&, NodeNumber)>& visit) {
  std::vector<std::pair<NodeNumber, std::string>> pending{{root, root_path}};
  while (!pending.empty()) {
    const auto [directory, path] = std::move(pending.back());
    pending.pop_back();
    for (const auto& [name, child] : space.Get(directory).children) {
      const std::string child_path = (path == "/" ? "" : path) + "/" + name;
      visit(child_path, child);
      const bool is_directory = space.Get(child).type == FileType::kDirectory;
      if (is_directory && child_path.size() <= kLongestListedPath) pending.emplace_back(child, child_path);
    }
  }
}

ManifestEntry EntryOf(const NameSpace& space, const std::string& path, NodeNumber number) {
  const Node& node = space.Get(number);
  ManifestEntry entry{.path = path, .type = node.type, .permissions = node.permissions, .device = node.device};
  entry.target = node.target;
  if (node.type == FileType::kRegular || node.type == FileType::kSymlink) entry.size = node.size;
  if (node.names > 1 && node.type != FileType::kDirectory) entry.link_group = number.value;
  return entry;
}

// Makes one object; its directory is there.
class Maker {
 public:
  Maker(NameSpace* space, OperationSink* sink) : space_(*space), sink_(*sink) {}

  void Make(NodeNumber parent, const std::string& name, NodeNumber number) {
    Node& node = space_.Get(number);
    Operation make;
    make.place = {number, parent, name, {}};
    make.type = node.type;
    make.mode = node.permissions;
    if (node.is_bound) return MakeLink(number, parent, name);
    node.is_bound = true;
    made_.push_back(number);
    first_names_[number] = Place{number, parent, name, {}};
    switch (node.type) {
      case FileType::kRegular:
        return MakeFile(make, node);
      case FileType::kDirectory:
        make.kind = OperationKind::kMakeDirectory;
        // What mkdir(2) can set; the rest comes when everything below is made, which would inherit it.
        make.mode = (make.mode & 01777) | 0700;
        break;
      case FileType::kSymlink:
        make.kind = OperationKind::kSymlink;
        make.text = node.target;
        break;
      default:
        make.kind = OperationKind::kMakeNode;
        make.device = node.device;
    }
    sink_.Perform(make);
  }

  void MakeBelow(NodeNumber directory) {
    for (const auto& [name, child] : space_.Get(directory).children) {
      Make(directory, name, child);
      const Node& node = space_.Get(child);
      if (node.type != FileType::kDirectory) continue;
      MakeBelow(child);
      if (((node.permissions & 01777) | 0700) != node.permissions) {
        ChangeMode({child, directory, name, {}}, node.permissions);
      }
    }
  }

  void ChangeMode(const Place& place, uint32_t mode) {
    Operation change;
    change.kind = OperationKind::kChangeMode;
    change.place = place;
    change.mode = mode;
    sink_.Perform(change);
  }

  // The trace begins with nothing looked up.
  void Unbind() {
    for (const NodeNumber number : made_) space_.Get(number).is_bound = false;
  }

 private:
  void MakeLink(NodeNumber number, NodeNumber parent, const std::string& name) {
    Operation link;
    link.kind = OperationKind::kLink;
    link.place = first_names_.at(number);
    link.to = {number, parent, name, {}};
    sink_.Perform(link);
  }

  void MakeFile(Operation make, const Node& node) {
    // Not a number that the trace will use: those count upwards from 1.
    make.kind = OperationKind::kCreate;
    make.flags = O_CREAT | O_EXCL | O_WRONLY;
    make.file = FileNumber{~uint64_t{0}};
    sink_.Perform(make);
    constexpr uint64_t kPiece = uint64_t{1} << 20;
    Operation write = make;
    write.kind = OperationKind::kWrite;
    const uint64_t written = std::min(node.size, kMostInitialContent.value);
    for (uint64_t offset = 0; offset < written; offset += kPiece) {
      write.offset = offset;
      write.length = std::min(kPiece, written - offset);
      write.expected_count = write.length;
      sink_.Perform(write);
    }
    if (written < node.size) {
      Operation extend = make;
      extend.kind = OperationKind::kTruncate;
      extend.length = node.size;
      sink_.Perform(extend);
    }
    make.kind = OperationKind::kClose;
    sink_.Perform(make);
    // open(2) does not set them.
    if ((node.permissions & 07000) != 0) ChangeMode(make.place, node.permissions);
  }

  NameSpace& space_;
  OperationSink& sink_;
  std::vector<NodeNumber> made_;
  std::unordered_map<NodeNumber, Place> first_names_;
};

}  // namespace

absl::Status LoadManifest(const Manifest& manifest, NameSpace* space) {
  std::unordered_map<uint64_t, NodeNumber> groups;
  for (const ManifestEntry& entry : manifest.entries) BETR_RETURN_IF_ERROR(LoadEntry(entry, &groups, space));
  return absl::OkStatus();
}

Manifest ListNameSpace(const NameSpace& space) {
  Manifest manifest;
  const std::string root = space.PathOf(space.root());
  manifest.entries.push_back(EntryOf(space, root, space.root()));
  Visit(space, space.root(), root,
        [&](const std::string& path, NodeNumber number) { manifest.entries.push_back(EntryOf(space, path, number)); });
  Sort(&manifest);
  return manifest;
}

std::set<std::string> PathsOfUnknownMode(const NameSpace& space) {
  std::set<std::string> paths;
  Visit(space, space.root(), space.PathOf(space.root()), [&](const std::string& path, NodeNumber number) {
    if (!space.Get(number).is_mode_known) paths.insert(path);
  });
  return paths;
}

void Populate(NameSpace* space, OperationSink* sink) {
  Maker maker(space, sink);
  maker.MakeBelow(space->root());
  maker.ChangeMode({space->root(), {}, {}, {}}, space->Get(space->root()).permissions);
  maker.Unbind();
}

}  // namespace betr::replay
